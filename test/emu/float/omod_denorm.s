// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// omod is ignored where denormal results are enabled; the two modes of f32 and of f16 with
// f64 are apart.
// Source: CDNA4 ISA 6.2.2 ("if output denormals are enabled, then output modifiers are
// ignored"); LLVM SIFoldOperands.cpp says the same of f32, and of f16 and f64.

//| inputs(a=random_f32(64, 25, -3, 3), b=random_f32(64, 26, -3, 3))
//| def f16_sum(a, b): return encode(Fraction(f16(a & 0x3fff)) + Fraction(f16(b & 0x3fff)), "f16")
//| def f64_sum(by): return lambda a, b: b64((f32(a) + f32(b)) * by)
.set IEEE, 0
.set DENORM32, 3
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_and_b32_e32 v3, 0x3fff, v1
  v_and_b32_e32 v4, 0x3fff, v2
  v_cvt_f64_f32_e32 v[6:7], v1
  v_cvt_f64_f32_e32 v[8:9], v2
  v_add_f32_e64 v10, v1, v2 mul:2
  OUTPUT v10   // == fadd(f32(a), f32(b))
  v_mul_f32_e64 v10, v1, v2 div:2
  OUTPUT v10   // == fmul(f32(a), f32(b))
  v_add_f16_e64 v10, v3, v4 mul:4
  v_and_b32_e32 v10, 0xffff, v10
  OUTPUT v10   // == f16_sum(a, b)
  v_add_f64 v[10:11], v[6:7], v[8:9] mul:2
  OUTPUT v10   // == f64_sum(1)(a, b) & 0xffffffff
  OUTPUT v11   // == f64_sum(1)(a, b) >> 32
  // flushed: now f32 keeps ignoring it, f16 and f64 obey
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 6, 2), 0
  v_add_f32_e64 v10, v1, v2 mul:2
  OUTPUT v10   // == fadd(f32(a), f32(b))
  v_add_f64 v[10:11], v[6:7], v[8:9] mul:2
  OUTPUT v10   // == f64_sum(2)(a, b) & 0xffffffff
  OUTPUT v11   // == f64_sum(2)(a, b) >> 32
  // a zero becomes +0, and so does what would be denormal
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
  v_mov_b32_e32 v12, 0x80000000
  v_mov_b32_e32 v13, 0x80800000
  v_add_f32_e64 v10, v12, v12 mul:2
  OUTPUT v10   // == 0
  v_max_f32_e64 v10, v13, v13 div:2
  OUTPUT v10   // == 0
END_KERNEL
