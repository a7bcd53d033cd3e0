// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The lists of work of a plan: their room in its workspace, and the arguments
/// by which kernels find them.
#ifndef FMHAC_LIB_PLAN_WORK_H
#define FMHAC_LIB_PLAN_WORK_H

#include "fmhac_abi.h"
#include "kernel.h"
#include "work_room.h"

/// What the workspace has to be aligned to, bytes: a record is one load.
enum { FMHAC_WORKSPACE_ALIGNMENT_BYTES = 64 };

/// Bytes from the start of the workspace.
typedef struct fmhac_plan_work {
  bool has_lists, has_parts;
  fmhac_work_rules rules;
  fmhac_work_sizes most; ///< of the plan
  fmhac_work_room room;
  size_t indptr, items, counter, combine_count, combine_items, scratch,
      part_lse, part_o;
  size_t bytes; ///< of the whole workspace; 0 without lists
} fmhac_plan_work;

/// For launches of `entry` up to `most`, in `workgroups` workgroups. False: the
/// room has no number of 64 bits.
bool fmhac_plan_work_init(fmhac_plan_work *work, const fmhac_kernel *kernel,
                          const fmhac_entry *entry, const fmhac_problem *most,
                          uint32_t workgroups);

/// Fills in the fields of lists and parts.
void fmhac_plan_work_arguments(const fmhac_plan_work *work, uint64_t workspace,
                               fmhac_kernel_args *args);

#endif // FMHAC_LIB_PLAN_WORK_H
