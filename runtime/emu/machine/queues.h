// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Outstanding operations of a wave, as vmcnt and lgkmcnt count them, and their
/// completion.
#ifndef FMHAC_EMU_QUEUES_H
#define FMHAC_EMU_QUEUES_H

#include "wave.h"

/// Whether operations of this kind complete in the order of their issue. Scalar
/// stores do not, though their kind is EMU_PENDING_NONE.
static inline bool emu_is_ordered(const emu_pending *p) {
  return p->kind != EMU_PENDING_SGPR && !p->flat && p->insn->family != ISA_SMEM;
}

/// A fresh entry for an operation that vmcnt / lgkmcnt counts, with the fields
/// insn, exec and serial set. Call emu_commit_*() when it is filled in.
emu_pending *emu_begin_vm(emu_wave *wave, const isa_insn *insn);
emu_pending *emu_begin_lgkm(emu_wave *wave, const isa_insn *insn);
void emu_commit_vm(emu_wave *wave, emu_pending *entry);
void emu_commit_lgkm(emu_wave *wave, emu_pending *entry);
/// s_waitcnt: completes and retires the operations that the counts cover.
void emu_wait(emu_wave *wave, uint32_t vm, uint32_t lgkm);
/// Completes the operations that are due. Call it when `executed` has reached
/// `next_due`.
void emu_complete_due(emu_wave *wave);
/// Random completion: completes an outstanding operation now and then.
void emu_complete_some(emu_wave *wave);
/// Adds M0 to the register numbers in `insn`, a copy; `modes` is emu_gpr_idx().
void emu_index_registers(const emu_wave *wave, unsigned modes, isa_insn *insn);
/// The wave ended: completes and retires all operations.
void emu_drain(emu_wave *wave);

#endif // FMHAC_EMU_QUEUES_H
