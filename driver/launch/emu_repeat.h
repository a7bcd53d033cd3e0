// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --repeat-schedules: the same launch in other orders of waves and with other
/// landing times. A kernel without races and missing waits writes the same.
#ifndef FMHAC_DRIVER_EMU_REPEAT_H
#define FMHAC_DRIVER_EMU_REPEAT_H

#include <cjson/cJSON.h>

#include "emulation.h"

typedef struct emu_repeats {
  int64_t schedules; ///< asked for
  cJSON *findings;   ///< of all of them, folded
  cJSON *different;  ///< outputs that differed
} emu_repeats;

/// Runs the launch of `first`, which has run, again `schedules` times: the Nth
/// as --sched=random:N --landing=random:N do. Reports and returns as
/// emulation.h.
int emu_repeat(const emulation *first, const fmhac_emu_options *options,
               emu_repeats *repeats);

/// Adds findings that `findings` does not have, and counts of those it has.
void emu_repeats_add_findings(const emu_repeats *repeats, cJSON *findings);
/// Says on stderr which outputs differed; how many.
int emu_repeats_print(const emu_repeats *repeats);
/// {"schedules": N, "different": […]}; caller deletes.
cJSON *emu_repeats_json(const emu_repeats *repeats);
void emu_repeats_deinit(emu_repeats *repeats);

#endif // FMHAC_DRIVER_EMU_REPEAT_H
