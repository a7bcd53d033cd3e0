// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Schedules as data: the compiler's side of fmhac_schedule.h. The arguments
/// are checked, and the compiler of the context is the caller's.
#ifndef FMHAC_LIB_SCHEDULE_KNOBS_H
#define FMHAC_LIB_SCHEDULE_KNOBS_H

#include "choose.h"
#include "fmhac_schedule.h"

FMHAC_MUST_USE fmhac_status fmhac_knobs_get_tile(fmhac_context *context,
                                                 const char *text,
                                                 const char *name,
                                                 int64_t *out_rows,
                                                 int64_t *out_keys);
FMHAC_MUST_USE fmhac_status fmhac_knobs_expand(fmhac_context *context,
                                               const char *text,
                                               const char *name,
                                               char **out_text);
FMHAC_MUST_USE fmhac_status fmhac_knobs_visit(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user);
FMHAC_MUST_USE fmhac_status fmhac_knobs_change(
    fmhac_context *context, const char *text, const char *new_name,
    const fmhac_schedule_setting *settings, size_t count, char **out_text);

/// The JSON of fmhac_schedule_describe() from `text`, the kernels of a choice,
/// which has the texts of its schedules, at the rung `pipelined`, or the kernel
/// of the schedule that took its place.
FMHAC_MUST_USE fmhac_status fmhac_stages_describe(fmhac_context *context,
                                                  const fmhac_choice *choice,
                                                  const char *text,
                                                  char **out_json);

#endif // FMHAC_LIB_SCHEDULE_KNOBS_H
