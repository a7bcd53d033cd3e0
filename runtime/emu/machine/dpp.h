// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Source lanes of DPP.
#ifndef FMHAC_EMU_DPP_H
#define FMHAC_EMU_DPP_H

#include "wave.h"

/// Source lane of a DPP control for lane i, or -1. CDNA3 ISA 12.16.2, DPP_CTRL;
/// row_newbcast (0x150..0x15f) is gfx90a and later.
static inline int emu_dpp_source(unsigned ctrl, int i) {
  int row = i & ~15, n = (int)(ctrl & 15);
  if (ctrl <= 0xff)
    return (i & ~3) | (int)(ctrl >> 2 * (i & 3) & 3);
  switch (ctrl >> 4) {
  case 0x10: // row_shl: from the lane n above
    return (i & 15) + n < 16 ? i + n : -1;
  case 0x11: // row_shr
    return (i & 15) >= n ? i - n : -1;
  case 0x12: // row_ror
    return row | ((i - n) & 15);
  case 0x15:
    return row | n;
  default:
    break;
  }
  switch (ctrl) {
  case 0x130: // wave_shl:1
    return i < 63 ? i + 1 : -1;
  case 0x134: // wave_rol:1
    return (i + 1) & 63;
  case 0x138: // wave_shr:1
    return i - 1;
  case 0x13c: // wave_ror:1
    return (i - 1) & 63;
  case 0x140: // row_mirror
    return row | (15 - (i & 15));
  case 0x141: // row_half_mirror
    return (i & ~7) | (7 - (i & 7));
  case 0x142: // row_bcast:15: lane 15 of each row to the next row
    return i >= 16 ? row - 1 : -1;
  case 0x143: // row_bcast:31: lane 31 to rows 2 and 3
    return i >= 32 ? 31 : -1;
  default:
    return -1;
  }
}

/// Whether the bank mask and the row mask allow writing lane i.
static inline bool emu_dpp_enabled(const isa_insn *in, int i) {
  return (in->bank_row_mask >> (4 + i / 16) & 1) &&
         (in->bank_row_mask >> (i % 16 / 4) & 1);
}

#endif // FMHAC_EMU_DPP_H
