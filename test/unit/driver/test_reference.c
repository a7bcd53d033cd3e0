// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference on cases small enough to be computed by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"

#define LOG2E 1.4426950408889634

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/// One row, keys with scores 0 and ln 3: weights 1/4 and 3/4.
static void test_two_keys(void **state) {
  (void)state;
  const float q[] = {2}, k[] = {0, 1}, v[] = {4, 8};
  const attention p = {.batch = 1,
                       .heads_q = 1,
                       .heads_kv = 1,
                       .seqlen_q = 1,
                       .seqlen_kv = 2,
                       .head_dim_qk = 1,
                       .head_dim_v = 1,
                       .type = ELEMENT_F32,
                       .out_type = ELEMENT_F32,
                       .scale = 0.54930614433405484570, // ln 3 / 2
                       .q = q,
                       .k = k,
                       .v = v};
  double o, lse;
  assert_true(reference_compute(&p, 1, &o, &lse, NULL, NULL));
  assert_near(o, 7, 1e-14);
  assert_near(lse, 1.3862943611198906, 1e-14); // ln 4
}

/// Bottom-right causal, three rows on two keys: none, one, both.
static void test_empty_row(void **state) {
  (void)state;
  const float q[] = {0, 0, 0}, k[] = {5, 6}, v[] = {1, 10, 3, 30};
  const attention p = {.batch = 1,
                       .heads_q = 1,
                       .heads_kv = 1,
                       .seqlen_q = 3,
                       .seqlen_kv = 2,
                       .head_dim_qk = 1,
                       .head_dim_v = 2,
                       .type = ELEMENT_F32,
                       .out_type = ELEMENT_BF16,
                       .scale = 1,
                       .mask = {.kind = MASK_CAUSAL},
                       .q = q,
                       .k = k,
                       .v = v};
  double o[6], lse[3], floor_o[6], floor_lse[3];
  assert_true(reference_compute(&p, 2, o, lse, floor_o, floor_lse));
  const double expected[] = {0, 0, 1, 10, 2, 20};
  for (int i = 0; i < 6; ++i) {
    assert_near(o[i], expected[i], 1e-14);
    assert_near(floor_o[i], expected[i], 0);
  }
  assert_true(isinf(lse[0]) && lse[0] < 0);
  assert_true(isinf(floor_lse[0]) && floor_lse[0] < 0);
  assert_near(lse[1], 0, 1e-14);
  assert_near(lse[2], 0.69314718055994531, 1e-14);
}

/// One key: every head's output is V of its kv head. Shapes [B,S,H,D].
static void test_groups_and_layout(void **state) {
  (void)state;
  enum { B = 2, S = 3, HQ = 4, HK = 2, D = 2 };
  float q[B * S * HQ], k[B * HK], v[B * HK * D];
  for (int i = 0; i < B * S * HQ; ++i)
    q[i] = (float)i;
  for (int i = 0; i < B * HK; ++i)
    k[i] = 1;
  for (int i = 0; i < B * HK * D; ++i)
    v[i] = (float)(100 + i);
  const attention p = {.batch = B,
                       .heads_q = HQ,
                       .heads_kv = HK,
                       .seqlen_q = S,
                       .seqlen_kv = 1,
                       .head_dim_qk = 1,
                       .head_dim_v = D,
                       .type = ELEMENT_F32,
                       .out_type = ELEMENT_F32,
                       .scale = 0.5,
                       .q = q,
                       .k = k,
                       .v = v};
  double o[B * S * HQ * D], lse[B * HQ * S];
  assert_true(reference_compute(&p, 0, o, lse, NULL, NULL));
  for (int b = 0; b < B; ++b)
    for (int s = 0; s < S; ++s)
      for (int h = 0; h < HQ; ++h) {
        for (int d = 0; d < D; ++d)
          assert_near(o[((b * S + s) * HQ + h) * D + d],
                      100 + (b * HK + h / 2) * D + d, 1e-12);
        assert_near(lse[(b * HQ + h) * S + s], 0.5 * ((b * S + s) * HQ + h),
                    1e-12);
      }
}

/// The roundings of the floor, step by step on one row. Scores in base 2 are 0
/// and -0.5; P = bf16(2^0.37) = 165/128 and bf16(2^-0.13) = 234/256; O is
/// 0.58511 = 149.79/256, so 150/256.
static void test_floor(void **state) {
  (void)state;
  const uint16_t one = 0x3f80, zero = 0, minus_half = 0xbf00;
  const uint16_t q[] = {one}, k[] = {zero, minus_half}, v[] = {one, zero};
  attention p = {.batch = 1,
                 .heads_q = 1,
                 .heads_kv = 1,
                 .seqlen_q = 1,
                 .seqlen_kv = 2,
                 .head_dim_qk = 1,
                 .head_dim_v = 1,
                 .type = ELEMENT_BF16,
                 .out_type = ELEMENT_BF16,
                 .scale = 1 / LOG2E,
                 .q = q,
                 .k = k,
                 .v = v};
  double o, lse, floor_o, floor_lse;
  assert_true(reference_compute(&p, 1, &o, &lse, &floor_o, &floor_lse));
  assert_near(o, 1 / (1 + sqrt(0.5)), 1e-14);
  assert_near(floor_o, 150.0 / 256, 0);
  assert_near(floor_lse, log(1 + sqrt(0.5)), 1e-14);
  // With scale 1, Q log2e = 1.4427 is rounded to 185/128: LSE of one key shows
  // it.
  p.scale = 1;
  p.seqlen_kv = 1;
  const uint16_t key[] = {one};
  p.k = key;
  assert_true(reference_compute(&p, 1, &o, &lse, &floor_o, &floor_lse));
  assert_near(lse, 1, 1e-14);
  assert_near(floor_lse, 185.0 / 128 / LOG2E, 1e-14);
}

/// The range of every mask, key by key from its definition.
static bool sees(const attention_mask *mask, int64_t i, int64_t j, int64_t sq,
                 int64_t sk) {
  int64_t diagonal = i + sk - sq;
  switch (mask->kind) {
  case MASK_NONE:
    return true;
  case MASK_CAUSAL:
    return j <= diagonal;
  case MASK_CAUSAL_TOP_LEFT:
    return j <= i;
  case MASK_WINDOW:
    return (mask->left < 0 || j >= diagonal - mask->left) &&
           (mask->right < 0 || j <= diagonal + mask->right);
  case MASK_CHUNKED:
    return diagonal >= 0 && j <= diagonal &&
           j / mask->chunk == diagonal / mask->chunk;
  }
  return false;
}

static void test_masks(void **state) {
  (void)state;
  static const char *const texts[] = {
      "none",        "causal",      "causal-top-left", "window:0,0",
      "window:2,-1", "window:-1,3", "window:1,2",      "window:-1,-1",
      "chunked:1",   "chunked:4",   "chunked:100"};
  for (size_t t = 0; t < sizeof texts / sizeof texts[0]; ++t) {
    attention_mask mask;
    assert_true(attention_mask_parse(texts[t], &mask));
    for (int64_t sq = 1; sq <= 9; ++sq)
      for (int64_t sk = 1; sk <= 9; ++sk)
        for (int64_t i = 0; i < sq; ++i) {
          int64_t first, end;
          attention_mask_range(&mask, i, sq, sk, &first, &end);
          assert_true(0 <= first && first <= end && end <= sk);
          for (int64_t j = 0; j < sk; ++j)
            if (sees(&mask, i, j, sq, sk) != (j >= first && j < end))
              fail_msg("%s: Sq %d Sk %d row %d key %d", texts[t], (int)sq,
                       (int)sk, (int)i, (int)j);
        }
  }
  attention_mask mask;
  assert_false(attention_mask_parse("window:1", &mask));
  assert_false(attention_mask_parse("chunked:0", &mask));
  assert_false(attention_mask_parse("diagonal", &mask));
}

/// Threads and vector units change nothing: every result is one row's own.
static void test_threads(void **state) {
  (void)state;
  enum { S = 37, H = 3, D = 40, COUNT = S * H * D };
  uint16_t q[COUNT], k[COUNT], v[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    q[i] = bf16_from_double(sin(i));
    k[i] = bf16_from_double(cos(3 * i));
    v[i] = bf16_from_double(sin(7 * i));
  }
  const attention p = {.batch = 1,
                       .heads_q = H,
                       .heads_kv = H,
                       .seqlen_q = S,
                       .seqlen_kv = S,
                       .head_dim_qk = D,
                       .head_dim_v = D,
                       .type = ELEMENT_BF16,
                       .out_type = ELEMENT_BF16,
                       .scale = 0.2,
                       .mask = {.kind = MASK_CAUSAL},
                       .q = q,
                       .k = k,
                       .v = v};
  static double a[2][COUNT], b[2][COUNT];
  assert_true(reference_compute(&p, 1, a[0], NULL, a[1], NULL));
  assert_true(reference_compute(&p, 5, b[0], NULL, b[1], NULL));
  assert_memory_equal(a, b, sizeof a);
  // An element of it by the textbook: row 30, head 1, column 39 (D = 40 also
  // passes through the part of a row that fills no vector).
  double total = 0, sum = 0;
  for (int j = 0; j <= 30; ++j) {
    double dot = 0;
    for (int d = 0; d < D; ++d)
      dot += (double)bf16_to_float(q[(30 * H + 1) * D + d]) *
             bf16_to_float(k[(j * H + 1) * D + d]);
    total += exp(0.2 * dot);
    sum += exp(0.2 * dot) * bf16_to_float(v[(j * H + 1) * D + 39]);
  }
  assert_near(a[0][(30 * H + 1) * D + 39], sum / total, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_keys),
      cmocka_unit_test(test_empty_row),
      cmocka_unit_test(test_groups_and_layout),
      cmocka_unit_test(test_floor),
      cmocka_unit_test(test_masks),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
