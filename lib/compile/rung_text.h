// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A compilation that goes on from the text of a rung, which somebody may have
/// edited, instead of from the configuration alone.
#ifndef FMHAC_LIB_RUNG_TEXT_H
#define FMHAC_LIB_RUNG_TEXT_H

#include "entry.h"
#include "order.h"
#include "session.h"

/// Facts about the kernels in the text, from the configuration.
typedef struct fmhac_rung_expectation {
  const char *kernels[FMHAC_MOST_ENTRIES]; ///< their symbols, in order
  size_t count;
  MlirAttribute problems[FMHAC_MOST_ENTRIES]; ///< #fmha.problem of each
} fmhac_rung_expectation;

/// Parses a rung of MLIR. The text holds the kernels that are expected, or they
/// would be launched as others. `out_schedules` are the schedules that the text
/// has, null at rungs that have none. The caller destroys the module.
/// Errors: INVALID_INPUT, at a line of the text.
FMHAC_MUST_USE fmhac_status fmhac_rung_text_parse(
    struct fmhac_session *session, const fmhac_rung_text *text,
    const fmhac_rung_expectation *expected, MlirModule *out_module,
    MlirAttribute out_schedules[FMHAC_MOST_ENTRIES]);

#endif // FMHAC_LIB_RUNG_TEXT_H
