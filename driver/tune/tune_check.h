// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether the results of a schedule are right: it is run on the emulator, with
/// its checkers, and compared with the reference.
#ifndef FMHAC_DRIVER_TUNE_CHECK_H
#define FMHAC_DRIVER_TUNE_CHECK_H

#include "tune_point.h"

/// The problems on which results were checked.
typedef struct tune_checked {
  char problem[128];  ///< in words; with each kind of generated inputs
  char growing[128];  ///< likewise, with growing ones only; "" if none
  char fixtures[128]; ///< likewise, with fixture and sink; "" if none
} tune_checked;

/// Whether the reference can check a configuration. UNSUPPORTED if not,
/// INVALID_INPUT for a file without a score_mod, with a text.
fmhac_status tune_check_possible(const tune_bench *b,
                                 const fmhac_config *config,
                                 char why[ERROR_BYTES]);

/// Runs the schedule with each kind of generated input, on the problem or, if
/// that is large and needs no files, a smaller one of its kind; if keys are
/// many, some rows also see all of them. With weights of 8 bits some rows run
/// with the inputs whose small weights count. CHECK_FAILED: something is wrong;
/// any other status but OK: it cannot be said. `why` has the reason of both.
fmhac_status tune_check(const tune_bench *b, const char *name, const char *text,
                        tune_checked *out, char why[ERROR_BYTES]);

#endif // FMHAC_DRIVER_TUNE_CHECK_H
