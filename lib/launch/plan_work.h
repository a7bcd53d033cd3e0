// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHAC_LIB_PLAN_WORK_H
#define FMHAC_LIB_PLAN_WORK_H

#include "kernel.h"
#include "work_plan.h"

/// A kernel of attention in so many workgroups, each with lists to walk; of a
/// plan that divides batches for sequences of some rows (division.h).
typedef struct fmhac_walker {
  const fmhac_entry *entry;
  fmhac_work_rows rows;
  uint32_t workgroups;
} fmhac_walker;

/// The room that lists of work need for every problem up to `most`. Errors:
/// INVALID_INPUT (`workgroups`; a split_chunk that is no multiple of the
/// entry's tile of keys), UNSUPPORTED (more items, or rows of parts, than 2^31
/// - 1).
FMHAC_MUST_USE fmhac_status fmhac_find_list_room(const fmhac_kernel *kernel,
                                                 const fmhac_walker *walker,
                                                 const fmhac_problem *most,
                                                 fmhac_list_room *out);

/// The room that runs of work (work_runs.h) need for every problem up to
/// `most`: an item for each unit and each run, parts for as many, all units to
/// be combined. Errors: UNSUPPORTED (more than fits).
FMHAC_MUST_USE fmhac_status fmhac_find_run_room(const fmhac_kernel *kernel,
                                                const fmhac_walker *walker,
                                                const fmhac_problem *most,
                                                fmhac_list_room *out);

/// The room of several such kernels: of lists what any of them needs, so that
/// sets of them lie in equal steps, and rows of parts for all.
/// `out_part_stride`: rows of parts from those of one kernel to those of the
/// next. Errors: as fmhac_find_list_room().
FMHAC_MUST_USE fmhac_status fmhac_find_rooms(
    const fmhac_kernel *kernel, const fmhac_walker *walkers, size_t count,
    const fmhac_problem *most, fmhac_list_room *out, uint32_t *out_part_stride);

#endif // FMHAC_LIB_PLAN_WORK_H
