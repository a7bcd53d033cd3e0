// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_compare_launch(): a launch that is right passes in every layout, and
// results that were changed by a known amount do not. What is expected follows
// from the change, not from the comparison.
#include <math.h>

#include "device_test.h"
#include "fmhac_reference.h"
#include "kernels_test.h"

enum { B = 2, HQ = 4, HK = 2, SQ = 37, SK = 70, D = 64 };

static fmhac_context *g_context;
static fmhac_rt_device *g_device;

static fmhac_device_ptr reserve(size_t bytes, int fill) {
  fmhac_device_ptr address;
  assert_int_equal(fmhac_rt_alloc(g_device, bytes, &address), FMHAC_OK);
  assert_int_equal(fmhac_rt_fill(g_device, address, fill, bytes), FMHAC_OK);
  return address;
}

/// Elements of either sign, 0.5 to 2.
static void put_values(fmhac_device_ptr address, size_t count, uint32_t seed) {
  uint16_t *values = malloc(count * sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (uint16_t)(0x3f00 | (seed >> 16 & 0x80ff));
  }
  assert_int_equal(
      fmhac_rt_copy_in(g_device, address, values, count * sizeof *values),
      FMHAC_OK);
  free(values);
}

static fmhac_device_ptr put_list(const int32_t *list, size_t count) {
  fmhac_device_ptr address = reserve(count * sizeof *list, 0);
  assert_int_equal(
      fmhac_rt_copy_in(g_device, address, list, count * sizeof *list),
      FMHAC_OK);
  return address;
}

static fmhac_plan *make_plan(const char *json) {
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  fmhac_plan *plan;
  if (fmhac_plan_create_json(g_context, json, &most, &plan) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  return plan;
}

static fmhac_tensors make_tensors(const fmhac_plan *plan, bool lse) {
  const fmhac_problem size = {sizeof size, B, HQ, HK, SQ, SK, 0, 0};
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  const size_t q = B * SQ * HQ * D, k = B * SK * HK * D;
  assert_int_equal(
      fmhac_tensors_dense(plan, &size, reserve(2 * q, 0), reserve(2 * k, 0),
                          reserve(2 * k, 0), reserve(2 * q, 0xff),
                          lse ? reserve(B * HQ * SQ * 4, 0xff) : 0, &t),
      FMHAC_OK);
  put_values(t.q, q, 1);
  put_values(t.k, k, 2);
  put_values(t.v, k, 3);
  return t;
}

static void launch(const fmhac_plan *plan, const fmhac_tensors *t) {
  if (fmhac_launch(plan, g_device, t, NULL, NULL) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
}

static fmhac_comparison compare(const fmhac_plan *plan,
                                const fmhac_tensors *t) {
  fmhac_comparison c = {.size = sizeof c};
  if (fmhac_compare_launch(plan, g_device, t, NULL, &c) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  return c;
}

static void assert_right(const fmhac_comparison *c, uint64_t rows) {
  if (!c->pass)
    fail_msg("%s", c->reason);
  assert_int_equal(c->rows, rows);
  assert_string_equal(c->reason, "");
  assert_true(c->max_abs_err <= c->tolerance && c->tolerance < 0.1);
}

static void assert_wrong(const fmhac_comparison *c, const char *words) {
  assert_false(c->pass);
  if (!strstr(c->reason, words))
    fail_msg("'%s' in '%s'", words, c->reason);
}

static float read_f32(fmhac_device_ptr address) {
  float value;
  assert_int_equal(fmhac_rt_copy_out(g_device, address, &value, sizeof value),
                   FMHAC_OK);
  return value;
}

static void write_f32(fmhac_device_ptr address, float value) {
  assert_int_equal(fmhac_rt_copy_in(g_device, address, &value, sizeof value),
                   FMHAC_OK);
}

/// O in f32, so that a change is an exact one.
static void test_changed_results(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan("{\"head_dim\": 64, \"mask\": \"causal\", "
                               "\"lse\": true, \"out_dtype\": \"f32\"}");
  fmhac_tensors t = make_tensors(plan, true);
  t.o = reserve(B * SQ * HQ * D * sizeof(float), 0xff);
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, B * SQ * HQ);
  assert_true(c.lse_max_abs_err <= c.lse_tolerance && c.lse_tolerance > 0);
  const double before = c.max_abs_err;
  // The last element of the last row.
  const fmhac_device_ptr last = t.o + (B * SQ * HQ * D - 1) * sizeof(float);
  const float kept = read_f32(last);
  write_f32(last, kept + 4);
  c = compare(plan, &t);
  assert_wrong(&c, "O: max abs error");
  assert_true(fabs(c.max_abs_err - 4) <= before + 1e-6);
  write_f32(last, NAN);
  c = compare(plan, &t);
  assert_wrong(&c, "O: 1 elements are NaN");
  write_f32(last, kept);
  const fmhac_device_ptr row = t.lse + (B * HQ * SQ - 1) * sizeof(float);
  write_f32(row, read_f32(row) + 1);
  c = compare(plan, &t);
  assert_wrong(&c, "LSE: max abs error");
  assert_true(fabs(c.lse_max_abs_err - 1) <= c.lse_tolerance);
  assert_true(c.max_abs_err <= c.tolerance);
  fmhac_plan_destroy(plan);
}

/// An input that is changed after the launch: the results are not its.
static void test_changed_input(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan("{\"head_dim\": 64}");
  fmhac_tensors t = make_tensors(plan, false);
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, B * SQ * HQ);
  assert_true(c.lse_tolerance == 0 && c.lse_max_abs_err == 0);
  t.scale = 0.25f; // it was 0.125
  c = compare(plan, &t);
  assert_wrong(&c, "O: ");
  fmhac_plan_destroy(plan);
}

/// Packed queries, padded keys of which some are not in use; what is not in use
/// is NaN.
static void test_lengths(void **state) {
  (void)state;
  fmhac_plan *plan =
      make_plan("{\"head_dim\": 64, \"mask\": \"causal\", \"lse\": true, "
                "\"cu_seqlens_q\": true, \"seqlens_kv\": true}");
  fmhac_tensors t = make_tensors(plan, true);
  static const int32_t starts[B + 1] = {0, 5, 5 + SQ}, keys[B] = {9, SK - 1};
  t.cu_seqlens_q = put_list(starts, B + 1);
  t.seqlens_kv = put_list(keys, B);
  t.lse_head_stride_bytes = (5 + SQ) * sizeof(float);
  assert_int_equal(fmhac_rt_fill(g_device, t.k + 9 * HK * D * 2, 0x7f,
                                 (SK - 9) * HK * D * 2),
                   FMHAC_OK);
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, (5 + SQ) * HQ);
  fmhac_plan_destroy(plan);
}

/// [B, H, S, D] with gaps between rows, a sink, slopes, a bias of its own for
/// each head.
static void test_strides_and_functions(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan("{\"head_dim\": 64, \"sink\": true, "
                               "\"alibi\": true, \"bias\": true}");
  fmhac_tensors t = make_tensors(plan, false);
  const uint64_t row = 2 * D + 32;
  const fmhac_strides q = {HQ * SQ * row, SQ * row, row};
  const fmhac_strides k = {HK * SK * row, SK * row, row};
  t.q = reserve(B * HQ * SQ * row, 0);
  t.k = reserve(B * HK * SK * row, 0);
  t.v = reserve(B * HK * SK * row, 0);
  t.o = reserve(B * HQ * SQ * row, 0xff);
  put_values(t.q, B * HQ * SQ * row / 2, 5);
  put_values(t.k, B * HK * SK * row / 2, 6);
  put_values(t.v, B * HK * SK * row / 2, 7);
  t.q_strides = t.o_strides = q;
  t.k_strides = t.v_strides = k;
  t.sink = reserve(HQ * 4, 0);
  t.alibi_slopes = reserve(HQ * 4, 0x3c); // 0.0115 each
  t.bias = reserve(HQ * SK * 4, 0x3d);    // 0.0462 each
  write_f32(t.bias + 3 * 4, -5);
  t.bias_strides = (fmhac_strides){.head_bytes = SK * 4};
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, B * HQ * SQ);
  // Without the one number of the bias that is large, the results are others.
  write_f32(t.bias + 3 * 4, 5);
  c = compare(plan, &t);
  assert_wrong(&c, "O: ");
  fmhac_plan_destroy(plan);
}

/// Where the elements of a cache of `PAGES` pages of `PAGE` rows lie.
typedef struct place {
  uint64_t page, row, head; ///< strides in bytes
  uint64_t bytes;
  bool pieces; ///< vectorised: of 8 elements
} place;
enum { PAGE = 16, PAGES = 40 };

/// Element `d` of row `j` of a head of a page, from the first, in bytes.
static uint64_t in_head(const place *at, uint64_t j, uint64_t d, bool is_v) {
  if (!at->pieces)
    return j * at->row + d * 2;
  return 2 *
         (is_v ? (j / 8 * D + d) * 8 + j % 8 : (d / 8 * PAGE + j) * 8 + d % 8);
}

/// A cache in which what no sequence has is NaN: `numbers` has the pages of
/// sequence b at b * row.
static fmhac_device_ptr put_cache(const place *at, const int32_t *numbers,
                                  size_t row, const int32_t *keys, bool is_v,
                                  uint32_t seed) {
  const fmhac_device_ptr base = reserve(at->bytes, 0xff);
  for (int b = 0; b < B; ++b)
    for (int j = 0; j < keys[b]; ++j)
      for (int h = 0; h < HK; ++h)
        for (uint64_t d = 0; d < D; ++d)
          put_values(base +
                         (uint64_t)numbers[(size_t)b * row + (size_t)j / PAGE] *
                             at->page +
                         (uint64_t)h * at->head +
                         in_head(at, (uint64_t)j % PAGE, d, is_v),
                     1, seed++);
  return base;
}

/// Pages by row, by head, and heads apart of which each has all pages, the last
/// two vectorised, too; a list that is a part of a longer one, and a table
/// whose rows end with the last number. Only pages in use can be read: memory
/// ends with the last of them.
static void test_pages(void **state) {
  (void)state;
  const uint64_t element = 2;
  static const int32_t keys[B] = {33, SK}; // 3 and 5 pages
  enum { ROW = 5, FIRST = 7 };
  // The 6th of 8 has the last page; a page that is shared.
  static const int32_t table[B * ROW] = {9, 2,  31,        0, 0,
                                         5, 30, PAGES - 1, 2, 11};
  const uint64_t row = HK * D * element;
  const place places[] = {
      {PAGE * row, row, D * element, PAGES * PAGE * row, false},
      {PAGE * row, D * element, PAGE * D * element, PAGES * PAGE * row, false},
      {PAGE * D * element, D * element, PAGES * PAGE * D * element,
       PAGES * PAGE * row, false},
      {PAGE * row, 0, PAGE * D * element, PAGES * PAGE * row, true},
      {PAGE * D * element, 0, PAGES * PAGE * D * element, PAGES * PAGE * row,
       true}};
  for (size_t i = 0; i < 2 * sizeof places / sizeof places[0]; ++i) {
    const place *at = &places[i / 2];
    const bool list = i % 2;
    char json[256];
    snprintf(json, sizeof json,
             "{\"head_dim\": 64, \"mask\": \"causal\", \"page_size\": 16, "
             "\"kv_layout\": \"%s\", %s}",
             at->pieces ? "vectorised" : "nhd",
             list ? "\"kv_indptr\": true, \"kv_indices\": true, "
                    "\"kv_last_page_len\": true"
                  : "\"page_table\": true, \"seqlens_kv\": true");
    fmhac_plan *plan = make_plan(json);
    fmhac_tensors t = make_tensors(plan, false);
    t.k = put_cache(at, table, ROW, keys, false, 100);
    t.v = put_cache(at, table, ROW, keys, true, 900);
    t.k_strides = t.v_strides =
        (fmhac_strides){.row_bytes = at->row, .head_bytes = at->head};
    t.k_page_stride_bytes = t.v_page_stride_bytes = at->page;
    t.pages = PAGES;
    if (list) {
      int32_t longer[FIRST + 8];
      static const int32_t starts[B + 1] = {FIRST, FIRST + 3, FIRST + 8};
      static const int32_t last[B] = {1, SK % PAGE};
      for (int j = 0; j < FIRST; ++j)
        longer[j] = -1;
      memcpy(longer + FIRST, table, 3 * sizeof *table);
      memcpy(longer + FIRST + 3, table + ROW, 5 * sizeof *table);
      t.kv_indptr = put_list(starts, B + 1);
      t.kv_indices = put_list(longer, FIRST + 8);
      t.kv_last_page_len = put_list(last, B);
    } else {
      t.page_table = put_list(table, B * ROW);
      t.page_table_batch_stride_bytes = ROW * sizeof *table;
      t.seqlens_kv = put_list(keys, B);
    }
    launch(plan, &t);
    fmhac_comparison c = compare(plan, &t);
    assert_right(&c, B * SQ * HQ);
    // Of caches that are said to be larger no more is read.
    const uint64_t far = t.pages;
    t.pages = 1 << 19; // 2 GiB
    c = compare(plan, &t);
    assert_right(&c, B * SQ * HQ);
    t.pages = far;
    // Another page in the place of one: other results.
    const int32_t other = 5;
    const fmhac_device_ptr number =
        list ? t.kv_indices + FIRST * sizeof other : t.page_table;
    assert_int_equal(fmhac_rt_copy_in(g_device, number, &other, sizeof other),
                     FMHAC_OK);
    c = compare(plan, &t);
    assert_wrong(&c, "O: ");
    // A page that there is not.
    fmhac_comparison none = {.size = sizeof none};
    const int32_t beyond = PAGES;
    assert_int_equal(fmhac_rt_copy_in(g_device, number, &beyond, sizeof beyond),
                     FMHAC_OK);
    assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &none),
                     FMHAC_INVALID_INPUT);
    assert_non_null(strstr(fmhac_last_error(g_context),
                           "page 0 of sequence 0 is 40, expected 0 to 39"));
    fmhac_plan_destroy(plan);
  }
}

/// 8-bit elements of either sign, 0.5 to 1.875.
static fmhac_device_ptr put_bytes(size_t count, uint32_t seed) {
  const fmhac_device_ptr address = reserve(count, 0);
  uint8_t *values = malloc(count);
  assert_non_null(values);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (uint8_t)(0x30 | (seed >> 16 & 0x8f));
  }
  assert_int_equal(fmhac_rt_copy_in(g_device, address, values, count),
                   FMHAC_OK);
  free(values);
  return address;
}

/// Factors of pages, those of K beside those of V, [pages, Hk, 2]: O is right,
/// and the same bytes as with an array for each. Those of pages that no
/// sequence has are NaN.
static void test_factors_of_pages(void **state) {
  (void)state;
  enum { ROW = 5, OPERANDS = 2, O_BYTES = B * SQ * HQ * D * 2 };
  static const int32_t keys[B] = {33, SK};
  static const int32_t table[B * ROW] = {9, 2,  31,        0, 0,
                                         5, 30, PAGES - 1, 2, 11};
  fmhac_plan *plan = make_plan(
      "{\"head_dim\": 64, \"dtype\": \"fp8\", \"mask\": \"causal\", "
      "\"page_size\": 16, \"page_table\": true, \"seqlens_kv\": true, "
      "\"k_scale\": \"block\", \"v_scale\": \"block\", "
      "\"k_scales\": true, \"v_scales\": true}");
  fmhac_tensors t = make_tensors(plan, false);
  t.q = put_bytes(B * SQ * HQ * D, 11);
  t.k = put_bytes(PAGES * PAGE * HK * D, 12);
  t.v = put_bytes(PAGES * PAGE * HK * D, 13);
  t.k_page_stride_bytes = t.v_page_stride_bytes = PAGE * HK * D;
  t.pages = PAGES;
  t.page_table = put_list(table, B * ROW);
  t.page_table_batch_stride_bytes = ROW * sizeof *table;
  t.seqlens_kv = put_list(keys, B);
  const size_t bytes = PAGES * HK * sizeof(float);
  const fmhac_device_ptr both = reserve(OPERANDS * bytes, 0xff);
  const fmhac_device_ptr alone[OPERANDS] = {reserve(bytes, 0xff),
                                            reserve(bytes, 0xff)};
  for (int b = 0; b < B; ++b)
    for (int i = 0; i * PAGE < keys[b]; ++i)
      for (int h = 0; h < HK; ++h)
        for (int operand = 0; operand < OPERANDS; ++operand) {
          const uint64_t at = (uint64_t)table[b * ROW + i] * HK + (uint64_t)h;
          const float factor =
              (operand ? -0.03f : 0.2f) * (float)(at % 7 + 1 + (uint64_t)h);
          write_f32(both + (at * OPERANDS + (uint64_t)operand) * sizeof factor,
                    factor);
          write_f32(alone[operand] + at * sizeof factor, factor);
        }
  t.k_scales = both;
  t.v_scales = both + sizeof(float);
  t.k_scales_strides = t.v_scales_strides =
      (fmhac_strides){.row_bytes = OPERANDS * HK * sizeof(float),
                      .head_bytes = OPERANDS * sizeof(float)};
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, B * SQ * HQ);
  static uint8_t beside[O_BYTES], apart[O_BYTES];
  assert_int_equal(fmhac_rt_copy_out(g_device, t.o, beside, O_BYTES), FMHAC_OK);
  assert_int_equal(fmhac_rt_fill(g_device, t.o, 0xff, O_BYTES), FMHAC_OK);
  t.k_scales = alone[0];
  t.v_scales = alone[1];
  t.k_scales_strides = t.v_scales_strides = (fmhac_strides){
      .row_bytes = HK * sizeof(float), .head_bytes = sizeof(float)};
  launch(plan, &t);
  assert_int_equal(fmhac_rt_copy_out(g_device, t.o, apart, O_BYTES), FMHAC_OK);
  assert_memory_equal(apart, beside, O_BYTES);
  // Another factor of one page: other results.
  for (int operand = 0; operand < OPERANDS; ++operand) {
    const fmhac_device_ptr at = alone[operand] + 9 * HK * sizeof(float);
    const float kept = read_f32(at);
    write_f32(at, -kept);
    c = compare(plan, &t);
    assert_wrong(&c, "O: ");
    write_f32(at, kept);
  }
  fmhac_plan_destroy(plan);
}

/// Factors of 64 keys of which one is NaN: rows that see none of its keys have
/// the same bytes as with a number in its place, the others are NaN. Row i of
/// 37 sees keys up to i + 33 of 70.
static void test_hidden_factors(void **state) {
  (void)state;
  enum { BLOCKS = 2, O_ELEMS = B * SQ * HQ * D };
  static const struct {
    const char *mask;
    int nan_block, first_hidden, end_hidden; ///< rows that do not see it
  } cases[] = {{"causal", 1, 0, 31}, {"window:3,0", 0, 34, SQ}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n)
    for (int operand = 0; operand < 2; ++operand) {
      char json[256];
      snprintf(json, sizeof json,
               "{\"head_dim\": 64, \"dtype\": \"fp8\", \"mask\": \"%s\", "
               "\"schedule\": \"dualwave_fp8_d64\", \"scale_block\": 64, "
               "\"%c_scale\": \"block\", \"%c_scales\": true}",
               cases[n].mask, "kv"[operand], "kv"[operand]);
      fmhac_plan *plan = make_plan(json);
      fmhac_tensors t = make_tensors(plan, false);
      t.q = put_bytes(B * SQ * HQ * D, 21);
      t.k = put_bytes(B * SK * HK * D, 22);
      t.v = put_bytes(B * SK * HK * D, 23);
      const size_t count = B * BLOCKS * HK;
      const fmhac_device_ptr factors = reserve(count * sizeof(float), 0);
      *(operand ? &t.v_scales : &t.k_scales) = factors;
      *(operand ? &t.v_scales_strides : &t.k_scales_strides) =
          (fmhac_strides){.batch_bytes = BLOCKS * HK * sizeof(float),
                          .row_bytes = HK * sizeof(float),
                          .head_bytes = sizeof(float)};
      static uint16_t with[O_ELEMS], without[O_ELEMS];
      for (int is_nan = 0; is_nan < 2; ++is_nan) {
        for (size_t i = 0; i < count; ++i)
          write_f32(factors + i * sizeof(float),
                    (int)(i / HK % BLOCKS) != cases[n].nan_block ? 0.5f
                    : is_nan                                     ? NAN
                                                                 : 2.0f);
        launch(plan, &t);
        assert_int_equal(fmhac_rt_copy_out(g_device, t.o,
                                           is_nan ? with : without,
                                           sizeof with),
                         FMHAC_OK);
      }
      for (size_t i = 0; i < O_ELEMS; ++i) {
        const int row = (int)(i / (HQ * D) % SQ);
        if (row >= cases[n].first_hidden && row < cases[n].end_hidden)
          assert_int_equal(with[i], without[i]);
        else
          assert_true((with[i] & 0x7fff) > 0x7f80);
      }
      fmhac_plan_destroy(plan);
    }
}

/// Of 70 keys, key 64 alone has a score, 1.5 binary orders, and a V. A kernel
/// whose maximum lags behind by up to two orders and whose factors follow the
/// products of tiles rounds its weight, 2^7.5 = 181.02, to 176. With the factor
/// 5 in the weight before it is rounded there are no errors near that.
static void test_equal_factors_of_blocks(void **state) {
  (void)state;
  enum { BLOCKS = 2, ONE = 0x38, ONE_AND_A_HALF = 0x3c };
  fmhac_plan *plan = make_plan(
      "{\"head_dim\": 64, \"dtype\": \"fp8\", \"schedule\": "
      "\"dualwave_fp8_d64\", \"scale_block\": 64, \"v_scale\": \"block\", "
      "\"v_scales\": true}");
  fmhac_tensors t = make_tensors(plan, false);
  static uint8_t q[B * SQ * HQ * D], k[B * SK * HK * D], v[B * SK * HK * D];
  for (size_t i = 0; i < sizeof q; i += D)
    q[i] = ONE;
  for (size_t i = 0; i < sizeof k; ++i)
    if (i / (HK * D) % SK == 64) {
      k[i] = i % D == 0 ? ONE_AND_A_HALF : 0;
      v[i] = (uint8_t)(ONE + i % 7);
    }
  t.scale = (float)log(2);
  assert_int_equal(fmhac_rt_copy_in(g_device, t.q, q, sizeof q), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(g_device, t.k, k, sizeof k), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(g_device, t.v, v, sizeof v), FMHAC_OK);
  const size_t count = B * BLOCKS * HK;
  t.v_scales = reserve(count * sizeof(float), 0);
  for (size_t i = 0; i < count; ++i)
    write_f32(t.v_scales + i * sizeof(float), 5);
  t.v_scales_strides =
      (fmhac_strides){.batch_bytes = BLOCKS * HK * sizeof(float),
                      .row_bytes = HK * sizeof(float),
                      .head_bytes = sizeof(float)};
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, B * SQ * HQ);
  assert_true(fabs(c.rel_rms_err - (1 - 176 / exp2(7.5))) < 2e-3);
  // What a kernel with another factor would give.
  for (size_t i = HK; i < count; i += BLOCKS * HK)
    write_f32(t.v_scales + i * sizeof(float), 5.5f);
  c = compare(plan, &t);
  assert_wrong(&c, "O: ");
  fmhac_plan_destroy(plan);
}

/// Lengths that do not count the rows of Q, packed, and far too large.
static void test_cached_lengths(void **state) {
  (void)state;
  fmhac_plan *plan =
      make_plan("{\"head_dim\": 64, \"page_size\": 16, \"page_table\": true, "
                "\"cu_seqlens_q\": true, \"seqlens_kv\": true, "
                "\"kv_lengths\": \"cached\"}");
  fmhac_tensors t = make_tensors(plan, false);
  static const int32_t starts[B + 1] = {0, 5, 5 + SQ}, before[B] = {9, 12};
  static const int32_t numbers[B * 4] = {0, -1, -1, -1, 1, 2, 3, 4};
  t.pages = 5; // of B * SK rows
  t.cu_seqlens_q = put_list(starts, B + 1);
  t.seqlens_kv = put_list(before, B);
  t.page_table = put_list(numbers, B * 4);
  t.page_table_batch_stride_bytes = 4 * sizeof *numbers;
  launch(plan, &t);
  fmhac_comparison c = compare(plan, &t);
  assert_right(&c, (5 + SQ) * HQ);
  // Sums beyond 32 bits, which nothing is read for.
  static const int32_t wild[B + 1] = {INT32_MIN, INT32_MAX, 5};
  static const int32_t most[B] = {INT32_MAX, INT32_MAX};
  t.cu_seqlens_q = put_list(wild, B + 1);
  t.seqlens_kv = put_list(most, B);
  fmhac_comparison none = {.size = sizeof none};
  assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &none),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(g_context), "cu_seqlens_q"));
  fmhac_plan_destroy(plan);
}

/// K in two tensors, V in K, of one head of k_rope for all: contiguous, and in
/// pages; most of these have rows of NaN.
static void test_latent(void **state) {
  (void)state;
  enum { ROPE = 32, OWN = D - ROPE, ELEMENT = 2 };
  static const int32_t keys[B] = {33, SK};
  static const int32_t table[B * 5] = {9, 2, 31, 0, 0, 5, 30, 17, 2, 11};
  for (int paged = 0; paged < 2; ++paged) {
    char json[256];
    snprintf(json, sizeof json,
             "{\"head_dim_qk\": 64, \"head_dim_v\": 32, \"rope_dim\": 32, "
             "\"v_in_k\": true, \"mask\": \"causal\"%s}",
             paged ? ", \"page_size\": 16, \"page_table\": true, "
                     "\"seqlens_kv\": true"
                   : "");
    fmhac_plan *plan = make_plan(json);
    const fmhac_problem size = {sizeof size, B, HQ, HK, SQ, SK, 0, 0};
    const size_t rows = paged ? PAGES * 16 : B * SK;
    fmhac_tensors t = FMHAC_TENSORS_INIT;
    const size_t q = B * SQ * HQ * D, k = rows * HK * OWN;
    assert_int_equal(
        fmhac_tensors_dense(plan, &size, reserve(ELEMENT * q, 0),
                            reserve(ELEMENT * k, 0xff), 0,
                            reserve(ELEMENT * B * SQ * HQ * OWN, 0xff), 0, &t),
        FMHAC_OK);
    t.k_rope = reserve(ELEMENT * rows * ROPE, 0xff);
    put_values(t.q, q, 1);
    for (uint32_t b = 0; b < B; ++b)
      for (int32_t j = 0; j < (paged ? keys[b] : SK); ++j) {
        const uint64_t row =
            paged ? (uint64_t)table[b * 5 + (uint32_t)j / 16] * 16 +
                        (uint32_t)j % 16
                  : b * SK + (uint32_t)j;
        put_values(t.k + row * HK * OWN * ELEMENT, HK * OWN,
                   100 + (uint32_t)row);
        put_values(t.k_rope + row * ROPE * ELEMENT, ROPE, 7000 + (uint32_t)row);
      }
    if (paged) {
      t.pages = PAGES;
      t.page_table = put_list(table, B * 5);
      t.page_table_batch_stride_bytes = 5 * sizeof *table;
      t.seqlens_kv = put_list(keys, B);
    }
    launch(plan, &t);
    fmhac_comparison c = compare(plan, &t);
    assert_right(&c, B * SQ * HQ);
    // Other columns of positions: other results.
    put_values(t.k_rope + (paged ? 9 * 16 * ROPE * ELEMENT : 0), ROPE, 3);
    c = compare(plan, &t);
    assert_wrong(&c, "O: ");
    t.v = t.k;
    fmhac_comparison none = {.size = sizeof none};
    assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &none),
                     FMHAC_INVALID_INPUT);
    assert_non_null(strstr(fmhac_last_error(g_context),
                           "comparing a launch: tensor v: an address is "
                           "given, expected 0"));
    fmhac_plan_destroy(plan);
  }
}

static void test_refusals(void **state) {
  (void)state;
  fmhac_plan *plan = make_plan("{\"head_dim\": 64}");
  fmhac_tensors t = make_tensors(plan, false);
  fmhac_comparison c = {.size = sizeof c};
  const fmhac_device_ptr k = t.k;
  t.k = 0;
  assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &c),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(g_context), "tensor k"));
  t.k = 16; // nothing is there
  assert_int_not_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &c),
                       FMHAC_OK);
  assert_non_null(strstr(fmhac_last_error(g_context), "copying k"));
  t.k = k;
  launch(plan, &t);
  c = compare(plan, &t);
  assert_right(&c, B * SQ * HQ);
  fmhac_plan_destroy(plan);
}

/// Batches that lie 2^63 bytes apart: of three the last one is where the first
/// is, modulo 2^64. Launches may not reach the ones between; the host has to
/// read them.
static void test_far_strides(void **state) {
  (void)state;
  const fmhac_problem size = {sizeof size, 3, 2, 2, 16, 16, 0, 0};
  const uint64_t far = UINT64_C(1) << 63;
  fmhac_plan *plan;
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  assert_int_equal(
      fmhac_plan_create_json(
          g_context,
          "{\"head_dim\": 64, \"alibi\": true, \"bias\": true, \"lse\": true}",
          &size, &plan),
      FMHAC_OK);
  const size_t bytes = 3 * 16 * 2 * 64 * 2;
  assert_int_equal(fmhac_tensors_dense(plan, &size, reserve(bytes, 0),
                                       reserve(bytes, 0), reserve(bytes, 0),
                                       reserve(bytes, 0),
                                       reserve(3 * 2 * 16 * 4, 0), &t),
                   FMHAC_OK);
  t.alibi_slopes = reserve(2 * 4, 0);
  t.bias = reserve(16 * 4, 0);
  const struct {
    const char *name;
    uint64_t *stride;
  } all[] = {{"q", &t.q_strides.batch_bytes},
             {"k", &t.k_strides.batch_bytes},
             {"v", &t.v_strides.batch_bytes},
             {"o", &t.o_strides.batch_bytes},
             {"lse", &t.lse_batch_stride_bytes},
             {"alibi_slopes", &t.alibi_batch_stride_bytes},
             {"bias", &t.bias_strides.batch_bytes}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    char words[64];
    fmhac_comparison c = {.size = sizeof c};
    const uint64_t kept = *all[i].stride;
    *all[i].stride = far;
    assert_int_equal(fmhac_compare_launch(plan, g_device, &t, NULL, &c),
                     FMHAC_INVALID_INPUT);
    snprintf(words, sizeof words, "tensor %s: its strides reach", all[i].name);
    assert_non_null(strstr(fmhac_last_error(g_context), words));
    *all[i].stride = kept;
  }
  fmhac_plan_destroy(plan);
}

int main(int argc, char **argv) {
  const char *uri = argc > 1 ? argv[1] : "emu";
  g_context = open_context();
  if (!g_context || fmhac_rt_device_open(uri, &g_device) != FMHAC_OK)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_changed_results),
      cmocka_unit_test(test_changed_input),
      cmocka_unit_test(test_lengths),
      cmocka_unit_test(test_strides_and_functions),
      cmocka_unit_test(test_pages),
      cmocka_unit_test(test_factors_of_pages),
      cmocka_unit_test(test_hidden_factors),
      cmocka_unit_test(test_equal_factors_of_blocks),
      cmocka_unit_test(test_cached_lengths),
      cmocka_unit_test(test_latent),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_far_strides),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return failures;
}
