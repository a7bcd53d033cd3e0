// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double least_cosine = 0.998;

/// A floor row that is further than this from the reference says nothing of a
/// kernel: three times its error, which the bound of errors allows, would be
/// nine times as much of what a cosine lacks to 1.
static const double least_floor_cosine = 1 - (1 - 0.998) / 9;

/// Sums over the elements seen so far.
typedef struct sums {
  size_t numbers; ///< elements that are not NaN
  double error_squares, reference_squares;
} sums;

static void add_element(comparison *c, sums *s, size_t index, double actual,
                        double reference, double floor_value) {
  double floor_error = fabs(floor_value - reference);
  if (floor_error > c->floor)
    c->floor = floor_error;
  if (isnan(actual)) {
    if (c->nan_count++ == 0)
      c->worst_index = index;
    return;
  }
  double error = fabs(actual - reference);
  if (s->numbers++ == 0 || error > c->max_abs_err) {
    c->max_abs_err = error;
    if (c->nan_count == 0)
      c->worst_index = index;
  }
  s->error_squares += error * error;
  s->reference_squares += reference * reference;
}

static double cosine_of(double dot, double a_squares, double b_squares) {
  if (a_squares == 0 && b_squares == 0)
    return 1;
  if (a_squares == 0 || b_squares == 0)
    return 0;
  return dot / (sqrt(a_squares) * sqrt(b_squares));
}

static double relative(const sums *s) {
  if (s->error_squares == 0)
    return 0;
  return sqrt(s->error_squares) / sqrt(s->reference_squares);
}

/// The first condition that fails, in the order in which it is worth reading.
static void judge(comparison *c) {
  // Written so that a NaN on the left fails.
  if (c->nan_count)
    snprintf(c->reason, sizeof c->reason, "%" PRIu64 " elements are NaN",
             c->nan_count);
  else if (!(c->max_abs_err <= c->tolerance))
    snprintf(c->reason, sizeof c->reason,
             "max abs error %.4g exceeds %.4g (element %zu)", c->max_abs_err,
             c->tolerance, c->worst_index);
  else if (!(c->rel_rms_err <= c->rms_bound))
    snprintf(c->reason, sizeof c->reason,
             "relative rms error %.4g exceeds %.4g", c->rel_rms_err,
             c->rms_bound);
  else if (!(c->cosine > least_cosine))
    snprintf(c->reason, sizeof c->reason,
             "cosine of a row is %.6f, not above %.3f", c->cosine,
             least_cosine);
  c->pass = c->reason[0] == '\0';
}

void compare_rows(element_type input_type, element_type type,
                  const void *actual, const double *reference,
                  const double *floor_values, size_t rows, size_t dim,
                  comparison *out_comparison) {
  bool bf16 = input_type == ELEMENT_BF16 || type == ELEMENT_BF16;
  comparison c = {
      .max_abs_err = NAN, .cosine = 1, .rms_bound = bf16 ? 6e-3 : 8e-4};
  sums s = {0};
  for (size_t row = 0; row < rows; ++row) {
    double dot = 0, actual_squares = 0, reference_squares = 0;
    double floor_dot = 0, floor_squares = 0;
    for (size_t d = 0; d < dim; ++d) {
      size_t index = row * dim + d;
      double x = element_load(type, actual, index), r = reference[index];
      add_element(&c, &s, index, x, r, floor_values[index]);
      dot += x * r;
      actual_squares += x * x;
      reference_squares += r * r;
      floor_dot += floor_values[index] * r;
      floor_squares += floor_values[index] * floor_values[index];
    }
    if (cosine_of(floor_dot, floor_squares, reference_squares) <
        least_floor_cosine) {
      ++c.unjudged_rows;
      continue;
    }
    double cosine = cosine_of(dot, actual_squares, reference_squares);
    // A row with a NaN has no cosine; the NaN is counted.
    if (cosine < c.cosine)
      c.cosine = cosine;
  }
  // No row may be in use: then nothing differs.
  if (rows == 0)
    c.max_abs_err = 0;
  c.rel_rms_err = relative(&s);
  c.tolerance = 3 * c.floor + 1e-5;
  judge(&c);
  *out_comparison = c;
}

void compare_lse(const float *actual, const double *reference,
                 const double *floor_values, size_t count,
                 comparison *out_comparison) {
  comparison c = {.max_abs_err = NAN, .cosine = 1, .rms_bound = INFINITY};
  sums s = {0};
  size_t misplaced = 0, first_misplaced = 0;
  for (size_t i = 0; i < count; ++i) {
    bool empty = isinf(reference[i]);
    if (empty != (isinf(actual[i]) && actual[i] < 0) && !isnan(actual[i]) &&
        misplaced++ == 0)
      first_misplaced = i;
    if (empty && !isnan(actual[i]))
      continue;
    add_element(&c, &s, i, actual[i], empty ? 0 : reference[i],
                empty ? 0 : floor_values[i]);
  }
  // All rows may be empty: then nothing differs.
  if (s.numbers == 0 && c.nan_count == 0)
    c.max_abs_err = 0;
  c.rel_rms_err = relative(&s);
  c.tolerance = 3 * c.floor + 2e-3;
  if (misplaced && c.nan_count == 0)
    snprintf(c.reason, sizeof c.reason,
             "%zu rows are wrong about -inf (row %zu is the first)", misplaced,
             first_misplaced);
  else
    judge(&c);
  *out_comparison = c;
}
