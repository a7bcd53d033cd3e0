// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands for the compiler behind a context: the configuration part of the
// library works without one.
#include "fmhac.h"
#include "job.h"
#include "pool.h"
#include "session.h"

void fmhac_session_destroy(fmhac_context *context) { (void)context; }

void fmhac_workers_destroy(fmhac_workers *workers) { (void)workers; }

fmhac_pool *fmhac_pool_create(unsigned limit) {
  static int nothing;
  return limit ? (fmhac_pool *)(void *)&nothing : NULL;
}

void fmhac_pool_destroy(fmhac_pool *pool) { (void)pool; }

const char *fmhac_schedule_name(size_t index) {
  static const char *const names[] = {"generic", "dualwave"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}
