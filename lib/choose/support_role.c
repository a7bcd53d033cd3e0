// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this build compiles a configuration of another role than attention.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "support.h"
#include "values.h"

void fmhac_support_reset_reserved(fmhac_config_values *values) {
  fmhac_config_values defaults;
  fmhac_config_values_init(&defaults);
  const fmhac_config_values given = *values;
  *values = defaults;
#define KEEP_0(key)
#define KEEP_1(key) memcpy(&values->key, &given.key, sizeof values->key);
#define FMHAC_OPTION(key, kind, fallback, low, high, unit, metavar, works,     \
                     help)                                                     \
  KEEP_##works(key)
#include "config.def"
}

fmhac_status fmhac_support_find_role(fmhac_context *context,
                                     const fmhac_config_values *values,
                                     fmhac_support *out) {
  enum { STEP = 8, MOST = 512 };
  *out = (fmhac_support){.size = sizeof *out};
  const char *role = fmhac_role_name(values->role);
  const fmhac_option_row *reserved = fmhac_find_reserved(values);
  const bool fits =
      values->head_dim_v % STEP == 0 && values->head_dim_v <= MOST;
  const bool is_open = fmhac_schedule_is_auto(values->schedule);
  // The planner's kernel comes with attention whose work is a list.
  const bool plans = values->role == FMHAC_ROLE_PLAN;
  // With runs attention combines its parts itself, and leaves no records.
  const bool is_joined =
      values->role == FMHAC_ROLE_COMBINE && values->work == FMHAC_WORK_RUNS;
  const bool is_alone = !plans && !is_joined;
  out->supported = !reserved && is_alone && fits && is_open;
  if (out->supported)
    return FMHAC_OK;
  snprintf(out->field, sizeof out->field, "%s",
           reserved    ? reserved->info.key
           : !is_alone ? "role"
           : fits      ? "schedule"
                       : "head_dim_v");
  if (reserved)
    snprintf(out->reason, sizeof out->reason,
             "%s is a reserved name that this build does not compile yet",
             reserved->info.key);
  else if (is_joined)
    snprintf(out->reason, sizeof out->reason,
             "role combine: with work = runs the kernel of attention combines "
             "its parts itself");
  else if (plans)
    snprintf(out->reason, sizeof out->reason,
             "role plan: the planner's kernel comes with that of attention, "
             "whose tiles it lists, where work = list or queue");
  else if (fits)
    snprintf(out->reason, sizeof out->reason,
             "schedule %.60s: a kernel of the role %s has none",
             values->schedule, role);
  else
    snprintf(out->reason, sizeof out->reason,
             "head_dim_v %" PRId64 ": this build compiles multiples of %d in "
             "%d..%d for the role %s",
             values->head_dim_v, STEP, STEP, MOST, role);
  fmhac_config_values near = *values;
  fmhac_support_reset_reserved(&near);
  if (!is_alone) {
    near.role = FMHAC_ROLE_ATTENTION;
    near.work = FMHAC_WORK_LIST;
  }
  memset(near.schedule, 0, sizeof near.schedule);
  strcpy(near.schedule, FMHAC_SCHEDULE_AUTO);
  const int64_t up = (near.head_dim_v + STEP - 1) / STEP * STEP;
  near.head_dim_v = up < MOST ? up : MOST;
  char *text = fmhac_config_values_print_changes(&near);
  if (!text)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "query: no memory for the nearest configuration");
  snprintf(out->nearest, sizeof out->nearest, "%.*s",
           (int)sizeof out->nearest - 1, text);
  free(text);
  return FMHAC_OK;
}
