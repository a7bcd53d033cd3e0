// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The wait checker: registers and LDS that are used before the outstanding
/// operation on them has completed.
#ifndef FMHAC_EMU_WAIT_H
#define FMHAC_EMU_WAIT_H

#include "wave.h"

/// Checks the registers of `insn`, which is about to execute.
void emu_check_pending(emu_wave *wave, const isa_insn *insn);
/// Checks an LDS access against the outstanding direct-to-LDS loads of the same
/// wave.
void emu_check_dma_overlap(emu_wave *wave, const isa_insn *insn,
                           const uint32_t *address, uint32_t bytes,
                           uint64_t exec, const char *verb);

#endif // FMHAC_EMU_WAIT_H
