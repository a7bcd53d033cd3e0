// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for the schedules and the table that are built in: the configuration
// part of the library works without the compiler.
#include <string.h>

#include "fmhac_schedule.h"
#include "table.h"

const char *fmhac_schedule_name(size_t index) {
  static const char *const names[] = {"generic", "dualwave"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *fmhac_schedule_text(const char *schedule) {
  for (size_t i = 0; fmhac_schedule_name(i); ++i)
    if (strcmp(fmhac_schedule_name(i), schedule) == 0)
      return fmhac_schedule_name(i);
  return NULL;
}

const char *fmhac_builtin_table(void) {
  return "dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,"
         "cycles,other,other_seconds,other_cycles,problem\n"
         "*,*,*,*,*,long,dualwave,0.5,100,generic,1,200,made up\n";
}
