// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for the compiler session behind a context: the configuration part of
// the library works without one.
#include "fmhac.h"
#include "session.h"

void fmhac_session_destroy(fmhac_context *context) { (void)context; }

const char *fmhac_schedule_name(size_t index) {
  static const char *const names[] = {"generic", "dualwave"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}
