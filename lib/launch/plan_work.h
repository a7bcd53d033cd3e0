// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHAC_LIB_PLAN_WORK_H
#define FMHAC_LIB_PLAN_WORK_H

#include "kernel.h"
#include "work_plan.h"

/// The room that lists of work need for every problem up to `most`, of an entry
/// of attention and so many workgroups. Errors: INVALID_INPUT (`workgroups`; a
/// split_chunk that is no multiple of the entry's tile of keys), UNSUPPORTED
/// (more items, or rows of parts, than 2^31 - 1).
FMHAC_MUST_USE fmhac_status fmhac_find_list_room(const fmhac_kernel *kernel,
                                                 const fmhac_entry *entry,
                                                 const fmhac_problem *most,
                                                 uint32_t workgroups,
                                                 fmhac_list_room *out);

#endif // FMHAC_LIB_PLAN_WORK_H
