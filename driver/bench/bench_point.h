// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One configuration and one problem, timed: with the cycle model on the
/// emulator, by the clock on a GPU.
#ifndef FMHAC_DRIVER_BENCH_POINT_H
#define FMHAC_DRIVER_BENCH_POINT_H

#include "bench_plan.h"
#include "bench_sample.h"
#include "bench_work.h"
#include "budget.h"
#include "run_data.h"
#include "run_device.h"
#include "session.h"

typedef struct bench_flags {
  const char *device, *input;
  const char *constants;   ///< "name=value,…" of the model, or NULL
  const char *sample;      ///< "auto", "all", or points of an axis
  int64_t threads;         ///< of the emulator; 0: one a processor
  int64_t warmup, repeat;  ///< launches on a GPU
  int64_t layers;          ///< of one step: they share what is planned
  bool show_progress;      ///< of each launch
  struct bench_kept *kept; ///< inputs of the last point of the same problem and
                           ///< for the next; borrowed, or NULL
} bench_flags;

/// Facts of a kernel's code.
typedef struct bench_kernel {
  kernel_tile tile;
  occupancy resident;
  fmhac_timing_survey *survey; ///< owned
  kernel_code code;            ///< owned
} bench_kernel;

typedef struct bench_outcome {
  size_t entry; ///< of the kernel, that was launched
  bench_work work;
  occupancy resident;
  kernel_tile tile;
  bool modelled;
  int64_t layers;                            ///< as in bench_flags
  double seconds, seconds_low, seconds_high; ///< of a layer
  double peak_flops; ///< a second, of the kernel's fastest matrix instruction
  // Measured.
  int64_t launches, samples; ///< launches of a sample; samples
  // Modelled.
  size_t launch_count; ///< of launch_seconds; 0: one kernel, whose time it is
  double launch_seconds[BENCH_MOST_LAUNCHES]; ///< of each by itself
  size_t launch_entries[BENCH_MOST_LAUNCHES]; ///< of the kernel
  bench_join join; ///< without parts: nobody combines any
  fmhac_timing_grid grid;
  fmhac_timing_workgroup longest;
  size_t timed;          ///< workgroups that were executed
  double deviation;      ///< of bench_sample
  loop_budget budget;    ///< of the loop of the longest workgroup
  bool has_loop;         ///< the longest workgroup was seen to repeat a loop
  double mfma_busy_loop; ///< share of its cycles, as published figures are
  double kv_tiles; ///< of an iteration of this loop, else of the workgroup
  /// Cycles of the compute unit per KV tile of a workgroup, by cause; 0: not
  /// known.
  double cycles_per_kv_tile, causes[FMHAC_TIMING_MOST_CAUSES];
  const char *bound;
} bench_outcome;

/// Reads --sample. False if the value is malformed.
bool bench_sample_parse(const char *text, bool *out_all, uint32_t *out_points);

/// Compiles, runs and times a configuration. `data` is initialised. The caller
/// owns the kernel in any case. On failure `error` has the reason; it is empty
/// if the context has it.
fmhac_status bench_point_time(fmhac_context *context,
                              const fmhac_config *config,
                              const bench_flags *flags, run_data *data,
                              fmhac_kernel **out_kernel, bench_outcome *out,
                              char error[ERROR_BYTES]);

/// The same for the session's configuration. Returns ARGS_CONTINUE, or the exit
/// code of the reported error.
int bench_point_run(const session *s, const bench_flags *flags, run_data *data,
                    fmhac_kernel **out_kernel, bench_outcome *out);

#endif // FMHAC_DRIVER_BENCH_POINT_H
