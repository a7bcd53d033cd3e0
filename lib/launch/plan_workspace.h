// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What lies in the workspace of a plan: lists of work, which the planner's
/// kernel writes, the parts that attention leaves to be combined, the
/// planner's scratch; or, with work = runs, counters and parts.
#ifndef FMHAC_LIB_PLAN_WORKSPACE_H
#define FMHAC_LIB_PLAN_WORKSPACE_H

#include "fmhac_abi.h"
#include "kernel.h"
#include "plan_work.h"
#include "work_list.h"

/// What a workspace is aligned to, bytes: a record is one load.
#define FMHAC_WORKSPACE_ALIGNMENT_BYTES 64

/// Bytes from the start of the workspace to each array; `work_counter`: 0
/// without a queue; `bytes`: of all. Each kernel of attention
/// has a set of lists and scratch: those of the first are here, the others
/// follow in steps of `set_stride`. Rows of parts are in steps of
/// `part_stride`. Of a kernel that finds its work (work = runs) there are no
/// lists, and kernels is 0.
typedef struct fmhac_workspace_map {
  size_t kernels; ///< of attention
  uint32_t workgroups[FMHAC_WORK_MOST_KERNELS];
  /// Rows of Q, and keys, of all sequences together for which there is room.
  uint64_t total_q, total_kv;
  uint64_t work_indptr, work_items, work_counter, combine_count, combine_items,
      part_lse, part_o, plan_scratch, set_stride, bytes;
  /// With work = runs and divided keys; the bytes at the start of the workspace
  /// that are 0 between launches.
  uint64_t join_counters, zero_bytes;
  uint32_t part_stride; ///< rows
  /// Of the arguments, with work = runs.
  uint32_t run_workgroups, run_part_rows;
} fmhac_workspace_map;

/// For launches of `count` kernels of attention. Errors: INVALID_INPUT (a
/// split_chunk that a kernel's tiles do not divide), UNSUPPORTED (more items or
/// rows of parts than a list holds).
FMHAC_MUST_USE fmhac_status fmhac_workspace_map_init(
    fmhac_workspace_map *map, const fmhac_kernel *kernel,
    const fmhac_walker *walkers, size_t count, const fmhac_problem *most);

/// For launches of one kernel with runs of work; without divided keys it needs
/// no bytes. Errors: UNSUPPORTED (as fmhac_find_run_room()).
FMHAC_MUST_USE fmhac_status fmhac_workspace_map_runs(fmhac_workspace_map *map,
                                                     const fmhac_kernel *kernel,
                                                     const fmhac_walker *walker,
                                                     const fmhac_problem *most);

/// Fills in the fields of arguments that point into the workspace: those of
/// kernel `index` of attention; of a launch for all of them those of the first.
void fmhac_workspace_map_arguments(const fmhac_workspace_map *map, size_t index,
                                   uint64_t workspace, fmhac_kernel_args *args);

#endif // FMHAC_LIB_PLAN_WORKSPACE_H
