// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for the compiler behind a context: the configuration part of the
// library works without one.
#include "dispatch.h"
#include "fmhac.h"
#include "fmhac_schedule.h"

fmhac_status
fmhac_dispatch_choose(fmhac_context *context, const fmhac_str *table,
                      const char *name, const fmhac_config_values *values,
                      bool (*serves)(void *user, const char *schedule),
                      void *user, char out_schedule[FMHAC_TEXT_BYTES],
                      fmhac_schedule_choice *out_choice) {
  (void)context;
  (void)table;
  (void)name;
  (void)values;
  (void)serves;
  (void)user;
  out_schedule[0] = '\0';
  *out_choice = (fmhac_schedule_choice){0};
  return FMHAC_OK;
}

const char *fmhac_schedule_name(size_t index) {
  static const char *const names[] = {"generic", "dualwave"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}
