// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One launch as the job file describes it.
#ifndef FMHAC_TEST_DIFFERENTIAL_CASE_H
#define FMHAC_TEST_DIFFERENTIAL_CASE_H

#include "elements.h"
#include "fmhac_emu.h"

enum { MAX_ARGUMENTS = 32, KERNARG_BYTES = 4096 };

/// A buffer, or a value if `type` is NULL.
typedef struct argument {
  const element_type *type;
  char contents[48];
  size_t count;
  uint64_t ulps;
  uint8_t value[256];
  size_t value_bytes, alignment;
} argument;

typedef struct test_case {
  char label[256], kernel[128];
  uint32_t grid[3], block[3], lds_bytes;
  uint64_t seed;
  fmhac_emu_sched sched;
  uint32_t quantum;
  uint64_t sched_seed;
  fmhac_emu_landing landing;
  uint32_t landing_instructions; ///< of FMHAC_EMU_LANDING_AFTER
  argument arguments[MAX_ARGUMENTS];
  size_t argument_count;
} test_case;

/// Reads one line into the case. False with a reason.
bool case_read_line(test_case *c, const char *line, char *error,
                    size_t error_bytes);
/// The case of a `case LABEL` line: one work-item, no arguments.
void case_begin(test_case *c, const char *label);

#endif // FMHAC_TEST_DIFFERENTIAL_CASE_H
