// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether this build compiles a configuration, and with which schedule: the
/// rows of support.def, from which fmhac_query() answers, for use inside the
/// library.
#ifndef FMHAC_LIB_QUERY_H
#define FMHAC_LIB_QUERY_H

#include "config.h"
#include "str.h"

/// Fills `out_support`; see fmhac_query(). Errors: INVALID_INPUT (no built-in
/// schedule of that name), OUT_OF_MEMORY, with the text in the context. An
/// unsupported configuration is an answer, not an error.
FMHAC_MUST_USE fmhac_status
fmhac_query_values(fmhac_context *context, const fmhac_config_values *values,
                   fmhac_support *out_support);

/// As fmhac_query_values(), for callers about to compile: an unsupported
/// configuration becomes UNSUPPORTED with field, reason and nearest in the
/// text.
FMHAC_MUST_USE fmhac_status
fmhac_query_require(fmhac_context *context, const fmhac_config_values *values,
                    fmhac_support *out_support);

/// The options of the pass select-schedule for a configuration that is
/// supported: "schedule=NAME", or "candidates=NAME,NAME lengths=any" where it
/// is to choose. Nothing where the schedule is a file.
void fmhac_query_selection(const fmhac_config_values *values, fmhac_str *out);

/// The next schedule if that of `support` leaves too few registers for a
/// function of the user: the usual one, if a table chose and not the user.
/// NULL: no next one. A constant.
const char *fmhac_query_next(const fmhac_config *config,
                             const fmhac_support *support);

#endif // FMHAC_LIB_QUERY_H
