// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// With the IEEE bit set, omod is ignored.
// Source: LLVM SIFoldOperands.cpp ("omod is ignored by hardware if IEEE bit is enabled");
// CDNA3 ISA "VOP3: output modifiers".

//| inputs(a=random_f32(64, 23, -3, 3), b=random_f32(64, 24, -3, 3))
.set IEEE, 1
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_add_f32_e64 v10, v1, v2 mul:2
  OUTPUT v10   // == add32(a, b)
  v_mul_f32_e64 v10, v1, v2 div:2
  OUTPUT v10   // == mul32(a, b)
END_KERNEL
