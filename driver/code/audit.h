// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The static checkers: fmhac inspect --waits, and what fmhac compile says of
/// the code object that it writes, which the library has audited.
#ifndef FMHAC_DRIVER_AUDIT_H
#define FMHAC_DRIVER_AUDIT_H

#include <stddef.h>

#include "report.h"

/// Audits the code object `path` and prints what is found. Returns the exit
/// code: EXIT_CHECK for a finding; else EXIT_UNSUPPORTED if something of it
/// could not be followed.
int audit_file(const report *r, const char *path);

/// Adds an object "audit" to `result`: figures of the audit, and what could not
/// be followed, which is a warning. Returns EXIT_DONE or the exit code; gives
/// the time that it took.
int audit_output(const report *r, const void *bytes, size_t size, cJSON *result,
                 double *out_seconds);

#endif // FMHAC_DRIVER_AUDIT_H
