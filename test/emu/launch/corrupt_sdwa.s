// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// SDWA with a selector 7 (selectors are 0..6): LLVM 22's disassembler dies of it.
// Refused by encoding and pc before anything runs; the process lives.

//| error(4, "0x245002f9")
.include "prologue.inc"
KERNEL
  .long 0x245002f9, 0x00070642
END_KERNEL
