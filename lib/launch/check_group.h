// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What kernels count on whose tiles have rows of several heads: row r of a
/// sequence is row r / G of Q, of head r % G of those that share a head of K
/// and V, and rows of a tile lie at offsets of 32 bits from the first of them.
#ifndef FMHAC_LIB_CHECK_GROUP_H
#define FMHAC_LIB_CHECK_GROUP_H

#include "plan_check.h"

/// What a quotient of a row by G is made of, G from 1 to 65535: r / G is
/// ((2 r * multiplier) >> 32) >> shift, for r below 2^31.
typedef struct fmhac_group_divisor {
  uint32_t multiplier, shift;
} fmhac_group_divisor;
fmhac_group_divisor fmhac_group_divisor_of(uint32_t group);

/// Of a plan for `most`: rows have numbers of 31 bits, and offsets in the
/// densest layout fit. Errors: UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_group_rows(const fmhac_kernel *kernel,
                                                   const fmhac_entry *entry,
                                                   const fmhac_problem *most);

/// That a problem has the G of its plan, if its work comes from lists: with
/// another there may be more tiles than the plan's workspace has room for.
/// Errors: INVALID_INPUT.
FMHAC_MUST_USE fmhac_status fmhac_check_group_of_plan(
    const fmhac_kernel *kernel, const fmhac_entry *entry,
    const fmhac_problem *most, const fmhac_problem *problem);

/// Of one launch of a plan: all of these, and the offsets in Q, O, LSE, the
/// bias and the factors of Q. Errors: INVALID_INPUT, UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_group_launch(
    const fmhac_kernel *kernel, const fmhac_entry *entry,
    const fmhac_problem *most, const fmhac_tensors *tensors);

#endif // FMHAC_LIB_CHECK_GROUP_H
