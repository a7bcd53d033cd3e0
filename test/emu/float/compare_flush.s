// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Compares see denormals as zeros where MODE flushes operands: f32 by its own bits, f16 and f64
// by theirs. v_cmp_class sees them as they are.
// Source: CDNA4 ISA 12 ("Rounding and Denormal modes apply to all floating-point operations
// unless otherwise specified"), 6.4; pseudocode V_CMP_CLASS_F64 (bits of the operand).

//| inputs(d=[x & 0x8000ffff | 1 for x in random_u32(64, 39)])
.set DENORM16_64, 0
.include "prologue.inc"
.macro TRUTH op:vararg
  \op
  v_cndmask_b32_e64 v10, 0, 1, vcc
.endm
KERNEL
  INPUT v1, 0
  LOADED
  v_mov_b32_e32 v2, 1                // v[2:3]: a denormal f64
  v_mov_b32_e32 v3, v1
  TRUTH v_cmp_eq_f32_e32 vcc, 0, v1
  OUTPUT v10   // == 1
  TRUTH v_cmp_eq_f64_e32 vcc, 0, v[2:3]
  OUTPUT v10   // == 1
  TRUTH v_cmp_lt_f64_e64 vcc, 0, |v[2:3]|
  OUTPUT v10   // == 0
  v_and_b32_e32 v4, 0x3ff, v1
  TRUTH v_cmp_eq_f16_e32 vcc, 0, v4
  OUTPUT v10   // == 1
  v_mov_b32_e32 v5, 0x90             // classes 4 and 7: denormal
  TRUTH v_cmp_class_f64_e32 vcc, v[2:3], v5
  OUTPUT v10   // == 1
  TRUTH v_cmp_class_f32_e32 vcc, v1, v5
  OUTPUT v10   // == 1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15
  TRUTH v_cmp_eq_f64_e32 vcc, 0, v[2:3]
  OUTPUT v10   // == 0
  TRUTH v_cmp_eq_f32_e32 vcc, 0, v1
  OUTPUT v10   // == 0
END_KERNEL
