// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tables of schedules: which one a configuration gets that leaves it open.
/// They are read by the passes' code, as the pass select-schedule reads them.
#ifndef FMHAC_LIB_DISPATCH_H
#define FMHAC_LIB_DISPATCH_H

#include "config.h"
#include "fmha_dialect_c.h"
#include "fmhac_schedule.h"
#include "str.h"

/// The dialect's word for a mask.
fmha_mask_kind fmhac_dialect_mask_kind(fmhac_mask_kind kind);

/// Finds the row of a table for a configuration, of those that name a schedule
/// which serves: `out_choice` says which, line 0 if there is none. A NULL
/// `table` is the built-in one; `name` stands for it in messages. A line for
/// each row that is passed over goes to the log, unless the table is built in:
/// then the pass tells. Errors: INVALID_INPUT (no table, at which line).
FMHAC_MUST_USE fmhac_status fmhac_dispatch_choose(
    fmhac_context *context, const fmhac_str *table, const char *name,
    const fmhac_config_values *values,
    bool (*serves)(void *user, const char *schedule), void *user,
    char out_schedule[FMHAC_TEXT_BYTES], fmhac_schedule_choice *out_choice);

/// Gives values that leave the schedule open the one that the context's own
/// table has for them, if it has one. Errors: INVALID_INPUT (the table),
/// IO_ERROR, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status
fmhac_dispatch_resolve(fmhac_context *context, fmhac_config_values *values,
                       fmhac_schedule_choice *out_choice);

#endif // FMHAC_LIB_DISPATCH_H
