// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Waves that wait by going round a loop. A wave spins if it comes back to an
/// instruction with the same registers, the same private memory and the same
/// outstanding operations, and has changed neither other memory nor LDS since:
/// it will go round for ever, unless another wave changes what it reads. A loop
/// that counts, or that adds up what it reads, comes back with other registers
/// and does not spin.
#ifndef FMHAC_EMU_SPIN_H
#define FMHAC_EMU_SPIN_H

#include "access.h"

enum {
  EMU_SPIN_READS = 4,      ///< of a loop that are kept for reports
  EMU_SPIN_FIRST_LOOK = 64 ///< backward jumps; each failure doubles them
};

/// What a wave reads in its loop.
typedef struct emu_spin_read {
  const isa_insn *insn;
  const emu_segment *segment; ///< NULL: LDS
  uint64_t offset;            ///< from the beginning of the segment or of LDS
  const uint8_t *host;
  uint64_t value; ///< of the first active lane, up to 8 bytes
  uint32_t bytes;
  bool updates; ///< by an atomic
} emu_spin_read;

/// What is known of a wave's loop.
typedef struct emu_spin {
  const isa_insn *ip; ///< where it was looked at
  bool changed;       ///< the wave changed memory or LDS since
  bool barrier;       ///< it was at a barrier since
  bool wide;          ///< it read more than `reads` says
  uint32_t jumps;     ///< backward ones to other places since
  uint64_t at;        ///< emu_wave.executed when it was last there
  uint64_t period;    ///< instructions of the loop
  uint32_t read_count;
  emu_spin_read reads[EMU_SPIN_READS];
  // The state of the wave. Vector registers and private memory are hashes:
  // workgroups that wait are many, and a chance of 2^-64 is none.
  uint64_t v, stacks;
  uint32_t s[ISA_SGPRS + 16];
  uint32_t scc, mode, trapsts;
  uint8_t csp;
  bool gpr_idx, vskip;
  uint32_t vm_count, lgkm_count;
  uint64_t serials[2 * EMU_QUEUE];
} emu_spin;

/// The wave has jumped backward for the emu_wave.look_at th time.
void emu_spin_look(emu_wave *wave);
/// The wave is at the start of a workgroup.
void emu_spin_start(emu_wave *wave);
/// The wave does something else than its loop.
void emu_spin_end(emu_wave *wave);

/// What a wave that is watched does; `at` is the host address of the first lane
/// that reads.
void emu_spin_note_read(emu_wave *wave, const isa_insn *insn, const uint8_t *at,
                        uint32_t bytes, bool updates);
/// Whether a host address is private memory of the wave.
static inline bool emu_spin_is_private(const emu_wave *w, const uint8_t *at) {
  return w->scratch_mem && at >= w->scratch_mem &&
         at < w->scratch_mem + (size_t)w->scratch_bytes * EMU_LANES;
}
/// It reads more than one place at a time.
static inline void emu_spin_note_wide(emu_wave *w) { w->spin->wide = true; }
/// Whether a workgroup that waits may find something else than before.
bool emu_spin_may_end(const emu_workgroup *wg);
static inline void emu_spin_note_change(emu_wave *w) {
  if (w->watched)
    w->spin->changed = true;
}

#endif // FMHAC_EMU_SPIN_H
