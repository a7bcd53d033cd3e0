// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Misaligned accesses (checker mem). alignment.def has the required
/// alignments. A misaligned access is done byte by byte all the same.
#ifndef FMHAC_EMU_ALIGNMENT_H
#define FMHAC_EMU_ALIGNMENT_H

#include "access.h"

/// Kinds of access, by the alignment that they require.
typedef enum emu_alignment {
#define EMU_ALIGNMENT(kind, hardware, natural, consequence, source)            \
  EMU_ALIGN_##kind,
#include "alignment.def"
#undef EMU_ALIGNMENT
} emu_alignment;

/// The required alignment of an access of `size` bytes in this launch, in
/// bytes: a power of two.
static inline uint32_t
emu_required_alignment(const emu_launch *l, emu_alignment kind, uint32_t size) {
#define LOW(size) ((size) & (0 - (size)))
#define UP(size) ((size) == 12 ? 16 : (size))
  if (!l->check_mem)
    return 1;
  switch (kind) {
#define EMU_ALIGNMENT(kind, hardware, natural, consequence, source)            \
  case EMU_ALIGN_##kind:                                                       \
    return l->natural_alignment ? (natural) : (hardware);
#include "alignment.def"
#undef EMU_ALIGNMENT
  }
  return 1;
#undef LOW
#undef UP
}

/// Reports a misaligned access; `lane` -1: a scalar access. `address` is in
/// memory, in LDS or in private memory, as `kind` says.
void emu_misaligned(emu_wave *wave, const isa_insn *insn, emu_alignment kind,
                    int lane, uint64_t address, uint32_t size,
                    const char *verb);

/// Checks LDS accesses of the lanes of a wave.
static inline void emu_check_lds_alignment(emu_wave *w, const isa_insn *in,
                                           emu_alignment kind,
                                           const uint32_t *at, uint64_t exec,
                                           uint32_t size, const char *verb) {
  const uint32_t low = emu_required_alignment(w->wg->launch, kind, size) - 1;
  if (!low)
    return;
  uint32_t any = 0;
  EMU_LANE_LOOP any |= at[i]; // inactive lanes are excluded below
  if (!(any & low))
    return;
  for (int i = 0; i < EMU_LANES; i++)
    if ((exec >> i & 1) && at[i] & low)
      emu_misaligned(w, in, kind, i, at[i], size, verb);
}

/// Checks accesses to memory of `lanes`, each at base + offset[lane].
void emu_check_memory_alignment(emu_wave *wave, const isa_insn *insn,
                                uint64_t base, const uint64_t *offset,
                                uint64_t lanes, uint32_t size,
                                emu_access_kind kind);
/// True if emu_check_memory_alignment() could find something.
static inline bool emu_memory_alignment_matters(const emu_wave *w,
                                                emu_access_kind kind) {
  const emu_launch *l = w->wg->launch;
  return kind == EMU_ACCESS_ATOMIC || l->natural_alignment;
}

#endif // FMHAC_EMU_ALIGNMENT_H
