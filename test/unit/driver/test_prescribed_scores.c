// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs with prescribed scores: what Q, K and V are, from the elements, for
// all types, head sizes, scales and factors; and that they find what they are
// made for: a simulation of kernels in double precision, right and wrong ones,
// has the published results.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "inputs.h"

#define LN2 0.69314718055994530942

enum { B = 2, ROWS = 24, HQ = 2, HK = 1, KEYS = 2100, MOST_DIM = 256 };

typedef struct types {
  const char *name;
  element_type q, k, v;
  double exact; ///< relative error of a sum of four terms, and of more
} types;

static const types all_types[] = {
    {"bf16", ELEMENT_BF16, ELEMENT_BF16, ELEMENT_BF16, 0x1p-24},
    {"f16", ELEMENT_F16, ELEMENT_F16, ELEMENT_F16, 0x1p-20},
    {"fp8", ELEMENT_FP8, ELEMENT_FP8, ELEMENT_FP8, 0x1p-10},
    {"bf16/fp8", ELEMENT_BF16, ELEMENT_FP8, ELEMENT_FP8, 0x1p-10},
    {"f16/bf8", ELEMENT_F16, ELEMENT_BF8, ELEMENT_BF8, 0x1p-10},
};
enum { TYPES = sizeof all_types / sizeof all_types[0] };

/// Q, K and V of a kind, as they are stored.
typedef struct data {
  void *q, *k, *v;
  attention problem;
} data;

static void *make(const attention *p, input_kind kind, input_tensor tensor,
                  element_type type, uint32_t rows, uint32_t heads) {
  char *all = malloc((size_t)B * rows * heads * MOST_DIM * 4);
  for (uint32_t b = 0; b < B; ++b) {
    const uint64_t first = (uint64_t)b * rows * heads * p->head_dim_qk;
    input_fill(&(input_request){.kind = kind,
                                .tensor = tensor,
                                .seed = 3,
                                .type = type,
                                .sequence = b,
                                .first_index = first,
                                .rows = rows,
                                .heads = heads,
                                .dim = p->head_dim_qk,
                                .problem = p},
               all + first * element_bytes(type));
  }
  return all;
}

/// `factors`: of q, k and v by tensor, token and token; or NULL.
static void open_data(data *d, input_kind kind, const types *t, uint32_t dim,
                      double scale, uint32_t keys, const float *factors) {
  *d = (data){.problem = {.batch = B,
                          .heads_q = HQ,
                          .heads_kv = HK,
                          .seqlen_q = ROWS,
                          .seqlen_kv = keys,
                          .head_dim_qk = dim,
                          .head_dim_v = dim,
                          .q_type = t->q,
                          .k_type = t->k,
                          .v_type = t->v,
                          .out_type = ELEMENT_BF16,
                          .scale = scale}};
  attention *p = &d->problem;
  if (factors) {
    const attention_factors by_token = {.base = factors,
                                        .batch_stride = 3,
                                        .row_stride = 1,
                                        .rows_a_factor = 1};
    p->k_factors = p->v_factors = by_token;
    p->q_factors.base = factors + 1;
  }
  d->q = make(p, kind, INPUT_Q, t->q, ROWS, HQ);
  d->k = make(p, kind, INPUT_K, t->k, keys, HK);
  d->v = NULL;
  p->q = attention_dense_view(d->q, ROWS, HQ, dim);
  p->k = attention_dense_view(d->k, keys, HK, dim);
}

static void add_v(data *d, input_kind kind) {
  attention *p = &d->problem;
  d->v = make(p, kind, INPUT_V, p->v_type, p->seqlen_kv, HK);
  p->v = attention_dense_view(d->v, p->seqlen_kv, HK, p->head_dim_v);
}

static void close_data(data *d) {
  free(d->q);
  free(d->k);
  free(d->v);
}

/// The score of a row and a key, natural, from the elements.
static double score_of(const data *d, uint32_t b, uint32_t row, uint32_t head,
                       uint32_t key) {
  const attention *p = &d->problem;
  const uint64_t q_at =
      (((uint64_t)b * ROWS + row) * HQ + head) * p->head_dim_qk;
  const uint64_t k_at =
      ((uint64_t)b * p->seqlen_kv + key) * HK * p->head_dim_qk;
  double sum = 0;
  for (uint32_t i = 0; i < p->head_dim_qk; ++i)
    sum += element_load(p->q_type, d->q, q_at + i) *
           element_load(p->k_type, d->k, k_at + i);
  return sum * p->scale * attention_factor(&p->q_factors, b, row, head) *
         attention_factor(&p->k_factors, b, key, 0);
}

/// What the kind promises; NAN where it is a range.
static double promised(input_kind kind, uint32_t row, uint32_t key,
                       uint32_t keys) {
  if (kind == INPUT_FIXTURE)
    return key == 0 ? 0 : key < 2048 ? -7 : -40;
  if (kind == INPUT_SINK)
    return key == 0 ? 0 : NAN;
  // From 1/4 to 15/8 of 128 binary orders.
  const double part = (8 + row % 8) / 8.0 / pow(2, row / 8 % 3);
  return 128 * LN2 * part * ((double)key / (keys - 1) - 1);
}

static void check_scores(input_kind kind, const types *t, uint32_t dim,
                         double scale, const float *factors) {
  data d;
  open_data(&d, kind, t, dim, scale, KEYS, factors);
  double least = 0, most = -INFINITY;
  for (uint32_t b = 0; b < B; ++b)
    for (uint32_t row = 0; row < ROWS; row += 5)
      for (uint32_t key = 0; key < KEYS;
           key += key < 3 || key > 2040 ? 1 : 37) {
        const double found = score_of(&d, b, row, 1, key);
        const double expected = promised(kind, row, key, KEYS);
        if (isnan(expected)) {
          least = fmin(least, found);
          most = fmax(most, found);
        } else if (!(fabs(found - expected) <=
                     2 * t->exact * fabs(expected) + 0x1p-7)) {
          fail_msg("%s, %s, D %u, scale %g: score of row %u, key %u is %.9g, "
                   "expected %.9g",
                   input_kind_name(kind), t->name, dim, scale, row, key, found,
                   expected);
        }
      }
  if (kind == INPUT_SINK) {
    assert_true(least > -LN2 * 11.82 && least < -LN2 * 11.75);
    assert_true(most < -LN2 * 10.98 && most > -LN2 * 11.05);
  }
  close_data(&d);
}

static void test_scores(void **state) {
  (void)state;
  static const uint32_t dims[] = {16, 64, 80, 128, 192, 256};
  static float factors[KEYS + 3];
  for (int i = 0; i < KEYS + 3; ++i)
    factors[i] = (float)(0.011 * (1 + i * 5 % 9));
  for (int kind = INPUT_RISING; kind <= INPUT_SINK; ++kind)
    for (int t = 0; t < TYPES; ++t)
      for (size_t i = 0; i < sizeof dims / sizeof dims[0]; ++i) {
        const double usual = 1 / sqrt(dims[i]);
        check_scores((input_kind)kind, &all_types[t], dims[i], usual, NULL);
        if (dims[i] != 128)
          continue;
        check_scores((input_kind)kind, &all_types[t], 128, -usual, NULL);
        check_scores((input_kind)kind, &all_types[t], 128, 1, NULL);
        check_scores((input_kind)kind, &all_types[t], 128, 0.01, NULL);
        if (element_is_8_bit(all_types[t].q))
          check_scores((input_kind)kind, &all_types[t], 128, usual, factors);
        if (element_is_8_bit(all_types[t].k))
          continue;
        check_scores((input_kind)kind, &all_types[t], 128, 1e-6, NULL);
        check_scores((input_kind)kind, &all_types[t], 128, 65536, NULL);
      }
}

//===- Simulation ---------------------------------------------------------===//

/// e4m3 by its definition, with saturation.
static double e4m3(double x) {
  if (x == 0)
    return 0;
  const double unit = exp2(fmax(floor(log2(fabs(x))), -6) - 3);
  return copysign(fmin(nearbyint(fabs(x) / unit) * unit, 448), x);
}

/// A kernel that knows the row's maximum: exponents lifted by `lift`, weights
/// rounded, their sum as `rounds_sum` says. Column 0 of row 0.
static double simulate(const data *d, const double *scores, bool rounds,
                       double lift, bool rounds_sum) {
  const attention *p = &d->problem;
  double most = -INFINITY, total = 0, sum = 0;
  for (uint32_t j = 0; j < p->seqlen_kv; ++j)
    most = fmax(most, scores[j]);
  for (uint32_t j = 0; j < p->seqlen_kv; ++j) {
    const double weight = exp2((scores[j] - most) / LN2 + lift);
    const double used = rounds ? e4m3(weight) : weight;
    const uint64_t at = ((uint64_t)p->seqlen_kv + j) * HK * p->head_dim_v;
    total += rounds_sum ? used : weight;
    sum += used * element_load(p->v_type, d->v, at);
  }
  return sum / total;
}

/// The scores of a row; free().
static double *scores_of(const data *d, uint32_t b, uint32_t row, uint32_t h) {
  double *scores = malloc(d->problem.seqlen_kv * sizeof *scores);
  for (uint32_t j = 0; j < d->problem.seqlen_kv; ++j)
    scores[j] = score_of(d, b, row, h, j);
  return scores;
}

/// The table of serving fp8 attention: one logit 0, 2047 of -7, V = -1 on the
/// hot key and 1 elsewhere; and V = 1 everywhere, which the rounded sum passes.
/// However many keys there are.
static void test_fixture(void **state) {
  (void)state;
  static const struct {
    const char *what;
    bool rounds, rounds_sum;
    double lift, expected;
  } rows[] = {
      {"exact", false, false, 0, 0.3023},
      {"not lifted", true, false, 0, -0.3488},
      {"lifted by 4", true, false, 4, 0.2613},
      {"lifted by 6", true, false, 6, 0.3049},
      {"lifted by 8", true, false, 8, 0.3049},
      {"lifted by log2(448)", true, false, 8.807354922057604, 0.2987},
      {"not lifted, sum of rounded weights", true, true, 0, -1},
  };
  static const uint32_t lengths[] = {2048, 2049, 6000};
  for (int t = 0; t < TYPES; ++t)
    for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; ++n) {
      data d;
      open_data(&d, INPUT_FIXTURE, &all_types[t], 128, 1 / sqrt(128),
                lengths[n], NULL);
      add_v(&d, INPUT_FIXTURE);
      double *scores = scores_of(&d, 1, 0, 0);
      for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const double found = simulate(&d, scores, rows[i].rounds, rows[i].lift,
                                      rows[i].rounds_sum);
        // Four digits; fewer where the score is only as exact as K's type.
        if (!(fabs(found - rows[i].expected) <
              (all_types[t].exact < 0x1p-12 ? 0.00006 : 0.001)))
          fail_msg("%s, %u keys, %s: %.5f, expected %.4f", all_types[t].name,
                   lengths[n], rows[i].what, found, rows[i].expected);
      }
      free(scores);
      close_data(&d);
    }
}

/// The sink's O without a lift is 0: the rule finds that, and passes a lift of
/// 6 or more.
static void test_sink(void **state) {
  (void)state;
  for (int t = 0; t < TYPES; ++t) {
    data d;
    open_data(&d, INPUT_SINK, &all_types[t], 64, 0.125, 2048, NULL);
    add_v(&d, INPUT_SINK);
    double *scores = scores_of(&d, 1, 0, 0), total = 1;
    for (uint32_t j = 1; j < 2048; ++j)
      total += exp(scores[j]);
    const double exact = (total - 1) / total;
    assert_true(exact > 0.3 && exact < 0.5);
    assert_true(fabs(simulate(&d, scores, false, 0, false) - exact) < 1e-12);
    assert_true(simulate(&d, scores, true, 0, false) == 0);
    assert_true(fabs(simulate(&d, scores, true, 6, false) - exact) < 0.002);
    assert_true(fabs(simulate(&d, scores, true, 8, false) - exact) < 0.002);
    free(scores);
    close_data(&d);
  }
}

//===- Kernels that the rule must tell apart ------------------------------===//

/// What a kernel does with factors of V's rows.
typedef enum v_factors {
  /// They are in the weights before they are rounded, divided by a power of two
  /// that the tile has.
  FACTORS_IN_WEIGHTS,
  FACTORS_OF_TILES, ///< a tile's sums are multiplied by the one it has
  // Wrong ones.
  FACTORS_OF_TILE_BEFORE,
  FACTORS_LEFT_OUT_OF_LAST_TILE,
  FACTORS_TIMES_9_8,      ///< an eighth too large
  FACTORS_OF_WEIGHTS_ALSO ///< in both
} v_factors;

static double factor_of_tile(const attention *p, uint32_t b, uint32_t first,
                             uint32_t tile, v_factors how) {
  const double own = attention_factor(&p->v_factors, b, first, 0);
  if (how == FACTORS_OF_TILE_BEFORE && first >= tile)
    return attention_factor(&p->v_factors, b, first - tile, 0);
  if (how == FACTORS_LEFT_OUT_OF_LAST_TILE && first + tile >= p->seqlen_kv)
    return 1;
  return how == FACTORS_TIMES_9_8 ? own * 9 / 8 : own;
}

/// A kernel with tiles of `tile` keys, a maximum that may lag by `threshold`,
/// and a lift, as they are written.
static void run_kernel_with(const data *d, double lift, double threshold,
                            uint32_t tile, v_factors how, float *o) {
  const attention *p = &d->problem;
  const size_t values = (size_t)B * p->seqlen_kv * HK * p->head_dim_v;
  double *v = malloc(values * sizeof *v);
  for (size_t i = 0; i < values; ++i)
    v[i] = element_load(p->v_type, d->v, i);
  for (uint32_t b = 0; b < B; ++b)
    for (uint32_t row = 0; row < ROWS; ++row)
      for (uint32_t h = 0; h < HQ; ++h, o += p->head_dim_v) {
        double *scores = scores_of(d, b, row, h);
        double m = -INFINITY, total = 0, sums[MOST_DIM] = {0};
        for (uint32_t first = 0; first < p->seqlen_kv; first += tile) {
          double most = -INFINITY;
          for (uint32_t j = first; j < first + tile && j < p->seqlen_kv; ++j)
            most = fmax(most, scores[j] / LN2);
          if (most > m + threshold) {
            const double factor = exp2(m - most);
            total *= factor;
            for (uint32_t i = 0; i < p->head_dim_v; ++i)
              sums[i] *= factor;
            m = most;
          }
          double tile_factor = 0;
          for (uint32_t j = first; j < first + tile && j < p->seqlen_kv; ++j)
            tile_factor =
                fmax(tile_factor, attention_factor(&p->v_factors, b, j, 0));
          tile_factor = exp2(ceil(log2(tile_factor)));
          const double apart = how == FACTORS_IN_WEIGHTS
                                   ? 1
                                   : factor_of_tile(p, b, first, tile, how);
          for (uint32_t j = first; j < first + tile && j < p->seqlen_kv; ++j) {
            const double weight = exp2(scores[j] / LN2 - m + lift);
            const uint64_t at =
                ((uint64_t)b * p->seqlen_kv + j) * HK * p->head_dim_v;
            const double factor = attention_factor(&p->v_factors, b, j, 0);
            const bool in_weights =
                how == FACTORS_IN_WEIGHTS || how == FACTORS_OF_WEIGHTS_ALSO;
            const double rounded =
                in_weights
                    ? apart * tile_factor * e4m3(weight * factor / tile_factor)
                    : apart * e4m3(weight);
            total += weight;
            for (uint32_t i = 0; i < p->head_dim_v; ++i)
              sums[i] += rounded * v[at + i];
          }
        }
        for (uint32_t i = 0; i < p->head_dim_v; ++i)
          o[i] = (float)(sums[i] / total);
        free(scores);
      }
  free(v);
}

static void run_kernel(const data *d, double lift, double threshold,
                       uint32_t tile, float *o) {
  run_kernel_with(d, lift, threshold, tile, FACTORS_IN_WEIGHTS, o);
}

/// Lift and threshold together reach beyond log2(448) or not: rising maxima
/// find the kernels that saturate, and those without a lift are found by the
/// other two kinds.
static void test_rule_with_kernels(void **state) {
  (void)state;
  enum { DIM = 16, COUNT = B * ROWS * HQ * DIM };
  static const struct {
    double lift, threshold;
    bool passes[3]; ///< rising, fixture, sink
  } kernels[] = {
      {8, 0, {true, true, true}},   {6, 2, {true, true, true}},
      {8, 8, {false, true, true}},  {6, 6, {false, true, true}},
      {0, 0, {true, false, false}}, {0, 8, {true, false, false}},
  };
  float *o = malloc(COUNT * sizeof *o);
  double *reference = malloc(COUNT * sizeof *reference);
  double *floors[2] = {malloc(COUNT * sizeof(double)),
                       malloc(COUNT * sizeof(double))};
  for (int kind = INPUT_RISING; kind <= INPUT_SINK; ++kind) {
    data d;
    open_data(&d, (input_kind)kind, &all_types[2], DIM, 0.25, 2048, NULL);
    add_v(&d, (input_kind)kind);
    d.problem.out_type = ELEMENT_F32;
    assert_true(reference_compute(&d.problem, 0, reference, NULL, floors[0],
                                  floors[1], NULL, NULL));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
      run_kernel(&d, kernels[i].lift, kernels[i].threshold, 64, o);
      comparison c;
      compare_o(&d.problem, o, reference,
                (const double *const[ATTENTION_FLOORS]){floors[0], floors[1]},
                COUNT / DIM, &c);
      if (c.pass != kernels[i].passes[kind - INPUT_RISING])
        fail_msg("%s, lift %g, threshold %g: %s; max %g of %g, rms %g of %g",
                 input_kind_name(kind), kernels[i].lift, kernels[i].threshold,
                 c.pass ? "passes" : c.reason, c.max_abs_err, c.tolerance,
                 c.rel_rms_err, c.rms_bound);
    }
    close_data(&d);
  }
  free(floors[1]);
  free(floors[0]);
  free(reference);
  free(o);
}

/// What a kernel makes of a row of Q with quantize_q.
typedef enum rounding {
  ROUND_BY_LARGEST, ///< factor max|q| / 448
  ROUND_BY_SCORES,  ///< the next that leaves a power of two of scores
  // Wrong ones.
  ROUND_TO_HALF_RANGE, ///< half of that factor: the largest saturate
  ROUND_TIMES_2,       ///< the power of two is one too many
  ROUND_BY_NATURAL,    ///< log2(e) is in the factor, and not in Q
  ROUND_TOWARDS_ZERO,  ///< digits are cut off
  ROUND_BY_ROW_BEFORE, ///< the power of two of another row
  ROUND_3_BITS         ///< e4m2: one digit fewer
} rounding;

/// Rounds each row of Q, into an f32 tensor.
static void quantize(const data *from, rounding how, float *q, data *out) {
  const attention *p = &from->problem;
  const uint32_t dim = p->head_dim_qk;
  const double log2e = 1 / LN2;
  double factor = 0, before;
  for (uint64_t row = 0; row < (uint64_t)B * ROWS * HQ; ++row) {
    double most = 0;
    for (uint32_t i = 0; i < dim; ++i)
      most = fmax(most, fabs(element_load(p->q_type, from->q, row * dim + i)));
    before = factor;
    factor =
        exp2(ceil(log2(most / 448 * p->scale * log2e))) / (p->scale * log2e);
    double by = how == ROUND_BY_LARGEST      ? most / 448
                : how == ROUND_TO_HALF_RANGE ? factor / 2
                                             : factor;
    double times = how == ROUND_TIMES_2                       ? 2 * by
                   : how == ROUND_BY_NATURAL                  ? by / log2e
                   : how == ROUND_BY_ROW_BEFORE && before > 0 ? before
                                                              : by;
    for (uint32_t i = 0; i < dim; ++i) {
      const double x = element_load(p->q_type, from->q, row * dim + i) / by;
      double rounded = fabs(x) > 448 ? copysign(448, x) : e4m3(x);
      if (how == ROUND_TOWARDS_ZERO && fabs(rounded) > fabs(x))
        rounded = e4m3(x - (rounded - x));
      if (how == ROUND_3_BITS && x != 0) {
        const double step = exp2(floor(log2(fabs(x))) - 2);
        rounded = step * round(x / step);
      }
      q[row * dim + i] = (float)(times * rounded);
    }
  }
  *out = *from;
  out->q = q;
  out->problem.q_type = ELEMENT_F32;
}

/// Whether a kernel that rounds Q so passes; eager, with a lift of 8.
static bool passes(input_kind kind, rounding how, comparison *c) {
  enum { DIM = 16, COUNT = B * ROWS * HQ * DIM, FEW = 512 };
  static float q[COUNT];
  float *o = malloc(COUNT * sizeof *o);
  double *lists[ATTENTION_FLOORS + 1];
  for (int i = 0; i <= ATTENTION_FLOORS; ++i)
    lists[i] = malloc(COUNT * sizeof(double));
  data d, rounded;
  open_data(&d, kind, &all_types[3], DIM, 0.23, FEW, NULL);
  add_v(&d, kind);
  d.problem.quantize_q = true;
  d.problem.out_type = ELEMENT_F32;
  quantize(&d, how, q, &rounded);
  run_kernel(&rounded, 8, 0, 64, o);
  attention p = d.problem;
  assert_true(
      reference_compute(&p, 0, lists[0], NULL, lists[1], lists[2], NULL, NULL));
  p.power_of_2_scores = true;
  assert_true(
      reference_compute(&p, 0, NULL, NULL, lists[3], lists[4], NULL, NULL));
  compare_o(&p, o, lists[0], (const double *const *)&lists[1], COUNT / DIM, c);
  for (int i = 0; i <= ATTENTION_FLOORS; ++i)
    free(lists[i]);
  free(o);
  close_data(&d);
  return c->pass;
}

/// Either factor passes, and no kernel that is wrong about it. One that loses a
/// bit is within bounds that are twice the floor's where scores are small, and
/// not where they grow.
static void test_rounded_q(void **state) {
  (void)state;
  static const bool expected[][3] = {
      // normal, growing, spikes
      [ROUND_BY_LARGEST] = {true, true, true},
      [ROUND_BY_SCORES] = {true, true, true},
      [ROUND_TO_HALF_RANGE] = {false, false, false},
      [ROUND_TIMES_2] = {false, false, false},
      [ROUND_BY_NATURAL] = {false, false, false},
      [ROUND_TOWARDS_ZERO] = {true, false, true},
      [ROUND_BY_ROW_BEFORE] = {false, false, false},
      [ROUND_3_BITS] = {true, false, false}};
  for (int kind = INPUT_NORMAL; kind <= INPUT_SPIKES; ++kind)
    for (int how = ROUND_BY_LARGEST; how <= ROUND_3_BITS; ++how) {
      comparison c;
      if (passes((input_kind)kind, (rounding)how, &c) !=
          expected[how][kind - INPUT_NORMAL])
        fail_msg("%s, rounding %d: %s", input_kind_name((input_kind)kind), how,
                 c.pass ? "passes" : c.reason);
    }
}

/// Right kernels pass on every kind of inputs but the two fixtures, with
/// factors by token, too.
static void test_right_kernels(void **state) {
  (void)state;
  enum { DIM = 16, COUNT = B * ROWS * HQ * DIM, FEW = 512 };
  static const double kernels[][2] = {{8, 0}, {6, 2}};
  static float factors[FEW + 3];
  for (int i = 0; i < FEW + 3; ++i)
    factors[i] = (float)(0.1 * (1 + i * 5 % 9));
  float *o = malloc(COUNT * sizeof *o);
  double *reference = malloc(COUNT * sizeof *reference);
  double *floors[2] = {malloc(COUNT * sizeof(double)),
                       malloc(COUNT * sizeof(double))};
  for (int kind = INPUT_NORMAL; kind <= INPUT_RISING; ++kind)
    for (int setup = 0; setup < 2; ++setup) {
      data d;
      open_data(&d, (input_kind)kind, &all_types[2], DIM, 0.25, FEW,
                setup == 1 ? factors : NULL);
      add_v(&d, (input_kind)kind);
      assert_true(reference_compute(&d.problem, 0, reference, NULL, floors[0],
                                    floors[1], NULL, NULL));
      for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        run_kernel(&d, kernels[i][0], kernels[i][1], 64, o);
        uint16_t *stored = malloc(COUNT * sizeof *stored);
        for (int n = 0; n < COUNT; ++n)
          element_store(ELEMENT_BF16, stored, (size_t)n, o[n]);
        comparison c;
        compare_o(&d.problem, stored, reference,
                  (const double *const[ATTENTION_FLOORS]){floors[0], floors[1]},
                  COUNT / DIM, &c);
        if (!c.pass)
          fail_msg("%s, setup %d, lift %g, threshold %g: %s",
                   input_kind_name(kind), setup, kernels[i][0], kernels[i][1],
                   c.reason);
        // Half a step of e4m3 is 1/32 to 1/16 of a weight, its rms 0.026; the
        // row's largest weight, 2^7.37 = 165.4, becomes 160: -0.033.
        assert_true(c.floor_rms > 0.02 && c.floor_rms < 0.034);
        free(stored);
      }
      close_data(&d);
    }
  free(floors[1]);
  free(floors[0]);
  free(reference);
  free(o);
}

/// Judges a kernel by the floors of `problem` from number `first` on.
static comparison judge_by(const attention *problem, const float *o,
                           double *const *reference_and_floors, int first,
                           int count) {
  const double *floors[ATTENTION_FLOORS] = {NULL};
  for (int i = 0; i < count; ++i)
    floors[i] = reference_and_floors[1 + first + i];
  comparison c;
  compare_o(problem, o, reference_and_floors[0], floors,
            attention_o_count(problem) / problem->head_dim_v, &c);
  return c;
}

/// Kernels that round weights with the factors that blocks of V have, and those
/// that round them without, pass; none passes whose factors are wrong.
static void test_factors_of_blocks(void **state) {
  (void)state;
  enum { DIM = 16, COUNT = B * ROWS * HQ * DIM, TILE = 64, FEW = 2 * TILE + 1 };
  // To round the largest weight with, 5 is good and 4.25 is not: halfway
  // between two numbers of e4m3 after a lift of 8.
  static const float factors[][3] = {
      {5, 5, 5}, {4.25f, 4.25f, 4.25f}, {5.7f, 3.3f, 4.4f}};
  static const bool expected[][3] = {
      [FACTORS_IN_WEIGHTS] = {true, true, true},
      [FACTORS_OF_TILES] = {true, true, true},
      [FACTORS_OF_TILE_BEFORE] = {true, true, false}, // equal ones are right
      [FACTORS_LEFT_OUT_OF_LAST_TILE] = {false, false, false},
      [FACTORS_TIMES_9_8] = {false, false, false},
      [FACTORS_OF_WEIGHTS_ALSO] = {false, false, false}};
  static const double kernels[][2] = {{8, 0}, {6, 2}}; // lift, threshold
  float *o = malloc(COUNT * sizeof *o);
  double *lists[ATTENTION_FLOORS + 1];
  for (int i = 0; i <= ATTENTION_FLOORS; ++i)
    lists[i] = malloc(COUNT * sizeof(double));
  for (int setup = 0; setup < 3; ++setup) {
    data d;
    open_data(&d, INPUT_RISING, &all_types[2], DIM, 0.25, FEW, NULL);
    add_v(&d, INPUT_RISING);
    attention p = d.problem;
    p.v_factors = (attention_factors){
        .base = factors[setup], .row_stride = 1, .rows_a_factor = TILE};
    p.out_type = ELEMENT_F32;
    d.problem = p;
    assert_true(reference_compute(&p, 0, lists[0], NULL, lists[1], lists[2],
                                  NULL, NULL));
    p.v_factors_apart = true;
    assert_true(
        reference_compute(&p, 0, NULL, NULL, lists[3], lists[4], NULL, NULL));
    for (int how = FACTORS_IN_WEIGHTS; how <= FACTORS_OF_WEIGHTS_ALSO; ++how)
      for (int kernel = 0; kernel < 2; ++kernel) {
        run_kernel_with(&d, kernels[kernel][0], kernels[kernel][1], TILE,
                        (v_factors)how, o);
        const comparison c = judge_by(&p, o, lists, 0, ATTENTION_FLOORS);
        if (c.pass != expected[how][setup])
          fail_msg("factors from %g, kernel %d, lift %g: %s; max %g of %g, rms "
                   "%g of %g",
                   (double)factors[setup][0], how, kernels[kernel][0],
                   c.pass ? "passes" : c.reason, c.max_abs_err, c.tolerance,
                   c.rel_rms_err, c.rms_bound);
        // Either pair of floors alone is too narrow for one of the two.
        if (setup == 0 && how == FACTORS_OF_TILES && kernel == 1)
          assert_false(judge_by(&p, o, lists, 0, 2).pass);
        if (setup == 1 && how == FACTORS_IN_WEIGHTS && kernel == 0)
          assert_false(judge_by(&p, o, lists, 2, 2).pass);
      }
    close_data(&d);
  }
  for (int i = 0; i <= ATTENTION_FLOORS; ++i)
    free(lists[i]);
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scores),
      cmocka_unit_test(test_fixture),
      cmocka_unit_test(test_sink),
      cmocka_unit_test(test_rule_with_kernels),
      cmocka_unit_test(test_rounded_q),
      cmocka_unit_test(test_factors_of_blocks),
      cmocka_unit_test(test_right_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
