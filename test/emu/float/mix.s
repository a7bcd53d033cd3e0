// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_fma_mix_f32, v_fma_mixlo_f16, v_fma_mixhi_f16: each source an f32 or, by op_sel_hi, an
// f16 half picked by op_sel; the f16 results keep the other half. v_fract.
// Source: CDNA4 ISA pseudocode V_MAD_MIX_F32 (sources), LLVM FeatureFmaMixInsts (fused);
// V_FRACT_F32.

//| h = [x & 0x8fff | 0x3000 for x in random_u32(64, 140)]
//| k = [x & 0x8fff | 0x3000 for x in random_u32(64, 141)]
//| inputs(p=[x | y << 16 for x, y in zip(h, k)], a=random_f32(64, 142, -3, 3), b=random_f32(64, 143, -3, 3))
//| def lo(x): return f16(x & 0xffff)
//| def hi(x): return f16(x >> 16)
//| def half(x, y, z): return encode(Fraction(x) * Fraction(y) + Fraction(z), "f16")
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_fma_mix_f32 v10, v1, v2, v3 op_sel_hi:[1,0,0]
  OUTPUT v10   // == ffma(lo(p), f32(a), f32(b))
  v_fma_mix_f32 v10, v1, v1, v3 op_sel:[1,0,0] op_sel_hi:[1,1,0]
  OUTPUT v10   // == ffma(hi(p), lo(p), f32(b))
  v_fma_mix_f32 v10, -v1, |v2|, v1 op_sel:[1,0,1] op_sel_hi:[1,0,1]
  OUTPUT v10   // == ffma(-hi(p), abs(f32(a)), hi(p))
  v_mov_b32_e32 v10, 0x55aa55aa
  v_fma_mixlo_f16 v10, v2, v3, v1 op_sel_hi:[0,0,1]
  OUTPUT v10   // == 0x55aa0000 | half(f32(a), f32(b), lo(p))
  v_mov_b32_e32 v10, 0x55aa55aa
  v_fma_mixhi_f16 v10, v2, v3, v1 op_sel_hi:[0,0,1]
  OUTPUT v10   // == 0x55aa | half(f32(a), f32(b), lo(p)) << 16
  v_fract_f32_e32 v10, v2
  OUTPUT v10   // == b32(Fraction(f32(a)) - math.floor(f32(a))) if abs(f32(a)) > 2.0 ** -20 and f32(a) > 0 else None
END_KERNEL
