// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans, for who makes them.
#ifndef FMHAC_LIB_PLAN_H
#define FMHAC_LIB_PLAN_H

#include "fmhac.h"
#include "kernel.h"
#include "plan_work.h"

/// The plan's own kernel becomes a reference of the plan's, which is given back
/// with the plan.
void fmhac_plan_take_kernel(fmhac_plan *plan, fmhac_kernel *kernel);

/// The largest problem that the plan is for; borrowed.
const fmhac_problem *fmhac_plan_get_most(const fmhac_plan *plan);

/// The entries that a launch starts for attention, one after the other, and how
/// many there are; the last one is that of the largest problem. Borrowed.
size_t fmhac_plan_count_kernels(const fmhac_plan *plan);
const fmhac_entry *fmhac_plan_get_attention(const fmhac_plan *plan,
                                            size_t index);

/// One of them, in so many workgroups that walk lists; the plan's own
/// workgroups are those of a launch.
fmhac_walker fmhac_plan_get_walker(const fmhac_plan *plan, size_t index,
                                   uint32_t workgroups);

/// Refuses tensors that fmhac_launch() would refuse, as large as this release
/// knows; a workspace is not asked for.
FMHAC_MUST_USE fmhac_status fmhac_plan_check(const fmhac_plan *plan,
                                             const fmhac_tensors *tensors);

/// Rows of parts from those of one of them to those of the next.
uint32_t fmhac_plan_get_part_stride(const fmhac_plan *plan);

#endif // FMHAC_LIB_PLAN_H
