// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_rndne_f32 and v_rndne_f64 round to nearest even in every rounding mode.
// Source: CDNA4 ISA 12.8, V_RNDNE_F32, V_RNDNE_F64 (formulas without ROUND_MODE).

//| inputs(a=[(i - 32) / 2.0 for i in range(32)] + random_f32(32, 31, -2, 25))
//| def whole(bits): return float(round(Fraction(f32(bits))))
//| def sign(bits, value): return b32(math.copysign(value, f32(bits)))
.include "prologue.inc"
.macro EACH mode
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), \mode
  v_rndne_f32_e32 v10, v1
  v_rndne_f64_e32 v[12:13], v[2:3]
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
  v_cvt_f32_f64_e32 v11, v[12:13]
.endm
KERNEL
  INPUT v1, 0
  LOADED
  v_cvt_f64_f32_e32 v[2:3], v1
  EACH 5
  OUTPUT v10   // == sign(a, whole(a))
  OUTPUT v11   // == sign(a, whole(a))
  EACH 10
  OUTPUT v10   // == sign(a, whole(a))
  OUTPUT v11   // == sign(a, whole(a))
  EACH 15
  OUTPUT v10   // == sign(a, whole(a))
  OUTPUT v11   // == sign(a, whole(a))
  EACH 0
  OUTPUT v10   // == sign(a, whole(a))
  OUTPUT v11   // == sign(a, whole(a))
END_KERNEL
