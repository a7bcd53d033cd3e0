// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --repeat-schedules: the same launch with other wave orders and other
/// completion times. A kernel without races and missing waits writes the same
/// bytes.
#ifndef FMHAC_DRIVER_EMU_REPEAT_H
#define FMHAC_DRIVER_EMU_REPEAT_H

#include <cjson/cJSON.h>

#include "emulation.h"

typedef struct emu_repeats {
  int64_t schedules; ///< asked for
  cJSON *findings;   ///< of all of them, folded
  cJSON *different;  ///< outputs that differed
} emu_repeats;

/// Repeats the launch of `first` `schedules` times, after it has run: the Nth
/// with --sched=random:N --landing=random:N. Reports and returns as
/// emulation.h.
int emu_repeat(const emulation *first, const fmhac_emu_options *options,
               emu_repeats *repeats);

/// Adds new findings to `findings`, and adds the counts of known ones.
void emu_repeats_add_findings(const emu_repeats *repeats, cJSON *findings);
/// Names the outputs that differed on stderr. Returns their number.
int emu_repeats_print(const emu_repeats *repeats);
/// {"schedules": N, "different": […]}; caller deletes.
cJSON *emu_repeats_json(const emu_repeats *repeats);
void emu_repeats_deinit(emu_repeats *repeats);

#endif // FMHAC_DRIVER_EMU_REPEAT_H
