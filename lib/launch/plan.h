// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans, for who makes them.
#ifndef FMHAC_LIB_PLAN_H
#define FMHAC_LIB_PLAN_H

#include "kernel.h"

/// The plan's own kernel becomes a reference of the plan's, which is given back
/// with the plan.
void fmhac_plan_take_kernel(fmhac_plan *plan, fmhac_kernel *kernel);

/// The largest problem that the plan is for; borrowed.
const fmhac_problem *fmhac_plan_get_most(const fmhac_plan *plan);

/// The entry that a launch starts for attention; borrowed.
const fmhac_entry *fmhac_plan_get_attention(const fmhac_plan *plan);

#endif // FMHAC_LIB_PLAN_H
