// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The value of the key `schedule`: a schedule, or several for one code object,
/// each with the sizes of problems that it is for:
///
///   "generic if Sk <= 256; mine.mlir if B * Hq <= 8; auto"
///
/// A plan takes the first whose condition holds. Conditions are those of
/// launch_expr.h. The last has none, or problems that nothing takes are
/// refused. `auto` can only be the last: there the tables choose.
#ifndef FMHAC_LIB_SCHEDULE_LIST_H
#define FMHAC_LIB_SCHEDULE_LIST_H

#include "config.h"
#include "launch_expr.h"
#include "str.h"

/// Reads a value. False: it is malformed; appends "expected …, found …".
bool fmhac_schedule_list_read(const char *value, fmhac_schedule_list *out,
                              fmhac_str *error);

/// The same with the text in the context. Errors: INVALID_INPUT.
FMHAC_MUST_USE fmhac_status fmhac_schedule_list_get(fmhac_context *context,
                                                    const char *value,
                                                    fmhac_schedule_list *out);

/// Appends an item to the text of a list.
void fmhac_schedule_list_append(const char *name, const char *when,
                                fmhac_str *list);

#endif // FMHAC_LIB_SCHEDULE_LIST_H
