// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_merge.h at its edges: numbers that are none, rows that no sequence has,
// and everything that is refused.
#include "merge_test.h"

//===- Not numbers, and what is not there ---------------------------------===//

/// Bits of O that all columns of a row have.
enum { ONE_AND_A_HALF, MINUS_THREE_QUARTERS, INF, MINUS_INF, NOT_A_NUMBER };
static const double kind_values[] = {1.5, -0.75, (double)INFINITY,
                                     (double)-INFINITY, (double)NAN};
static const uint32_t kind_bits[][5] = {
    [O_BF16] = {0x3fc0, 0xbf40, 0x7f80, 0xff80, 0x7fc0},
    [O_F16] = {0x3e00, 0xba00, 0x7c00, 0xfc00, 0x7e00},
    [O_F32] = {0x3fc00000, 0xbf400000, 0x7f800000, 0xff800000, 0x7fc00000},
    [O_FP8] = {0x3c, 0xb4, 0x7f, 0x7f, 0x7f}}; // e4m3 has no infinity

static const struct {
  float lse[2];
  int o[2];
} pairs[] = {
    // NaN, and LSE of +inf, give NaN, also beside -inf.
    {{NAN, 0}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{0, NAN}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{NAN, -INFINITY}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{-INFINITY, NAN}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{INFINITY, 0}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{0, INFINITY}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{INFINITY, INFINITY}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{-INFINITY, INFINITY}, {ONE_AND_A_HALF, ONE_AND_A_HALF}},
    {{0, 0.5f}, {NOT_A_NUMBER, ONE_AND_A_HALF}},
    {{0, 0.5f}, {ONE_AND_A_HALF, NOT_A_NUMBER}},
    // The O beside -inf is not read, whatever it is.
    {{-INFINITY, 1}, {NOT_A_NUMBER, MINUS_THREE_QUARTERS}},
    {{1, -INFINITY}, {MINUS_THREE_QUARTERS, NOT_A_NUMBER}},
    {{-INFINITY, 1}, {INF, ONE_AND_A_HALF}},
    {{1, -INFINITY}, {ONE_AND_A_HALF, MINUS_INF}},
    {{-INFINITY, -INFINITY}, {NOT_A_NUMBER, INF}},
    // Infinite results stay so.
    {{0, 0.5f}, {INF, MINUS_THREE_QUARTERS}},
    {{0, 0.5f}, {ONE_AND_A_HALF, MINUS_INF}},
    {{0, 0.5f}, {INF, MINUS_INF}},
    // Far apart, and far from 0.
    {{-3e38f, 3e38f}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}},
    {{3e38f, -3e38f}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}},
    {{-3e38f, -3e38f}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}},
    {{-3e38f, -INFINITY}, {ONE_AND_A_HALF, NOT_A_NUMBER}},
    {{3e38f, 3e38f}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}},
    {{0, -150}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}},
    {{1e-40f, 0}, {ONE_AND_A_HALF, MINUS_THREE_QUARTERS}}};
enum { PAIRS = sizeof pairs / sizeof pairs[0], FEW = 8 };

/// [1, 1, PAIRS, FEW] and [1, 1, PAIRS], LSE at a multiple of 4 alone.
static void merge_pairs(const char *json, o_type type) {
  const size_t width = bytes_of(type), row = (FEW * width + 15) / 16 * 16;
  unsigned char o[2][PAIRS * FEW * sizeof(float)], merged[sizeof o[0]];
  float lse[2][PAIRS + 1], merged_lse[PAIRS];
  fmhac_device_ptr at[2], lse_at[2];
  memset(o, 0, sizeof o);
  for (int s = 0; s < 2; ++s) {
    lse[s][0] = 1000;
    for (size_t i = 0; i < PAIRS; ++i) {
      lse[s][i + 1] = pairs[i].lse[s];
      for (size_t k = 0; k < FEW; ++k) // little endian
        memcpy(o[s] + i * row + k * width, &kind_bits[type][pairs[i].o[s]],
               width);
    }
    at[s] = put(o[s], PAIRS * row);
    lse_at[s] = put(lse[s], sizeof lse[s]);
  }
  fmhac_merge *merge = make_merge(json);
  const fmhac_merge_tensors t = {.size = sizeof t,
                                 .batch = 1,
                                 .heads_q = 1,
                                 .seqlen_q = PAIRS,
                                 .o = at[0],
                                 .lse = lse_at[0] + sizeof(float),
                                 .other_o = at[1],
                                 .other_lse = lse_at[1] + sizeof(float),
                                 .o_strides = {.row_bytes = row},
                                 .other_o_strides = {.row_bytes = row}};
  launch_merge(merge, &t);
  assert_int_equal(fmhac_rt_copy_out(g_device, t.o, merged, PAIRS * row),
                   FMHAC_OK);
  assert_int_equal(
      fmhac_rt_copy_out(g_device, t.lse, merged_lse, sizeof merged_lse),
      FMHAC_OK);
  for (size_t i = 0; i < PAIRS; ++i) {
    const double lses[2] = {(double)pairs[i].lse[0], (double)pairs[i].lse[1]};
    double os[2];
    for (int s = 0; s < 2; ++s) {
      os[s] = kind_values[pairs[i].o[s]];
      if (type == O_FP8 && isinf(os[s]))
        os[s] = (double)NAN;
    }
    const sum exact = combine(lses, os, 2, -INFINITY);
    for (size_t k = 0; k < FEW; ++k) {
      const double found = load_o(merged + i * row + k * width, type);
      if (isnan(exact.o)   ? !isnan(found)
          : isinf(exact.o) ? found != exact.o
                           : !(fabs(found - exact.o) <=
                               bound_of(exact.o, exact.terms, type)))
        fail_msg("%s, pair %zu, column %zu: %.9g, expected %.9g", json, i, k,
                 found, exact.o);
    }
    const double found = (double)merged_lse[i];
    if (isnan(exact.lse) ? !isnan(found)
        : isinf(exact.lse)
            ? found != exact.lse
            : !(fabs(found - exact.lse) <= 2e-6 * fmax(1, fabs(exact.lse))))
      fail_msg("%s, pair %zu: LSE %.9g, expected %.9g", json, i, found,
               exact.lse);
  }
  fmhac_merge_destroy(merge);
  for (int s = 0; s < 2; ++s) {
    assert_int_equal(fmhac_rt_free(g_device, at[s]), FMHAC_OK);
    assert_int_equal(fmhac_rt_free(g_device, lse_at[s]), FMHAC_OK);
  }
}

static void test_not_numbers(void **state) {
  (void)state;
  merge_pairs("{\"head_dim_v\": 8}", O_BF16);
  merge_pairs("{\"head_dim_v\": 8, \"dtype\": \"f16\"}", O_F16);
  merge_pairs("{\"head_dim_v\": 8, \"out_dtype\": \"f32\"}", O_F32);
  merge_pairs("{\"head_dim_v\": 16, \"dtype\": \"fp8\", \"out_dtype\": "
              "\"fp8\"}",
              O_FP8);
}

/// Rows that no sequence has are neither read, which the emulator would find
/// where nothing was written before, nor written.
static void leave_rows(const char *json, bool packed) {
  enum { SEQUENCES = 3, MOST = 6, ALL = SEQUENCES * MOST, DIM = 8 };
  static const int32_t lengths[SEQUENCES] = {4, 0, 6};
  static const int32_t starts[SEQUENCES + 1] = {0, 4, 4, 10};
  const float one[MOST] = {1, 1, 1, 1, 1, 1};
  const size_t row = DIM * sizeof(float);
  fmhac_merge_tensors t = {.size = sizeof t,
                           .batch = SEQUENCES,
                           .heads_q = 1,
                           .seqlen_q = MOST,
                           .o_strides = {MOST * row, 0, row},
                           .other_o_strides = {MOST * row, 0, row},
                           .lse_batch_stride_bytes = MOST * sizeof(float),
                           .other_lse_batch_stride_bytes =
                               MOST * sizeof(float)};
  t.o = reserve(ALL * row, 0x40); // 3.0039
  t.lse = reserve(ALL * sizeof(float), 0x40);
  assert_int_equal(fmhac_rt_alloc(g_device, ALL * row, &t.other_o), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(g_device, ALL * sizeof(float), &t.other_lse),
                   FMHAC_OK);
  for (int b = 0; b < SEQUENCES; ++b) {
    const size_t first = packed ? (size_t)starts[b] : (size_t)b * MOST;
    const size_t rows = (size_t)lengths[b];
    if (!rows)
      continue;
    assert_int_equal(fmhac_rt_fill(g_device, t.other_o + first * row, 0x3f,
                                   rows * row), // 0.747
                     FMHAC_OK);
    assert_int_equal(fmhac_rt_copy_in(g_device,
                                      t.other_lse + first * sizeof(float), one,
                                      rows * sizeof(float)),
                     FMHAC_OK);
  }
  if (packed)
    t.cu_seqlens_q = put(starts, sizeof starts);
  else
    t.seqlens_q = put(lengths, sizeof lengths);
  fmhac_merge *merge = make_merge(json);
  launch_merge(merge, &t);
  unsigned char o[ALL * DIM * sizeof(float)], lse[ALL * sizeof(float)];
  assert_int_equal(fmhac_rt_copy_out(g_device, t.o, o, sizeof o), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_out(g_device, t.lse, lse, sizeof lse),
                   FMHAC_OK);
  for (size_t i = 0; i < ALL; ++i) {
    const bool in_use = packed ? i < (size_t)starts[SEQUENCES]
                               : i % MOST < (size_t)lengths[i / MOST];
    unsigned char before[DIM * sizeof(float)];
    memset(before, 0x40, sizeof before);
    const bool same = memcmp(o + i * row, before, row) == 0 &&
                      memcmp(lse + i * sizeof(float), before, 4) == 0;
    if (same == in_use)
      fail_msg("%s: row %zu was %s", json, i, in_use ? "left" : "written");
  }
  fmhac_merge_destroy(merge);
}

static void test_rows_not_in_use(void **state) {
  (void)state;
  leave_rows("{\"head_dim_v\": 8, \"out_dtype\": \"f32\", \"seqlens_q\": "
             "true}",
             false);
  leave_rows("{\"head_dim_v\": 8, \"out_dtype\": \"f32\", "
             "\"cu_seqlens_q\": true}",
             true);
}

//===- Refusals -----------------------------------------------------------===//

static void assert_refused(const fmhac_merge *merge,
                           const fmhac_merge_tensors *t, fmhac_status status,
                           const char *words) {
  assert_int_equal(fmhac_merge_launch(merge, g_device, t, NULL), status);
  const char *text = fmhac_last_error(g_context);
  if (!strstr(text, words))
    fail_msg("'%s' in '%s'", words, text);
}

static void test_refusals(void **state) {
  (void)state;
  fmhac_merge *merge = make_merge("{\"head_dim_v\": 64}");
  const fmhac_merge_tensors good = {.size = sizeof good,
                                    .batch = 1,
                                    .heads_q = 2,
                                    .seqlen_q = 4,
                                    .o = reserve(1024, 0),
                                    .lse = reserve(64, 0),
                                    .other_o = reserve(1024, 0),
                                    .other_lse = reserve(64, 0),
                                    .o_strides = {1024, 128, 256},
                                    .other_o_strides = {1024, 128, 256},
                                    .lse_batch_stride_bytes = 32,
                                    .lse_head_stride_bytes = 16,
                                    .other_lse_batch_stride_bytes = 32,
                                    .other_lse_head_stride_bytes = 16};
  launch_merge(merge, &good);
  fmhac_merge_tensors t = good;
  t.heads_q = 0;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT,
                 "heads_q is 0, expected at least 1");
  t = good;
  t.batch = 0;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "batch is 0");
  t = good;
  t.seqlen_q = 0;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "seqlen_q is 0");
  t = good;
  t.heads_q = 65536;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED, "heads_q 65536, a kernel takes");
  t = good;
  t.batch = 65536;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED, "batch 65536, a kernel takes");
  t = good;
  t.seqlen_q = 1u << 30;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED, "at most 1073741823 rows");
  t = good;
  t.other_lse = 0;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT,
                 "tensor other_lse: the address is null");
  fmhac_device_ptr *const addresses[] = {&t.o, &t.lse, &t.other_o};
  for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; ++i) {
    t = good;
    *addresses[i] = 0;
    assert_refused(merge, &t, FMHAC_INVALID_INPUT, ": the address is null");
  }
  t = good;
  t.other_lse += 2;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED,
                 "tensor other_lse: the address is");
  t = good;
  t.other_lse_head_stride_bytes += 2;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED,
                 "tensor other_lse: the head stride is 18");
  t = good;
  t.o += 8;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED, "tensor o: the address is");
  t = good;
  t.other_o_strides.row_bytes += 4;
  assert_refused(merge, &t, FMHAC_UNSUPPORTED,
                 "tensor other_o: the row stride is 260");
  t = good;
  t.o_strides.row_bytes = 64;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "tensor o: rows lie 64");
  t = good;
  t.o_strides.head_bytes = 64;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "tensor o: heads lie 64");
  t = good;
  t.batch = 2;
  t.o_strides.batch_bytes = 0;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "tensor o: batches lie 0");
  t = good;
  t.batch = 2;
  t.lse_batch_stride_bytes = 8;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "tensor lse: batches lie 8");
  t = good;
  t.lse_head_stride_bytes = 12;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "tensor lse: heads lie 12");
  t = good;
  t.other_o = t.o;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT,
                 "the same address for o and other_o");
  t = good;
  t.other_lse = t.lse;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT,
                 "the same address for lse and other_lse");
  t = good;
  t.seqlens_q = good.lse;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT, "compiled without seqlens_q");
  t = good;
  t.cu_seqlens_q = good.lse;
  assert_refused(merge, &t, FMHAC_INVALID_INPUT,
                 "compiled without cu_seqlens_q");
  // What the other reads only broadcasts: it may overlap.
  t = good;
  t.other_o_strides.row_bytes = t.other_o_strides.head_bytes = 0;
  launch_merge(merge, &t);
  fmhac_merge_destroy(merge);
  // Lists that such a merge needs.
  for (int packed = 0; packed < 2; ++packed) {
    merge = make_merge(packed ? "{\"head_dim_v\": 64, \"cu_seqlens_q\": true}"
                              : "{\"head_dim_v\": 64, \"seqlens_q\": true}");
    assert_refused(merge, &good, FMHAC_INVALID_INPUT,
                   packed ? "tensor cu_seqlens_q: the address is null"
                          : "tensor seqlens_q: the address is null");
    t = good;
    *(packed ? &t.cu_seqlens_q : &t.seqlens_q) = good.lse + 2;
    assert_refused(merge, &t, FMHAC_UNSUPPORTED, "seqlens_q: the address is");
    fmhac_merge_destroy(merge);
  }
}

static void test_configurations(void **state) {
  (void)state;
  static const struct {
    const char *json;
    fmhac_status status;
    const char *words;
  } bad[] = {{"{\"head_dim\": ", FMHAC_INVALID_INPUT, "malformed JSON at 1:14"},
             {"{\"haed_dim\": 64}", FMHAC_INVALID_INPUT, "head_dim"},
             {"{\"head_dim_v\": 12}", FMHAC_UNSUPPORTED, "head_dim_v"},
             {"{\"out_dtype\": \"f64\"}", FMHAC_INVALID_INPUT, "out_dtype"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    fmhac_merge *merge = (fmhac_merge *)&g_context; // until it is known
    const fmhac_status status =
        fmhac_merge_create_json(g_context, bad[i].json, &merge);
    const char *text = fmhac_last_error(g_context);
    if (status != bad[i].status || !strstr(text, bad[i].words))
      fail_msg("%s: status %d, expected %d and '%s' in '%s'", bad[i].json,
               (int)status, (int)bad[i].status, bad[i].words, text);
    assert_null(merge);
  }
  fmhac_merge_destroy(NULL);
}

static void test_roles(void **state) {
  (void)state;
  fmhac_config *config;
  fmhac_kernel *kernel;
  fmhac_plan *plan = NULL;
  fmhac_merge *merge = NULL;
  const fmhac_problem most = {sizeof most, 1, 1, 1, 1, 1, 0, 0};
  assert_int_equal(
      fmhac_config_create_json(
          g_context, "{\"role\": \"merge\", \"head_dim\": 64}", &config),
      FMHAC_OK);
  assert_int_equal(fmhac_compile(g_context, config, &kernel), FMHAC_OK);
  assert_int_equal(fmhac_plan_create(kernel, &most, &plan),
                   FMHAC_INVALID_INPUT);
  assert_string_equal(fmhac_last_error(g_context),
                      "plan: expected a kernel with an entry of the role "
                      "attention, found only the role merge");
  assert_int_equal(fmhac_merge_create(kernel, &merge), FMHAC_OK);
  assert_ptr_equal(fmhac_merge_get_kernel(merge), kernel);
  // From the bytes alone, as programs without a compiler have it.
  const void *code;
  size_t bytes;
  assert_int_equal(fmhac_kernel_get_code(kernel, &code, &bytes), FMHAC_OK);
  fmhac_kernel *again;
  if (fmhac_kernel_create_from_code(g_context, code, bytes, &again) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(g_context));
  fmhac_merge *second = NULL;
  assert_int_equal(fmhac_merge_create(again, &second), FMHAC_OK);
  fmhac_merge_destroy(second);
  fmhac_kernel_destroy(again);
  fmhac_merge_destroy(merge);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  // One of attention merges nothing.
  plan = make_plan("{\"head_dim\": 64}", &most);
  assert_int_equal(fmhac_merge_create(fmhac_plan_get_kernel(plan), &merge),
                   FMHAC_INVALID_INPUT);
  assert_null(merge);
  fmhac_plan_destroy(plan);
  // Keys that make no difference make no other kernel.
  merge = make_merge("{\"head_dim\": 64, \"mask\": \"causal\"}");
  second = make_merge("{\"head_dim\": 64, \"dtype\": \"fp8\", \"sink\": true, "
                      "\"schedule\": \"generic_fp8\"}");
  assert_ptr_equal(fmhac_merge_get_kernel(merge),
                   fmhac_merge_get_kernel(second));
  fmhac_merge_destroy(second);
  fmhac_merge_destroy(merge);
}

int main(int argc, char **argv) {
  if (argc != 2 || !open_all(argv[1]))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_not_numbers),
      cmocka_unit_test(test_rows_not_in_use), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_configurations), cmocka_unit_test(test_roles)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  close_all();
  return failed;
}
