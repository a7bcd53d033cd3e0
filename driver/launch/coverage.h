// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// fmhac emu --coverage: the part of the CDNA4 instruction set that the
/// emulator has, and which of it a code object uses.
#ifndef FMHAC_DRIVER_COVERAGE_H
#define FMHAC_DRIVER_COVERAGE_H

#include "report.h"

#define COVERAGE_HELP                                                          \
  "print how much of CDNA4 is implemented, or which instructions the kernels " \
  "of FILE.hsaco use"
#define COVERAGE_LIST_VALUES "all|documented|assumed|missing|not-applicable"
#define COVERAGE_LIST_HELP "with --coverage: name these instructions"

/// Prints the figures, and the instructions that `list` asks for (NULL: none).
/// Returns the exit code.
int coverage_of_emulator(const report *r, const char *list);
/// Prints which instructions the code object `path` uses. Returns the exit
/// code: EXIT_UNSUPPORTED if the emulator refuses some.
int coverage_of_file(const report *r, const char *path, const char *list);

#endif // FMHAC_DRIVER_COVERAGE_H
