// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether results are right: the pass rule of docs/guide.md, for O and for
/// LSE.
///
/// An element is compared with the reference's. Where that is NaN the element
/// must be NaN, where it is infinite it must be the same, and neither takes
/// part in errors, floor or cosines. Where O's type cannot hold the reference
/// (the floor is infinite), that infinity counts as exact.
#ifndef FMHAC_ORACLE_COMPARE_H
#define FMHAC_ORACLE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "half.h"
#include "reference.h"

typedef struct comparison {
  bool pass;
  double max_abs_err;  ///< NaN if nothing could be compared for NaN
  size_t worst_index;  ///< of max_abs_err, or of the first element that is
                       ///< wrong about NaN if there is one
  double rel_rms_err;  ///< |x - reference| / |reference|
  double cosine;       ///< of the row that is nearest to its bound, or furthest
                       ///< below; 1 where both rows are zero, 0 where only one
                       ///< is
  double cosine_bound; ///< of that row
  double floor;        ///< max abs error of the floor computation
  double floor_rms;    ///< its relative rms error
  double tolerance;    ///< bound of max_abs_err
  double rms_bound;    ///< bound of rel_rms_err
  const char *bound;   ///< the terms of `tolerance`, in words; static
  uint64_t nan_count;  ///< NaN where the reference has none
  uint64_t missing_nan_count; ///< no NaN where the reference has one
  char reason[160];           ///< why it does not pass; "" if it does
} comparison;

/// O: rows of `dim` elements of `type`, made from inputs of `input_type`. With
/// the floor at least half an ulp of `type` at the largest |reference|, passes
/// if max_abs_err <= 3 floor + 1e-5; rel_rms_err <= 6e-3 (one of the types is
/// bf16) or 8e-4, or 2 floor_rms if that is more; the cosine of every row
/// > 0.998, or 1 - 9 (1 - the floor's cosine of that row) if that is less: the
/// floor of a row in which a sink outweighs all keys is turned by its roundings
/// too; and nothing is wrong about NaN.
void compare_rows(element_type input_type, element_type type,
                  const void *actual, const double *reference,
                  const double *floor_values, size_t rows, size_t dim,
                  comparison *out_comparison);

/// O of a problem, whose inputs and floors decide the rule: without gaps, by
/// row. With weights of 16 bits it is compare_rows(), with Q's type that of the
/// inputs. With weights of 8 bits a floor is the largest of all, for each
/// measure; passes if max_abs_err <= 3 floor + 1e-5; rel_rms_err <= 1.25
/// floor_rms + 1e-3; both bounds doubled with quantize_q; cosines and NaN as
/// there. `floors` are floor_o and other_floor_o of reference_compute(), then
/// those with power_of_2_scores, or with v_factors_apart; NULL from the first
/// that the problem does not have.
void compare_o(const attention *problem, const void *actual,
               const double *reference,
               const double *const floors[ATTENTION_FLOORS], size_t rows,
               comparison *out_comparison);

/// LSE, f32: -inf exactly where the reference is, else within
/// 1e-4 + 1e-6 largest_score (fmhac_reference()), or 2e-3 + 3 floor if the
/// kernel rounds Q times the scale. The larger floor counts; `other_floor`,
/// with power_of_2_scores, may be NULL.
void compare_lse(const float *actual, const double *reference,
                 const double *floor_values, const double *other_floor,
                 size_t count, bool rounds_q, double largest_score,
                 comparison *out_comparison);

#endif // FMHAC_ORACLE_COMPARE_H
