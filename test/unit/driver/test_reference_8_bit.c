// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference with 8-bit operands: what they are with factors of every
// granularity, their floors, 8-bit outputs. Expected values are formulas
// written out here, with roundings of their own.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"

#define LN2 0.69314718055994530942

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

/// The nearest number with `fraction` bits after the leading one, with a least
/// exponent and a largest number.
static double round_bits(double x, int fraction, int least, double largest) {
  if (x == 0)
    return x;
  int exponent = (int)floor(log2(fabs(x)));
  if (exponent < least)
    exponent = least;
  const double unit = pow(2, exponent - fraction);
  return copysign(fmin(nearbyint(fabs(x) / unit) * unit, largest), x);
}

static double e4m3(double x) { return round_bits(x, 3, -6, 448); }
static double bf16(double x) { return round_bits(x, 7, -126, 3.38e38); }

//===- Operands -----------------------------------------------------------===//

enum { B = 2, HQ = 4, HK = 2, SQ = 5, SK = 7, D = 3, DV = 2, N = 3 };
enum { Q_BLOCKS = (SQ + N - 1) / N, K_BLOCKS = (SK + N - 1) / N };

/// Codes of 8-bit types that are numbers below 2 in magnitude.
static uint8_t code(int i) {
  const uint8_t magnitude = (uint8_t)((i * 37 + i / 11) % 0x3c);
  return (uint8_t)(i % 3 ? magnitude : magnitude | 0x80);
}

/// Factors of an operand in its own order, and which of them a row has.
typedef struct factors_case {
  const char *name;
  attention_factors q, k, v; ///< without base
  bool packed;
} factors_case;

static const factors_case cases[] = {
    {"none", {0}, {0}, {0}, false},
    {"tensor",
     {.head_stride = 0},
     {.head_stride = 0},
     {.head_stride = 0},
     false},
    {"head", {.head_stride = 1}, {.head_stride = 1}, {.head_stride = 1}, false},
    {"head of a batch",
     {.head_stride = 1, .batch_stride = HQ},
     {.head_stride = 1, .batch_stride = HK},
     {.head_stride = 2, .batch_stride = 2 * HK + 1},
     false},
    {"token",
     {.head_stride = 1,
      .row_stride = HQ,
      .batch_stride = SQ * HQ,
      .rows_a_factor = 1},
     {.head_stride = 1,
      .row_stride = HK,
      .batch_stride = SK * HK,
      .rows_a_factor = 1},
     {.head_stride = SK,
      .row_stride = 1,
      .batch_stride = SK * HK,
      .rows_a_factor = 1},
     false},
    {"block",
     {.head_stride = 1,
      .row_stride = HQ,
      .batch_stride = Q_BLOCKS * HQ,
      .rows_a_factor = N},
     {.head_stride = 1,
      .row_stride = HK,
      .batch_stride = K_BLOCKS * HK,
      .rows_a_factor = N},
     {.head_stride = K_BLOCKS,
      .row_stride = 1,
      .batch_stride = K_BLOCKS * HK,
      .rows_a_factor = N},
     false},
    {"packed tokens",
     {.head_stride = 1, .row_stride = HQ, .rows_a_factor = 1},
     {.head_stride = 1, .row_stride = HK, .rows_a_factor = 1},
     {.head_stride = 1, .row_stride = HK, .rows_a_factor = 1},
     true},
};

static const int32_t starts_q[B + 1] = {0, 2, SQ},
                                  starts_kv[B + 1] = {0, 3, SK};

/// The index of a factor, from the granularity's definition.
static int factor_index(const factors_case *c, const attention_factors *f,
                        const int32_t *starts, int b, int row, int head) {
  const uint64_t number = !f->rows_a_factor ? 0
                          : c->packed       ? (uint64_t)(starts[b] + row)
                                            : (uint64_t)row / f->rows_a_factor;
  return (int)((uint64_t)b * f->batch_stride + number * f->row_stride +
               (uint64_t)head * f->head_stride);
}

/// Attention by its definition, for a row and a column of V.
static double by_definition(const factors_case *c, const attention *p,
                            const float *factors, int b, int row, int head,
                            int column) {
  const bool has = strcmp(c->name, "none") != 0;
  const int hk = head / (HQ / HK), keys = (int)attention_keys(p, (uint32_t)b);
  const int row0 = c->packed ? starts_q[b] : b * SQ;
  const int key0 = c->packed ? starts_kv[b] : b * SK;
  const uint8_t *q = p->q.base, *k = p->k.base, *v = p->v.base;
  double total = 0, sum = 0;
  for (int j = 0; j < keys; ++j) {
    double score = 0;
    for (int d = 0; d < D; ++d)
      score +=
          element_load(p->q_type, q,
                       (size_t)(((row0 + row) * HQ + head) * D + d)) *
          element_load(p->k_type, k, (size_t)(((key0 + j) * HK + hk) * D + d));
    double fv = 1;
    if (has) {
      score *= factors[factor_index(c, &c->q, starts_q, b, row, head)];
      score *= factors[factor_index(c, &c->k, starts_kv, b, j, hk)];
      fv = factors[factor_index(c, &c->v, starts_kv, b, j, hk)];
    }
    const double weight = exp(p->scale * score);
    total += weight;
    sum += weight * fv *
           element_load(p->v_type, v,
                        (size_t)(((key0 + j) * HK + hk) * DV + column));
  }
  return sum / total;
}

static void check_operands(const factors_case *c, element_type q_type,
                           element_type k_type, element_type v_type) {
  uint8_t codes[B * SQ * HQ * D + B * SK * HK * (D + DV)];
  for (int i = 0; i < (int)sizeof codes; ++i)
    codes[i] = code(i);
  uint16_t wide[B * SQ * HQ * D];
  for (int i = 0; i < B * SQ * HQ * D; ++i)
    element_store(q_type == ELEMENT_FP8 ? ELEMENT_BF16 : q_type, wide,
                  (size_t)i, element_load(ELEMENT_FP8, codes, (size_t)i));
  float factors[100];
  for (int i = 0; i < 100; ++i)
    factors[i] = (float)(0.25 + (i * 7 % 13) / 8.0);
  const uint8_t *k = codes + B * SQ * HQ * D, *v = k + B * SK * HK * D;
  attention p = {
      .batch = B,
      .heads_q = HQ,
      .heads_kv = HK,
      .seqlen_q = c->packed ? 3 : SQ,
      .seqlen_kv = c->packed ? 4 : SK,
      .head_dim_qk = D,
      .head_dim_v = DV,
      .q_type = q_type,
      .k_type = k_type,
      .v_type = v_type,
      .out_type = ELEMENT_F32,
      .scale = 0.7,
      .q = attention_dense_view(
          q_type == ELEMENT_FP8 ? (const void *)codes : wide, SQ, HQ, D),
      .k = attention_dense_view(k, SK, HK, D),
      .v = attention_dense_view(v, SK, HK, DV),
      .q_factors = c->q,
      .k_factors = c->k,
      .v_factors = c->v};
  if (strcmp(c->name, "none") != 0)
    p.q_factors.base = p.k_factors.base = p.v_factors.base = factors;
  if (c->packed) {
    p.cu_seqlens_q = p.q_factors.starts = starts_q;
    p.cu_seqlens_kv = p.k_factors.starts = p.v_factors.starts = starts_kv;
  }
  const size_t count = attention_o_count(&p);
  double *o = calloc(count, sizeof *o), *floors = calloc(count, sizeof *floors);
  double *other = calloc(count, sizeof *other);
  assert_true(reference_compute(&p, 2, o, NULL, floors, other, NULL, NULL));
  const double *found = o;
  for (int b = 0; b < B; ++b)
    for (int row = 0; row < (int)attention_rows(&p, (uint32_t)b); ++row)
      for (int h = 0; h < HQ; ++h)
        for (int d = 0; d < DV; ++d, ++found) {
          const double expected = by_definition(c, &p, factors, b, row, h, d);
          if (!(fabs(*found - expected) < 1e-13))
            fail_msg("%s, b %d, row %d, head %d: %.17g, expected %.17g",
                     c->name, b, row, h, *found, expected);
        }
  assert_int_equal(found - o, count);
  // Roundings move every result by less than e4m3's half step of each term.
  for (size_t i = 0; i < count; ++i)
    assert_true(fabs(floors[i] - o[i]) < 0.3 && fabs(other[i] - o[i]) < 0.3);
  free(other);
  free(floors);
  free(o);
}

static void test_operands(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    check_operands(&cases[i], ELEMENT_FP8, ELEMENT_FP8, ELEMENT_FP8);
    if (i == 0) {
      check_operands(&cases[i], ELEMENT_BF16, ELEMENT_FP8, ELEMENT_BF8);
      check_operands(&cases[i], ELEMENT_F16, ELEMENT_BF8, ELEMENT_FP8);
    }
  }
}

/// Q of 16 bits: K and V are their products with the factors, and the floor is
/// that of a 16-bit K and V of these numbers.
static void test_dequantised(void **state) {
  (void)state;
  enum { KEYS = 40, DIM = 8 };
  uint8_t k[KEYS * DIM], v[KEYS * DIM];
  uint16_t q[DIM], wide_k[KEYS * DIM], wide_v[KEYS * DIM];
  float factors[2][KEYS];
  for (int i = 0; i < DIM; ++i)
    element_store(ELEMENT_BF16, q, (size_t)i, sin(i + 1));
  for (int j = 0; j < KEYS; ++j) {
    // Powers of two, so that bf16 holds the products, and weights round with
    // them as without.
    factors[0][j] = (float)pow(2, j % 5 - 2);
    factors[1][j] = (float)pow(2, -(j % 3));
    for (int d = 0; d < DIM; ++d) {
      const size_t at = (size_t)(j * DIM + d);
      k[at] = code((int)at);
      v[at] = code((int)at + 5);
      element_store(ELEMENT_BF16, wide_k, at,
                    element_load(ELEMENT_FP8, k, at) * factors[0][j]);
      element_store(ELEMENT_BF16, wide_v, at,
                    element_load(ELEMENT_BF8, v, at) * factors[1][j]);
    }
  }
  attention p = {
      .batch = 1,
      .heads_q = 1,
      .heads_kv = 1,
      .seqlen_q = 1,
      .seqlen_kv = KEYS,
      .head_dim_qk = DIM,
      .head_dim_v = DIM,
      .q_type = ELEMENT_BF16,
      .k_type = ELEMENT_FP8,
      .v_type = ELEMENT_BF8,
      .out_type = ELEMENT_BF16,
      .scale = 0.4,
      .q = attention_dense_view(q, 1, 1, DIM),
      .k = attention_dense_view(k, KEYS, 1, DIM),
      .v = attention_dense_view(v, KEYS, 1, DIM),
      .k_factors = {.base = factors[0], .row_stride = 1, .rows_a_factor = 1},
      .v_factors = {.base = factors[1], .row_stride = 1, .rows_a_factor = 1}};
  double o[2][DIM], lse[2], floor_o[2][DIM], other[DIM], floor_lse[2];
  assert_false(attention_has_8_bit_weights(&p));
  assert_true(reference_compute(&p, 1, o[0], &lse[0], floor_o[0], other,
                                &floor_lse[0], NULL));
  assert_memory_equal(floor_o[0], other, sizeof other);
  p.k_type = p.v_type = ELEMENT_BF16;
  p.k.base = wide_k;
  p.v.base = wide_v;
  p.k_factors = p.v_factors = (attention_factors){0};
  assert_true(reference_compute(&p, 1, o[1], &lse[1], floor_o[1], NULL,
                                &floor_lse[1], NULL));
  assert_memory_equal(o[0], o[1], sizeof o[0]);
  assert_memory_equal(floor_o[0], floor_o[1], sizeof o[0]);
  assert_true(lse[0] == lse[1] && floor_lse[0] == floor_lse[1]);
}

/// A row of one key: P is rounded with V's factor, as 16 bits do not hold the
/// product.
static void test_factor_in_16_bit_weights(void **state) {
  (void)state;
  const uint8_t one = 0x38; // of e4m3
  const float factor = 0.7f;
  uint16_t q;
  element_store(ELEMENT_BF16, &q, 0, 1);
  const attention p = {
      .batch = 1,
      .heads_q = 1,
      .heads_kv = 1,
      .seqlen_q = 1,
      .seqlen_kv = 1,
      .head_dim_qk = 1,
      .head_dim_v = 1,
      .q_type = ELEMENT_BF16,
      .k_type = ELEMENT_FP8,
      .v_type = ELEMENT_FP8,
      .out_type = ELEMENT_F32,
      .scale = 1,
      .q = attention_dense_view(&q, 1, 1, 1),
      .k = attention_dense_view(&one, 1, 1, 1),
      .v = attention_dense_view(&one, 1, 1, 1),
      .v_factors = {.base = &factor, .row_stride = 1, .rows_a_factor = 1}};
  double o, floor_o;
  assert_true(reference_compute(&p, 1, &o, NULL, &floor_o, NULL, NULL, NULL));
  assert_true(o == (double)factor);
  // Eight digits of 2^0.37, and of that times the factor.
  const double alone = round(exp2(0.37) * 128) / 128;
  const double with_factor = round(exp2(0.37) * factor * 256) / 256;
  assert_true(fabs(floor_o - with_factor / alone) < 1e-7);
  assert_true(fabs(floor_o - o) > 1e-4);
}

//===- Floors -------------------------------------------------------------===//

enum { KEYS = 24 };

/// One row with D = Dv = 1: fp8 q, keys, values, and factors of V's rows.
typedef struct one_row {
  uint8_t q, k[KEYS], v[KEYS];
  uint16_t wide_q[2];
  float v_factors[KEYS];
  attention problem;
} one_row;

static void make_row(one_row *r) {
  *r = (one_row){.q = 0x38};
  for (int j = 0; j < KEYS; ++j) {
    element_store(ELEMENT_FP8, r->k, (size_t)j, -0.75 * j);
    r->v[j] = code(3 * j + 1);
    r->v_factors[j] = (float)(0.004 * (1 + j * 5 % 7));
  }
  r->problem = (attention){.batch = 1,
                           .heads_q = 1,
                           .heads_kv = 1,
                           .seqlen_q = 1,
                           .seqlen_kv = KEYS,
                           .head_dim_qk = 1,
                           .head_dim_v = 1,
                           .q_type = ELEMENT_FP8,
                           .k_type = ELEMENT_FP8,
                           .v_type = ELEMENT_FP8,
                           .out_type = ELEMENT_BF16,
                           .scale = 0.3,
                           .q = {&r->q, 1, 1, 1, 0, false},
                           .k = {r->k, KEYS, 1, 1, 0, false},
                           .v = {r->v, KEYS, 1, 1, 0, false}};
}

/// The floor's O before it is rounded, from the rule: m is the score of key 0.
static double floor_of(const one_row *r, double q, double lift, bool folded) {
  const double scale = r->problem.scale;
  double most_factor = 0, total = 0, sum = 0;
  for (int j = 0; j < KEYS; ++j)
    most_factor = fmax(most_factor, r->v_factors[j]);
  const double above = exp2(floor(log2(most_factor)) + 1);
  for (int j = 0; j < KEYS; ++j) {
    const double k = element_load(ELEMENT_FP8, r->k, (size_t)j);
    const double v = element_load(ELEMENT_FP8, r->v, (size_t)j);
    const double weight = exp2(scale * q * k / LN2 + lift);
    total += weight;
    sum += folded ? above * e4m3(weight * r->v_factors[j] / above) * v
                  : e4m3(weight) * v;
  }
  return sum / total;
}

static void test_floors(void **state) {
  (void)state;
  one_row r;
  make_row(&r);
  double o, lse, floors[2], floor_lse;
  assert_true(attention_has_8_bit_weights(&r.problem));
  for (int folded = 0; folded < 2; ++folded) {
    if (folded)
      r.problem.v_factors = (attention_factors){
          .base = r.v_factors, .row_stride = 1, .rows_a_factor = 1};
    assert_true(reference_compute(&r.problem, 1, &o, &lse, &floors[0],
                                  &floors[1], &floor_lse, NULL));
    assert_near(floors[0], bf16(floor_of(&r, 1, 8, folded)), 0);
    assert_near(floors[1], bf16(floor_of(&r, 1, 7.37, folded)), 0);
    // Nothing of LSE is rounded.
    assert_near(floor_lse, lse, 1e-12);
    // The two are different, and both roundings show.
    assert_true(floors[0] != floors[1] && floors[0] != bf16(o));
  }
  // A factor that all rows share is not in P.
  r.problem.v_factors = (attention_factors){.base = r.v_factors};
  assert_true(
      reference_compute(&r.problem, 1, &o, NULL, &floors[0], NULL, NULL, NULL));
  assert_near(floors[0], bf16(floor_of(&r, 1, 8, false) * r.v_factors[0]), 0);
  // The floor does not depend on the unit of the factors.
  r.problem.v_factors.row_stride = r.problem.v_factors.rows_a_factor = 1;
  r.problem.out_type = ELEMENT_F32;
  double before;
  assert_true(
      reference_compute(&r.problem, 1, NULL, NULL, &before, NULL, NULL, NULL));
  for (int j = 0; j < KEYS; ++j)
    r.v_factors[j] *= 1024;
  assert_true(reference_compute(&r.problem, 1, NULL, NULL, &floors[0], NULL,
                                NULL, NULL));
  assert_near(floors[0], 1024 * before, 0);
  // Factors of 0 make V 0.
  for (int j = 0; j < KEYS; ++j)
    r.v_factors[j] = 0;
  assert_true(
      reference_compute(&r.problem, 1, &o, NULL, &floors[0], NULL, NULL, NULL));
  assert_true(o == 0 && floors[0] == 0);
}

/// V's factor is in P before it is rounded, or, with `v_factors_apart`, after.
static void test_floors_apart(void **state) {
  (void)state;
  enum { SHARED = 5 };
  one_row r;
  make_row(&r);
  attention *p = &r.problem;
  p->v_factors = (attention_factors){
      .base = r.v_factors, .row_stride = 1, .rows_a_factor = SHARED};
  assert_true(attention_has_apart_floors(p));
  assert_int_equal(attention_floors_of_o(p), 4);
  double floors[4];
  assert_true(
      reference_compute(p, 1, NULL, NULL, &floors[0], &floors[1], NULL, NULL));
  p->v_factors_apart = true;
  assert_true(
      reference_compute(p, 1, NULL, NULL, &floors[2], &floors[3], NULL, NULL));
  for (int i = 0; i < 4; ++i) {
    const double lift = i % 2 ? 7.37 : 8;
    double most = 0, total = 0, sum = 0;
    for (int j = 0; j < KEYS; ++j)
      most = fmax(most, r.v_factors[j / SHARED]);
    const double above = exp2(floor(log2(most)) + 1);
    for (int j = 0; j < KEYS; ++j) {
      const double k = element_load(ELEMENT_FP8, r.k, (size_t)j);
      const double v = element_load(ELEMENT_FP8, r.v, (size_t)j);
      const double weight = exp2(p->scale * k / LN2 + lift);
      const double factor = r.v_factors[j / SHARED];
      total += weight;
      sum += i < 2 ? above * e4m3(weight * factor / above) * v
                   : e4m3(weight) * factor * v;
    }
    assert_near(floors[i], bf16(sum / total), 0);
  }
  assert_true(floors[0] != floors[2] && floors[1] != floors[3]);
  // Nobody has a factor of its own, or every row has.
  static const uint32_t others[] = {0, 1};
  for (int i = 0; i < 2; ++i) {
    p->v_factors.rows_a_factor = others[i];
    assert_false(attention_has_apart_floors(p));
    assert_int_equal(attention_floors_of_o(p), 2);
  }
  p->v_factors.rows_a_factor = SHARED;
  p->q_type = ELEMENT_BF16;
  assert_false(attention_has_apart_floors(p));
  assert_int_equal(attention_floors_of_o(p), 1);
  p->quantize_q = true;
  assert_false(attention_has_apart_floors(p));
  p->quantize_q = false;
  p->q_type = ELEMENT_FP8;
  p->v_factors.base = NULL;
  assert_false(attention_has_apart_floors(p));
}

/// A sink takes part in the row's maximum and in its sum, not in O.
static void test_floor_with_sink(void **state) {
  (void)state;
  one_row r;
  make_row(&r);
  const float sink = 2;
  r.problem.sink = &sink;
  r.problem.out_type = ELEMENT_F32;
  double floors[2];
  assert_true(reference_compute(&r.problem, 1, NULL, NULL, &floors[0],
                                &floors[1], NULL, NULL));
  for (int i = 0; i < 2; ++i) {
    const double lift = i ? 7.37 : 8;
    double total = exp2(lift), sum = 0;
    for (int j = 0; j < KEYS; ++j) {
      const double score =
          r.problem.scale * element_load(ELEMENT_FP8, r.k, (size_t)j);
      const double weight = exp2((score - sink) / LN2 + lift);
      total += weight;
      sum += e4m3(weight) * element_load(ELEMENT_FP8, r.v, (size_t)j);
    }
    assert_near(floors[i], (float)(sum / total), 1e-9);
  }
}

/// quantize_q: Q of 16 bits becomes a multiple of max / 448; both O and LSE
/// have the rounding.
static void test_quantized_q(void **state) {
  (void)state;
  one_row r;
  make_row(&r);
  // Two columns: the first has the row's largest, and K only the second.
  const double largest = 1.9375, small = 0.8203125;
  element_store(ELEMENT_BF16, r.wide_q, 0, largest);
  element_store(ELEMENT_BF16, r.wide_q, 1, small);
  uint8_t k[2 * KEYS] = {0};
  for (int j = 0; j < KEYS; ++j)
    k[2 * j + 1] = r.k[j];
  attention *p = &r.problem;
  p->q_type = ELEMENT_BF16;
  p->head_dim_qk = 2;
  p->q = attention_dense_view(r.wide_q, 1, 1, 2);
  p->k = attention_dense_view(k, KEYS, 1, 2);
  p->quantize_q = true;
  assert_true(attention_has_8_bit_weights(p));
  double o, lse, floors[2], floor_lse;
  assert_true(reference_compute(p, 1, &o, &lse, &floors[0], &floors[1],
                                &floor_lse, NULL));
  const double factor = largest / 448;
  const double rounded = factor * e4m3(small / factor);
  assert_true(fabs(rounded - small) > 1e-3);
  assert_near(floors[0], bf16(floor_of(&r, rounded, 8, false)), 0);
  assert_near(floors[1], bf16(floor_of(&r, rounded, 7.37, false)), 0);
  double exact = 0, moved = 0;
  for (int j = 0; j < KEYS; ++j) {
    const double score = p->scale * element_load(ELEMENT_FP8, r.k, (size_t)j);
    exact += exp(score * small);
    moved += exp(score * rounded);
  }
  assert_near(lse, log(exact), 1e-12);
  assert_near(floor_lse, log(moved), 1e-12);
  // The other factor leaves a power of two of scale, log2(e) and K's factor.
  const float k_factors[] = {1, 3.7f};
  p->power_of_2_scores = true;
  for (int i = 0; i < 2; ++i) {
    const double k_factor = k_factors[i], log2e = 1 / log(2);
    p->k_factors = (attention_factors){.base = &k_factors[i]};
    double left = 0x1p-60; // of scores
    while (448 * left < largest * p->scale * k_factor * log2e)
      left *= 2;
    const double other = left / (p->scale * k_factor * log2e);
    const double otherwise = other * e4m3(small / other);
    assert_true(fabs(otherwise - rounded) > 1e-3);
    assert_true(reference_compute(p, 1, NULL, NULL, &floors[0], NULL,
                                  &floor_lse, NULL));
    moved = 0;
    for (int j = 0; j < KEYS; ++j)
      moved += exp(p->scale * k_factor * otherwise *
                   element_load(ELEMENT_FP8, r.k, (size_t)j));
    assert_near(floor_lse, log(moved), 1e-12);
    if (i == 0)
      assert_near(floors[0], bf16(floor_of(&r, otherwise, 8, false)), 0);
  }
  // Where a function takes scores, without log2(e): a cap that caps nothing.
  p->softcap = 1e9;
  double left = 0x1p-60;
  while (448 * left < largest * p->scale * k_factors[1])
    left *= 2;
  const double natural = left / (p->scale * k_factors[1]);
  moved = 0;
  for (int j = 0; j < KEYS; ++j)
    moved += exp(p->scale * k_factors[1] * natural * e4m3(small / natural) *
                 element_load(ELEMENT_FP8, r.k, (size_t)j));
  assert_true(
      reference_compute(p, 1, NULL, NULL, NULL, NULL, &floor_lse, NULL));
  assert_near(floor_lse, log(moved), 1e-6);
  p->softcap = 0;
  p->k_factors = (attention_factors){0};
  // An infinity has no e4m3: the row is NaN, whatever its other elements are.
  element_store(ELEMENT_BF16, r.wide_q, 0, INFINITY);
  assert_true(reference_compute(p, 1, &o, NULL, &floors[0], NULL, NULL, NULL));
  assert_true(isnan(o) && isnan(floors[0]));
  // Rows of zeros and of what is no number have no factor.
  element_store(ELEMENT_BF16, r.wide_q, 0, 0);
  element_store(ELEMENT_BF16, r.wide_q, 1, 0);
  assert_true(reference_compute(p, 1, &o, NULL, &floors[0], NULL, NULL, NULL));
  assert_true(isfinite(o) && isfinite(floors[0]));
  element_store(ELEMENT_BF16, r.wide_q, 0, NAN);
  assert_true(reference_compute(p, 1, &o, NULL, &floors[0], NULL, NULL, NULL));
  assert_true(isnan(o) && isnan(floors[0]));
}

//===- Outputs ------------------------------------------------------------===//

/// An fp8 O is divided by o_scale; beyond 448 it is 448, which is then right.
static void test_outputs(void **state) {
  (void)state;
  const uint8_t zero = 0;
  const uint8_t v[] = {0x7e, 0x38, 0xb8, 0x7f}; // 448, 1, -1, NaN
  const double values[] = {448, 1, -1};
  attention p = {.batch = 1,
                 .heads_q = 1,
                 .heads_kv = 1,
                 .seqlen_q = 1,
                 .seqlen_kv = 1,
                 .head_dim_qk = 1,
                 .head_dim_v = 4,
                 .q_type = ELEMENT_FP8,
                 .k_type = ELEMENT_FP8,
                 .v_type = ELEMENT_FP8,
                 .out_type = ELEMENT_FP8,
                 .scale = 1,
                 .q = {&zero, 1, 1, 1, 0, false},
                 .k = {&zero, 1, 1, 1, 0, false},
                 .v = {v, 4, 4, 4, 0, false}};
  static const double scales[] = {0, 1, 0.75, 3, 1e6};
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
    double o[4], floors[2][4];
    p.o_scale = scales[i];
    assert_true(
        reference_compute(&p, 1, o, NULL, floors[0], floors[1], NULL, NULL));
    for (int d = 0; d < 3; ++d) {
      const double divided = values[d] / (scales[i] != 0 ? scales[i] : 1);
      const double held = copysign(fmin(fabs(divided), 448), divided);
      assert_near(o[d], held, 1e-12);
      for (int f = 0; f < 2; ++f) {
        // With one key P is e4m3(2^L), the sum 2^L.
        const double weight = f ? e4m3(exp2(7.37)) / exp2(7.37) : 1;
        assert_near(floors[f][d], e4m3(divided * weight), 1e-12);
      }
    }
    assert_true(isnan(o[3]) && isnan(floors[0][3]) && isnan(floors[1][3]));
  }
  // f16 and bf16 are divided likewise, and do not saturate.
  p.out_type = ELEMENT_F16;
  p.o_scale = 1e-3;
  double o[4], floors[4];
  assert_true(reference_compute(&p, 1, o, NULL, floors, NULL, NULL, NULL));
  assert_near(o[0], 448e3, 1e-9);
  assert_true(isinf(floors[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operands),
      cmocka_unit_test(test_dequantised),
      cmocka_unit_test(test_factor_in_16_bit_weights),
      cmocka_unit_test(test_floors),
      cmocka_unit_test(test_floors_apart),
      cmocka_unit_test(test_floor_with_sink),
      cmocka_unit_test(test_quantized_q),
      cmocka_unit_test(test_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
