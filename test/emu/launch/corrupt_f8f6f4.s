// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// An f8f6f4 matrix instruction with A not in registers (bit 8 of its operand is
// clear): LLVM 22's disassembler dies of it. Refused by encoding and pc before
// anything runs; the process lives.

//| error(4, "0xd3ad0000")
.include "prologue.inc"
KERNEL
  .long 0xd3ad0000, 0x00000000
END_KERNEL
