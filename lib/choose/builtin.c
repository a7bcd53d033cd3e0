// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in schedules, which the passes carry, and the built-in table of
// measurements.
#include <string.h>

#include "fmha_passes_c.h"
#include "fmhac_schedule.h"
#include "table.h"

const char *fmhac_schedule_name(size_t index) {
  const char *name, *text;
  return fmhaBuiltinSchedule(index, &name, &text) ? name : NULL;
}

const char *fmhac_schedule_text(const char *schedule) {
  const char *name, *text;
  for (size_t i = 0; schedule && fmhaBuiltinSchedule(i, &name, &text); ++i)
    if (strcmp(name, schedule) == 0)
      return text;
  return NULL;
}

const char *fmhac_builtin_table(void) {
  return
#include "dispatch.inc"
      ;
}
