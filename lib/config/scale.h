// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The factor of the scores.
#ifndef FMHAC_LIB_SCALE_H
#define FMHAC_LIB_SCALE_H

#include <stdint.h>

/// The scale of a kernel: `scale`, or 1/sqrt(Dqk) if that is 0 or -0, whatever
/// the caller's rounding mode.
float fmhac_scale_of(float scale, uint32_t head_dim_qk);

#endif // FMHAC_LIB_SCALE_H
