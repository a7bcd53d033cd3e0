// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// fmhac trace --compare A B: two timed runs side by side.
#ifndef FMHAC_DRIVER_TRACE_COMPARE_H
#define FMHAC_DRIVER_TRACE_COMPARE_H

#include "trace_side.h"

typedef struct trace_compare_flags {
  const char *range_a, *range_b; ///< NULL: not given
  int64_t trips_a, trips_b;      ///< -1: not given
} trace_compare_flags;

/// Whether a flag was given that only a comparison takes.
bool trace_compare_given(const trace_compare_flags *f);

/// Runs both, prints, and returns the exit code. `a` has the two arguments.
int trace_compare(const report *r, const args *a, const trace_compare_flags *f,
                  const trace_settings *settings);

#endif // FMHAC_DRIVER_TRACE_COMPARE_H
