// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scaled conversions between fp8, bf8 and 16-bit formats, single elements, and stochastic
// rounding with and without scale: bytes and halves chosen by op_sel, what stays,
// overflow (fp8: NaN; bf8 and results: infinity), results that are denormal.
// Source: CDNA4 ISA pseudocode V_CVT_SCALEF32_{PK,SR}_{FP8,BF8}_*, V_CVT_SCALEF32_*_{FP8,BF8},
// V_CVT_SR_*; OCP MX. How the seed is used: assumed (exec/vector/cvt_scale.c), written down in
// emu_numbers.encode_stochastic.

//| X = random_f32(56, 21, -18, 10) + [b32(v) for v in (460.0, 470.0, -500.0, 6e4, 1e30, -1e30, 0.0, -0.0)]
//| Y = random_f32(64, 22, -6, 8)
//| H = [b16(f32(x)) | b16(f32(y)) << 16 for x, y in zip(X, Y)]
//| G = [bb16(f32(x)) | bb16(f32(y)) << 16 for x, y in zip(X, Y)]
//| E = [b32(2.0 ** (i % 9 - 4) * 1.9) for i in range(64)]
//| inputs(x=X, y=Y, e=E, s=random_u32(64, 24), h=H, g=G)
//| def exponent(e): return (e >> 23 & 255) - 127
//| def value(x, fmt): return decode(x & (0xffffffff if fmt == "f32" else 0xffff), fmt)
//| def down(x, e, small, fmt):
//|     v = value(x, fmt)
//|     if math.isinf(v): return encode(v, small)
//|     return encode(Fraction(v) / Fraction(2) ** exponent(e), small, negative_zero=math.copysign(1, v) < 0)
//| def sr(x, e, s, small, fmt):
//|     v = value(x, fmt)
//|     if math.isinf(v): return encode(v, small)
//|     return encode_stochastic(Fraction(v) / Fraction(2) ** exponent(e), small, fmt, s, math.copysign(1, v) < 0)
//| def up(byte, e, small, fmt):
//|     v = decode(byte & 255, small)
//|     return encode(v * 2.0 ** exponent(e), fmt) | (byte >> 7 & 1) << (31 if fmt == "f32" else 15)
//| ONE = b32(1.0)
.include "prologue.inc"
.macro HALVES small
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_pk_\small\()_f16 v20, v14, v12
  OUTPUT v20
  v_cvt_scalef32_pk_\small\()_bf16 v20, v15, v12 op_sel:[0,0,1]
  OUTPUT v20
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_sr_\small\()_f32 v20, v10, v13, v12 op_sel:[0,0,1,0]
  OUTPUT v20
  v_cvt_scalef32_sr_\small\()_f16 v20, v14, v13, v12 op_sel:[0,0,0,1]
  OUTPUT v20
  v_cvt_scalef32_sr_\small\()_bf16 v20, v15, v13, v12 op_sel:[0,0,1,1]
  OUTPUT v20
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_sr_\small\()_f32 v20, v10, v13 op_sel:[0,0,0,1]
  OUTPUT v20
  v_cvt_scalef32_f32_\small v20, v13, v12 op_sel:[0,1,0]
  OUTPUT v20
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_scalef32_f16_\small v20, v13, v12 op_sel:[1,1,1]
  OUTPUT v20
  v_cvt_scalef32_f16_\small v20, v13, v12 op_sel:[1,0,0]
  OUTPUT v20
  v_cvt_scalef32_pk_f32_\small v[20:21], v13, v12 op_sel:[1,0,0]
  OUTPUT v20
  OUTPUT v21
  v_cvt_scalef32_pk_f16_\small v20, v13, v12
  OUTPUT v20
  v_cvt_scalef32_pk_bf16_\small v20, v13, v12 op_sel:[1,0,0]
  OUTPUT v20
.endm
KERNEL
  INPUTS 10, 6, 0                 // x y e s h g
  LOADED
  HALVES fp8
  HALVES bf8
//| def column(f): return [f(*t) for t in zip(X, Y, E, random_u32(64, 24), H, G)]
//| for small in ("fp8", "bf8"):
//|     def d(a, e, fmt): return down(a, e, small, fmt)
//|     def r(a, e, s, fmt): return sr(a, e, s, small, fmt)
//|     def u(byte, e, fmt): return up(byte, e, small, fmt)
//|     expect("pk f16", column(lambda x, y, e, s, h, g: 0x5aa50000 | d(h, e, "f16") | d(h >> 16, e, "f16") << 8))
//|     expect("pk bf16", column(lambda x, y, e, s, h, g: d(h, e, "f16") | d(h >> 16, e, "f16") << 8 | d(g, e, "bf16") << 16 | d(g >> 16, e, "bf16") << 24))
//|     expect("sr f32", column(lambda x, y, e, s, h, g: 0x5aa5003c | r(x, e, s, "f32") << 8))
//|     expect("sr f16", column(lambda x, y, e, s, h, g: 0x5a00003c | r(x, e, s, "f32") << 8 | r(h, e, s, "f16") << 16))
//|     expect("sr bf16", column(lambda x, y, e, s, h, g: 0x3c | r(x, e, s, "f32") << 8 | r(h, e, s, "f16") << 16 | r(g, e, s, "bf16") << 24))
//|     expect("sr", column(lambda x, y, e, s, h, g: 0x5a00c33c | r(x, ONE, s, "f32") << 16))
//|     expect("f32", column(lambda x, y, e, s, h, g: NAN if math.isnan(decode(s >> 16 & 255, small)) else u(s >> 16, e, "f32")))
//|     expect("f16 high", column(lambda x, y, e, s, h, g: None if math.isnan(decode(s >> 24, small)) else 0xc33c | u(s >> 24, e, "f16") << 16))
//|     expect("f16 low", column(lambda x, y, e, s, h, g: None if math.isnan(decode(s >> 8 & 255, small)) or math.isnan(decode(s >> 24, small)) else u(s >> 24, e, "f16") << 16 | u(s >> 8, e, "f16")))
//|     expect("pk f32 lo", column(lambda x, y, e, s, h, g: NAN if math.isnan(decode(s >> 16 & 255, small)) else u(s >> 16, e, "f32")))
//|     expect("pk f32 hi", column(lambda x, y, e, s, h, g: NAN if math.isnan(decode(s >> 24, small)) else u(s >> 24, e, "f32")))
//|     def pair(lo, hi, e, fmt): return None if any(math.isnan(decode(b & 255, small)) for b in (lo, hi)) else u(lo, e, fmt) | u(hi, e, fmt) << 16
//|     expect("pk f16", column(lambda x, y, e, s, h, g: pair(s, s >> 8, e, "f16")))
//|     expect("pk bf16", column(lambda x, y, e, s, h, g: pair(s >> 16, s >> 24, e, "bf16")))

  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_sr_f16_f32 v20, v10, v13 op_sel:[0,0,1]
  OUTPUT v20    // == 0xc33c | (encode(f32(x), "f16") if abs(f32(x)) > 7e4 else encode_stochastic(Fraction(f32(x)), "f16", "f32", s, x >> 31)) << 16
  v_mov_b32_e32 v20, 0x5aa5c33c
  v_cvt_sr_bf16_f32 v20, v10, v13
  OUTPUT v20    // == 0x5aa50000 | encode_stochastic(Fraction(f32(x)), "bf16", "f32", s, x >> 31)
END_KERNEL
