// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A clock for durations.
#ifndef FMHAC_DRIVER_SECONDS_H
#define FMHAC_DRIVER_SECONDS_H

#include <time.h>

/// Monotonic time.
static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif // FMHAC_DRIVER_SECONDS_H
