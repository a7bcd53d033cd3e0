// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Float operations new in gfx950: v_minimum3_f32, v_maximum3_f32 (NaN wins, -0 < +0),
// v_dot2_f32_bf16 and v_dot2c_f32_bf16 on small integers (exact in any order).
// Source: CDNA4 ISA pseudocode V_MINIMUM3_F32, V_DOT2_F32_BF16; IEEE 754-2019 minimum and
// maximum.

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000]
//| def column(seed): return [special[rng(seed * 100 + i)(12) % 7] for i in range(32)] + random_f32(32, seed)
//| inputs(a=column(1), b=column(2), c=column(3))
//| def words(seed):
//|     s = rng(seed)
//|     return [bb16(float(s(3)) - 4) | bb16(float(s(3)) - 3) << 16 for _ in range(64)]
//| inputs(p=words(92), q=words(93), s=[float(i) for i in range(64)])
//| def order(bits): return (f32(bits), 0 if bits >> 31 else 1)
//| def lowest(*v): return NAN if any(is_nan32(x) for x in v) else min(v, key=order)
//| def highest(*v): return NAN if any(is_nan32(x) for x in v) else max(v, key=order)
//| def dot(p, q): return bf16(p) * bf16(q) + bf16(p >> 16) * bf16(q >> 16)
.include "prologue.inc"
KERNEL
  INPUTS 1, 6, 0
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
END_KERNEL
