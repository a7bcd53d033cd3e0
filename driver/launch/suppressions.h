// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// --suppressions: known findings that are accepted.
#ifndef FMHAC_DRIVER_SUPPRESSIONS_H
#define FMHAC_DRIVER_SUPPRESSIONS_H

#include <cjson/cJSON.h>

#include "files.h"
#include "report.h"

#define SUPPRESSIONS_HELP                                                      \
  "JSON array of objects with globs for check, instruction, "                  \
  "other_instruction, message, step, other_step, location, other_location: "   \
  "matching findings are accepted"

/// Reads and checks FILE: an array of objects, each with at least one of the
/// keys of SUPPRESSIONS_HELP, a string. NULL with `error` if it is anything
/// else; caller deletes.
cJSON *suppressions_read(const char *path, char error[ERROR_BYTES]);

/// Moves the findings that match one of `suppressions` (may be NULL) out of
/// `findings`; warns of suppressions that matched none. Caller deletes.
cJSON *suppressions_apply(const report *r, const cJSON *suppressions,
                          cJSON *findings);

#endif // FMHAC_DRIVER_SUPPRESSIONS_H
