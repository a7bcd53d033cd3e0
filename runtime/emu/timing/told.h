// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the model is told of launches, as it does not follow from the first
/// workgroups (fmhac_timing.h).
#ifndef FMHAC_EMU_TIMING_TOLD_H
#define FMHAC_EMU_TIMING_TOLD_H

#include <stdint.h>

typedef struct emu_time_told {
  double stands_for; ///< workgroups, for a timed one; 0: the grid's
  uint64_t busy;     ///< workgroups that have something to do; 0: all
  uint64_t meeting;  ///< at a counter at once; 0: all that begin together
  double clock_ghz;  ///< of the part; 0: the model's
  uint64_t recent;   ///< an address in a buffer that was just written; 0: none
} emu_time_told;

#endif // FMHAC_EMU_TIMING_TOLD_H
