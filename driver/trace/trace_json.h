// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A trace in the JSON format of chrome://tracing and Perfetto.
#ifndef FMHAC_DRIVER_TRACE_JSON_H
#define FMHAC_DRIVER_TRACE_JSON_H

#include "trace.h"

/// The contents of the file, beside the events.
typedef struct trace_json_options {
  const char *kernel;
  uint64_t from, to;  ///< cycles: instructions issued in [from, to)
  const char *window; ///< in words: why these
} trace_json_options;

/// The file, with a zero after it; malloc'ed, NULL when memory is exhausted.
/// `out_instructions`: how many are in it.
char *trace_json(const trace *t, const trace_json_options *options,
                 size_t *out_bytes, size_t *out_instructions);

#endif // FMHAC_DRIVER_TRACE_JSON_H
