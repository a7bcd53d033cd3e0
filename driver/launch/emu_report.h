// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The findings of the emulator after a run.
#ifndef FMHAC_DRIVER_EMU_REPORT_H
#define FMHAC_DRIVER_EMU_REPORT_H

#include <cjson/cJSON.h>

#include "fmhac_emu.h"

/// The findings of the last launch, as an array of objects; caller deletes.
cJSON *emu_findings(const fmhac_rt_device *device);
/// Adds where a finding's instructions come from, as fmhac_emu_finding has it.
void emu_places_add(cJSON *object, const char *location, const char *step,
                    const char *other_location, const char *other_step);
/// On stderr: a line each, with the number of the launch if it has one, and the
/// code around it.
void emu_findings_print(const char *command, const cJSON *findings);
/// On stderr: the number of findings that were not kept, if any.
void emu_dropped_print(const char *command, const fmhac_emu_stats *stats);
/// Adds the counts of the launch.
void emu_stats_add(cJSON *object, const fmhac_emu_stats *stats);
/// Adds those of the launches that are joined to it, and how many these are.
void emu_joined_stats_add(cJSON *object, const fmhac_emu_stats *stats);

#endif // FMHAC_DRIVER_EMU_REPORT_H
