// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The static checkers: fmhac inspect --waits, and the report of fmhac compile
/// about its code object, which the library has audited.
#ifndef FMHAC_DRIVER_AUDIT_H
#define FMHAC_DRIVER_AUDIT_H

#include <stddef.h>

#include "report.h"

/// Audits the code object `path` and prints the findings. Returns the exit
/// code: EXIT_CHECK for a finding; else EXIT_UNSUPPORTED if the audit could not
/// follow some place.
int audit_file(const report *r, const char *path);

/// Adds an object "audit" to `result`: figures of the audit, and the places
/// that it could not follow, which cause a warning. Returns EXIT_DONE or the
/// exit code.
int audit_output(const report *r, const void *bytes, size_t size,
                 cJSON *result);

#endif // FMHAC_DRIVER_AUDIT_H
