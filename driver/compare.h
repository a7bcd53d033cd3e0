// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether results are right: the pass rule of docs/guide.md, for O and for
/// LSE.
#ifndef FMHAC_DRIVER_COMPARE_H
#define FMHAC_DRIVER_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "half.h"

typedef struct comparison {
  bool pass;
  double max_abs_err; ///< over elements that are numbers; NaN if none is
  size_t worst_index; ///< of max_abs_err, or of the first NaN if there is one
  double rel_rms_err; ///< |x - reference| / |reference|, over the same elements
  double cosine; ///< least of the rows judged; 1 where both rows are zero, 0
                 ///< where only one is
  uint64_t unjudged_rows; ///< whose floor has no cosine worth comparing
  double floor;           ///< max abs error of the floor computation
  double tolerance;       ///< bound of max_abs_err
  double rms_bound;       ///< bound of rel_rms_err
  uint64_t nan_count;
  char reason[160]; ///< why it does not pass; "" if it does
} comparison;

/// O: rows of `dim` elements of `type`, made from inputs of `input_type`.
/// Passes if max_abs_err <= 3 floor + 1e-5, rel_rms_err <= 6e-3 (one of the
/// types is bf16) or 8e-4, every row's cosine > 0.998, and nothing is NaN. A
/// row is not judged by its cosine if the roundings of its floor alone take
/// that away: where a sink outweighs all keys, O is less than its type can
/// tell.
void compare_rows(element_type input_type, element_type type,
                  const void *actual, const double *reference,
                  const double *floor_values, size_t rows, size_t dim,
                  comparison *out_comparison);

/// LSE, f32: within 3 floor + 2e-3, and -inf exactly where the reference is.
void compare_lse(const float *actual, const double *reference,
                 const double *floor_values, size_t count,
                 comparison *out_comparison);

#endif // FMHAC_DRIVER_COMPARE_H
