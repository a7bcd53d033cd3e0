// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which keys of work and of parts of keys go together.
#ifndef FMHAC_LIB_WORK_H
#define FMHAC_LIB_WORK_H

#include "config.h"

/// Refuses what contradicts itself: chunks without a length, a length without
/// chunks. Errors: INVALID_INPUT with the text in the context. Asked for as
/// fmhac_check_operands() is.
FMHAC_MUST_USE fmhac_status fmhac_check_work(fmhac_context *context,
                                             const fmhac_config_values *values);

/// Why this build has no kernel for such work; NULL if it has.
const char *fmhac_work_refusal(const fmhac_config_values *values);

/// Whether the code object has kernels for the grid and kernels for lists, of
/// which a plan takes one. Parts of keys are always listed.
bool fmhac_config_has_both_forms(const fmhac_config_values *values);

#endif // FMHAC_LIB_WORK_H
