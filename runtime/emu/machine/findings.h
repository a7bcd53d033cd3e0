// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Findings of the checkers, and the fault that stops a wave.
#ifndef FMHAC_EMU_FINDINGS_H
#define FMHAC_EMU_FINDINGS_H

#include "operand_text.h"
#include "wave.h"

/// Rules of the checker mem, beside its bit: an instruction may break several
/// rules, and each is a finding of its own.
enum {
  EMU_MEM_OUTSIDE = 0,
  EMU_MEM_ALIGNMENT = 1 << 16,
  EMU_MEM_DESCRIPTOR = 2 << 16,
  EMU_MEM_CARRY = 3 << 16,
  EMU_MEM_WRAP = 4 << 16,
  EMU_CHECK_BITS = 0xffff,
};

/// Stops the wave: the launch fails with this text, to which the kernel,
/// workgroup, wave, pc and instruction are added.
void emu_fault(emu_wave *wave, const isa_insn *insn, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Byte offset from the kernel's entry; functions may lie before it. Writes and
/// returns `text`.
const char *emu_pc_text(const emu_launch *launch, const isa_insn *insn,
                        char text[ISA_PC_TEXT_BYTES]);

/// Name of a checker's bit.
const char *emu_check_name(uint32_t check);

/// Adds a finding, folding repetitions (same check and instructions).
void emu_report(emu_wave *wave, uint32_t check, const isa_insn *insn,
                const isa_insn *other, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/// Adds a finding of the launch as a whole, without an instruction.
void emu_report_launch(const emu_launch *launch, emu_findings *findings,
                       uint32_t check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// True if this finding exists already; its count is then raised.
bool emu_report_again(emu_wave *wave, uint32_t check, const isa_insn *insn,
                      const isa_insn *other);
/// Moves `from` into `to`. Of equal findings it keeps the one of the lowest
/// workgroup, so that the result does not depend on threads.
void emu_findings_merge(emu_findings *to, emu_findings *from);
void emu_findings_sort(emu_findings *findings);

#endif // FMHAC_EMU_FINDINGS_H
