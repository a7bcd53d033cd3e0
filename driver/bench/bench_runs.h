// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What workgroups that find their work leave to be combined.
#ifndef FMHAC_DRIVER_BENCH_RUNS_H
#define FMHAC_DRIVER_BENCH_RUNS_H

#include "bench_plan.h"
#include "fmhac_abi.h"

/// Writes the records of all workgroups of attention to where `args`, of what
/// combines its parts, has them: only some of the workgroups were run. On
/// failure `error` has the reason.
fmhac_status bench_runs_leave(const bench_plan_run *run,
                              const fmhac_kernel_args *args,
                              char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_RUNS_H
