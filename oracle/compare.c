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

/// Sums over the elements seen so far.
typedef struct sums {
  size_t numbers; ///< elements that were compared
  double error_squares, floor_squares, reference_squares;
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
static double error_of(double actual, double reference, double floor_value) {
  if (isinf(reference))
    return actual == reference ? 0 : INFINITY;
  if (isinf(actual) && actual == floor_value)
    return 0;
  return fabs(actual - reference);
}

static void add_floor(comparison *c, sums *s, double reference,
                      double floor_value) {
  if (isinf(reference))
    return;
  s->reference_squares += reference * reference;
  s->largest = fmax(s->largest, fabs(reference));
  double error = fabs(floor_value - reference);
  // Inputs near the end of their type's range: the floor says nothing here.
  if (!isfinite(error))
    return;
  s->floor_squares += error * error;
  c->floor = fmax(c->floor, error);
}

static void add_element(comparison *c, sums *s, size_t index, double actual,
                        double reference, double floor_value) {
  if (isnan(reference)) {
    if (!isnan(actual))
      count_wrong(c, &c->missing_nan_count, index);
    return;
  }
  add_floor(c, s, reference, floor_value);
  if (isnan(actual)) {
    count_wrong(c, &c->nan_count, index);
    return;
  }
  double error = error_of(actual, reference, floor_value);
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
  c->floor_rms = relative(s->floor_squares, s->reference_squares);
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
                    const double *reference, const double *floor_values,
                    size_t first, size_t dim) {
  double dot = 0, actual_squares = 0, reference_squares = 0;
  double floor_dot = 0, floor_squares = 0;
  for (size_t i = first; i < first + dim; ++i) {
    double x = element_load(type, actual, i), r = reference[i];
    dot += x * r;
    actual_squares += x * x;
    reference_squares += r * r;
    floor_dot += floor_values[i] * r;
    floor_squares += floor_values[i] * floor_values[i];
  }
  double cosine = cosine_of(dot, actual_squares, reference_squares);
  double lacks = 1 - cosine_of(floor_dot, floor_squares, reference_squares);
  // fmin() passes over the NaN of a floor that is not finite.
  double bound = fmin(least_cosine, 1 - floor_cosine_factor * lacks);
  // A row with a NaN or an infinity has no cosine; the element is judged.
  if (isfinite(cosine) && cosine - bound < c->cosine - c->cosine_bound) {
    c->cosine = cosine;
    c->cosine_bound = bound;
  }
}

void compare_rows(element_type input_type, element_type type,
                  const void *actual, const double *reference,
                  const double *floor_values, size_t rows, size_t dim,
                  comparison *out_comparison) {
  fenv_t caller;
  fmhac_float_begin(&caller);
  bool bf16 = input_type == ELEMENT_BF16 || type == ELEMENT_BF16;
  comparison c = {
      .max_abs_err = NAN, .cosine = 1, .cosine_bound = least_cosine};
  sums s = {0};
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row * dim; i < (row + 1) * dim; ++i)
      add_element(&c, &s, i, element_load(type, actual, i), reference[i],
                  floor_values[i]);
    add_row(&c, type, actual, reference, floor_values, row * dim, dim);
  }
  finish_sums(&c, &s);
  double half_ulp = element_ulp(type, s.largest) / 2;
  bool is_coarse = half_ulp > c.floor;
  c.tolerance = 3 * (is_coarse ? half_ulp : c.floor) + 1e-5;
  c.bound = is_coarse ? "3 half ulps + 1e-5" : "3 floor + 1e-5";
  c.rms_bound = fmax(bf16 ? 6e-3 : 8e-4, 2 * c.floor_rms);
  judge(&c);
  fmhac_float_end(&caller);
  *out_comparison = c;
}

void compare_lse(const float *actual, const double *reference,
                 const double *floor_values, size_t count, bool rounds_q,
                 double largest_score, comparison *out_comparison) {
  fenv_t caller;
  fmhac_float_begin(&caller);
  comparison c = {.max_abs_err = NAN,
                  .cosine = 1,
                  .cosine_bound = least_cosine,
                  .rms_bound = INFINITY};
  sums s = {0};
  size_t misplaced = 0, first_misplaced = 0;
  for (size_t i = 0; i < count; ++i) {
    bool empty = reference[i] == -INFINITY;
    bool is_wrong = empty != (actual[i] == -INFINITY);
    if (is_wrong && !isnan(actual[i]) && !isnan(reference[i]) &&
        misplaced++ == 0)
      first_misplaced = i;
    if (empty && !isnan(actual[i]))
      continue;
    add_element(&c, &s, i, actual[i], empty ? 0 : reference[i],
                empty ? 0 : floor_values[i]);
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
