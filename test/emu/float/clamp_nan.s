// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// clamp of a NaN with DX10_CLAMP 0 leaves the NaN, in v_fma_mixlo_f16 and v_fma_mixhi_f16 too.
// Source: CDNA4 ISA 3.5, DX10_CLAMP ("when set, clamp NaN to zero; otherwise, pass NaN
// through").

//| inputs(a=[0x7fc00000, 0x3f000000, 0x40000000, 0xbf800000] * 16)
//| def clamped(a): return 0x7fc00000 if is_nan32(a) else b32(clamp(f32(a), 0.0, 1.0))
//| def half(a): return 0x7e00 if is_nan32(a) else encode(clamp(f32(a), 0.0, 1.0), "f16")
.set DX10, 0
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_mul_f32_e64 v10, v1, 1.0 clamp
  OUTPUT v10   // == clamped(a)
  v_mov_b32_e32 v10, 0
  v_fma_mixlo_f16 v10, v1, 1.0, 0 clamp
  v_fma_mixhi_f16 v10, v1, 1.0, 0 clamp
  OUTPUT v10   // == half(a) | half(a) << 16
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 1
  v_fma_mixlo_f16 v10, v1, 1.0, 0 clamp
  v_and_b32_e32 v10, 0xffff, v10
  OUTPUT v10   // == 0 if is_nan32(a) else half(a)
END_KERNEL
