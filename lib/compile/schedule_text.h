// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Errors in a user's schedule file, with their lines.
#ifndef FMHAC_LIB_SCHEDULE_TEXT_H
#define FMHAC_LIB_SCHEDULE_TEXT_H

#include "str.h"

/// Appends one line, "PATH:LINE:COLUMN: EXPECTED, found FOUND", made of the
/// first of the parser's `diagnostics` about the schedule `text`. A message
/// about the schedule as a whole moves to the key that it names.
void fmhac_schedule_explain(const char *path, const char *text,
                            const char *diagnostics, fmhac_str *out);

/// Appends `message` of a later pass about the schedule, after the place of
/// the first key of the schedule that it names, if it names one.
void fmhac_schedule_locate(const char *path, const char *text,
                           const char *message, fmhac_str *out);

#endif // FMHAC_LIB_SCHEDULE_TEXT_H
