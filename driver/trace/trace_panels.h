// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The panels below the waves in the picture of a trace, and its colours.
/// Lengths are pixels. Each panel returns the y of its foot.
#ifndef FMHAC_DRIVER_TRACE_PANELS_H
#define FMHAC_DRIVER_TRACE_PANELS_H

#include <stdio.h>

#include "trace.h"

enum { TRACE_FONT = 15, TRACE_HEADING = 18 };

/// Fill of an instruction's box.
const char *trace_class_fill(fmhac_timing_class kind);
/// Fill of time that is lost; hatched, with trace_patterns() in the image.
const char *trace_cause_fill(fmhac_timing_cause cause);
void trace_patterns(FILE *out);

/// Where the cycles of an iteration of the loop go; of the workgroup, if it has
/// none.
double trace_budget_panel(FILE *out, const trace *t, double x, double y,
                          double width);

/// LDS instructions issued in [from, to) by the workgroup: cycles of the array,
/// and how they meet the banks.
double trace_banks_panel(FILE *out, const trace *t, uint64_t from, uint64_t to,
                         double x, double y, double width);

#endif // FMHAC_DRIVER_TRACE_PANELS_H
