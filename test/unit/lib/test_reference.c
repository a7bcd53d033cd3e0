// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_reference() as a C program calls it: against the definition, written
// out here once more; where results go; what is refused. No kernel is compiled.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac_reference.h"

enum { B = 2, HQ = 4, HK = 2, SQ = 5, SK = 7, DQK = 8, DV = 4 };
/// O with gaps between heads, rows and batches, in elements.
enum { O_HEAD = DV + 2, O_ROW = HQ * O_HEAD + 3, O_BATCH = SQ * O_ROW + 5 };
enum { O_COUNT = B * O_BATCH, LSE_HEAD = SQ + 1, LSE_BATCH = HQ * LSE_HEAD };
enum { LSE_COUNT = B * LSE_BATCH };
static const double untouched = 12345;

typedef struct fixture {
  fmhac_context *context;
  fmhac_config *config;
  uint16_t q[B * SQ * HQ * DQK], k[B * SK * HK * DQK], v[B * SK * HK * DV];
  float sink[HQ], slopes[HQ], bias[HQ * SK];
  double o[O_COUNT], lse[LSE_COUNT];
  fmhac_tensors t;
  fmhac_reference_results results;
} fixture;

/// bf16 with few bits: exact.
static uint16_t number(int i) {
  float x = (float)((i * 7 + i / 5) % 13 - 6) / 4;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)(bits >> 16);
}

static double value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &wide, sizeof x);
  return x;
}

static void fill(uint16_t *list, size_t count, int from) {
  for (size_t i = 0; i < count; ++i)
    list[i] = number(from + (int)i);
}

static void configure(fixture *f, const char *json) {
  fmhac_config_destroy(f->config);
  if (fmhac_config_create_json(f->context, json, &f->config) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
}

static uint64_t address(const void *p) { return (uintptr_t)p; }

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  *state = f;
  if (!f || fmhac_context_create(NULL, &f->context) != FMHAC_OK)
    return 1;
  fill(f->q, sizeof f->q / sizeof *f->q, 1);
  fill(f->k, sizeof f->k / sizeof *f->k, 5);
  fill(f->v, sizeof f->v / sizeof *f->v, 3);
  for (int h = 0; h < HQ; ++h) {
    f->sink[h] = (float)h - 1;
    f->slopes[h] = 0.25f * (float)(h + 1);
    for (int j = 0; j < SK; ++j)
      f->bias[h * SK + j] = 0.5f * (float)((h + j) % 3);
  }
  for (int i = 0; i < O_COUNT; ++i)
    f->o[i] = untouched;
  for (int i = 0; i < LSE_COUNT; ++i)
    f->lse[i] = untouched;
  f->t = (fmhac_tensors){.size = sizeof f->t};
  f->t.batch = B;
  f->t.heads_q = HQ;
  f->t.heads_kv = HK;
  f->t.seqlen_q = SQ;
  f->t.seqlen_kv = SK;
  f->t.q = address(f->q);
  f->t.k = address(f->k);
  f->t.v = address(f->v);
  f->t.q_strides = fmhac_strides_bshd(HQ, SQ, DQK, 2);
  f->t.k_strides = fmhac_strides_bshd(HK, SK, DQK, 2);
  f->t.v_strides = fmhac_strides_bshd(HK, SK, DV, 2);
  f->t.o_strides = (fmhac_strides){.batch_bytes = 2 * O_BATCH,
                                   .head_bytes = 2 * O_HEAD,
                                   .row_bytes = 2 * O_ROW};
  f->t.lse_batch_stride_bytes = 4 * LSE_BATCH;
  f->t.lse_head_stride_bytes = 4 * LSE_HEAD;
  f->t.scale = 0.5f;
  f->results = (fmhac_reference_results){
      .size = sizeof f->results, .o = f->o, .lse = f->lse};
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4}");
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  fmhac_config_destroy(f->config);
  fmhac_context_destroy(f->context);
  free(f);
  return 0;
}

static void compute(fixture *f, const fmhac_reference_options *options) {
  if (fmhac_reference(f->config, &f->t, options, &f->results) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
}

/// What a score of a row and a key becomes; -inf where the row does not see it.
typedef double scored(const fixture *f, double score, int i, int j, int h,
                      int rows, int keys);

/// Checks a sequence of `rows` and `keys`, which begin at these rows of the
/// tensors, against the definition. `sinks`: a sink takes part.
static void check(const fixture *f, int batch, int first_row, int rows,
                  int first_key, int keys, scored *score_of, int sinks) {
  const double scale =
      f->t.scale != 0 ? (double)f->t.scale : (double)(float)(1 / sqrt(DQK));
  for (int h = 0; h < HQ; ++h)
    for (int i = 0; i < rows; ++i) {
      const int kv = h / (HQ / HK);
      double sum = sinks ? exp(f->sink[h]) : 0, o[DV] = {0};
      for (int j = 0; j < keys; ++j) {
        double x = 0;
        for (int d = 0; d < DQK; ++d)
          x += value(f->q[((first_row + i) * HQ + h) * DQK + d]) *
               value(f->k[((first_key + j) * HK + kv) * DQK + d]);
        const double weight = exp(score_of(f, x * scale, i, j, h, rows, keys));
        sum += weight;
        for (int d = 0; d < DV; ++d)
          o[d] += weight * value(f->v[((first_key + j) * HK + kv) * DV + d]);
      }
      const int at = batch * O_BATCH + i * O_ROW + h * O_HEAD;
      for (int d = 0; d < DV; ++d)
        assert_true(fabs(f->o[at + d] - (sum > 0 ? o[d] / sum : 0)) < 1e-12);
      const double lse = f->lse[batch * LSE_BATCH + h * LSE_HEAD + i];
      if (sum > 0)
        assert_true(fabs(lse - log(sum)) < 1e-12);
      else
        assert_true(isinf(lse) && lse < 0);
    }
}

static double plain(const fixture *f, double x, int i, int j, int h, int rows,
                    int keys) {
  (void)f, (void)i, (void)j, (void)h, (void)rows, (void)keys;
  return x;
}

static size_t count_untouched(const double *list, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i)
    found += list[i] == untouched;
  return found;
}

static void test_strides(void **state) {
  fixture *f = *state;
  compute(f, NULL);
  for (int b = 0; b < B; ++b)
    check(f, b, b * SQ, SQ, b * SK, SK, plain, 0);
  assert_int_equal(count_untouched(f->o, O_COUNT), O_COUNT - B * SQ * HQ * DV);
  assert_int_equal(count_untouched(f->lse, LSE_COUNT), LSE_COUNT - B * SQ * HQ);
  assert_true(f->results.largest_score > 0);
  // A list that is not asked for is not computed; a scale of 0 is the usual
  // one.
  f->t.scale = -0.0f;
  f->results.lse = NULL;
  compute(f, &(fmhac_reference_options){.size = sizeof(fmhac_reference_options),
                                        .threads = 1});
  f->results.lse = f->lse;
  f->results.o = NULL;
  compute(f, NULL);
  for (int b = 0; b < B; ++b)
    check(f, b, b * SQ, SQ, b * SK, SK, plain, 0);
}

static double causal(const fixture *f, double x, int i, int j, int h, int rows,
                     int keys) {
  (void)f, (void)h;
  return j <= i + keys - rows ? x : -INFINITY;
}

static double window(const fixture *f, double x, int i, int j, int h, int rows,
                     int keys) {
  (void)f, (void)h;
  const int diagonal = i + keys - rows;
  return j >= diagonal - 2 && j <= diagonal + 1 ? x : -INFINITY;
}

static void test_masks(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json;
    scored *score_of;
  } masks[] = {
      {"{\"head_dim_qk\":8,\"head_dim_v\":4,\"mask\":\"causal\"}", causal},
      {"{\"head_dim_qk\":8,\"head_dim_v\":4,\"mask\":\"window:2,1\"}", window}};
  for (size_t m = 0; m < sizeof masks / sizeof masks[0]; ++m) {
    configure(f, masks[m].json);
    compute(f, NULL);
    for (int b = 0; b < B; ++b)
      check(f, b, b * SQ, SQ, b * SK, SK, masks[m].score_of, 0);
  }
}

/// Cap, then slopes, then bias.
static double changed(const fixture *f, double x, int i, int j, int h, int rows,
                      int keys) {
  return 3 * tanh(x / 3) - f->slopes[h] * abs(i + keys - rows - j) +
         f->bias[h * SK + j];
}

static void test_what_changes_scores(void **state) {
  fixture *f = *state;
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4,\"softcap\":3,"
               "\"alibi\":true,\"bias\":true,\"sink\":true}");
  f->t.sink = address(f->sink);
  f->t.alibi_slopes = address(f->slopes);
  f->t.bias = address(f->bias);
  f->t.bias_strides = (fmhac_strides){.head_bytes = SK * sizeof(float)};
  compute(f, NULL);
  for (int b = 0; b < B; ++b)
    check(f, b, b * SQ, SQ, b * SK, SK, changed, 1);
}

static double of_user(const void *user, double score, int32_t row, int32_t key,
                      int32_t head, int32_t batch) {
  (void)batch;
  return score * *(const double *)user - (row == key) + head;
}

static double by_user(const fixture *f, double x, int i, int j, int h, int rows,
                      int keys) {
  (void)f, (void)rows, (void)keys;
  return x * 0.5 - (i == j) + h;
}

static void test_function_of_user(void **state) {
  fixture *f = *state;
  const double half = 0.5;
  const fmhac_reference_options options = {
      .size = sizeof options, .score_mod = of_user, .score_mod_user = &half};
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4,"
               "\"score_mod\":\"no/such.mlir\"}");
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, &f->results),
                   FMHAC_UNSUPPORTED);
  assert_non_null(strstr(fmhac_last_error(f->context), "no/such.mlir"));
  compute(f, &options);
  for (int b = 0; b < B; ++b)
    check(f, b, b * SQ, SQ, b * SK, SK, by_user, 0);
}

static void test_lengths(void **state) {
  fixture *f = *state;
  const int32_t rows[] = {3, 5}, keys[] = {7, 0};
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4,\"seqlens_q\":true,"
               "\"seqlens_kv\":true}");
  f->t.seqlens_q = address(rows);
  f->t.seqlens_kv = address(keys);
  compute(f, NULL);
  for (int b = 0; b < B; ++b)
    check(f, b, b * SQ, rows[b], b * SK, keys[b], plain, 0);
  assert_int_equal(count_untouched(f->o, O_COUNT), O_COUNT - 8 * HQ * DV);
  const int32_t many[] = {3, 6};
  f->t.seqlens_q = address(many);
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, &f->results),
                   FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_last_error(f->context),
                         "seqlens_q: element 1 is 6, expected 0 to 5"));
}

/// Sequences one after the other: no batch strides, LSE [Hq, total].
static void test_packed(void **state) {
  fixture *f = *state;
  const int32_t q[] = {0, 2, 5}, kv[] = {0, 7, 10};
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4,\"cu_seqlens_q\":true,"
               "\"cu_seqlens_kv\":true,\"mask\":\"causal\"}");
  f->t.cu_seqlens_q = address(q);
  f->t.cu_seqlens_kv = address(kv);
  f->t.q_strides.batch_bytes = f->t.o_strides.batch_bytes = 0;
  f->t.lse_batch_stride_bytes = 0;
  compute(f, NULL);
  assert_int_equal(count_untouched(f->o, O_COUNT), O_COUNT - 5 * HQ * DV);
  assert_int_equal(count_untouched(f->lse, LSE_COUNT), LSE_COUNT - 5 * HQ);
  // The second sequence begins at row 2: moved to the front it is checked
  // alike.
  check(f, 0, 0, 2, 0, 7, causal, 0);
  memmove(f->o, f->o + 2 * O_ROW, 3 * O_ROW * sizeof *f->o);
  memmove(f->lse, f->lse + 2, (LSE_COUNT - 2) * sizeof *f->lse);
  check(f, 0, 2, 3, 7, 3, causal, 0);
  const int32_t wrong[] = {0, 6, 5};
  f->t.cu_seqlens_q = address(wrong);
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, &f->results),
                   FMHAC_INVALID_INPUT);
}

/// The roundings of a kernel are small, and there.
static void test_rounded(void **state) {
  fixture *f = *state;
  double o[O_COUNT], lse[LSE_COUNT], most = 0;
  f->results.rounded_o = o;
  f->results.rounded_lse = lse;
  compute(f, NULL);
  for (int i = 0; i < O_COUNT; ++i)
    if (f->o[i] != untouched)
      most = fmax(most, fabs(f->o[i] - o[i]));
  assert_true(most > 1e-5 && most < 0.02);
}

static void refused(fixture *f, fmhac_status status, const char *text) {
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, &f->results),
                   status);
  if (!strstr(fmhac_last_error(f->context), text))
    fail_msg("expected \"%s\" in \"%s\"", text, fmhac_last_error(f->context));
}

static void test_refused(void **state) {
  fixture *f = *state;
  const fmhac_tensors right = f->t;
  f->t.size = 8;
  refused(f, FMHAC_INVALID_INPUT, "fmhac_tensors.size is 8");
  f->t = right;
  f->t.k = 0;
  refused(f, FMHAC_INVALID_INPUT, "tensor k: the address is null");
  f->t = right;
  f->t.v_strides.row_bytes = 17;
  refused(f, FMHAC_INVALID_INPUT, "tensor v: ");
  f->t = right;
  f->t.o_strides.row_bytes = 0;
  refused(f, FMHAC_INVALID_INPUT, "tensor o: rows lie 0 elements apart");
  f->t = right;
  f->t.lse_head_stride_bytes = 4;
  refused(f, FMHAC_INVALID_INPUT, "tensor lse: heads lie 1 elements apart");
  f->t = right;
  f->t.sink = address(f->sink);
  refused(f, FMHAC_INVALID_INPUT, "tensor sink: an address is given");
  f->t = right;
  f->t.seqlen_kv = 0;
  refused(f, FMHAC_INVALID_INPUT, "Sk 0");
  f->t = right;
  f->t.heads_q = 3;
  refused(f, FMHAC_INVALID_INPUT, "heads 3 is no multiple of kv_heads 2");
  f->t = right;
  f->t.scale = NAN;
  refused(f, FMHAC_INVALID_INPUT, "scale is nan");
  f->t = right;
  f->results.size = 0;
  refused(f, FMHAC_INVALID_INPUT, "fmhac_reference_results.size is 0");
  f->results.size = sizeof f->results;
  configure(f, "{\"head_dim_qk\":8,\"head_dim_v\":4,\"sink\":true}");
  refused(f, FMHAC_INVALID_INPUT, "tensor sink: the address is null");
  configure(f, "{\"k_dtype\":\"fp8\"}");
  refused(f, FMHAC_UNSUPPORTED, "Q bf16, K fp8, V bf16; expected one type");
  configure(f, "{\"dtype\":\"fp8\",\"v_dtype\":\"bf8\"}");
  refused(f, FMHAC_UNSUPPORTED, "Q fp8, K fp8, V bf8");
  assert_int_equal(fmhac_reference(NULL, &f->t, NULL, &f->results),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_reference(f->config, NULL, NULL, &f->results),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_reference(f->config, &f->t, NULL, NULL),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(count_untouched(f->o, O_COUNT), O_COUNT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_strides),
      TEST(test_masks),
      TEST(test_what_changes_scores),
      TEST(test_function_of_user),
      TEST(test_lengths),
      TEST(test_packed),
      TEST(test_rounded),
      TEST(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
