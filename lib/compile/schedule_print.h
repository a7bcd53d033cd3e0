// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Schedules as files that a person reads.
#ifndef FMHAC_LIB_SCHEDULE_PRINT_H
#define FMHAC_LIB_SCHEDULE_PRINT_H

#include "fmha_passes_c.h"
#include "str.h"

/// Appends the text of a file: the recipe under the name `recipe` if the
/// schedule has one, and the schedule under `name`.
void fmhac_schedule_print(MlirAttribute schedule, MlirStringRef name,
                          MlirStringRef recipe, fmhac_str *out);

#endif // FMHAC_LIB_SCHEDULE_PRINT_H
