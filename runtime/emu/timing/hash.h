// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A hash of a cache line's number.
#ifndef FMHAC_EMU_HASH_H
#define FMHAC_EMU_HASH_H

#include <stdint.h>

static inline uint32_t emu_hash(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du; // lowbias32, public domain (Wellons)
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

#endif // FMHAC_EMU_HASH_H
