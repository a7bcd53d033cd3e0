// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What lies in the workspace of a plan whose kernels take lists of work: the
/// lists, which the planner's kernel writes, the parts that attention leaves to
/// be combined, and the planner's scratch.
#ifndef FMHAC_LIB_PLAN_WORKSPACE_H
#define FMHAC_LIB_PLAN_WORKSPACE_H

#include "fmhac_abi.h"
#include "kernel.h"

/// What a workspace is aligned to, bytes: a record is one load.
#define FMHAC_WORKSPACE_ALIGNMENT_BYTES 64

/// Bytes from the start of the workspace to each array; `work_counter`: 0
/// without a queue; `bytes`: of all, 0 without lists.
typedef struct fmhac_workspace_map {
  uint32_t workgroups; ///< of attention
  /// Rows of Q, and keys, of all sequences together for which there is room.
  uint64_t total_q, total_kv;
  uint64_t work_indptr, work_items, work_counter, combine_count, combine_items,
      part_lse, part_o, plan_scratch, bytes;
} fmhac_workspace_map;

/// For launches of `entry`, of attention, in so many workgroups. Errors:
/// INVALID_INPUT (a split_chunk that the kernel's tiles do not divide),
/// UNSUPPORTED (more items or rows of parts than a list holds).
FMHAC_MUST_USE fmhac_status fmhac_workspace_map_init(fmhac_workspace_map *map,
                                                     const fmhac_kernel *kernel,
                                                     const fmhac_entry *entry,
                                                     const fmhac_problem *most,
                                                     uint32_t workgroups);

/// Fills in the fields of arguments that point into the workspace.
void fmhac_workspace_map_arguments(const fmhac_workspace_map *map,
                                   uint64_t workspace, fmhac_kernel_args *args);

#endif // FMHAC_LIB_PLAN_WORKSPACE_H
