// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_reference() with 8-bit operands, as a C program calls it: factors in
// the struct's form, 8-bit outputs, the two floors; and what is refused. No
// kernel is compiled.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac_reference.h"

enum { B = 2, HQ = 4, HK = 2, SQ = 5, SK = 7, D = 8, N = 4 };
enum { BLOCKS = (SK + N - 1) / N, O_COUNT = B * SQ * HQ * D };

typedef struct fixture {
  fmhac_context *context;
  fmhac_config *config;
  uint8_t q[B * SQ * HQ * D], k[B * SK * HK * D], v[B * SK * HK * D];
  float factors[3][64], o_scale;
  double o[O_COUNT], rounded[O_COUNT], other[O_COUNT];
  fmhac_tensors t;
  fmhac_reference_results results;
} fixture;

/// A few codes of e4m3, and what they are.
static const struct {
  uint8_t code;
  double value;
} numbers[] = {{0x00, 0},    {0x38, 1},     {0xb8, -1},   {0x3c, 1.5},
               {0x30, 0.5},  {0xb4, -0.75}, {0x41, 2.25}, {0x28, 0.25},
               {0xc0, -2.0}, {0x01, 0x1p-9}};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static int number(int i) { return (i * 7 + i / 3) % NUMBERS; }

static uint64_t address(const void *p) { return (uintptr_t)p; }

static void configure(fixture *f, const char *json) {
  fmhac_config_destroy(f->config);
  if (fmhac_config_create_json(f->context, json, &f->config) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  *state = f;
  if (!f || fmhac_context_create(NULL, &f->context) != FMHAC_OK)
    return 1;
  for (int i = 0; i < (int)sizeof f->q; ++i)
    f->q[i] = numbers[number(i)].code;
  for (int i = 0; i < (int)sizeof f->k; ++i) {
    f->k[i] = numbers[number(i + 1)].code;
    f->v[i] = numbers[number(i + 2)].code;
  }
  for (int n = 0; n < 3; ++n)
    for (int i = 0; i < 64; ++i)
      f->factors[n][i] = 0.5f + (float)((i * 5 + n) % 8) / 8;
  f->o_scale = 0.125f;
  f->t = (fmhac_tensors)FMHAC_TENSORS_INIT;
  f->t.batch = B;
  f->t.heads_q = HQ;
  f->t.heads_kv = HK;
  f->t.seqlen_q = SQ;
  f->t.seqlen_kv = SK;
  f->t.q = address(f->q);
  f->t.k = address(f->k);
  f->t.v = address(f->v);
  f->t.q_strides = fmhac_strides_bshd(HQ, SQ, D, 1);
  f->t.k_strides = f->t.v_strides = fmhac_strides_bshd(HK, SK, D, 1);
  f->t.o_strides = fmhac_strides_bshd(HQ, SQ, D, 2);
  f->t.scale = 0.25f;
  f->results = (fmhac_reference_results){.size = sizeof f->results,
                                         .o = f->o,
                                         .rounded_o = f->rounded,
                                         .other_rounded_o = f->other};
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  fmhac_config_destroy(f->config);
  fmhac_context_destroy(f->context);
  free(f);
  return 0;
}

static void compute(fixture *f) {
  if (fmhac_reference(f->config, &f->t, NULL, &f->results) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
}

/// The factor of a row, by the definition of the granularity.
typedef double factor_of(const fixture *f, int operand, int b, int row, int h);

static double none(const fixture *f, int operand, int b, int row, int h) {
  (void)f, (void)operand, (void)b, (void)row, (void)h;
  return 1;
}

static double by_tensor(const fixture *f, int operand, int b, int row, int h) {
  (void)b, (void)row, (void)h;
  return f->factors[operand][0];
}

static double by_head(const fixture *f, int operand, int b, int row, int h) {
  (void)row;
  return f->factors[operand][b * (operand ? HK : HQ) + h];
}

static double by_token(const fixture *f, int operand, int b, int row, int h) {
  const int heads = operand ? HK : HQ, rows = operand ? SK : SQ;
  return f->factors[operand][(b * rows + row) * heads + h];
}

static double by_block(const fixture *f, int operand, int b, int row, int h) {
  const int heads = operand ? HK : HQ;
  const int blocks = operand ? BLOCKS : (SQ + N - 1) / N;
  return f->factors[operand][(b * blocks + row / N) * heads + h];
}

/// Of the page that a row lies in, by the page's number.
static const int32_t pages_of[B][BLOCKS] = {{2, 0}, {3, 1}};

static double by_page(const fixture *f, int operand, int b, int row, int h) {
  return operand ? f->factors[operand][pages_of[b][row / N] * HK + h] : 1;
}

static void check(const fixture *f, factor_of *factor, double divisor) {
  for (int b = 0; b < B; ++b)
    for (int i = 0; i < SQ; ++i)
      for (int h = 0; h < HQ; ++h) {
        const int kv = h / (HQ / HK);
        double total = 0, o[D] = {0};
        for (int j = 0; j < SK; ++j) {
          double x = 0;
          for (int d = 0; d < D; ++d)
            x += numbers[number(((b * SQ + i) * HQ + h) * D + d)].value *
                 numbers[number(((b * SK + j) * HK + kv) * D + d + 1)].value;
          x *= factor(f, 0, b, i, h) * factor(f, 1, b, j, kv);
          const double weight = exp(0.25 * x);
          total += weight;
          for (int d = 0; d < D; ++d)
            o[d] += weight * factor(f, 2, b, j, kv) *
                    numbers[number(((b * SK + j) * HK + kv) * D + d + 2)].value;
        }
        for (int d = 0; d < D; ++d) {
          const int at = ((b * SQ + i) * HQ + h) * D + d;
          const double expected = o[d] / total / divisor;
          if (!(fabs(f->o[at] - expected) < 1e-12))
            fail_msg("b %d, row %d, head %d: %.15g, expected %.15g", b, i, h,
                     f->o[at], expected);
          // e4m3 has weights and O within 1/16, and O is not large.
          assert_true(fabs(f->rounded[at] - expected) < 0.3 / divisor &&
                      fabs(f->other[at] - expected) < 0.3 / divisor);
        }
      }
}

static void give_factors(fixture *f, uint64_t q_batch, uint64_t kv_batch,
                         bool by_row) {
  f->t.q_scales = address(f->factors[0]);
  f->t.k_scales = address(f->factors[1]);
  f->t.v_scales = address(f->factors[2]);
  f->t.q_scales_strides = (fmhac_strides){.batch_bytes = 4 * q_batch,
                                          .head_bytes = 4,
                                          .row_bytes = by_row ? 4 * HQ : 0};
  f->t.k_scales_strides = (fmhac_strides){.batch_bytes = 4 * kv_batch,
                                          .head_bytes = 4,
                                          .row_bytes = by_row ? 4 * HK : 0};
  f->t.v_scales_strides = f->t.k_scales_strides;
}

/// e4m3 of what is neither large nor 0.
static double e4m3(double x) {
  const double unit = exp2(fmax(floor(log2(x)), -6) - 3);
  return nearbyint(x / unit) * unit;
}

/// With factors of V's rows only, P is rounded without them.
static void check_apart(const double *found, factor_of *factor, double lift,
                        const fixture *f) {
  for (int b = 0; b < B; ++b)
    for (int i = 0; i < SQ; ++i)
      for (int h = 0; h < HQ; ++h) {
        const int kv = h / (HQ / HK);
        double scores[SK], most = -INFINITY, total = 0, o[D] = {0};
        for (int j = 0; j < SK; ++j) {
          double x = 0;
          for (int d = 0; d < D; ++d)
            x += numbers[number(((b * SQ + i) * HQ + h) * D + d)].value *
                 numbers[number(((b * SK + j) * HK + kv) * D + d + 1)].value;
          scores[j] = 0.25 * x;
          most = fmax(most, scores[j]);
        }
        for (int j = 0; j < SK; ++j) {
          const double weight = exp(scores[j] - most) * exp2(lift);
          total += weight;
          for (int d = 0; d < D; ++d)
            o[d] += e4m3(weight) * factor(f, 2, b, j, kv) *
                    numbers[number(((b * SK + j) * HK + kv) * D + d + 2)].value;
        }
        for (int d = 0; d < D; ++d) {
          const int at = ((b * SQ + i) * HQ + h) * D + d;
          if (!(fabs(found[at] - (float)(o[d] / total)) < 1e-12))
            fail_msg("lift %g, b %d, row %d, head %d: %.15g, expected %.15g",
                     lift, b, i, h, found[at], o[d] / total);
        }
      }
}

#define FP8 "\"dtype\":\"fp8\",\"head_dim\":8"
#define SCALES(granularity)                                                    \
  "{" FP8 ",\"q_scale\":\"" granularity "\",\"k_scale\":\"" granularity        \
  "\",\"v_scale\":\"" granularity                                              \
  "\",\"q_scales\":true,\"k_scales\":true,\"v_scales\":true}"

static void test_factors(void **state) {
  fixture *f = *state;
  configure(f, "{" FP8 "}");
  compute(f);
  check(f, none, 1);
  // Strides that a granularity does not have are not used.
  configure(f, SCALES("tensor"));
  give_factors(f, 1000, 1000, true);
  compute(f);
  check(f, by_tensor, 1);
  configure(f, SCALES("head"));
  give_factors(f, HQ, HK, true);
  compute(f);
  check(f, by_head, 1);
  configure(f, SCALES("token"));
  give_factors(f, SQ * HQ, SK * HK, true);
  compute(f);
  check(f, by_token, 1);
  configure(f, "{" FP8 ",\"q_scale\":\"block\",\"k_scale\":\"block\","
               "\"v_scale\":\"block\",\"q_scales\":true,\"k_scales\":true,"
               "\"v_scales\":true,\"scale_block\":4}");
  give_factors(f, (SQ + N - 1) / N * HQ, BLOCKS * HK, true);
  compute(f);
  check(f, by_block, 1);
}

/// Pages are the blocks of K and V that lie in them; batch strides are not
/// used.
static void test_factors_of_pages(void **state) {
  fixture *f = *state;
  enum { PAGES = B * BLOCKS, ROW = HK * D };
  uint8_t k[PAGES * N * ROW], v[PAGES * N * ROW];
  memset(k, 0x7f, sizeof k); // NaN
  memset(v, 0x7f, sizeof v);
  for (int b = 0; b < B; ++b)
    for (int j = 0; j < SK; ++j) {
      const int to = (pages_of[b][j / N] * N + j % N) * ROW;
      memcpy(k + to, f->k + (b * SK + j) * ROW, ROW);
      memcpy(v + to, f->v + (b * SK + j) * ROW, ROW);
    }
  const int32_t lengths[B] = {SK, SK};
  configure(f, "{" FP8 ",\"k_scale\":\"block\",\"v_scale\":\"block\","
               "\"k_scales\":true,\"v_scales\":true,\"page_size\":4,"
               "\"page_table\":true,\"seqlens_kv\":true}");
  give_factors(f, 0, 1000, true);
  f->t.q_scales = 0;
  f->t.k = address(k);
  f->t.v = address(v);
  f->t.k_page_stride_bytes = f->t.v_page_stride_bytes = N * ROW;
  f->t.pages = PAGES;
  f->t.page_table = address(pages_of);
  f->t.page_table_batch_stride_bytes = sizeof pages_of[0];
  f->t.seqlens_kv = address(lengths);
  compute(f);
  check(f, by_page, 1);
}

static void test_outputs(void **state) {
  fixture *f = *state;
  configure(f, "{" FP8 ",\"out_dtype\":\"fp8\"}");
  f->t.o_strides = fmhac_strides_bshd(HQ, SQ, D, 1);
  f->t.o_scale = address(&f->o_scale);
  compute(f);
  check(f, none, 0.125);
  // Rounded to e4m3: at most four bits.
  for (int i = 0; i < O_COUNT; ++i) {
    int exponent;
    const double bits = frexp(f->rounded[i], &exponent) * 16;
    assert_true(bits == floor(bits) || fabs(f->rounded[i]) < 0x1p-6);
  }
}

/// Floors without V's factor in P: where blocks have one.
static void test_floors_apart(void **state) {
  fixture *f = *state;
  double apart[2][O_COUNT];
  f->results.apart_rounded_o = apart[0];
  f->results.other_apart_rounded_o = apart[1];
  configure(f, "{" FP8 ",\"v_scale\":\"block\",\"v_scales\":true,"
               "\"scale_block\":4,\"out_dtype\":\"f32\"}");
  give_factors(f, 0, BLOCKS * HK, true);
  f->t.q_scales = f->t.k_scales = 0;
  f->t.o_strides = fmhac_strides_bshd(HQ, SQ, D, 4);
  compute(f);
  check_apart(apart[0], by_block, 8, f);
  check_apart(apart[1], by_block, 7.37, f);
  assert_true(memcmp(apart[0], f->rounded, sizeof f->rounded) != 0);
  assert_true(memcmp(apart[1], f->other, sizeof f->other) != 0);
  // Either list alone.
  double alone[O_COUNT];
  f->results.apart_rounded_o = NULL;
  f->results.other_apart_rounded_o = alone;
  compute(f);
  assert_memory_equal(alone, apart[1], sizeof alone);
  // Rows that have factors of their own have no such floor, nor have tensors.
  f->results.apart_rounded_o = apart[0];
  f->results.other_apart_rounded_o = apart[1];
  configure(f, "{" FP8 ",\"v_scale\":\"token\",\"v_scales\":true}");
  give_factors(f, 0, SK * HK, true);
  f->t.q_scales = f->t.k_scales = 0;
  f->t.o_strides = fmhac_strides_bshd(HQ, SQ, D, 2);
  compute(f);
  assert_memory_equal(apart[0], f->rounded, sizeof f->rounded);
  assert_memory_equal(apart[1], f->other, sizeof f->other);
  configure(f, "{" FP8 "}");
  f->t.v_scales = 0;
  compute(f);
  assert_memory_equal(apart[0], f->rounded, sizeof f->rounded);
  // A caller of before has no such lists.
  f->results.size = offsetof(fmhac_reference_results, apart_rounded_o);
  f->results.apart_rounded_o = f->results.other_apart_rounded_o = (double *)8;
  compute(f);
}

/// A struct of a caller who knows nothing of factors.
static void test_older_caller(void **state) {
  fixture *f = *state;
  configure(f, "{" FP8 "}");
  f->t.size = offsetof(fmhac_tensors, q_scales);
  f->t.q_scales = f->t.o_scale = 1; // beyond what the caller has
  f->results.size = offsetof(fmhac_reference_results, other_rounded_o);
  f->results.other_rounded_o = (double *)8;
  compute(f);
  memcpy(f->other, f->rounded, sizeof f->other);
  check(f, none, 1);
}

static void refused(fixture *f, fmhac_status status, const char *text) {
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, &f->results),
                   status);
  if (!strstr(fmhac_last_error(f->context), text))
    fail_msg("expected \"%s\" in \"%s\"", text, fmhac_last_error(f->context));
}

static void test_refused_keys(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json, *text;
  } all[] = {
      {"{\"k_scale\":\"head\",\"k_scales\":true}",
       "\"k_scales\": factors are for elements of 8 bits, found bf16"},
      {"{\"dtype\":\"f16\",\"q_scale\":\"tensor\"}",
       "\"q_scale\": factors are for elements of 8 bits, found f16"},
      {"{" FP8 ",\"v_scale\":\"token\"}",
       "\"v_scale\" is \"token\", but there are no factors; expected "
       "\"v_scales\""},
      {"{" FP8 ",\"v_scales\":true}",
       "\"v_scales\" is given, but \"v_scale\" is \"none\""},
      {"{\"k_dtype\":\"fp8\",\"v_dtype\":\"fp8\",\"q_scale\":\"tensor\","
       "\"q_scales\":true}",
       "\"q_scales\": factors are for elements of 8 bits, found bf16"},
      {"{" FP8 ",\"k_scale\":\"block\",\"k_scales\":true}",
       "factors by \"block\" need \"scale_block\""},
      {"{" FP8 ",\"scale_block\":64}",
       "\"scale_block\" is 64, but no operand has factors by \"block\""},
      {"{" FP8 ",\"k_scale\":\"block\",\"k_scales\":true,\"scale_block\":64,"
       "\"page_size\":64,\"page_table\":true,\"seqlens_kv\":true}",
       "\"scale_block\" is 64, but factors of K and V in pages are of pages"},
      {"{\"quantize_q\":true}", "found Q bf16, K bf16, V bf16"},
      {"{" FP8 ",\"quantize_q\":true}", "found Q fp8, K fp8, V fp8"},
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    fmhac_config *config;
    const fmhac_status status =
        fmhac_config_create_json(f->context, all[i].json, &config);
    assert_int_equal(status, FMHAC_INVALID_INPUT);
    if (!strstr(fmhac_last_error(f->context), all[i].text))
      fail_msg("expected \"%s\" in \"%s\"", all[i].text,
               fmhac_last_error(f->context));
  }
}

static void test_refused_tensors(void **state) {
  fixture *f = *state;
  configure(f, SCALES("head"));
  give_factors(f, HQ, HK, false);
  const fmhac_tensors right = f->t;
  f->t.k_scales = 0;
  refused(f, FMHAC_INVALID_INPUT, "tensor k_scales: the address is null");
  f->t = right;
  f->t.v_scales += 2;
  refused(f, FMHAC_INVALID_INPUT,
          "tensor v_scales: the address is no multiple of 4");
  f->t = right;
  f->t.q_scales_strides.head_bytes = 6;
  refused(f, FMHAC_INVALID_INPUT, "tensor q_scales: ");
  f->t = right;
  f->t.o_scale = address(&f->o_scale);
  refused(f, FMHAC_INVALID_INPUT, "tensor o_scale: an address is given");
  configure(f, "{" FP8 "}");
  f->t = right;
  refused(f, FMHAC_INVALID_INPUT, "tensor q_scales: an address is given");
  // An 8-bit O needs a divisor that divides.
  configure(f, "{" FP8 ",\"out_dtype\":\"fp8\"}");
  f->t.q_scales = f->t.k_scales = f->t.v_scales = 0;
  refused(f, FMHAC_INVALID_INPUT, "tensor o_scale: the address is null");
  f->t.o_scale = address(&f->o_scale);
  static const float wrong[] = {0, -1, NAN, INFINITY};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
    f->o_scale = wrong[i];
    refused(f, FMHAC_INVALID_INPUT, "expected a finite number above 0");
  }
  // Packed K and V have no blocks.
  const int32_t starts[] = {0, 3, SK};
  configure(f, "{" FP8 ",\"k_scale\":\"block\",\"k_scales\":true,"
               "\"scale_block\":4,\"cu_seqlens_kv\":true}");
  f->t = right;
  f->t.cu_seqlens_kv = address(starts);
  refused(f, FMHAC_UNSUPPORTED, "factors by block, packed, of K and V");
  // Rows in pages have no factors of their own.
  const int32_t table[] = {0, 0}, lengths[] = {1, 1};
  configure(f, "{" FP8 ",\"k_scale\":\"token\",\"k_scales\":true,"
               "\"page_size\":16,\"page_table\":true,\"seqlens_kv\":true}");
  f->t = right;
  f->t.page_table = address(table);
  f->t.page_table_batch_stride_bytes = sizeof table[0];
  f->t.seqlens_kv = address(lengths);
  f->t.pages = 1;
  refused(f, FMHAC_UNSUPPORTED, "k_scale: factors by token in pages");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_factors),      TEST(test_factors_of_pages),
      TEST(test_outputs),      TEST(test_older_caller),
      TEST(test_refused_keys), TEST(test_refused_tensors),
      TEST(test_floors_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
