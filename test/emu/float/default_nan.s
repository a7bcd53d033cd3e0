// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What an invalid operation without a NaN operand gives has its sign set; a NaN operand comes
// out quiet, with its sign and payload. Of v_dot2c_f32_f16 every NaN is the same.
// Source: v_pk_add_f16(-inf, +inf) = 0xfe00 on gfx950 (SemiAnalysisAI/FuzzX, m140),
// v_dot2c_f32_f16 with a NaN anywhere = 0xffc00000 on MI300 (m128); CDNA4 ISA 12.8 (0xffc00000 of
// log, rsq, sqrt, sin and cos of f32). The other instructions by analogy, assumed.

//| INF, NAN = 0x7f800000, 0xffc00000
//| NEG = INF | 0x80000000
//| HNAN, DNAN = 0xfe00, 0xfff8000000000000
//| inputs(p=[INF] * 64, n=[NEG] * 64, h=[0x7c00fc00] * 64, g=[0xfc007c00] * 64, q=[0x7f800123 if l % 2 else 0xffc00456 for l in LANE])
//| def quieted(q): return q | 0x400000
.set DENORM32, 3
.include "prologue.inc"
KERNEL
  INPUTS 1, 5, 0
  LOADED
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == NAN
  v_add_f32_e32 v10, v2, v1
  OUTPUT v10   // == NAN
  v_sub_f32_e32 v10, v1, v1
  OUTPUT v10   // == NAN
  v_subrev_f32_e32 v10, v2, v2
  OUTPUT v10   // == NAN
  v_mul_f32_e32 v10, 0, v1
  OUTPUT v10   // == NAN
  v_mul_f32_e32 v10, 0, v2
  OUTPUT v10   // == NAN
  v_fma_f32 v10, v1, 1.0, v2
  OUTPUT v10   // == NAN
  v_fma_f32 v10, v1, 0, 1.0
  OUTPUT v10   // == NAN
  v_mov_b32_e32 v10, v1
  v_fmac_f32_e32 v10, -1.0, v1
  OUTPUT v10   // == NAN
  v_fract_f32_e32 v10, v1
  OUTPUT v10   // == NAN
  v_mov_b32_e32 v12, v2
  v_mov_b32_e32 v13, v1
  v_mov_b32_e32 v14, v1
  v_mov_b32_e32 v15, v2
  v_pk_add_f32 v[16:17], v[12:13], v[14:15]
  OUTPUT v16   // == NAN
  OUTPUT v17   // == NAN
  v_pk_mul_f32 v[16:17], v[12:13], 0 op_sel_hi:[1,0]
  OUTPUT v16   // == NAN
  OUTPUT v17   // == NAN
  // halves
  v_pk_add_f16 v10, v3, v4
  OUTPUT v10   // == HNAN << 16 | HNAN
  v_pk_mul_f16 v10, v3, 0
  OUTPUT v10   // == HNAN << 16 | HNAN
  v_pk_fma_f16 v10, v3, 1.0, v4 op_sel_hi:[1,0,1]
  OUTPUT v10   // == HNAN << 16 | HNAN
  v_add_f16_e32 v10, v3, v4
  OUTPUT v10   // == HNAN
  v_mul_f16_e32 v10, 0, v3
  OUTPUT v10   // == HNAN
  v_sqrt_f16_e32 v10, v3
  OUTPUT v10   // == HNAN
  v_fma_mix_f32 v10, v3, v1, v1 op_sel_hi:[1,0,0]
  OUTPUT v10   // == NAN
  // f64: infinities have these high halves
  v_mov_b32_e32 v20, 0
  v_mov_b32_e32 v21, 0x7ff00000
  v_mov_b32_e32 v22, 0
  v_mov_b32_e32 v23, 0xfff00000
  v_add_f64 v[10:11], v[20:21], v[22:23]
  OUTPUT64 v10, v11   // == DNAN
  v_mul_f64 v[10:11], v[20:21], 0
  OUTPUT64 v10, v11   // == DNAN
  v_fma_f64 v[10:11], v[20:21], 1.0, v[22:23]
  OUTPUT64 v10, v11   // == DNAN
  // a NaN operand stays, whatever the other is
  v_add_f32_e32 v10, v1, v5
  OUTPUT v10   // == quieted(q)
  v_fma_f32 v10, v1, 0, v5
  OUTPUT v10   // == quieted(q)
  // dot products
  v_mov_b32_e32 v10, v5
  v_dot2c_f32_f16_e32 v10, 1.0, v0
  OUTPUT v10   // == NAN
  v_mov_b32_e32 v12, 0x7e013c00               // a NaN in the high half
  v_mov_b32_e32 v10, 0
  v_dot2c_f32_f16_e32 v10, v12, v12
  OUTPUT v10   // == NAN
  v_mov_b32_e32 v10, v2
  v_mov_b32_e32 v12, 0x3c007c00               // infinity and 1
  v_dot2c_f32_f16_e32 v10, v12, v12
  OUTPUT v10   // == NAN
  v_dot2_f32_f16 v10, v12, v12, v5
  OUTPUT v10   // == NAN
END_KERNEL
