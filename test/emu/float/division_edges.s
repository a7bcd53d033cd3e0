// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_div_fmas_f32 does not flush its operands where MODE flushes; v_div_fixup_f32 and _f64 of
// 0/0 and infinity/infinity are a negative NaN, of a NaN operand that NaN, quiet, the
// numerator's first.
// Source: CDNA4 ISA 12.11, V_DIV_FMAS_F32 ("Input denormals are not flushed but output flushing
// is allowed"), V_DIV_FIXUP_F32, V_DIV_FIXUP_F64.

//| inputs(a=[x & 0x807fffff for x in random_u32(64, 33)], b=[x & 0x807fffff | 0x7e000000 for x in random_u32(64, 34)])
//| some = [0, 0x80000000, 0x7f800000, 0xff800000, 0x7fa00001, 0xffe00002]
//| inputs(n=[some[i % 6] for i in range(64)], m=[some[i // 6 % 6] for i in range(64)])
//| def zero(x): return not x << 1 & U32
//| def fixed(n, m):
//|     if is_nan32(n): return n | 0x400000
//|     if is_nan32(m): return m | 0x400000
//|     if zero(n) == zero(m): return 0xffc00000
//|     return (n ^ m) & 0x80000000 | (0x7f800000 if zero(m) else 0)
//| def high64(x):                     # high word of the f64 with the bits of an f32 shifted up
//|     return x & 0x80000000 | (x >> 3 & 0x0fffffff | 0x70000000 if x & 0x7f800000 == 0x7f800000 else 0)
//| def fixed64(n, m): return high64(fixed(n, m))
.include "prologue.inc"
KERNEL
  INPUTS 1, 4, 0
  LOADED
  s_mov_b64 vcc, 0
  v_div_fmas_f32 v10, v1, v2, 0
  OUTPUT v10   // == fmul(f32(a), f32(b))
  v_div_fixup_f32 v10, 1.0, v4, v3
  OUTPUT v10   // == fixed(n, m)
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 0
.macro WIDEN to, from               // infinities, zeros and NaNs; signalling ones stay so
  v_and_b32_e32 v20, 0x80000000, \from
  v_bfe_u32 v21, \from, 3, 28
  v_or_b32_e32 v21, 0x70000000, v21
  v_and_b32_e32 v22, 0x7f800000, \from
  v_cmp_eq_u32_e32 vcc, 0x7f800000, v22
  v_cndmask_b32_e32 v21, 0, v21, vcc
  v_or_b32_e32 \to, v20, v21
.endm
  WIDEN v7, v3                      // numerator v[6:7]
  v_mov_b32_e32 v8, 0
  WIDEN v9, v4                      // denominator v[8:9]
  v_mov_b32_e32 v12, 0
  v_mov_b32_e32 v13, 0x3ff00000
  v_div_fixup_f64 v[10:11], v[12:13], v[8:9], v[6:7]
  OUTPUT v10   // == 0
  OUTPUT v11   // == fixed64(n, m)
END_KERNEL
