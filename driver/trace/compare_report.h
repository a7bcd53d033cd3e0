// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Two runs side by side, as a table and as JSON.
#ifndef FMHAC_DRIVER_COMPARE_REPORT_H
#define FMHAC_DRIVER_COMPARE_REPORT_H

#include "trace_side.h"

/// On stdout.
void compare_print(const trace_side *a, const trace_side *b);
/// {"a": …, "b": …, "difference": …}.
cJSON *compare_json(const trace_side *a, const trace_side *b);

/// The name of the `i`th range of both: what one of them gives, or "range N".
const char *compare_range_name(const trace_side *a, const trace_side *b,
                               size_t i, char out[TRACE_RANGE_NAME_BYTES]);

#endif // FMHAC_DRIVER_COMPARE_REPORT_H
