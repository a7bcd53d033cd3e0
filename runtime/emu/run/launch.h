// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs one kernel launch: workgroups over host threads, waves of a workgroup
/// in turns.
#ifndef FMHAC_EMU_LAUNCH_H
#define FMHAC_EMU_LAUNCH_H

#include "module.h"

typedef struct emu_time_constants emu_time_constants;

/// What a launch leaves behind.
typedef struct emu_result {
  emu_findings findings;
  fmhac_emu_stats stats;
  struct emu_timing *timing; ///< NULL: it was not timed, or did not get far
} emu_result;

/// Executes `launch` on `module`, timed with the constants `timing` (NULL: not
/// timed); `ids` (may be NULL) restricts it to
/// `id_count` workgroups. Findings and figures go to `result`, whatever the
/// status. Errors: INVALID_INPUT, UNSUPPORTED/LAUNCH_FAILED (unknown
/// instructions, deadlock, budget), OUT_OF_MEMORY, each with `text`.
fmhac_status emu_launch_run(emu_space *space, emu_module *module,
                            const fmhac_rt_launch *launch,
                            const fmhac_emu_options *options,
                            const emu_time_constants *timing,
                            const uint32_t (*ids)[3], size_t id_count,
                            char *text, size_t text_bytes, emu_result *result);

/// Place in the grid of the `index`th workgroup of a launch.
void emu_workgroup_id(const emu_launch *launch, uint64_t index, uint32_t id[3]);

/// State for the workgroups of a launch, one after the other (workgroup.c); of
/// each check what it needs. NULL if out of memory.
emu_workgroup *emu_workgroup_create(const emu_launch *launch);
/// NULL is allowed.
void emu_workgroup_destroy(emu_workgroup *wg);

/// Runs the waves of a workgroup to their ends, a fault or the budget
/// (sched.c). Returns false if the workgroup could not go on; wg->fault says
/// why.
bool emu_workgroup_run(emu_workgroup *wg);

/// Begins the workgroup that wg->id names (workgroup.c).
void emu_workgroup_start(emu_workgroup *wg);
/// Sets the registers of a wave as the hardware does (wave.c).
void emu_wave_start(emu_wave *wave, uint32_t first_thread);

/// What the last launch of a device left behind; NULL if it is no emulator
/// (emu_device.c).
const emu_result *emu_device_result(const fmhac_rt_device *device);
/// Whether a call may go on that needs an emulator and `pointer`, its argument
/// `argument`: else INVALID_INPUT, with a text if there is a device.
fmhac_status emu_device_need(const fmhac_rt_device *device, const char *call,
                             const char *argument, const void *pointer);
/// Whether the last launch left an entry `index` of `count`: else
/// INVALID_INPUT with a text.
fmhac_status emu_device_need_index(const fmhac_rt_device *device,
                                   const char *call, size_t index,
                                   size_t count);

#endif // FMHAC_EMU_LAUNCH_H
