// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Exit codes of the command.
#ifndef FMHAC_DRIVER_EXIT_CODES_H
#define FMHAC_DRIVER_EXIT_CODES_H

enum {
  EXIT_DONE = 0,
  EXIT_CHECK = 1,       ///< numbers wrong, or a checker's finding
  EXIT_USAGE = 2,       ///< bad usage or bad input
  EXIT_UNSUPPORTED = 3, ///< means something that this build cannot do
  EXIT_DEVICE = 4,      ///< the device or emulator could not go on
  EXIT_INTERNAL = 5
};

#endif // FMHAC_DRIVER_EXIT_CODES_H
