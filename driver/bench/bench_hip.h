// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The time of launches by the device's clock: events round them.
#ifndef FMHAC_DRIVER_BENCH_HIP_H
#define FMHAC_DRIVER_BENCH_HIP_H

#include "run_device.h"

typedef struct bench_times {
  double median, least, most; ///< seconds of a launch
  int64_t launches;           ///< of a sample, one after the other
} bench_times;

/// Launches `warmup` times, then takes `samples` samples on a stream: each has
/// so many launches that the gaps between them do not count, a multiple of
/// `layers`, which share what is planned. Waits after each sample. False with a
/// text.
bool bench_measure(run_device *d, const fmhac_context *context,
                   const fmhac_plan *plan, const fmhac_tensors *tensors,
                   int64_t layers, int64_t warmup, int64_t samples,
                   bench_times *out_times, fmhac_status *out_status,
                   char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_HIP_H
