// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Ranges of instructions that a user names by their pc, from the kernel's
/// entry: [NAME=]LO:HI[+LO:HI...][,...]. HI is not included.
#ifndef FMHAC_DRIVER_TRACE_RANGES_H
#define FMHAC_DRIVER_TRACE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"

enum { TRACE_RANGES = 16, TRACE_RANGE_SPANS = 8, TRACE_RANGE_NAME_BYTES = 24 };

typedef struct trace_pc_span {
  uint64_t from, to;
} trace_pc_span;

typedef struct trace_range {
  char name[TRACE_RANGE_NAME_BYTES]; ///< "": none was given
  trace_pc_span spans[TRACE_RANGE_SPANS];
  size_t span_count; ///< at least 1
} trace_range;

typedef struct trace_ranges {
  const char *flag; ///< "--range-a": in messages; borrowed
  trace_range list[TRACE_RANGES];
  size_t count;
} trace_ranges;

/// The ranges of a flag's value; none of NULL. False with a text if it is
/// malformed or a range is empty.
bool trace_ranges_parse(const char *flag, const char *text,
                        trace_ranges *out_ranges, char error[ERROR_BYTES]);

/// Whether each span holds an instruction of the kernel and none goes beyond
/// it. `pcs` are those of its instructions, in order. False with a text.
bool trace_ranges_check(const trace_ranges *ranges, const char *kernel,
                        const uint64_t *pcs, size_t count,
                        char error[ERROR_BYTES]);

/// Whether an instruction belongs to the range.
bool trace_range_has(const trace_range *range, uint64_t pc);

#endif // FMHAC_DRIVER_TRACE_RANGES_H
