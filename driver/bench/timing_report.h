// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The results of the cycle model for the last launch, as JSON and as text.
#ifndef FMHAC_DRIVER_TIMING_REPORT_H
#define FMHAC_DRIVER_TIMING_REPORT_H

#include <cjson/cJSON.h>

#include "fmhac_timing.h"

/// Cycles by cause: {"mfma": …}.
cJSON *timing_causes_json(const double causes[FMHAC_TIMING_MOST_CAUSES]);
/// The whole grid: {"cycles": …, "seconds": …}.
cJSON *timing_grid_json(const fmhac_timing_grid *grid);
/// The number of workgroups of the grid, whose extents are `extents`, that lie
/// beyond those of the last launch along some axis. Each counts with the time
/// of the nearest one.
uint64_t timing_extrapolated(const fmhac_rt_device *device,
                             const uint32_t extents[3]);
/// A timed workgroup: {"id": [x,y,z], "cycles": …, "mfma_busy": …}.
cJSON *timing_workgroup_json(const fmhac_timing_workgroup *workgroup);
/// All of them: [{"id": [x,y,z], "cycles": …, "mfma_busy": …}].
cJSON *timing_workgroups_json(const fmhac_rt_device *device);
/// The grid and the workgroup that took longest, on stdout.
void timing_print(const fmhac_rt_device *device, const fmhac_timing_grid *grid);

#endif // FMHAC_DRIVER_TIMING_REPORT_H
