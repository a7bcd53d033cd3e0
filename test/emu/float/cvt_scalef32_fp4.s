// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scaled conversions to and from fp4: the byte of the destination or source that op_sel
// chooses, the bytes that stay, saturation, ties, denormal results, stochastic rounding with
// the seed stepped between the two elements.
// Source: CDNA4 ISA pseudocode V_CVT_SCALEF32_PK_FP4_*, V_CVT_SCALEF32_SR_PK_FP4_*,
// V_CVT_SCALEF32_PK_*_FP4, V_PRNG_B32; OCP MX: value = element * scale. How the seed is
// used: assumed (exec/vector/cvt_scale.c), written down in emu_numbers.encode_stochastic.

//| FP4_TIES = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 7.0, -0.25, -5.0, 0.0, -0.0, 6.0, 1e30, -1e30, 1e-30]
//| X = [b32(v) for v in FP4_TIES] + random_f32(48, 1, -4, 4)
//| Y = random_f32(40, 2, -4, 4) + [b32(v) for v in FP4_TIES] + random_f32(8, 3, -12, 9)
//| H = [b16(f32(x)) | b16(f32(y)) << 16 for x, y in zip(X, Y)]
//| G = [bb16(f32(x)) | bb16(f32(y)) << 16 for x, y in zip(X, Y)]
//| E = [b32(-1.75)] * 28 + [b32(2.0 ** (i % 7 - 3) * 1.9) for i in range(36)]
//| inputs(x=X, y=Y, e=E, s=random_u32(64, 4), h=H, g=G)
//| def exponent(e): return (e >> 23 & 255) - 127
//| def down(x, e, fmt="f32"):
//|     v = decode(x & (0xffffffff if fmt == "f32" else 0xffff), fmt)
//|     if math.isinf(v): return encode(v, "fp4")
//|     return encode(Fraction(v) / Fraction(2) ** exponent(e), "fp4", negative_zero=math.copysign(1, v) < 0)
//| def prng(s): return (s << 1 ^ (197 if s >> 31 else 0)) & 0xffffffff
//| def sr(x, e, s, fmt="f32"):
//|     v = decode(x & (0xffffffff if fmt == "f32" else 0xffff), fmt)
//|     if math.isinf(v): return encode(v, "fp4")
//|     return encode_stochastic(Fraction(v) / Fraction(2) ** exponent(e), "fp4", fmt, s, math.copysign(1, v) < 0)
//| def up(code, e): return decode(code & 15, "fp4") * 2.0 ** exponent(e)
.include "prologue.inc"
KERNEL
  INPUTS 10, 6, 0                 // x y e s h g
  LOADED
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_pk_fp4_f32 v20, v10, v11, v12
  OUTPUT v20   // == 0x5aa5c300 | down(x, e) | down(y, e) << 4
  v_cvt_scalef32_pk_fp4_f32 v20, v11, v10, v12 op_sel:[0,0,1,0]
  OUTPUT v20   // == 0x5aa50000 | down(x, e) | down(y, e) << 4 | down(y, e) << 8 | down(x, e) << 12
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_pk_fp4_f32 v20, -v10, |v11|, v12 op_sel:[0,0,0,1]
  OUTPUT v20   // == 0x5a00c33c | (down(x, e) ^ 8) << 16 | (down(y, e) & 7) << 20
  v_cvt_scalef32_pk_fp4_f32 v20, v10, v11, v12 op_sel:[0,0,1,1]
  OUTPUT v20   // == 0xc33c | (down(x, e) ^ 8) << 16 | (down(y, e) & 7) << 20 | down(x, e) << 24 | down(y, e) << 28
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_pk_fp4_f16 v20, v14, v12 op_sel:[0,0,1,0]
  OUTPUT v20   // == 0x5aa5003c | down(h, e, "f16") << 8 | down(h >> 16, e, "f16") << 12
  v_cvt_scalef32_pk_fp4_bf16 v20, v15, v12 op_sel:[0,0,1,1]
  OUTPUT v20   // == 0x00a5003c | down(h, e, "f16") << 8 | down(h >> 16, e, "f16") << 12 | down(g, e, "bf16") << 24 | down(g >> 16, e, "bf16") << 28

  v_mov_b32_e32 v20, 0x5aa5c33c
  v_mov_b32_e32 v22, v10
  v_mov_b32_e32 v23, v11
  v_cvt_scalef32_sr_pk_fp4_f32 v20, v[22:23], v13, v12 op_sel:[0,0,0,1]
  OUTPUT v20   // == 0x5a00c33c | sr(x, e, s) << 16 | sr(y, e, prng(s)) << 20
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_sr_pk_fp4_f16 v20, v14, v13, v12
  OUTPUT v20   // == 0x5aa5c300 | sr(h, e, s, "f16") | sr(h >> 16, e, prng(s), "f16") << 4
  v_cvt_scalef32_sr_pk_fp4_bf16 v20, v15, v13, v12 op_sel:[0,0,1,1]
  OUTPUT v20   // == 0x00a5c300 | sr(h, e, s, "f16") | sr(h >> 16, e, prng(s), "f16") << 4 | sr(g, e, s, "bf16") << 24 | sr(g >> 16, e, prng(s), "bf16") << 28

  v_cvt_scalef32_pk_f32_fp4 v[20:21], v13, v12
  OUTPUT v20   // == b32(up(s, e))
  OUTPUT v21   // == b32(up(s >> 4, e))
  v_cvt_scalef32_pk_f32_fp4 v[20:21], v13, v12 op_sel:[1,0,0]
  OUTPUT v20   // == b32(up(s >> 8, e))
  OUTPUT v21   // == b32(up(s >> 12, e))
  v_cvt_scalef32_pk_f16_fp4 v20, v13, v12 op_sel:[0,1,0]
  OUTPUT v20   // == b16(up(s >> 16, e)) | b16(up(s >> 20, e)) << 16
  v_cvt_scalef32_pk_bf16_fp4 v20, v13, v12 op_sel:[1,1,0]
  OUTPUT v20   // == bb16(up(s >> 24, e)) | bb16(up(s >> 28, e)) << 16
END_KERNEL
