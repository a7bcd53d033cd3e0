// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Encodings that hold a scalar where the instruction takes vector registers only, which
// LLVM prints without complaint, are refused before the start.

//| error(4, "kernel test_kernel: instructions that the emulator does not know",
//|       "v_mfma_f64_4x4x4_4b_f64", "v_mfma_i32_4x4x4_16b_i8", "v_swap_b32",
//|       "an operand that is no vector register")
.include "prologue.inc"
KERNEL
  .long 0xd3ef0000, 0x03f60902
  .long 0xd3d20000, 0x040224fd
  .long 0x7e00a2fd
END_KERNEL
