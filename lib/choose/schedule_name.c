// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that a configuration may give as its schedule.
#include <string.h>

#include "context.h"
#include "fmhac_schedule.h"
#include "schedule_list.h"
#include "support.h"

enum { MAX_SCHEDULES = 64 };

fmhac_status fmhac_check_schedule_name(fmhac_context *context,
                                       const char *schedule) {
  if (fmhac_schedule_is_auto(schedule) || fmhac_schedule_is_path(schedule))
    return FMHAC_OK;
  const char *names[MAX_SCHEDULES];
  size_t count = 0;
  for (; count < MAX_SCHEDULES && fmhac_schedule_name(count); ++count) {
    names[count] = fmhac_schedule_name(count);
    if (strcmp(names[count], schedule) == 0)
      return FMHAC_OK;
  }
  const char *near = fmhac_nearest_spelling(schedule, names, count);
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "configuration: no built-in schedule \"%.60s\"%s%s%s; "
                    "`fmhac list` names them, a file needs a '/' or .mlir",
                    schedule, near ? "; did you mean \"" : "", near ? near : "",
                    near ? "\"?" : "");
}
