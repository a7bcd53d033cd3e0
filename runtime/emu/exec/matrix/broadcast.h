// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// cbsz, abid and blgp of the matrix instructions that CDNA1 introduced: other
/// lanes of A and B stand in. "CDNA4 ISA" 7.1.6. (AMD's matrix instruction
/// calculator has another rule for cbsz that leaves several groups of blocks:
/// the document of the processor decides.)
#ifndef FMHAC_EMU_BROADCAST_H
#define FMHAC_EMU_BROADCAST_H

#include "lanes.h"

enum { EMU_BROADCAST_REGS = 2 }; ///< of A or B in these shapes

/// A and B as the modifiers rearrange them.
typedef struct emu_broadcast {
  uint32_t a[EMU_BROADCAST_REGS][EMU_LANES];
  uint32_t b[EMU_BROADCAST_REGS][EMU_LANES];
} emu_broadcast;

// Lane of B whose value stands in for lane l.
static inline int emu_blgp_lane(uint32_t blgp, int l) {
  switch (blgp) {
  case 0:
    return l;
  case 1:
  case 2: // one half for both
    return l % 32 + 32 * (int)(blgp - 1);
  case 3: // rotated by 16
    return (l + 16) % EMU_LANES;
  default: // one row of 16 for all
    return l % 16 + 16 * (int)(blgp - 4);
  }
}

/// Rearranges A (cbsz: lane l reads lane l % S + S × abid, S = 64 / 2^cbsz) and
/// B (blgp). Faults where the instruction has no such modifier
/// (`has_blgp`; one block takes no cbsz) or the number is out of range.
static inline bool emu_broadcast_operands(emu_wave *w, const isa_insn *in,
                                          int blocks, bool has_blgp,
                                          emu_broadcast *out) {
  uint32_t cbsz = in->imm & 7, abid = in->imm >> 4 & 15,
           blgp = in->imm >> 8 & 7;
  if ((cbsz || abid) && (1 << cbsz > blocks || abid >= 1u << cbsz)) {
    emu_fault(w, in,
              "cbsz %u, abid %u: the instruction has %d block(s), so "
              "2^cbsz may be at most %d and abid below 2^cbsz",
              cbsz, abid, blocks, blocks);
    return false;
  }
  if (blgp && !has_blgp) {
    emu_fault(w, in, "blgp %u is not known for this instruction", blgp);
    return false;
  }
  for (int r = 0; r < in->src[0].regs; r++)
    for (int l = 0; l < EMU_LANES; l++) {
      int size = EMU_LANES >> cbsz; // abid is 0 where cbsz is
      out->a[r][l] = w->v[in->src[0].index + r][l % size + size * (int)abid];
      out->b[r][l] = w->v[in->src[1].index + r][emu_blgp_lane(blgp, l)];
    }
  return true;
}

#endif // FMHAC_EMU_BROADCAST_H
