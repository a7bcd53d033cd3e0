// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number that a type does not hold is a sum of several that it does: the
// nearest, the nearest to what is missing, and so on, in elements of their own.
// Q has its number in a few terms, K in a few; the score is the product of the
// two sums if each term of Q meets each of K.
#include "prescribed_scores.h"

#include <math.h>
#include <string.h>

#define LN2 0.69314718055994530942

enum { Q_TERMS = 4, MOST_K_TERMS = 16, FEW_COLUMNS = 16 };

/// Binary orders that scores rise by, in the rows with the factor 1.
static const double rise = 128;
/// Scores, natural, of the fixture's keys.
static const double fixture_score = -7, hidden_score = -40;
/// Binary orders of the sink's keys below the hot one: from, and how many more.
static const double sink_depth = 11, sink_range = 0.8;
/// The largest term: every type has it or saturates. Beyond it, with a scale
/// below about 1e-7, scores fall short of what is prescribed.
static const double most_of_term = 0x1p15;
/// |Q K| of elements that are neither small nor large in any type.
static const double usual_product = 16;

/// How many elements hold the terms of Q, and of K.
typedef struct terms {
  uint32_t q, k;
} terms;

static terms terms_of(uint32_t dim) {
  if (dim < FEW_COLUMNS)
    return (terms){1, dim < MOST_K_TERMS ? dim : MOST_K_TERMS};
  const uint32_t k = dim / Q_TERMS;
  return (terms){Q_TERMS, k < MOST_K_TERMS ? k : MOST_K_TERMS};
}

static double scale_of(const input_request *r) {
  return r->problem ? r->problem->scale : 1 / sqrt(r->dim);
}

/// The magnitude of an operand's first factor; 1 in place of 0.
static double usual_factor(const attention_factors *f) {
  const double factor = f->base ? fabs((double)f->base[0]) : 1;
  return factor > 0 ? factor : 1;
}

/// What Q is where its score is not scaled, a power of two in elements: so that
/// elements of Q and K have like magnitudes.
static double amplitude_of(const input_request *r) {
  const double q = r->problem ? usual_factor(&r->problem->q_factors) : 1;
  const double k = r->problem ? usual_factor(&r->problem->k_factors) : 1;
  const double product = usual_product / (fabs(scale_of(r)) * q * k);
  return q * exp2(round(log2(product) / 2));
}

/// By how much scores of a row of Q rise: eighths of a power of two, exact in
/// every type.
static double rise_of_row(uint32_t row) {
  return ldexp(8 + row % 8, -3 - (int)(row / 8 % 3));
}

/// The score of a key, natural, for a row with the factor 1.
static double score_of_key(const input_request *r, uint32_t key,
                           double chance) {
  switch (r->kind) {
  case INPUT_RISING:
    return r->rows > 1 ? LN2 * rise * ((double)key / (r->rows - 1) - 1) : 0;
  case INPUT_FIXTURE:
    return key == 0                   ? 0
           : key < INPUT_FIXTURE_KEYS ? fixture_score
                                      : hidden_score;
  case INPUT_SINK:
    return key == 0 ? 0 : -LN2 * (sink_depth + sink_range * chance);
  case INPUT_NORMAL:
  case INPUT_GROWING:
  case INPUT_SPIKES:
    break;
  }
  return 0;
}

/// The terms of `number`: `each` of them repeated in a run of elements, or the
/// whole list repeated.
static void store_terms(const input_request *r, double number, terms t,
                        bool is_q, void *out, size_t at) {
  // 0 has no bits in any type.
  const size_t bytes = element_bytes(r->type);
  memset((char *)out + at * bytes, 0, r->dim * bytes);
  const uint32_t count = is_q ? t.q : t.k;
  double missing = number;
  for (uint32_t i = 0; i < count; ++i) {
    const double term = element_round(
        r->type, fmax(-most_of_term, fmin(missing, most_of_term)));
    for (uint32_t other = 0; other < (is_q ? t.k : t.q); ++other)
      element_store(r->type, out,
                    at + (is_q ? i * t.k + other : other * t.k + i), term);
    missing -= term;
  }
}

static double factor_of(const input_request *r, uint32_t row, uint32_t head) {
  if (!r->problem)
    return 1;
  const attention_factors *all[INPUT_TENSORS] = {
      &r->problem->q_factors, &r->problem->k_factors, &r->problem->v_factors};
  const double factor =
      attention_factor(all[r->tensor < INPUT_TENSORS ? r->tensor : INPUT_K],
                       r->sequence, row, head);
  return factor != 0 ? factor : 1;
}

bool prescribes_scores(const input_request *request, uint32_t row,
                       uint32_t head, double chance, void *out, size_t at) {
  const input_request *r = request;
  const bool rising = r->kind == INPUT_RISING;
  if (!rising && r->kind != INPUT_FIXTURE && r->kind != INPUT_SINK)
    return false;
  const double factor = factor_of(r, row, head);
  const terms t = terms_of(r->dim);
  switch (r->tensor) {
  case INPUT_Q:
    store_terms(r, amplitude_of(r) * (rising ? rise_of_row(row) : 1) / factor,
                t, true, out, at);
    return true;
  case INPUT_K:
    store_terms(r,
                score_of_key(r, row, chance) /
                    (scale_of(r) * amplitude_of(r) * factor),
                t, false, out, at);
    return true;
  case INPUT_V:
  case INPUT_TENSORS:
  case INPUT_K_ROPE:
    break;
  }
  if (rising)
    return false;
  const double hot = r->kind == INPUT_FIXTURE ? -1 : 0;
  for (uint32_t d = 0; d < r->dim; ++d)
    element_store(r->type, out, at + d, (row == 0 ? hot : 1) / factor);
  return true;
}
