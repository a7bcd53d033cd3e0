// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the lanes of a vector memory instruction access: buffer range rules,
/// flat apertures, scratch. Used by exec/memory/vmem.c and exec/memory/atomic.c.
#ifndef FMHAC_EMU_VMEM_H
#define FMHAC_EMU_VMEM_H

#include "lanes.h"
#include "shadow.h"

/// How the data of a lane lies in memory and in registers.
typedef enum emu_format {
  EMU_M_1,
  EMU_M_2,
  EMU_M_3,
  EMU_M_4, ///< dwords
  EMU_M_U8,
  EMU_M_I8,
  EMU_M_U16,
  EMU_M_I16,
  EMU_M_D16,
  EMU_M_D16_HI, ///< 16 bits into one half
  EMU_M_U8_D16,
  EMU_M_U8_D16_HI, ///< 8 bits, extended, into one half
  EMU_M_I8_D16,
  EMU_M_I8_D16_HI,
} emu_format;

static inline uint32_t emu_format_bytes(emu_format f) {
  switch (f) {
  case EMU_M_1:
    return 4;
  case EMU_M_2:
    return 8;
  case EMU_M_3:
    return 12;
  case EMU_M_4:
    return 16;
  case EMU_M_U16:
  case EMU_M_I16:
  case EMU_M_D16:
  case EMU_M_D16_HI:
    return 2;
  default:
    return 1;
  }
}
static inline unsigned emu_format_regs(emu_format f) {
  return f <= EMU_M_4 ? (unsigned)f + 1 : 1;
}

/// Host pointers of the lanes; NULL where a lane must not access (inactive,
/// out of the buffer's range, or stray, which has then been reported).
typedef struct emu_access {
  uint8_t *host[EMU_LANES];
  /// Lanes that are resolved dword by dword, as some are out of range, lie in
  /// another buffer or in other elements of a swizzled one: dword k of lane i
  /// is accessible, at dword[i][k], iff bit k of part[i]; host is then not
  /// NULL, and no more is known of it.
  uint8_t part[EMU_LANES];
  uint8_t *dword[EMU_LANES][4];
  bool partial;
  uint64_t lanes; ///< with a host pointer
} emu_access;

/// Resolves a buffer instruction (src: vaddr, rsrc, soffset). CDNA4 ISA 9.1.5;
/// raw buffers (9.1.5.1, see ERRATA.md): out of range iff voffset + offset,
/// which wraps at 32 bits, + soffset, in 64 bits, plus the size exceeds
/// num_records, for each dword.
bool EMU_FN(buffer_lanes)(emu_wave *w, const emu_insn *in, uint32_t bytes,
                          emu_touch kind, emu_access *out);
/// Resolves flat, global and scratch instructions (src: vaddr, saddr).
bool EMU_FN(flat_lanes)(emu_wave *w, const emu_insn *in, uint32_t bytes,
                        emu_touch kind, emu_access *out);

/// Tells the race and init checkers of an access (observe.c); for when one of
/// them is on.
void emu_observe(emu_wave *w, const emu_insn *in, const emu_access *access,
                 uint32_t bytes, emu_touch kind);

/// Counts an operation of the right counters that returns `regs` registers at
/// in->dst[0] (data rows already in the returned entry when committed).
void EMU_FN(vm_commit)(emu_wave *w, const emu_insn *in, emu_pending *p);

/// Commits an entry whose data, lane after lane and `bytes` each, goes to LDS:
/// that of lane i to M0 + offset + i × bytes, of three dwords to + i × 16.
void EMU_FN(commit_lds)(emu_wave *w, const emu_insn *in, emu_pending *p,
                        uint32_t bytes);

#endif // FMHAC_EMU_VMEM_H
