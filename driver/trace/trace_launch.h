// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One workgroup of a configuration or of a LAUNCH.json on the emulator, timed.
/// Calls return ARGS_CONTINUE, or an exit code whose reason has been reported.
#ifndef FMHAC_DRIVER_TRACE_LAUNCH_H
#define FMHAC_DRIVER_TRACE_LAUNCH_H

#include "bench_data.h"
#include "emu_flags.h"
#include "emulation.h"
#include "run_device.h"
#include "session.h"

typedef struct trace_launch {
  const report *r;
  emu_flags emu;
  const char *constants;   ///< of the model; NULL: as they are
  const char *input;       ///< kind of generated inputs
  const char *workgroup;   ///< "X,Y,Z" as given, or NULL: of those at the
                           ///< corners of the grid, the one that takes longest
  int64_t launch_index;    ///< of a LAUNCH.json with several
  fmhac_rt_device *device; ///< once it has run; borrowed
  const char *kernel;      ///< its name; borrowed
  cJSON *findings;         ///< of the launch, and of those before it
  // The launch: one of the two.
  session s;
  run_data data;
  fmhac_kernel *compiled;
  fmhac_plan *plan;
  run_device on;
  bench_data inputs;
  launch_description launch;
  emulation emulation;
} trace_launch;

/// The caller sets the fields of `t` above `device`.
int trace_launch_config(trace_launch *t, const args *a);
int trace_launch_file(trace_launch *t, const char *path);
void trace_launch_close(trace_launch *t);

#endif // FMHAC_DRIVER_TRACE_LAUNCH_H
