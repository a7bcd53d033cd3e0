// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "float_environment.h"
#include "processors.h"

#define LOG2E 1.4426950408889634074
#define LN2 0.69314718055994530942

/// Exponent offset of the floor's P: kernels choose one so that P uses the
/// range of its type; any value between two powers of two shows the rounding.
#define FLOOR_OFFSET 0.37

/// Lifts of the floor's 8-bit P. The first is the largest integer below
/// log2(448), the second one between two powers of two: of a row of equal
/// weights, which 8 would leave exact, it shows the rounding.
static const double floor_lifts[] = {8, 7.37};
enum { FLOORS = sizeof floor_lifts / sizeof floor_lifts[0] };

/// The largest number of e4m3, to which quantize_q maps the largest of a row.
static const double e4m3_largest = 448;

// The loops of a row, for the vector units of the machine that runs them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTOR_CLONES                                                          \
  __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define VECTOR_CLONES
#endif

enum { LANES = 16, ROWS_A_TURN = 8, MAX_THREADS = 256 };

//===- Sizes --------------------------------------------------------------===//

attention_view attention_dense_view(const void *base, uint32_t rows,
                                    uint32_t heads, uint32_t head_dim) {
  uint64_t row = (uint64_t)heads * head_dim;
  return (attention_view){.base = base,
                          .batch_stride = rows * row,
                          .row_stride = row,
                          .head_stride = head_dim};
}

static uint32_t in_use(const int32_t *cu_seqlens, const int32_t *seqlens,
                       uint32_t seqlen, uint32_t batch) {
  if (cu_seqlens)
    return (uint32_t)cu_seqlens[batch + 1] - (uint32_t)cu_seqlens[batch];
  return seqlens ? (uint32_t)seqlens[batch] : seqlen;
}

uint32_t attention_rows(const attention *problem, uint32_t batch) {
  return in_use(problem->cu_seqlens_q, problem->seqlens_q, problem->seqlen_q,
                batch);
}

uint32_t attention_keys(const attention *problem, uint32_t batch) {
  if (problem->pages.starts)
    return (uint32_t)attention_listed_keys(&problem->pages, batch);
  return in_use(problem->cu_seqlens_kv, problem->seqlens_kv, problem->seqlen_kv,
                batch) +
         (problem->lengths_cached ? attention_rows(problem, batch) : 0);
}

/// Rows in use of the batches before `batch`.
static size_t rows_before(const attention *problem, uint32_t batch) {
  size_t rows = 0;
  for (uint32_t b = 0; b < batch; ++b)
    rows += attention_rows(problem, b);
  return rows;
}

size_t attention_o_count(const attention *problem) {
  return attention_lse_count(problem) * problem->head_dim_v;
}

size_t attention_lse_count(const attention *problem) {
  return rows_before(problem, problem->batch) * problem->heads_q;
}

/// Index of element [batch, row, head, 0].
static size_t view_at(const attention_view *view, const int32_t *cu_seqlens,
                      uint32_t batch, uint32_t row, uint32_t head) {
  uint64_t first = cu_seqlens ? (uint64_t)cu_seqlens[batch] * view->row_stride
                              : batch * view->batch_stride;
  return first + row * view->row_stride + head * view->head_stride;
}

/// The same of K and V.
static size_t key_at(const attention *p, const attention_view *view,
                     uint32_t batch, uint32_t row, uint32_t head) {
  const attention_pages *pages = &p->pages;
  if (!pages->rows)
    return view_at(view, p->cu_seqlens_kv, batch, row, head);
  const int32_t number = attention_page(pages, batch, row / pages->rows);
  return (uint64_t)number * view->batch_stride +
         row % pages->rows * view->row_stride + head * view->head_stride;
}

/// From the first element of a head of a page, or of a row, to column `d`.
static size_t column_at(const attention *p, const attention_view *view,
                        uint32_t row, uint32_t dim, uint32_t d) {
  const uint64_t piece = view->piece;
  if (!piece)
    return d;
  const uint64_t rows = p->pages.rows, own = row % rows;
  return view->by_row ? own / piece * dim * piece + d * piece + own % piece
                      : d / piece * rows * piece + own * piece + d % piece;
}

double attention_factor(const attention_factors *factors, uint32_t batch,
                        uint32_t row, uint32_t head) {
  const attention_factors *f = factors;
  if (!f->base)
    return 1;
  uint64_t number = f->rows_a_factor ? row / f->rows_a_factor : 0;
  if (f->starts)
    number += (uint64_t)f->starts[batch];
  if (f->pages)
    number = (uint64_t)attention_page(f->pages, batch, number);
  return f->base[batch * f->batch_stride + number * f->row_stride +
                 head * f->head_stride];
}

bool attention_has_8_bit_weights(const attention *problem) {
  return element_is_8_bit(problem->q_type) || problem->quantize_q;
}

bool attention_has_apart_floors(const attention *problem) {
  return element_is_8_bit(problem->q_type) && problem->v_factors.base &&
         problem->v_factors.rows_a_factor > 1;
}

size_t attention_floors_of_o(const attention *problem) {
  return problem->quantize_q || attention_has_apart_floors(problem)
             ? ATTENTION_FLOORS
         : attention_has_8_bit_weights(problem) ? FLOORS
                                                : 1;
}

//===- One row ------------------------------------------------------------===//

/// scores[j] = q . k[j] for `keys` rows of `dim` elements.
VECTOR_CLONES static void dot_rows(const double *q, const double *k,
                                   int64_t keys, uint32_t dim, double *scores) {
  uint32_t whole = dim / LANES * LANES;
  for (int64_t j = 0; j < keys; ++j, k += dim) {
    // Sums side by side: the order of additions is fixed, and vectors fit it.
    double sums[LANES] = {0};
    for (uint32_t d = 0; d < whole; d += LANES)
      for (int lane = 0; lane < LANES; ++lane)
        sums[lane] += q[d + lane] * k[d + lane];
    for (uint32_t d = whole; d < dim; ++d)
      sums[0] += q[d] * k[d];
    double sum = 0;
    for (int lane = 0; lane < LANES; ++lane)
      sum += sums[lane];
    scores[j] = sum;
  }
}

/// o = sum weights[j] v[j] / total.
VECTOR_CLONES static void weigh_rows(const double *weights, const double *v,
                                     int64_t keys, uint32_t dim, double total,
                                     double *o) {
  for (uint32_t d = 0; d < dim; ++d)
    o[d] = 0;
  for (int64_t j = 0; j < keys; ++j, v += dim)
    for (uint32_t d = 0; d < dim; ++d)
      o[d] += weights[j] * v[d];
  for (uint32_t d = 0; d < dim; ++d)
    o[d] /= total;
}

static double largest(const double *values, int64_t count) {
  double most = -INFINITY;
  for (int64_t i = 0; i < count; ++i)
    if (values[i] > most || isnan(values[i]))
      most = values[i];
  return most;
}

/// The larger of two; NaN if one is.
static double fmax_or_nan(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

/// The place of a row: its scores depend on it besides Q and K.
typedef struct row_place {
  const attention *problem;
  uint32_t batch, head, row;
  uint32_t rows, keys; ///< of the sequence
  int64_t first, end;  ///< keys that the row sees
} row_place;

static bool modifies_scores(const attention *p) {
  return p->softcap > 0 || p->score_mod || p->alibi_slopes || p->bias.base;
}

/// A score in natural units, with everything that is done to it.
static double modify_score(const row_place *at, int64_t key, double x) {
  const attention *p = at->problem;
  if (p->softcap > 0)
    x = p->softcap * tanh(x / p->softcap);
  if (p->score_mod)
    x = p->score_mod(p->score_mod_user, x, (int32_t)at->row, (int32_t)key,
                     (int32_t)at->head, (int32_t)at->batch);
  if (p->alibi_slopes) {
    int64_t distance = (int64_t)at->row + at->keys - at->rows - key;
    x -= (double)p->alibi_slopes[at->batch * p->alibi_batch_stride + at->head] *
         (double)llabs(distance);
  }
  if (p->bias.base)
    x += p->bias.base[at->batch * p->bias.batch_stride +
                      at->head * p->bias.head_stride +
                      at->row * p->bias.row_stride + (uint64_t)key];
  return x;
}

static double sink_of(const row_place *at) {
  const float *sink = at->problem->sink;
  return sink ? sink[at->head] : -INFINITY;
}

/// What is stored of O, before it is rounded: an 8-bit type saturates.
static void scale_outputs(const attention *p, double *o) {
  const bool saturates = element_is_8_bit(p->out_type);
  const double most = element_round(p->out_type, INFINITY);
  for (uint32_t d = 0; d < p->head_dim_v; ++d) {
    if (p->o_scale != 0)
      o[d] /= p->o_scale;
    if (saturates && fabs(o[d]) > most)
      o[d] = copysign(most, o[d]);
  }
}

/// The weight of a score, whose magnitude counts if the weight is not 0 to a
/// kernel.
static double weigh(double score, double most, double *largest_score) {
  double weight = exp(score - most);
  if (weight >= FLT_MIN && fabs(score) > *largest_score)
    *largest_score = fabs(score);
  return weight;
}

/// The plain definition; `k`, `v` start at the first key that the row sees.
/// Returns the row's lse; raises `largest_score` to its scores.
static double reference_row(const row_place *at, const double *q,
                            const double *k, const double *v, double *scores,
                            double *o, double *largest_score) {
  const attention *p = at->problem;
  int64_t keys = at->end - at->first;
  dot_rows(q, k, keys, p->head_dim_qk, scores);
  for (int64_t j = 0; j < keys; ++j)
    scores[j] = modify_score(at, at->first + j, scores[j] * p->scale);
  double sink = sink_of(at), most = fmax_or_nan(largest(scores, keys), sink);
  if (most == -INFINITY) {
    memset(o, 0, p->head_dim_v * sizeof *o);
    return -INFINITY;
  }
  double total = weigh(sink, most, largest_score);
  for (int64_t j = 0; j < keys; ++j)
    total += scores[j] = weigh(scores[j], most, largest_score);
  weigh_rows(scores, v, keys, p->head_dim_v, total, o);
  scale_outputs(p, o);
  return most + log(total);
}

/// Rounds to the type as matrix hardware does that flushes f32 subnormals.
static double kernel_round(element_type type, double x) {
  return fabs(x) < FLT_MIN ? 0 : element_round(type, x);
}

static void round_outputs(const attention *p, double *o) {
  scale_outputs(p, o);
  for (uint32_t d = 0; d < p->head_dim_v; ++d)
    o[d] = kernel_round(p->out_type, o[d]);
}

/// The power of two above the largest of some factors, by which nothing rounds
/// otherwise; 0 if all are 0. Where there are scores, in binary orders, of keys
/// with a weight alone.
static double above_factors(const double *factors, int64_t keys,
                            const double *scores, double most_score) {
  double most = 0;
  for (int64_t j = 0; j < keys; ++j)
    if (!scores || scores[j] - most_score >= FLT_MIN_EXP - 1)
      most = fmax(most, fabs(factors[j]));
  int exponent;
  return frexp(most, &exponent) != 0 ? ldexp(1, exponent) : 0;
}

/// A weight that is rounded to `type` with its factor, which V has already: no
/// kernel has either product in 16 bits. Small ones are lifted.
static double round_with_factor(element_type type, double weight, double factor,
                                double above) {
  enum { LIFT = 14 }; // f16 holds 2^(0.37 + 14)
  const double share = above == 0 ? 0 : factor / above;
  const double rounded = element_round(type, ldexp(weight * share, LIFT));
  return share == 0 ? 0 : ldexp(rounded / share, -LIFT);
}

/// The same with the roundings of a kernel; `q` is scaled in place. `v_factors`
/// as of lift_weights().
static double floor_row(const row_place *at, double *q, const double *k,
                        const double *v, const double *v_factors,
                        double *scores, double *o) {
  const attention *p = at->problem;
  int64_t keys = at->end - at->first;
  for (uint32_t d = 0; d < p->head_dim_qk; ++d)
    q[d] = kernel_round(p->q_type, q[d] * p->scale * LOG2E);
  dot_rows(q, k, keys, p->head_dim_qk, scores);
  if (modifies_scores(p))
    for (int64_t j = 0; j < keys; ++j)
      scores[j] = modify_score(at, at->first + j, scores[j] / LOG2E) * LOG2E;
  double sink = sink_of(at) * LOG2E;
  double most = fmax_or_nan(largest(scores, keys), sink);
  if (most == -INFINITY) {
    memset(o, 0, p->head_dim_v * sizeof *o);
    return -INFINITY;
  }
  double total = exp2(sink - most + FLOOR_OFFSET), exact_total = total;
  const double above =
      v_factors ? above_factors(v_factors, keys, scores, most) : 0;
  for (int64_t j = 0; j < keys; ++j) {
    double weight = exp2(scores[j] - most + FLOOR_OFFSET);
    exact_total += weight;
    // Kernels flush weights that are subnormal without the offset, too.
    bool flushed = scores[j] - most < FLT_MIN_EXP - 1;
    scores[j] = flushed ? 0 : kernel_round(p->q_type, weight);
    total += scores[j];
    if (v_factors && !flushed)
      scores[j] = round_with_factor(p->q_type, weight, v_factors[j], above);
  }
  weigh_rows(scores, v, keys, p->head_dim_v, total, o);
  round_outputs(p, o);
  return (most + log2(exact_total) - FLOOR_OFFSET) * LN2;
}

static bool has_infinity(const double *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (isinf(values[i]))
      return true;
  return false;
}

/// What scores of a row are multiplied by: in binary orders, or natural where a
/// function takes them.
static double score_factor(const row_place *at) {
  const attention *p = at->problem;
  const attention_factors *k = &p->k_factors;
  const double shared =
      k->rows_a_factor
          ? 1
          : attention_factor(k, at->batch, 0,
                             at->head / (p->heads_q / p->heads_kv));
  return fabs(p->scale * shared) * (modifies_scores(p) ? 1 : LOG2E);
}

/// Rounds Q to e4m3 with the row's factor: the one that maps its largest to the
/// largest of e4m3, or the next larger that makes a power of two of what scores
/// are multiplied by.
static void quantize_row(const row_place *at, double *q) {
  const uint32_t dim = at->problem->head_dim_qk;
  double most = 0;
  for (uint32_t d = 0; d < dim; ++d)
    most = fmax(most, fabs(q[d]));
  // Nothing to round in a row of zeros; and one with an infinity is NaN.
  if (most == 0 || isinf(most))
    return;
  double factor = most / e4m3_largest;
  const double by = score_factor(at);
  // Where nothing is left of scores their rounding does not matter.
  if (at->problem->power_of_2_scores && by > 0 && isfinite(by))
    factor = exp2(ceil(log2(factor * by))) / by;
  for (uint32_t d = 0; d < dim; ++d)
    q[d] = factor * element_round(ELEMENT_FP8, q[d] / factor);
}

/// The row's weights, lifted by `lift` and rounded to e4m3, for V with its
/// factors. `scores` are in binary orders; `factors` of the keys that the row
/// sees, or NULL if they are the same for all.
static void lift_weights(const double *scores, int64_t keys, double most,
                         double lift, const double *factors, double *weights) {
  const double most_factor =
      factors ? above_factors(factors, keys, NULL, 0) : 0;
  for (int64_t j = 0; j < keys; ++j) {
    const double weight = exp2(scores[j] - most + lift);
    // Where all factors are 0, so are all rows of V.
    const double share = !factors           ? 1
                         : most_factor == 0 ? 0
                                            : factors[j] / most_factor;
    const double rounded = element_round(ELEMENT_FP8, weight * share);
    // V has the factor already.
    weights[j] = share == 0 ? 0 : rounded / share;
  }
}

/// The floors with weights of 8 bits; `q` is rounded in place with quantize_q.
/// `v_factors` as of lift_weights(); room for the weights of a row in
/// `weights`. Either of `o` may be NULL.
static double floor_row_8_bit(const row_place *at, double *q, const double *k,
                              const double *v, const double *v_factors,
                              double *scores, double *weights,
                              double *const o[FLOORS]) {
  const attention *p = at->problem;
  int64_t keys = at->end - at->first;
  if (p->quantize_q)
    quantize_row(at, q);
  dot_rows(q, k, keys, p->head_dim_qk, scores);
  for (int64_t j = 0; j < keys; ++j)
    scores[j] = modify_score(at, at->first + j, scores[j] * p->scale) * LOG2E;
  const double sink = sink_of(at) * LOG2E;
  // What a sink outweighs by far is rounded to 0, and hides how Q was rounded.
  const double of_keys = largest(scores, keys);
  const double most = p->quantize_q && of_keys != -INFINITY
                          ? of_keys
                          : fmax_or_nan(of_keys, sink);
  double of_weights = 0;
  for (int64_t j = 0; j < keys && most != -INFINITY; ++j)
    of_weights += exp2(scores[j] - most);
  const double total = of_weights + (most == -INFINITY ? 0 : exp2(sink - most));
  // What a sink leaves to the keys is a number of f32, flushed as such.
  const bool vanishes = p->quantize_q && of_weights / total < FLT_MIN;
  for (int i = 0; i < FLOORS; ++i) {
    if (!o[i])
      continue;
    if (most == -INFINITY || vanishes) {
      memset(o[i], 0, p->head_dim_v * sizeof *o[i]);
      continue;
    }
    lift_weights(scores, keys, most, floor_lifts[i], v_factors, weights);
    weigh_rows(weights, v, keys, p->head_dim_v, total * exp2(floor_lifts[i]),
               o[i]);
    round_outputs(p, o[i]);
  }
  return most == -INFINITY ? -INFINITY : (most + log2(total)) * LN2;
}

//===- All rows -----------------------------------------------------------===//

/// One (batch, kv head): its K and V, and the rows of the heads of Q that it
/// serves, which the threads share.
typedef struct slice {
  const attention *problem;
  uint32_t batch, head_kv;
  uint32_t rows, keys; ///< in use in this batch
  size_t rows_before;  ///< in use in earlier batches
  double *k, *v;       ///< [keys, Dqk], [keys, Dv]
  double *v_factors;   ///< [keys]; NULL: the same for all of a head
  double *o, *lse, *floor_o, *other_floor_o, *floor_lse;
  bool wants_definition;         ///< besides floors
  atomic_uint_fast64_t next_row; ///< rows of all heads of the group, in order
  _Atomic(double) largest_score;
  atomic_bool failed;
} slice;

/// The keys in use of one head of K or V, `dim` columns of each row of `width`;
/// and the factors of the rows, if they are wanted.
static void gather(const slice *s, const attention_view *view,
                   element_type type, const attention_factors *factors,
                   uint32_t dim, uint32_t width, double *out_rows,
                   double *out_factors) {
  const attention *p = s->problem;
  for (uint32_t row = 0; row < s->keys; ++row) {
    size_t at = key_at(p, view, s->batch, row, s->head_kv);
    double factor = attention_factor(factors, s->batch, row, s->head_kv);
    for (uint32_t d = 0; d < dim; ++d)
      out_rows[(size_t)row * width + d] =
          element_load(type, view->base, at + column_at(p, view, row, dim, d)) *
          factor;
    if (out_factors)
      out_factors[row] = factor;
  }
}

/// What a thread needs for a row; owned.
typedef struct row_memory {
  double *q;       ///< [Dqk]
  double *scores;  ///< [keys]
  double *weights; ///< [keys]
  double *unused_o;
} row_memory;

static bool row_memory_init(row_memory *m, const attention *p) {
  *m = (row_memory){.q = malloc(p->head_dim_qk * sizeof(double)),
                    .scores = malloc(p->seqlen_kv * sizeof(double)),
                    .weights = malloc(p->seqlen_kv * sizeof(double)),
                    .unused_o = malloc(p->head_dim_v * sizeof(double))};
  return m->q && m->scores && m->weights && m->unused_o;
}

static void row_memory_deinit(row_memory *m) {
  free(m->q);
  free(m->scores);
  free(m->weights);
  free(m->unused_o);
}

/// The floors of a row whose results are at `at` and `lse_at`.
static void compute_floors(const slice *s, const row_place *place,
                           const double *k, const double *v, row_memory *m,
                           size_t at, size_t lse_at) {
  const attention *p = s->problem;
  double *o[FLOORS] = {s->floor_o ? s->floor_o + at : NULL,
                       s->other_floor_o ? s->other_floor_o + at : NULL};
  double lse;
  const double *v_factors = s->v_factors ? s->v_factors + place->first : NULL;
  if (attention_has_8_bit_weights(p)) {
    lse =
        floor_row_8_bit(place, m->q, k, v, v_factors, m->scores, m->weights, o);
  } else {
    double *first = o[0] ? o[0] : m->unused_o;
    lse = floor_row(place, m->q, k, v, v_factors, m->scores, first);
    if (o[1])
      memcpy(o[1], first, p->head_dim_v * sizeof *first);
  }
  if (s->floor_lse)
    s->floor_lse[lse_at] = lse;
}

static void compute_row(slice *s, uint32_t head, uint32_t row, row_memory *m,
                        double *largest_score) {
  const attention *p = s->problem;
  row_place place = {.problem = p,
                     .batch = s->batch,
                     .head = head,
                     .row = row,
                     .rows = s->rows,
                     .keys = s->keys};
  size_t at = ((s->rows_before + row) * p->heads_q + head) * p->head_dim_v;
  size_t lse_at = s->rows_before * p->heads_q + (size_t)head * s->rows + row;
  if (p->o.row_stride)
    at = view_at(&p->o, p->cu_seqlens_q, s->batch, row, head);
  if (p->lse.row_stride)
    lse_at = view_at(&p->lse, p->cu_seqlens_q, s->batch, row, head);
  size_t q_at = view_at(&p->q, p->cu_seqlens_q, s->batch, row, head);
  double q_factor = attention_factor(&p->q_factors, s->batch, row, head);
  for (uint32_t d = 0; d < p->head_dim_qk; ++d)
    m->q[d] = element_load(p->q_type, p->q.base, q_at + d) * q_factor;
  if (p->quantize_q && has_infinity(m->q, p->head_dim_qk))
    m->q[0] = NAN;
  attention_mask_range(&p->mask, row, s->rows, s->keys, &place.first,
                       &place.end);
  const double *k = s->k + place.first * p->head_dim_qk;
  const double *v = s->v + place.first * p->head_dim_v;
  if (s->wants_definition) {
    double *o = s->o ? s->o + at : m->unused_o;
    double lse = reference_row(&place, m->q, k, v, m->scores, o, largest_score);
    if (s->lse)
      s->lse[lse_at] = lse;
  }
  if (s->floor_o || s->other_floor_o || s->floor_lse)
    compute_floors(s, &place, k, v, m, at, lse_at);
}

static void raise_largest(slice *s, double largest_score) {
  double known = atomic_load(&s->largest_score);
  while (largest_score > known && !atomic_compare_exchange_weak(
                                      &s->largest_score, &known, largest_score))
    ;
}

static void *compute_rows(void *user) {
  slice *s = user;
  const attention *p = s->problem;
  uint32_t group = p->heads_q / p->heads_kv;
  uint64_t rows = (uint64_t)group * s->rows;
  double largest_score = 0;
  row_memory m;
  if (!row_memory_init(&m, p)) {
    atomic_store(&s->failed, true);
    goto cleanup;
  }
  for (;;) {
    uint64_t first = atomic_fetch_add(&s->next_row, ROWS_A_TURN);
    if (first >= rows)
      break;
    for (uint64_t r = first; r < first + ROWS_A_TURN && r < rows; ++r)
      compute_row(s, s->head_kv * group + (uint32_t)(r / s->rows),
                  (uint32_t)(r % s->rows), &m, &largest_score);
  }
  raise_largest(s, largest_score);

cleanup:
  row_memory_deinit(&m);
  return NULL;
}

static void compute_slice(slice *s, unsigned threads) {
  const attention *p = s->problem;
  const uint32_t own = p->head_dim_qk - p->rope_dim;
  gather(s, &p->k, p->k_type, &p->k_factors, own, p->head_dim_qk, s->k, NULL);
  if (p->rope_dim)
    gather(s, &p->k_rope, p->k_type, &p->k_factors, p->rope_dim, p->head_dim_qk,
           s->k + own, NULL);
  gather(s, &p->v, p->v_type, &p->v_factors, p->head_dim_v, p->head_dim_v, s->v,
         s->v_factors);
  atomic_store(&s->next_row, 0);
  // A thread that does not start is no failure: the others do its rows.
  pthread_t workers[MAX_THREADS];
  unsigned started = 0;
  while (started + 1 < threads &&
         pthread_create(&workers[started], NULL, compute_rows, s) == 0)
    ++started;
  compute_rows(s);
  for (unsigned i = 0; i < started; ++i)
    pthread_join(workers[i], NULL);
}

/// In the calling thread's floating-point environment.
static bool compute(const attention *problem, unsigned threads, double *o,
                    double *lse, double *floor_o, double *other_floor_o,
                    double *floor_lse, double *largest_score) {
  if (threads == 0)
    threads = fmhac_processors();
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  slice s = {.problem = problem,
             .o = o,
             .lse = lse,
             .floor_o = floor_o,
             .other_floor_o = other_floor_o,
             .floor_lse = floor_lse,
             .wants_definition = o || lse || largest_score};
  size_t keys = problem->seqlen_kv;
  s.k = malloc(keys * problem->head_dim_qk * sizeof *s.k);
  s.v = malloc(keys * problem->head_dim_v * sizeof *s.v);
  bool own_factors = problem->v_factors.base &&
                     problem->v_factors.rows_a_factor &&
                     !problem->v_factors_apart;
  if (own_factors)
    s.v_factors = malloc(keys * sizeof *s.v_factors);
  bool ok = s.k && s.v && (s.v_factors || !own_factors);
  for (s.batch = 0; s.batch < problem->batch && ok; ++s.batch) {
    s.rows = attention_rows(problem, s.batch);
    s.keys = attention_keys(problem, s.batch);
    for (s.head_kv = 0; s.head_kv < problem->heads_kv && ok; ++s.head_kv) {
      compute_slice(&s, threads);
      ok = !atomic_load(&s.failed);
    }
    s.rows_before += s.rows;
  }
  if (largest_score)
    *largest_score = atomic_load(&s.largest_score);
  free(s.v_factors);
  free(s.v);
  free(s.k);
  return ok;
}

bool reference_compute(const attention *problem, unsigned threads, double *o,
                       double *lse, double *floor_o, double *other_floor_o,
                       double *floor_lse, double *largest_score) {
  fenv_t caller;
  fmhac_float_begin(&caller);
  const bool ok = compute(problem, threads, o, lse, floor_o, other_floor_o,
                          floor_lse, largest_score);
  fmhac_float_end(&caller);
  return ok;
}
