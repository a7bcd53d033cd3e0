// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "float_environment.h"

static const double least_cosine = 0.998;

/// The bound of errors allows three times the floor's error. A cosine's
/// distance from 1 grows with the square of the error, so nine times the
/// floor's is allowed.
static const double floor_cosine_factor = 9;

/// Floors of which the worst counts, for each measure.
enum { MOST_FLOORS = ATTENTION_FLOORS };
typedef struct floors {
  const double *values[MOST_FLOORS];
  size_t count;
} floors;

/// Sums over the elements seen so far.
typedef struct sums {
  size_t numbers; ///< elements that were compared
  double error_squares, reference_squares;
  double floor_squares[MOST_FLOORS];
  double largest; ///< |reference|
} sums;

/// An element that is wrong about NaN.
static void count_wrong(comparison *c, uint64_t *count, size_t index) {
  if (c->nan_count == 0 && c->missing_nan_count == 0)
    c->worst_index = index;
  ++*count;
}

/// How far an element is off; 0 for an infinity that is the reference's, or
/// that is all O's type has for it.
static double error_of(double actual, double reference, const floors *f,
                       size_t index) {
  if (isinf(reference))
    return actual == reference ? 0 : INFINITY;
  for (size_t i = 0; i < f->count; ++i)
    if (isinf(actual) && actual == f->values[i][index])
      return 0;
  return fabs(actual - reference);
}

static void add_floor(comparison *c, sums *s, double reference, const floors *f,
                      size_t index) {
  if (isinf(reference))
    return;
  s->reference_squares += reference * reference;
  s->largest = fmax(s->largest, fabs(reference));
  for (size_t i = 0; i < f->count; ++i) {
    double error = fabs(f->values[i][index] - reference);
    // Inputs near the end of their type's range: the floor says nothing here.
    if (!isfinite(error))
      continue;
    s->floor_squares[i] += error * error;
    c->floor = fmax(c->floor, error);
  }
}

static void add_element(comparison *c, sums *s, size_t index, double actual,
                        double reference, const floors *f) {
  if (isnan(reference)) {
    if (!isnan(actual))
      count_wrong(c, &c->missing_nan_count, index);
    return;
  }
  add_floor(c, s, reference, f, index);
  if (isnan(actual)) {
    count_wrong(c, &c->nan_count, index);
    return;
  }
  double error = error_of(actual, reference, f, index);
  if (s->numbers++ == 0 || error > c->max_abs_err) {
    c->max_abs_err = error;
    if (c->nan_count == 0 && c->missing_nan_count == 0)
      c->worst_index = index;
  }
  s->error_squares += error * error;
}

static double cosine_of(double dot, double a_squares, double b_squares) {
  if (a_squares == 0 && b_squares == 0)
    return 1;
  if (a_squares == 0 || b_squares == 0)
    return 0;
  return dot / (sqrt(a_squares) * sqrt(b_squares));
}

static double relative(double error_squares, double reference_squares) {
  if (error_squares == 0)
    return 0;
  return sqrt(error_squares) / sqrt(reference_squares);
}

static void finish_sums(comparison *c, const sums *s) {
  // Nothing may be in use, or nothing but NaN on both sides: then nothing
  // differs.
  if (s->numbers == 0 && c->nan_count == 0)
    c->max_abs_err = 0;
  c->rel_rms_err = relative(s->error_squares, s->reference_squares);
  for (size_t i = 0; i < MOST_FLOORS; ++i)
    c->floor_rms =
        fmax(c->floor_rms, relative(s->floor_squares[i], s->reference_squares));
}

/// The first condition that fails, in the order in which it is worth reading.
static void judge(comparison *c) {
  // Written so that a NaN on the left fails.
  if (c->nan_count)
    snprintf(c->reason, sizeof c->reason,
             "%" PRIu64 " elements are NaN and should be numbers (the first is "
             "element %zu)",
             c->nan_count, c->worst_index);
  else if (c->missing_nan_count)
    snprintf(c->reason, sizeof c->reason,
             "%" PRIu64 " elements should be NaN and are not (the first is "
             "element %zu)",
             c->missing_nan_count, c->worst_index);
  else if (!(c->max_abs_err <= c->tolerance))
    snprintf(c->reason, sizeof c->reason,
             "max abs error %.4g exceeds %.4g = %s (element %zu)",
             c->max_abs_err, c->tolerance, c->bound, c->worst_index);
  else if (!(c->rel_rms_err <= c->rms_bound))
    snprintf(c->reason, sizeof c->reason,
             "relative rms error %.4g exceeds %.4g", c->rel_rms_err,
             c->rms_bound);
  else if (!(c->cosine > c->cosine_bound))
    snprintf(c->reason, sizeof c->reason,
             "cosine of a row is %.6f, not above %.6g", c->cosine,
             c->cosine_bound);
  c->pass = c->reason[0] == '\0';
}

/// The cosine of a row and its bound, if it is nearer to the bound than those
/// of the rows before it.
static void add_row(comparison *c, element_type type, const void *actual,
                    const double *reference, const floors *f, size_t first,
                    size_t dim) {
  double dot = 0, actual_squares = 0, reference_squares = 0;
  for (size_t i = first; i < first + dim; ++i) {
    double x = element_load(type, actual, i), r = reference[i];
    dot += x * r;
    actual_squares += x * x;
    reference_squares += r * r;
  }
  double cosine = cosine_of(dot, actual_squares, reference_squares);
  double lacks = 0;
  for (size_t n = 0; n < f->count; ++n) {
    const double *row = f->values[n] + first;
    double floor_dot = 0, squares = 0;
    for (size_t d = 0; d < dim; ++d) {
      floor_dot += row[d] * reference[first + d];
      squares += row[d] * row[d];
    }
    // fmax() passes over the NaN of a floor that is not finite.
    lacks = fmax(lacks, 1 - cosine_of(floor_dot, squares, reference_squares));
  }
  double bound = fmin(least_cosine, 1 - floor_cosine_factor * lacks);
  // A row with a NaN or an infinity has no cosine; the element is judged.
  if (isfinite(cosine) && cosine - bound < c->cosine - c->cosine_bound) {
    c->cosine = cosine;
    c->cosine_bound = bound;
  }
}

/// Factors and terms of the bounds of O.
typedef struct rule {
  double floor_rms_factor, floor_rms_term; ///< the bound is their sum,
  double least_rms_bound;                  ///< or this if that is more
  double leniency;                         ///< of both bounds
  const char *bound, *coarse_bound;        ///< in words
} rule;

static const char in_floors[] = "3 floor + 1e-5";
static const char in_half_ulps[] = "3 half ulps + 1e-5";
static const rule bf16_rule = {2, 0, 6e-3, 1, in_floors, in_half_ulps};
static const rule f16_rule = {2, 0, 8e-4, 1, in_floors, in_half_ulps};
static const rule fp8_rule = {1.25, 1e-3, 0, 1, in_floors, in_half_ulps};
static const rule quantized_rule = {
    1.25, 1e-3, 0, 2, "2 (3 floor + 1e-5)", "2 (3 half ulps + 1e-5)"};

static void compare_by(const rule *by, element_type type, const void *actual,
                       const double *reference, const floors *f, size_t rows,
                       size_t dim, comparison *out_comparison) {
  fenv_t caller;
  fmhac_float_begin(&caller);
  comparison c = {
      .max_abs_err = NAN, .cosine = 1, .cosine_bound = least_cosine};
  sums s = {0};
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row * dim; i < (row + 1) * dim; ++i)
      add_element(&c, &s, i, element_load(type, actual, i), reference[i], f);
    add_row(&c, type, actual, reference, f, row * dim, dim);
  }
  finish_sums(&c, &s);
  double half_ulp = element_ulp(type, s.largest) / 2;
  bool is_coarse = half_ulp > c.floor;
  c.tolerance = by->leniency * (3 * (is_coarse ? half_ulp : c.floor) + 1e-5);
  c.bound = is_coarse ? by->coarse_bound : by->bound;
  c.rms_bound = by->leniency *
                fmax(by->least_rms_bound,
                     by->floor_rms_factor * c.floor_rms + by->floor_rms_term);
  judge(&c);
  fmhac_float_end(&caller);
  *out_comparison = c;
}

void compare_rows(element_type input_type, element_type type,
                  const void *actual, const double *reference,
                  const double *floor_values, size_t rows, size_t dim,
                  comparison *out_comparison) {
  const bool bf16 = input_type == ELEMENT_BF16 || type == ELEMENT_BF16;
  const floors f = {{floor_values}, 1};
  compare_by(bf16 ? &bf16_rule : &f16_rule, type, actual, reference, &f, rows,
             dim, out_comparison);
}

void compare_o(const attention *problem, const void *actual,
               const double *reference,
               const double *const floors_of_o[ATTENTION_FLOORS], size_t rows,
               comparison *out_comparison) {
  const attention *p = problem;
  if (!attention_has_8_bit_weights(p)) {
    compare_rows(p->q_type, p->out_type, actual, reference, floors_of_o[0],
                 rows, p->head_dim_v, out_comparison);
    return;
  }
  floors f = {.count = 0};
  while (f.count < MOST_FLOORS && floors_of_o[f.count]) {
    f.values[f.count] = floors_of_o[f.count];
    ++f.count;
  }
  compare_by(p->quantize_q ? &quantized_rule : &fp8_rule, p->out_type, actual,
             reference, &f, rows, p->head_dim_v, out_comparison);
}

void compare_lse(const float *actual, const double *reference,
                 const double *floor_values, const double *other_floor,
                 size_t count, bool rounds_q, double largest_score,
                 comparison *out_comparison) {
  fenv_t caller;
  fmhac_float_begin(&caller);
  comparison c = {.max_abs_err = NAN,
                  .cosine = 1,
                  .cosine_bound = least_cosine,
                  .rms_bound = INFINITY};
  sums s = {0};
  const floors f = {{floor_values, other_floor}, other_floor ? 2 : 1};
  size_t misplaced = 0, first_misplaced = 0;
  for (size_t i = 0; i < count; ++i) {
    bool empty = reference[i] == -INFINITY;
    bool is_wrong = empty != (actual[i] == -INFINITY);
    if (is_wrong && !isnan(actual[i]) && !isnan(reference[i]) &&
        misplaced++ == 0)
      first_misplaced = i;
    if (empty && !isnan(actual[i]))
      continue;
    add_element(&c, &s, i, actual[i], empty ? 0 : reference[i], &f);
  }
  finish_sums(&c, &s);
  c.tolerance = rounds_q ? 3 * c.floor + 2e-3 : 1e-6 * largest_score + 1e-4;
  c.bound = rounds_q ? "3 floor + 2e-3" : "1e-6 largest score + 1e-4";
  if (misplaced && c.nan_count == 0 && c.missing_nan_count == 0)
    snprintf(c.reason, sizeof c.reason,
             "%zu rows are wrong about -inf (row %zu is the first)", misplaced,
             first_misplaced);
  else
    judge(&c);
  fmhac_float_end(&caller);
  *out_comparison = c;
}
