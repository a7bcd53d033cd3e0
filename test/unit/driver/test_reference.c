// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference on cases small enough to be computed by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "caller_environment.h"
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
                       .q_type = ELEMENT_F32,
                       .k_type = ELEMENT_F32,
                       .v_type = ELEMENT_F32,
                       .out_type = ELEMENT_F32,
                       .scale = 0.54930614433405484570, // ln 3 / 2
                       .q = {q, 1, 1, 1, 0, false},
                       .k = {k, 2, 1, 1, 0, false},
                       .v = {v, 2, 1, 1, 0, false}};
  double o, lse;
  assert_true(reference_compute(&p, 1, &o, &lse, NULL, NULL, NULL, NULL));
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
                       .q_type = ELEMENT_F32,
                       .k_type = ELEMENT_F32,
                       .v_type = ELEMENT_F32,
                       .out_type = ELEMENT_BF16,
                       .scale = 1,
                       .mask = {.kind = MASK_CAUSAL},
                       .q = {q, 3, 1, 1, 0, false},
                       .k = {k, 2, 1, 1, 0, false},
                       .v = {v, 2 * 2, 2, 2, 0, false}};
  double o[6], lse[3], floor_o[6], floor_lse[3];
  assert_true(reference_compute(&p, 2, o, lse, floor_o, NULL, floor_lse, NULL));
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
                       .q_type = ELEMENT_F32,
                       .k_type = ELEMENT_F32,
                       .v_type = ELEMENT_F32,
                       .out_type = ELEMENT_F32,
                       .scale = 0.5,
                       .q = {q, S * HQ, HQ, 1, 0, false},
                       .k = {k, HK, HK, 1, 0, false},
                       .v = {v, HK * D, HK * D, D, 0, false}};
  double o[B * S * HQ * D], lse[B * HQ * S];
  assert_true(reference_compute(&p, 0, o, lse, NULL, NULL, NULL, NULL));
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
                 .q_type = ELEMENT_BF16,
                 .k_type = ELEMENT_BF16,
                 .v_type = ELEMENT_BF16,
                 .out_type = ELEMENT_BF16,
                 .scale = 1 / LOG2E,
                 .q = {q, 1, 1, 1, 0, false},
                 .k = {k, 2, 1, 1, 0, false},
                 .v = {v, 2, 1, 1, 0, false}};
  double o, lse, floor_o, floor_lse;
  assert_true(
      reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
  assert_near(o, 1 / (1 + sqrt(0.5)), 1e-14);
  assert_near(floor_o, 150.0 / 256, 0);
  assert_near(floor_lse, log(1 + sqrt(0.5)), 1e-14);
  // With scale 1, Q log2e = 1.4427 is rounded to 185/128: LSE of one key shows
  // it.
  p.scale = 1;
  p.seqlen_kv = 1;
  const uint16_t key[] = {one};
  p.k.base = key;
  assert_true(
      reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
  assert_near(lse, 1, 1e-14);
  assert_near(floor_lse, 185.0 / 128 / LOG2E, 1e-14);
  // A V of 2^-127 is an f32 subnormal, which a kernel flushes.
  const uint16_t subnormal[] = {0x0040};
  p.v.base = subnormal;
  assert_true(
      reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
  assert_near(o, ldexp(1, -127), 0);
  assert_near(floor_o, 0, 0);
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
                       .q_type = ELEMENT_BF16,
                       .k_type = ELEMENT_BF16,
                       .v_type = ELEMENT_BF16,
                       .out_type = ELEMENT_BF16,
                       .scale = 0.2,
                       .mask = {.kind = MASK_CAUSAL},
                       .q = {q, S * H * D, H * D, D, 0, false},
                       .k = {k, S * H * D, H * D, D, 0, false},
                       .v = {v, S * H * D, H * D, D, 0, false}};
  static double a[2][COUNT], b[2][COUNT];
  assert_true(reference_compute(&p, 1, a[0], NULL, a[1], NULL, NULL, NULL));
  assert_true(reference_compute(&p, 5, b[0], NULL, b[1], NULL, NULL, NULL));
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

//===- Features -----------------------------------------------------------===//

/// One row on two keys with scores 0 and 2 ln 3; V is 4 and 8.
static attention two_keys(const float *q, const float *k, const float *v) {
  return (attention){.batch = 1,
                     .heads_q = 1,
                     .heads_kv = 1,
                     .seqlen_q = 1,
                     .seqlen_kv = 2,
                     .head_dim_qk = 1,
                     .head_dim_v = 1,
                     .q_type = ELEMENT_F32,
                     .k_type = ELEMENT_F32,
                     .v_type = ELEMENT_F32,
                     .out_type = ELEMENT_F32,
                     .scale = 2 * 1.0986122886681098, // ln 3
                     .q = {q, 1, 1, 1, 0, false},
                     .k = {k, 2, 1, 1, 0, false},
                     .v = {v, 2, 1, 1, 0, false}};
}

static void assert_two_keys(const attention *p, double o, double lse) {
  double found_o, found_lse, floor_o, floor_lse;
  assert_true(reference_compute(p, 1, &found_o, &found_lse, &floor_o, NULL,
                                &floor_lse, NULL));
  assert_near(found_o, o, 1e-6);
  assert_near(found_lse, lse, 1e-6);
  // F32 rounds little: the floor is the same computation.
  assert_near(floor_o, o, 1e-5);
  assert_near(floor_lse, lse, 1e-5);
}

static double halve(const void *user, double score, int32_t row, int32_t key,
                    int32_t head, int32_t batch) {
  assert_ptr_equal(user, &two_keys);
  assert_true(row == 0 && (key == 0 || key == 1) && head == 0 && batch == 0);
  return score / 2;
}

static void test_features_by_hand(void **state) {
  (void)state;
  const float q[] = {1}, k[] = {0, 1}, v[] = {4, 8};
  const attention plain = two_keys(q, k, v);
  // Weights 1/10 and 9/10.
  assert_two_keys(&plain, 7.6, log(10));

  attention p = plain;
  p.softcap = 2 * log(3) / atanh(0.5); // so that tanh(x / c) = 1/2
  // x = c / 2 = ln 3 / atanh(1/2) = 2, since atanh(1/2) = ln 3 / 2.
  assert_two_keys(&p, (4 + 8 * exp(2)) / (1 + exp(2)), log(1 + exp(2)));

  p = plain;
  p.score_mod = halve;
  p.score_mod_user = (const void *)(uintptr_t)&two_keys;
  assert_two_keys(&p, 7, log(4)); // weights 1/4 and 3/4

  // Key 0 lies 1 from the diagonal of the only row, key 1 on it.
  p = plain;
  const float slope = 2;
  p.alibi_slopes = &slope;
  assert_two_keys(&p, (4 * exp(-2) + 72) / (exp(-2) + 9), log(exp(-2) + 9));

  p = plain;
  const float bias[] = {1, -1};
  p.bias.base = bias;
  assert_two_keys(&p, (4 * exp(1) + 72 * exp(-1)) / (exp(1) + 9 * exp(-1)),
                  log(exp(1) + 9 * exp(-1)));

  // The sink takes part in the sum and has no value; also as the largest.
  p = plain;
  float sink = 2.3025850929940457f; // ln 10
  p.sink = &sink;
  assert_two_keys(&p, 3.8, log(20));
  sink = 100;
  assert_two_keys(&p, 76 * exp(-100), 100);
  // Outside cap and bias: it stays what it is.
  p.bias.base = bias;
  p.softcap = 1;
  assert_two_keys(&p, 0, 100);
}

/// A row that sees no key: the sink alone, or nothing. A bias of -inf hides
/// keys as a mask does.
static void test_no_keys(void **state) {
  (void)state;
  const float q[] = {1}, k[] = {0, 1}, v[] = {4, 8};
  attention p = two_keys(q, k, v);
  const int32_t none = 0;
  p.seqlens_kv = &none;
  assert_int_equal(attention_keys(&p, 0), 0);
  double o, lse, floor_o, floor_lse;
  assert_true(
      reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
  assert_true(o == 0 && floor_o == 0);
  assert_true(lse == -INFINITY && floor_lse == -INFINITY);
  const float sink = -3;
  p.sink = &sink;
  assert_two_keys(&p, 0, -3);
  p = two_keys(q, k, v);
  const float hidden[] = {-INFINITY, -INFINITY};
  p.bias.base = hidden;
  assert_true(
      reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
  assert_true(o == 0 && floor_o == 0);
  assert_true(lse == -INFINITY && floor_lse == -INFINITY);
  const float one_hidden[] = {-INFINITY, 0};
  p.bias.base = one_hidden;
  assert_two_keys(&p, 8, 2 * log(3));
}

/// Kernels flush weights below 2^-126, the smallest normal f32: the floor does,
/// too, and takes no account of its own offset of the exponent there.
static void test_subnormal_weights(void **state) {
  (void)state;
  const float q[] = {1}, k[] = {0, 0}, v[] = {1000, 1000};
  attention p = two_keys(q, k, v);
  float sink;
  p.sink = &sink;
  double o, floor_o;
  sink = (float)(126.2 * log(2));
  assert_true(reference_compute(&p, 1, &o, NULL, &floor_o, NULL, NULL, NULL));
  assert_true(o > 1000 * 0x1p-126 && floor_o == 0);
  sink = (float)(125.8 * log(2));
  assert_true(reference_compute(&p, 1, &o, NULL, &floor_o, NULL, NULL, NULL));
  assert_true(fabs(floor_o / o - 1) < 0x1p-7); // two roundings to bf16
}

/// Every feature at once, in every layout of sequences, against the definition
/// written out element by element.
enum { RB = 3, RHQ = 4, RHK = 2, RSQ = 5, RSK = 7, RD = 3, RDV = 2 };

typedef struct random_problem {
  float q[1000], k[1000], v[1000], sink[RHQ], slopes[RB * RHQ];
  float bias[RB * RHQ * RSQ * RSK];
  attention p;
} random_problem;

static double mod(const void *user, double score, int32_t row, int32_t key,
                  int32_t head, int32_t batch) {
  (void)user;
  return score * (1 + 0.1 * row) + 0.01 * key - 0.2 * head + 0.3 * batch;
}

static uint32_t length_of(const int32_t *starts, const int32_t *lengths,
                          uint32_t all, int b) {
  return starts    ? (uint32_t)(starts[b + 1] - starts[b])
         : lengths ? (uint32_t)lengths[b]
                   : all;
}

static double element(const attention_view *view, const int32_t *starts, int b,
                      int row, int h, int d) {
  uint64_t at = starts ? (uint64_t)(starts[b] + row) * view->row_stride
                       : b * view->batch_stride + row * view->row_stride;
  return ((const float *)view->base)[at + h * view->head_stride + d];
}

static void check_by_definition(const attention *p) {
  static double o[1000], lse[1000];
  assert_true(reference_compute(p, 2, o, lse, NULL, NULL, NULL, NULL));
  size_t at = 0, lse_first = 0;
  for (int b = 0; b < RB; ++b) {
    int sq = (int)length_of(p->cu_seqlens_q, p->seqlens_q, RSQ, b);
    int sk = (int)length_of(p->cu_seqlens_kv, p->seqlens_kv, RSK, b);
    for (int i = 0; i < sq; ++i)
      for (int h = 0; h < RHQ; ++h) {
        double x[RSK], l = p->sink ? exp(p->sink[h]) : 0, sums[RDV] = {0};
        for (int j = 0; j < sk; ++j) {
          x[j] = 0;
          for (int d = 0; d < RD; ++d)
            x[j] += element(&p->q, p->cu_seqlens_q, b, i, h, d) *
                    element(&p->k, p->cu_seqlens_kv, b, j, h / 2, d);
          x[j] *= p->scale;
          if (p->softcap > 0)
            x[j] = p->softcap * tanh(x[j] / p->softcap);
          if (p->score_mod)
            x[j] = mod(NULL, x[j], i, j, h, b);
          if (p->alibi_slopes)
            x[j] -= p->alibi_slopes[b * p->alibi_batch_stride + h] *
                    fabs((double)i + sk - sq - j);
          if (p->bias.base)
            x[j] +=
                p->bias
                    .base[b * p->bias.batch_stride + h * p->bias.head_stride +
                          i * p->bias.row_stride + j];
          if (!sees(&p->mask, i, j, sq, sk))
            continue;
          l += exp(x[j]);
          for (int d = 0; d < RDV; ++d)
            sums[d] +=
                exp(x[j]) * element(&p->v, p->cu_seqlens_kv, b, j, h / 2, d);
        }
        for (int d = 0; d < RDV; ++d)
          assert_near(o[at++], l > 0 ? sums[d] / l : 0, 1e-12);
        double expected = l > 0 ? log(l) : -INFINITY;
        double found = lse[lse_first + (size_t)(h * sq + i)];
        if (isinf(expected))
          assert_true(found == expected);
        else
          assert_near(found, expected, 1e-12);
      }
    lse_first += (size_t)(RHQ * sq);
  }
  assert_int_equal(attention_o_count(p), at);
  assert_int_equal(attention_lse_count(p), lse_first);
}

static void test_features_by_definition(void **state) {
  (void)state;
  static random_problem r;
  for (int i = 0; i < 1000; ++i) {
    r.q[i] = (float)sin(1 + i);
    r.k[i] = (float)cos(2 * i);
    r.v[i] = (float)sin(3 * i);
  }
  for (int i = 0; i < RHQ; ++i)
    r.sink[i] = (float)(i - 1.5);
  for (int i = 0; i < RB * RHQ; ++i)
    r.slopes[i] = (float)exp2(-i);
  for (int i = 0; i < RB * RHQ * RSQ * RSK; ++i)
    r.bias[i] = (float)cos(5 * i);
  static const int32_t cu_q[] = {0, 2, 2, 7}, cu_kv[] = {0, 7, 10, 10};
  static const int32_t len_q[] = {5, 0, 3}, len_kv[] = {0, 7, 2};
  static const char *const masks[] = {"none", "causal", "causal-top-left",
                                      "window:2,1", "chunked:3"};
  for (int set = 0; set < 1 << 5; ++set)
    for (int lengths = 0; lengths < 9; ++lengths)
      for (int m = 0; m < 5; ++m) {
        attention p = {.batch = RB,
                       .heads_q = RHQ,
                       .heads_kv = RHK,
                       .seqlen_q = RSQ,
                       .seqlen_kv = RSK,
                       .head_dim_qk = RD,
                       .head_dim_v = RDV,
                       .q_type = ELEMENT_F32,
                       .k_type = ELEMENT_F32,
                       .v_type = ELEMENT_F32,
                       .out_type = ELEMENT_F32,
                       .scale = 0.7,
                       // Strides of no layout: every one is used.
                       .q = {r.q, 200, 13, 3, 0, false},
                       .k = {r.k, 101, 3, 31, 0, false},
                       .v = {r.v, 0, 5, 2, 0, false}};
        assert_true(attention_mask_parse(masks[m], &p.mask));
        p.softcap = set & 1 ? 0.5 : 0;
        p.score_mod = set & 2 ? mod : NULL;
        p.alibi_slopes = set & 4 ? r.slopes : NULL;
        p.alibi_batch_stride = lengths % 2 ? RHQ : 0;
        p.sink = set & 8 ? r.sink : NULL;
        if (set & 16)
          p.bias = (attention_bias){r.bias, RHQ * RSQ * RSK, RSQ * RSK,
                                    lengths % 2 ? RSK : 0};
        p.cu_seqlens_q = lengths % 3 == 1 ? cu_q : NULL;
        p.seqlens_q = lengths % 3 == 2 ? len_q : NULL;
        p.cu_seqlens_kv = lengths / 3 == 1 ? cu_kv : NULL;
        p.seqlens_kv = lengths / 3 == 2 ? len_kv : NULL;
        check_by_definition(&p);
      }
}

enum { SPECIAL_KEYS = 3 };

/// One row of Q and three keys of one element each, all of value 1, and V = 1,
/// 2, 4, as f16, where something stands instead of a value; and what comes out.
typedef struct special {
  uint16_t q, k[SPECIAL_KEYS], v[SPECIAL_KEYS];
  double o, lse;
} special;

enum { ONE = 0x3c00, INF = 0x7c00, MINUS_INF = 0xfc00, NOT = 0x7e00 };

/// By the definition alone: NaN and +inf of a score make the row NaN, -inf
/// takes the key out of it; V's reach the row as they are.
static void test_special_inputs(void **state) {
  (void)state;
  const double ln2 = log(2), ln3 = log(3);
  const special cases[] = {
      {ONE, {ONE, ONE, ONE}, {ONE, 0x4000, 0x4400}, 7.0 / 3, 1 + ln3},
      {NOT, {ONE, ONE, ONE}, {ONE, 0x4000, 0x4400}, NAN, NAN},
      {INF, {ONE, ONE, ONE}, {ONE, 0x4000, 0x4400}, NAN, NAN},
      {MINUS_INF, {ONE, ONE, ONE}, {ONE, 0x4000, 0x4400}, 0, -INFINITY},
      {ONE, {ONE, NOT, ONE}, {ONE, 0x4000, 0x4400}, NAN, NAN},
      {ONE, {ONE, ONE, INF}, {ONE, 0x4000, 0x4400}, NAN, NAN},
      {ONE, {ONE, MINUS_INF, ONE}, {ONE, 0x4000, 0x4400}, 2.5, 1 + ln2},
      {0, {ONE, MINUS_INF, ONE}, {ONE, 0x4000, 0x4400}, NAN, NAN}, // 0 * inf
      {ONE, {ONE, ONE, ONE}, {ONE, NOT, 0x4400}, NAN, 1 + ln3},
      {ONE, {ONE, ONE, ONE}, {ONE, INF, 0x4400}, INFINITY, 1 + ln3},
      {ONE, {ONE, ONE, ONE}, {INF, MINUS_INF, 0x4400}, NAN, 1 + ln3},
      // A weight of 0, of a key that is seen, times an infinity.
      {ONE, {ONE, MINUS_INF, ONE}, {ONE, INF, 0x4400}, NAN, 1 + ln2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    attention p = {.batch = 1,
                   .heads_q = 1,
                   .heads_kv = 1,
                   .seqlen_q = 1,
                   .seqlen_kv = SPECIAL_KEYS,
                   .head_dim_qk = 1,
                   .head_dim_v = 1,
                   .q_type = ELEMENT_F16,
                   .k_type = ELEMENT_F16,
                   .v_type = ELEMENT_F16,
                   .out_type = ELEMENT_F16,
                   .scale = 1,
                   .q = {&cases[i].q, 1, 1, 1, 0, false},
                   .k = {cases[i].k, SPECIAL_KEYS, 1, 1, 0, false},
                   .v = {cases[i].v, SPECIAL_KEYS, 1, 1, 0, false}};
    double o, lse, floor_o, floor_lse;
    assert_true(
        reference_compute(&p, 1, &o, &lse, &floor_o, NULL, &floor_lse, NULL));
    if (isfinite(cases[i].o))
      assert_near(o, cases[i].o, 1e-14);
    else
      assert_true(isnan(cases[i].o) ? isnan(o) : o == cases[i].o);
    if (isfinite(cases[i].lse))
      assert_near(lse, cases[i].lse, 1e-14);
    else
      assert_true(isnan(cases[i].lse) ? isnan(lse) : lse == cases[i].lse);
    // The floor is NaN where the reference is, so that no error comes of it.
    assert_int_equal(isnan(floor_o), isnan(o));
    assert_int_equal(isnan(floor_lse), isnan(lse));
  }
}

/// Of rows 1 and -2 and keys 1 and -3: scores 1 and -3, -2 and 6. And with one
/// key, a bias that hides, a soft cap, a sink, a row of NaN, no key.
static void test_largest_score(void **state) {
  (void)state;
  const uint16_t rows[] = {ONE, 0xc000}, keys[] = {ONE, 0xc200};
  const uint16_t with_nan[] = {ONE, NOT};
  attention p = {.batch = 1,
                 .heads_q = 1,
                 .heads_kv = 1,
                 .seqlen_q = 2,
                 .seqlen_kv = 2,
                 .head_dim_qk = 1,
                 .head_dim_v = 1,
                 .q_type = ELEMENT_F16,
                 .k_type = ELEMENT_F16,
                 .v_type = ELEMENT_F16,
                 .out_type = ELEMENT_F16,
                 .scale = 1,
                 .q = {rows, 2, 1, 1, 0, false},
                 .k = {keys, 2, 1, 1, 0, false},
                 .v = {keys, 2, 1, 1, 0, false}};
  double most = -1;
  assert_true(reference_compute(&p, 2, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 6, 0);
  p.seqlen_kv = 1;
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 2, 0);
  // A bias of -1e9 hides a key where there is another: 1 and -2, from two keys.
  const float hides[] = {0, -1e9f}, hides_all[] = {-1e9f, -1e9f};
  p.seqlen_kv = 2;
  p.bias = (attention_bias){.base = hides};
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 2, 0);
  p.bias.base = hides_all;
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 1e9 + 3, 0);
  p.bias.base = NULL;
  p.softcap = 2; // 2 tanh(3)
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 2 * tanh(3), 1e-15);
  p.softcap = 0;
  const float sink = 50;
  p.sink = &sink;
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 50, 0);
  p.sink = NULL;
  p.q.base = with_nan;
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 3, 0);
  const int32_t none[] = {0};
  p.seqlens_kv = none;
  assert_true(reference_compute(&p, 1, NULL, NULL, NULL, NULL, NULL, &most));
  assert_near(most, 0, 0);
}

/// 5 rows and 9 keys of numbers that round, with all that modifies scores, in
/// the caller's environment `e`.
static void compute_in(caller_environment e, double out[4][5 * 3],
                       double *largest) {
  enum { ROWS = 5, KEYS = 9, DIM = 3 };
  float q[ROWS * DIM], k[KEYS * DIM], v[KEYS * DIM];
  for (int i = 0; i < ROWS * DIM; ++i)
    q[i] = (float)i / 7 - 1;
  for (int i = 0; i < KEYS * DIM; ++i) {
    k[i] = (float)i / 11 - 1;
    v[i] = i % 2 ? 0x1p-140f : (float)i / 13; // some are subnormal
  }
  const float slope = 0.1f, sink = 0.3f;
  const attention p = {.batch = 1,
                       .heads_q = 1,
                       .heads_kv = 1,
                       .seqlen_q = ROWS,
                       .seqlen_kv = KEYS,
                       .head_dim_qk = DIM,
                       .head_dim_v = DIM,
                       .q_type = ELEMENT_F32,
                       .k_type = ELEMENT_F32,
                       .v_type = ELEMENT_F32,
                       .out_type = ELEMENT_BF16,
                       .scale = 0.7,
                       .softcap = 1.3,
                       .alibi_slopes = &slope,
                       .sink = &sink,
                       .q = {q, ROWS * DIM, DIM, DIM, 0, false},
                       .k = {k, KEYS * DIM, DIM, DIM, 0, false},
                       .v = {v, KEYS * DIM, DIM, DIM, 0, false}};
  memset(out, 0, 4 * sizeof *out);
  caller_environment_set(e);
  const bool ok =
      reference_compute(&p, 3, out[0], out[1], out[2], NULL, out[3], largest);
  const bool is_kept = caller_environment_is(e);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  caller_environment_set(k_ordinary_environment);
  assert_true(ok && is_kept && !flags);
}

static void test_caller_environment(void **state) {
  (void)state;
  double expected[4][5 * 3], found[4][5 * 3], expected_largest, largest;
  compute_in(k_ordinary_environment, expected, &expected_largest);
  for (int i = 0; i < CALLER_ENVIRONMENTS; ++i) {
    compute_in(k_caller_environments[i], found, &largest);
    assert_memory_equal(found, expected, sizeof found);
    assert_memory_equal(&largest, &expected_largest, sizeof largest);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_keys),
      cmocka_unit_test(test_empty_row),
      cmocka_unit_test(test_groups_and_layout),
      cmocka_unit_test(test_floor),
      cmocka_unit_test(test_masks),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_features_by_hand),
      cmocka_unit_test(test_no_keys),
      cmocka_unit_test(test_subnormal_weights),
      cmocka_unit_test(test_features_by_definition),
      cmocka_unit_test(test_special_inputs),
      cmocka_unit_test(test_largest_score),
      cmocka_unit_test(test_caller_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
