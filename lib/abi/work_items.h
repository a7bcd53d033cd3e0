// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How large a launch may be on a GPU, for plans and for the hip device alike.
#ifndef FMHAC_WORK_ITEMS_H
#define FMHAC_WORK_ITEMS_H

#include <stdint.h>

/// Work-items of all dimensions of a launch together. That more run right has
/// not been seen on hardware: ROCm/rocm-systems issue 2372 (open) reports wrong
/// execution. AMD's answer in ROCm/HIP issue 2253 is that each dimension alone
/// has this bound.
#define FMHAC_MOST_WORK_ITEMS (UINT64_C(1) << 32)

#endif // FMHAC_WORK_ITEMS_H
