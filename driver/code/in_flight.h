// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a loop has on its way from memory: bandwidth is at most these bytes
/// in each latency.
#ifndef FMHAC_DRIVER_IN_FLIGHT_H
#define FMHAC_DRIVER_IN_FLIGHT_H

#include <cjson/cJSON.h>

#include "fmhac_timing.h"
#include "loops.h"
#include "occupancy.h"

/// Of the loads of one wave in a loop whose trips follow each other, all its
/// code in order and inner loops once: {"loads": of a trip, "load_bytes":
/// theirs, "instructions", "wave_bytes", "to_lds_bytes": the most on their way
/// at a time, those of loads direct to LDS apart, "waits": [{"pc", "vmcnt",
/// "instructions", "wave_bytes": what is on its way when the wave begins to
/// wait}], "waves", "cu_bytes": of all waves of a compute unit, "limit":
/// "waves" or "vector_cache", "hbm_needs_bytes", "mall_needs_bytes": what a
/// compute unit needs for its share of the bandwidth}. `waves`, `cu_bytes` and
/// `limit` are null where occupancy is not known. Null if the loop loads
/// nothing, or out of memory.
cJSON *in_flight_json(const fmhac_timing_survey *survey,
                      const kernel_code *code, const kernel_loop *loop,
                      const occupancy *resident);

#endif // FMHAC_DRIVER_IN_FLIGHT_H
