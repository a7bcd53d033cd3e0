// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Operations on 16-bit integers for the scalar and the packed forms. Integer
/// clamp saturates (CDNA4 ISA 6.5); it needs the exact result.
#ifndef FMHAC_EMU_INTOP_H
#define FMHAC_EMU_INTOP_H

#include <stdbool.h>
#include <stdint.h>

#include "lanes.h"

static inline uint32_t emu_zx16(uint32_t x) { return x & 0xffffu; }
static inline int32_t emu_sx16(uint32_t x) { return (int16_t)(uint16_t)x; }

/// The low 16 bits of an unsigned or signed result; with clamp the nearest
/// number.
static inline uint32_t emu_sat16_u(int32_t x, bool clamp) {
  return clamp ? (uint32_t)(x < 0       ? 0
                            : x > 65535 ? 65535
                                        : x)
               : emu_zx16((uint32_t)x);
}
static inline uint32_t emu_sat16_s(int32_t x, bool clamp) {
  return emu_zx16((uint32_t)(clamp ? (x < -32768  ? -32768
                                      : x > 32767 ? 32767
                                                  : x)
                                   : x));
}
/// The same for a × b + c, which may not fit into 32 bits.
static inline uint32_t emu_mad16(int64_t a, int64_t b, int64_t c, int64_t least,
                                 int64_t most, bool clamp) {
  int64_t x = a * b + c;
  return emu_zx16((uint32_t)(!clamp      ? x
                             : x < least ? least
                             : x > most  ? most
                                         : x));
}

#endif // FMHAC_EMU_INTOP_H
