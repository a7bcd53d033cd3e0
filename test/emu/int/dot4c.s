// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_dot4c_i32_i8 adds to its destination the products of four signed bytes; the sum wraps.
// Source: CDNA4 ISA pseudocode V_DOT4C_I32_I8; LLVM selects it for such sums of a C kernel.

//| a, b = pairs_u32(64, 91)
//| inputs(a=a, b=b, c=random_u32(64, 92))
//| def dot(x, y): return sum(sext(x >> k & 255, 8) * sext(y >> k & 255, 8) for k in (0, 8, 16, 24))
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_dot4c_i32_i8_e32 v3, v1, v2
  OUTPUT v3   // == (c + dot(a, b)) & U32
END_KERNEL
