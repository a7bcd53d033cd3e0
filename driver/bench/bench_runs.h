// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What workgroups find that have no lists, and which of them combines parts.
#ifndef FMHAC_DRIVER_BENCH_RUNS_H
#define FMHAC_DRIVER_BENCH_RUNS_H

#include "bench_plan.h"
#include "fmhac_abi.h"

/// Records in memory of the host, owned.
typedef struct bench_runs {
  uint32_t workgroups;
  int32_t *indptr, unit_count; ///< [workgroups + 1]
  fmhac_work_item *items;
  fmhac_combine_item *units; ///< [unit_count]; without rows if not divided
} bench_runs;

/// Of a plan whose attention has so many workgroups. bench_runs_deinit() in any
/// case. On failure `error` has the reason.
fmhac_status bench_runs_find(const bench_plan_run *run, uint32_t workgroups,
                             bench_runs *out, char error[ERROR_BYTES]);
void bench_runs_deinit(bench_runs *r);

/// How many workgroups find any work.
uint32_t bench_runs_busy(const bench_runs *r);

/// A unit that workgroups share, one of them, how many of its parts become one
/// at once, and how many such units there are.
typedef struct bench_joined {
  fmhac_combine_item unit;
  uint32_t workgroup, meeting, units;
} bench_joined;
/// The unit of most parts. False: no unit is shared.
bool bench_runs_widest(const bench_runs *r, bench_joined *out);

/// Sets the counters of attention, whose arguments are `args`, so that no
/// workgroup is the last of those that share a unit; or, with `last`, that its
/// workgroup is. On failure `error` has the reason.
fmhac_status bench_runs_count_as(const bench_plan_run *run,
                                 const fmhac_kernel_args *args,
                                 const bench_joined *last,
                                 char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_RUNS_H
