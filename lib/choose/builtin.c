// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in schedules and the built-in table of measurements. The passes
// have the same schedules; here they are known without the compiler.
#include <stddef.h>
#include <string.h>

#include "fmhac_schedule.h"
#include "table.h"

static const struct {
  const char *name, *text;
} schedules[] = {
#include "schedules.inc"
};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };

const char *fmhac_schedule_name(size_t index) {
  return index < SCHEDULES ? schedules[index].name : NULL;
}

const char *fmhac_schedule_text(const char *schedule) {
  for (size_t i = 0; schedule && i < SCHEDULES; ++i)
    if (strcmp(schedules[i].name, schedule) == 0)
      return schedules[i].text;
  return NULL;
}

const char *fmhac_builtin_table(void) {
  return
#include "dispatch.inc"
      ;
}
