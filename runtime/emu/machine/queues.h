// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Outstanding operations of a wave, as vmcnt and lgkmcnt count them, and when
/// their data arrives.
#ifndef FMHAC_EMU_QUEUES_H
#define FMHAC_EMU_QUEUES_H

#include "wave.h"

/// Whether operations of its kind complete in the order of their issue. Scalar
/// stores have no kind, and no order either.
static inline bool emu_is_ordered(const emu_pending *p) {
  return p->kind != EMU_PENDING_SGPR && !p->flat && p->insn->family != ISA_SMEM;
}

/// A fresh entry for an operation counted by vmcnt / lgkmcnt; the fields
/// insn, exec and serial are set. Call emu_commit_*() when filled.
emu_pending *emu_begin_vm(emu_wave *wave, const isa_insn *insn);
emu_pending *emu_begin_lgkm(emu_wave *wave, const isa_insn *insn);
void emu_commit_vm(emu_wave *wave, emu_pending *entry);
void emu_commit_lgkm(emu_wave *wave, emu_pending *entry);
/// s_waitcnt: retires what the counts certify and lands its data.
void emu_wait(emu_wave *wave, uint32_t vm, uint32_t lgkm);
/// Lands what is due; for when `executed` has reached `next_due`.
void emu_complete_due(emu_wave *wave);
/// Random landing: gives outstanding data a chance to arrive.
void emu_complete_some(emu_wave *wave);
/// The operands of `insn`, a copy, with the register numbers that M0 is added
/// to; `modes` is emu_gpr_idx().
void emu_index_registers(const emu_wave *wave, unsigned modes, isa_insn *insn);
/// Drops the wave's queues (it ended): everything lands.
void emu_drain(emu_wave *wave);

#endif // FMHAC_EMU_QUEUES_H
