// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One of the two runs of `fmhac trace --compare`: its launch, and the figures
/// that are left of it.
/// Calls return ARGS_CONTINUE, or an exit code whose reason has been reported.
#ifndef FMHAC_DRIVER_TRACE_SIDE_H
#define FMHAC_DRIVER_TRACE_SIDE_H

#include "args.h"
#include "emu_flags.h"
#include "trace_part.h"
#include "trace_ranges.h"

typedef enum trace_input {
  TRACE_SCHEDULE, ///< of CONFIG: a name or FILE.mlir
  TRACE_CONFIG,   ///< a JSON file with options of CONFIG and PROBLEM
  TRACE_LAUNCH    ///< a LAUNCH.json
} trace_input;

/// What holds for both.
typedef struct trace_settings {
  const char *constants, *input, *workgroup; ///< as in trace_launch
  int64_t launch_index;
  emu_flags emu;
} trace_settings;

typedef struct trace_side {
  const char *word; ///< the argument; borrowed
  char letter;      ///< A or B
  trace_input kind;
  report r; ///< names the side
  trace_ranges wanted;
  int64_t trips; ///< of loop and ranges that count as one
  // Once it has run:
  char *kernel;    ///< its name; owned
  cJSON *findings; ///< owned
  fmhac_timing_workgroup group;
  uint32_t waves; ///< of the workgroup
  trace_figures workgroup, loop, ranges[TRACE_RANGES];
  bool has_loop;
  trace_loop loops[TRACE_LOOPS];
  size_t loop_count;
} trace_side;

/// The kind of an argument: a file that ends in .json is opened.
int trace_side_init(const char *word, bool is_a, const report *r,
                    trace_side *out);

/// Runs it, with the options of `a` if it is no LAUNCH.json.
int trace_side_run(trace_side *side, const args *a,
                   const trace_settings *settings);
void trace_side_deinit(trace_side *side);

#endif // FMHAC_DRIVER_TRACE_SIDE_H
