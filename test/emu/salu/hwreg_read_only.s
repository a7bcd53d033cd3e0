// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Writing a register that programs may only read ends the launch by name.
// Source: CDNA4 ISA 3.12 (HW_ID is read-only).
//| error(4, "writes hardware register 4", "s_setreg_imm32_b32 hwreg(HW_REG_HW_ID)")
.include "prologue.inc"
KERNEL
  s_setreg_imm32_b32 hwreg(HW_REG_HW_ID), 0
END_KERNEL
