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

/// Finds the row of a table for a configuration, among the rows that name a
/// schedule which serves it. `out_choice` receives the row, line 0 if no row
/// fits. A NULL `table` is the built-in one; `name` stands for it in messages.
/// Each skipped row causes a line in the log, unless the table is built in:
/// then the pass writes the line. Errors: INVALID_INPUT (a malformed table,
/// with the line).
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
