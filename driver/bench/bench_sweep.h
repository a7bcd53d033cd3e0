// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Several problems at once: --sweep KEY=V1,V2,… for each option that changes,
/// and all combinations of them, the last one changing fastest.
#ifndef FMHAC_DRIVER_BENCH_SWEEP_H
#define FMHAC_DRIVER_BENCH_SWEEP_H

#include "args.h"
#include "files.h"

enum { SWEEP_VALUES = 256, SWEEP_POINTS = 1024 };

typedef struct sweep_axis {
  char *text;      ///< owned; key and values, taken apart
  const char *key; ///< as written
  const char *values[SWEEP_VALUES];
  size_t count;
} sweep_axis;

typedef struct sweep {
  sweep_axis axes[MAX_TEXTS];
  size_t axis_count;
  size_t points; ///< 1 without axes
} sweep;

/// False with a text; sweep_deinit() is due in any case. Values that hold
/// commas have ';' between them.
bool sweep_parse(const text_list *list, sweep *out_sweep,
                 char error[ERROR_BYTES]);
void sweep_deinit(sweep *s);

/// The command line of a point: args_deinit() is the caller's. NULL options
/// when memory is exhausted.
args sweep_point(const sweep *s, const args *a, size_t point);
/// "seqlen=1024 heads=8" of a point; "" without axes.
void sweep_label(const sweep *s, size_t point, char *label, size_t bytes);

/// On stderr, if it is a terminal: how far it is. `points` of `points` removes
/// the line.
void sweep_progress(const sweep *s, size_t point);

#endif // FMHAC_DRIVER_BENCH_SWEEP_H
