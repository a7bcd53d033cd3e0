// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Float operations new in gfx950: v_minimum3_f32, v_maximum3_f32 (NaN wins, -0 < +0),
// v_dot2_f32_bf16 and v_dot2c_f32_bf16 on small integers (exact in any order), scaled
// conversions between f32 and fp8, whose scale is the exponent of a float: the value is
// divided by it on the way down and multiplied on the way up.
// Source: CDNA4 ISA pseudocode V_MINIMUM3_F32, V_DOT2_F32_BF16, V_CVT_SCALEF32_PK_FP8_F32
// ("other destination bits are preserved"), V_CVT_SCALEF32_PK_F32_FP8; IEEE 754-2019
// minimum and maximum; OCP MX: value = element * scale.

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000]
//| def column(seed): return [special[rng(seed * 100 + i)(12) % 7] for i in range(32)] + random_f32(32, seed)
//| inputs(a=column(1), b=column(2), c=column(3))
//| def words(seed):
//|     s = rng(seed)
//|     return [bb16(float(s(3)) - 4) | bb16(float(s(3)) - 3) << 16 for _ in range(64)]
//| inputs(p=words(92), q=words(93), s=[float(i) for i in range(64)])
//| inputs(x=random_f32(64, 94, -6, 5), y=random_f32(64, 95, -6, 5), e=[b32(2.0 ** (i % 5 - 2) * 1.25) for i in range(64)])
//| def order(bits): return (f32(bits), 0 if bits >> 31 else 1)
//| def lowest(*v): return NAN if any(is_nan32(x) for x in v) else min(v, key=order)
//| def highest(*v): return NAN if any(is_nan32(x) for x in v) else max(v, key=order)
//| def dot(p, q): return bf16(p) * bf16(q) + bf16(p >> 16) * bf16(q >> 16)
//| def down(x, e): return encode(Fraction(f32(x)) / Fraction(2) ** ((e >> 23) - 127), "fp8", negative_zero=x >> 31)
//| def up(byte, e): return b32(decode(byte, "fp8") * 2.0 ** ((e >> 23) - 127))
.include "prologue.inc"
KERNEL
  INPUTS 1, 9, 0
  LOADED
  v_minimum3_f32 v10, v1, v2, v3
  OUTPUT v10   // == lowest(a, b, c)
  v_maximum3_f32 v10, v1, v2, v3
  OUTPUT v10   // == highest(a, b, c)
  v_maximum3_f32 v10, v1, -v2, v2
  OUTPUT v10   // == highest(a, neg32(b), b)
  v_dot2_f32_bf16 v10, v4, v5, v6
  OUTPUT v10   // == b32(dot(p, q) + lane)
  v_mov_b32_e32 v10, v6
  v_dot2c_f32_bf16_e32 v10, v4, v5
  OUTPUT v10   // == b32(dot(p, q) + lane)
  v_mov_b32_e32 v10, 0x55aa55aa
  v_cvt_scalef32_pk_fp8_f32 v10, v7, v8, v9
  OUTPUT v10   // == 0x55aa0000 | down(x, e) | down(y, e) << 8
  v_cvt_scalef32_pk_fp8_f32 v10, v8, v7, v9 op_sel:[0,0,0,1]
  OUTPUT v10   // == down(x, e) | down(y, e) << 8 | down(y, e) << 16 | down(x, e) << 24
  v_cvt_scalef32_pk_f32_fp8 v[12:13], v10, v9
  OUTPUT v12   // == up(down(x, e), e)
  OUTPUT v13   // == up(down(y, e), e)
  v_cvt_scalef32_pk_f32_fp8 v[12:13], v10, v9 op_sel:[1,0,0]
  OUTPUT v12   // == up(down(y, e), e)
  OUTPUT v13   // == up(down(x, e), e)
END_KERNEL
