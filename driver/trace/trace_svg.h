// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A part of a trace as a picture: the waves of a SIMD below each other, its
/// matrix unit, the causes of the cycles of an iteration, LDS banks.
#ifndef FMHAC_DRIVER_TRACE_SVG_H
#define FMHAC_DRIVER_TRACE_SVG_H

#include "trace.h"

typedef struct trace_svg_options {
  const char *kernel;
  uint64_t from, to;  ///< cycles
  const char *window; ///< in words
  bool all_simds;     ///< not SIMD 0 alone
} trace_svg_options;

/// Malloc'ed; NULL when memory is exhausted.
char *trace_svg(const trace *t, const trace_svg_options *options);

#endif // FMHAC_DRIVER_TRACE_SVG_H
