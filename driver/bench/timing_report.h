// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The results of the cycle model for the last launch, as JSON and as text.
#ifndef FMHAC_DRIVER_TIMING_REPORT_H
#define FMHAC_DRIVER_TIMING_REPORT_H

#include <cjson/cJSON.h>

#include "fmhac_timing.h"

/// Cycles by cause: {"mfma": …}.
cJSON *timing_causes_json(const double causes[FMHAC_TIMING_MOST_CAUSES]);
/// The level of memory whose bytes need most of a launch's time.
typedef struct timing_memory {
  const char *level;       ///< "l2", "mall" or "hbm"
  double bytes_per_second; ///< of that level, in the time of the launch
  double share;            ///< of the level's bandwidth
} timing_memory;

/// `constants`: changes to those of the model, or NULL.
timing_memory timing_memory_of(const fmhac_timing_grid *grid,
                               const char *constants);
/// {"level": "hbm", "bytes_per_second": …, "share": …}.
cJSON *timing_memory_json(const timing_memory *memory);
/// The whole grid: {"cycles": …, "seconds": …, "memory": {…}}.
cJSON *timing_grid_json(const fmhac_timing_grid *grid, const char *constants);
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
