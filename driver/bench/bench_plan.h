// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The time of a plan whose workgroups walk lists or find runs, or that starts
/// several kernels: each launch by itself on the emulator, in their order.
#ifndef FMHAC_DRIVER_BENCH_PLAN_H
#define FMHAC_DRIVER_BENCH_PLAN_H

#include "bench_data.h"
#include "bench_sample.h"
#include "schedule_facts.h"
#include "work_list.h"

typedef struct bench_plan_run {
  fmhac_context *context;
  run_device *device;
  run_data *data;
  bench_data *inputs; ///< of the plan
  const fmhac_plan *plan;
  kernel_tile tile;      ///< of plan_entry()
  const char *constants; ///< of the model, or NULL
  double most_tiles;     ///< of a list, or a launch, that is executed whole
  int64_t layers;        ///< of one step, which share what is planned
} bench_plan_run;

/// Of a plan: a planner, kernels of attention, and what combines their parts.
enum { BENCH_MOST_LAUNCHES = 2 + FMHAC_WORK_MOST_KERNELS };

/// What it takes the last workgroup of those that share a unit, from its stores
/// on, to combine the unit's parts.
typedef struct bench_join {
  uint32_t units, parts; ///< that are shared; of the one with most, or 0
  double cycles;
} bench_join;

typedef struct bench_plan_times {
  double seconds, seconds_low, seconds_high;  ///< of a layer
  double launch_seconds[BENCH_MOST_LAUNCHES]; ///< of each by itself
  fmhac_timing_grid grid;                     ///< of plan_attention()
  fmhac_timing_workgroup longest;             ///< the same
  size_t timed;     ///< workgroups, or lists, that were executed
  double deviation; ///< the largest of the launches
  size_t launches;
  bench_join join;
} bench_plan_times;

/// Whether the plan is such a one.
bool bench_plan_is_needed(const fmhac_plan *plan, const run_data *data,
                          uint64_t workspace);

/// Times the plan. On failure `error` has the reason.
fmhac_status bench_plan_time(const bench_plan_run *run, bench_plan_times *out,
                             char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_BENCH_PLAN_H
