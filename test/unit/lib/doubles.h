// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Stand-ins for what lies outside the configuration part: a session that does
/// nothing, two built-in schedules, and a device that records what is launched.
#ifndef FMHAC_TEST_UNIT_LIB_DOUBLES_H
#define FMHAC_TEST_UNIT_LIB_DOUBLES_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac.h"
#include "fmhac_abi.h"

struct fmhac_rt_device {
  int loads, unloads, launches;
  fmhac_status answer; ///< of the next launches
  bool capturing;      ///< every stream is being captured
  fmhac_rt_launch last;
  fmhac_kernel_args args; ///< of the last launch
};

/// Fails the test unless `text` contains `part`.
void assert_contains(const char *text, const char *part);

#endif // FMHAC_TEST_UNIT_LIB_DOUBLES_H
