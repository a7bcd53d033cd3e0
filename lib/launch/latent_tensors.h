// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// V of a launch that has none: columns of K.
#ifndef FMHAC_LIB_LATENT_TENSORS_H
#define FMHAC_LIB_LATENT_TENSORS_H

#include "config.h"
#include "fmhac.h"

/// With v_in_k gives V what K has: address, strides and factors. `doing`
/// begins the text of errors: INVALID_INPUT (V is given).
FMHAC_MUST_USE fmhac_status
fmhac_tensors_settle(fmhac_context *context, const fmhac_config_values *values,
                     const char *doing, fmhac_tensors *tensors);

#endif // FMHAC_LIB_LATENT_TENSORS_H
