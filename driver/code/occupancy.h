// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How many workgroups of a kernel a compute unit of gfx950 holds at a time.
#ifndef FMHAC_DRIVER_OCCUPANCY_H
#define FMHAC_DRIVER_OCCUPANCY_H

#include "code_object.h"

/// How many fit on a compute unit of gfx950.
typedef struct occupancy {
  uint32_t waves_per_simd;    ///< resident, all limits taken together
  uint32_t workgroups_per_cu; ///< resident
  const char *limit;          ///< "registers", "lds" or "waves"
  /// Workgroups by each limit alone; LDS: 0 if the kernel has none.
  uint32_t by_registers, by_lds, by_waves;
  uint32_t waves; ///< of a workgroup
} occupancy;

/// `threads` work-items a workgroup.
occupancy occupancy_of(const code_kernel *kernel, uint32_t threads);

#endif // FMHAC_DRIVER_OCCUPANCY_H
