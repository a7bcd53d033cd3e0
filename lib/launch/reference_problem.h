// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A launch on host memory as the oracle takes it.
#ifndef FMHAC_LIB_REFERENCE_PROBLEM_H
#define FMHAC_LIB_REFERENCE_PROBLEM_H

#include "fmhac_reference.h"
#include "reference.h"

/// Tensors of the caller, checked. `host` and `options` are as this library
/// knows them. Errors: as fmhac_reference(), with the text in the
/// configuration's context.
FMHAC_MUST_USE fmhac_status
fmhac_reference_problem(const fmhac_config *config, const fmhac_tensors *host,
                        const fmhac_reference_options *options, bool wants_lse,
                        attention *out_problem);

#endif // FMHAC_LIB_REFERENCE_PROBLEM_H
