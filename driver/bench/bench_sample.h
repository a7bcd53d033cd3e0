// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The choice of the workgroups of a grid to time. The others are interpolated,
/// so the timed ones form a lattice: all combinations of some coordinates of
/// each axis. First the ends and the middle of each axis are tried; where
/// cycles differ along an axis, points are added inside every interval that is
/// not straight, and all other axes keep one.
#ifndef FMHAC_DRIVER_BENCH_SAMPLE_H
#define FMHAC_DRIVER_BENCH_SAMPLE_H

#include "files.h"
#include "fmhac_timing.h"

/// Times workgroups of the grid and adds their times to `list`, which has room
/// for them. False with a text.
typedef bool bench_time_fn(void *user, const uint32_t (*ids)[3], size_t count,
                           fmhac_timing_workgroup *list,
                           char error[ERROR_BYTES]);

typedef struct bench_plan {
  uint32_t grid[3];
  bool all;         ///< every workgroup
  uint32_t points;  ///< at most, of an axis; at least 3
  bool irregular_z; ///< workgroups differ along z as they like
  /// Coordinates along x at which cycles are likely to jump, ascending: they
  /// come besides `points`, if cycles differ along x. Borrowed.
  const uint32_t *breaks;
  size_t break_count;
  bench_time_fn *time;
  void *user;
} bench_plan;

typedef struct bench_sample {
  fmhac_timing_workgroup *list; ///< owned; a lattice, in no order
  size_t count;
  size_t timed;       ///< timed workgroups of the sample and of its refinement
  uint32_t points[3]; ///< coordinates of each axis
  /// The largest relative difference between a workgroup's time and the
  /// interpolation of its neighbours on an axis, where no more points were
  /// added; 0 if all were timed.
  double deviation;
} bench_sample;

/// False with a text; the sample may be deinitialised in any case.
bool bench_sample_take(const bench_plan *plan, bench_sample *out_sample,
                       char error[ERROR_BYTES]);
void bench_sample_deinit(bench_sample *sample);

#endif // FMHAC_DRIVER_BENCH_SAMPLE_H
