// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A clock for durations.
#ifndef FMHAC_DRIVER_SECONDS_H
#define FMHAC_DRIVER_SECONDS_H

/// Monotonic time.
double seconds_now(void);

#endif // FMHAC_DRIVER_SECONDS_H
