// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Accesses outside the buffers and outside the LDS of a workgroup (checker
/// mem).
#ifndef FMHAC_EMU_BOUNDS_H
#define FMHAC_EMU_BOUNDS_H

#include "wave.h"

/// Reports an access outside all buffers.
void emu_report_out_of_bounds(emu_wave *wave, const isa_insn *insn, int lane,
                              const char *verb, uint64_t address,
                              uint32_t bytes);
/// Reports an LDS access outside the workgroup's allocation.
void emu_report_out_of_bounds_lds(emu_wave *wave, const isa_insn *insn,
                                  int lane, const char *verb, uint64_t address,
                                  uint32_t bytes);

#endif // FMHAC_EMU_BOUNDS_H
