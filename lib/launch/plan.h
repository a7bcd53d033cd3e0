// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans, for who makes them.
#ifndef FMHAC_LIB_PLAN_H
#define FMHAC_LIB_PLAN_H

#include "fmhac.h"
#include "kernel.h"

/// The plan's own kernel becomes a reference of the plan's, which is given back
/// with the plan.
void fmhac_plan_take_kernel(fmhac_plan *plan, fmhac_kernel *kernel);

/// The largest problem that the plan is for; borrowed.
const fmhac_problem *fmhac_plan_get_most(const fmhac_plan *plan);

/// The entry that a launch starts for attention; borrowed.
const fmhac_entry *fmhac_plan_get_attention(const fmhac_plan *plan);

/// Refuses tensors that fmhac_launch() would refuse, as large as this release
/// knows; a workspace is not asked for.
FMHAC_MUST_USE fmhac_status fmhac_plan_check(const fmhac_plan *plan,
                                             const fmhac_tensors *tensors);

#endif // FMHAC_LIB_PLAN_H
