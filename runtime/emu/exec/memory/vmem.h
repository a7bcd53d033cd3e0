// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Addresses of the lanes of a vector memory instruction: buffer range rules,
/// flat apertures, scratch. Used by vmem.c, atomic.c and format.c.
#ifndef FMHAC_EMU_VMEM_H
#define FMHAC_EMU_VMEM_H

#include "access.h"
#include "lanes.h"

/// Format of a lane's data in memory and in registers.
typedef enum emu_format {
  EMU_FORMAT_1,
  EMU_FORMAT_2,
  EMU_FORMAT_3,
  EMU_FORMAT_4, ///< dwords
  EMU_FORMAT_U8,
  EMU_FORMAT_I8,
  EMU_FORMAT_U16,
  EMU_FORMAT_I16,
  EMU_FORMAT_D16,
  EMU_FORMAT_D16_HI, ///< 16 bits into one half
  EMU_FORMAT_U8_D16,
  EMU_FORMAT_U8_D16_HI, ///< 8 bits, extended, into one half
  EMU_FORMAT_I8_D16,
  EMU_FORMAT_I8_D16_HI,
} emu_format;

static inline uint32_t emu_format_bytes(emu_format f) {
  switch (f) {
  case EMU_FORMAT_1:
    return 4;
  case EMU_FORMAT_2:
    return 8;
  case EMU_FORMAT_3:
    return 12;
  case EMU_FORMAT_4:
    return 16;
  case EMU_FORMAT_U16:
  case EMU_FORMAT_I16:
  case EMU_FORMAT_D16:
  case EMU_FORMAT_D16_HI:
    return 2;
  default:
    return 1;
  }
}
static inline unsigned emu_format_regs(emu_format f) {
  return f <= EMU_FORMAT_4 ? (unsigned)f + 1 : 1;
}

/// Resolves a buffer instruction (src: vaddr, rsrc, soffset). CDNA4 ISA 9.1.5;
/// raw buffers (9.1.5.1, see ERRATA.md): out of range iff voffset + offset,
/// which wraps at 32 bits, + soffset, in 64 bits, plus the size exceeds
/// num_records, for each dword.
bool EMU_FN(buffer_lanes)(emu_wave *w, const isa_insn *in, uint32_t bytes,
                          emu_access_kind kind, emu_access *out);
/// Resolves flat, global and scratch instructions (src: vaddr, saddr).
bool EMU_FN(flat_lanes)(emu_wave *w, const isa_insn *in, uint32_t bytes,
                        emu_access_kind kind, emu_access *out);

/// Commits `p`, whose data rows are filled in, to vmcnt; a flat operation to
/// both counters.
void EMU_FN(vm_commit)(emu_wave *w, const isa_insn *in, emu_pending *p);

/// Commits an entry whose data, lane after lane and `bytes` each, goes to LDS:
/// that of lane i to M0 + offset + i × bytes, of three dwords to + i × 16.
void EMU_FN(commit_lds)(emu_wave *w, const isa_insn *in, emu_pending *p,
                        uint32_t bytes);

#endif // FMHAC_EMU_VMEM_H
