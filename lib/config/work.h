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

/// Whether the code object has kernels for lists. Where the plan chooses, these
/// are for sequences that have lengths of their own, and for parts of keys,
/// which are always listed.
bool fmhac_config_takes_lists(const fmhac_config_values *values);

/// Whether it has others for the grid beside them, so that a plan takes one.
bool fmhac_config_has_both_forms(const fmhac_config_values *values);

#endif // FMHAC_LIB_WORK_H
