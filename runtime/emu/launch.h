// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one kernel launch: workgroups over host threads, waves of a workgroup
/// in turns.
#ifndef FMHAC_EMU_LAUNCH_H
#define FMHAC_EMU_LAUNCH_H

#include "module.h"

/// What a launch leaves behind.
typedef struct emu_result {
  emu_findings findings;
  fmhac_emu_stats stats;
} emu_result;

/// Executes `launch` on `module`; `ids` (may be NULL) restricts it to
/// `id_count` workgroups. Findings and figures go to `result`, whatever the
/// status. Errors: INVALID_INPUT, UNSUPPORTED/LAUNCH_FAILED (unknown
/// instructions, deadlock, budget), OUT_OF_MEMORY, each with `text`.
fmhac_status emu_launch_run(emu_space *space, emu_module *module,
                            const fmhac_rt_launch *launch,
                            const fmhac_emu_options *options,
                            const uint32_t (*ids)[3], size_t id_count,
                            char *text, size_t text_bytes, emu_result *result);

/// Runs the waves of a workgroup to their ends, a fault or the budget
/// (sched.c). Returns false if the workgroup could not go on; wg->fault says
/// why.
bool emu_workgroup_run(emu_workgroup *wg);

/// Sets the registers of every wave as the hardware does at the start
/// (wave.c).
void emu_workgroup_start(emu_workgroup *wg);

#endif // FMHAC_EMU_LAUNCH_H
