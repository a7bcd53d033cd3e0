// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What workgroups find that have no lists, and leave to be combined.
#ifndef FMHAC_DRIVER_BENCH_RUNS_H
#define FMHAC_DRIVER_BENCH_RUNS_H

#include "bench_plan.h"
#include "fmhac_abi.h"

/// How many workgroups of attention, whose arguments are `args`, find any work.
/// On failure `error` has the reason.
fmhac_status bench_runs_count(const bench_plan_run *run,
                              const fmhac_kernel_args *args, uint32_t *out,
                              char error[ERROR_BYTES]);

/// Writes the records of all workgroups of attention to where `args`, of what
/// combines its parts, has them: only some of the workgroups were run. On
/// failure `error` has the reason.
fmhac_status bench_runs_leave(const bench_plan_run *run,
                              const fmhac_kernel_args *args,
                              char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_RUNS_H
