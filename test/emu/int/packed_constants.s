// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Inline constants of packed 16-bit integers are 32 bits of which op_sel and op_sel_hi choose a
// half for either result, 0 and 1 by default: a float is its f32 pattern, an integer is sign
// extended. Of packed halves the f16 is in the low half and 0 in the high one.
// Source: LLVM getInlineEncodingV2I16 (llvm-project pull request 76522: "it matches HW behavior");
// llc -mcpu=gfx950 selects the first for `add <2 x i16> %x, <0, 0x4000>`, the fifth for `<5, 0>`,
// the sixth for `mul ... <-5, -1>`, the first of packed halves for `fadd ... <1.0, 0.0>`.

//| a, b = pairs_u32(64, 41)
//| inputs(a=a, b=b, h=[0x3c003800 + 0x00010003 * l for l in LANE])
//| def half(x, k): return x >> 16 * k & 0xffff
//| def pair(f, lo, hi): return f(*lo) & 0xffff | (f(*hi) & 0xffff) << 16
//| def halves(f, x, c, lo=0, hi=1): return pair(f, (half(x, 0), half(c, lo)), (half(x, 1), half(c, hi)))
//| def add(p, q): return p + q
//| def sub(p, q): return p - q
//| def mul(p, q): return p * q
//| def s16(x): return sext(x, 16)
//| ONE, TWO, HALF, TURN = b32(1.0), b32(2.0), b32(0.5), 0x3e22f983
//| def hadd(x, y): return b16(Fraction(f16(x)) + Fraction(f16(y)))
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  v_pk_add_u16 v10, v1, 2.0
  OUTPUT v10   // == halves(add, a, TWO)
  v_pk_add_u16 v10, v1, 2.0 op_sel:[0,1]
  OUTPUT v10   // == halves(add, a, TWO, 1, 1)
  v_pk_add_u16 v10, v1, 2.0 op_sel_hi:[1,0]
  OUTPUT v10   // == halves(add, a, TWO, 0, 0)
  v_pk_add_u16 v10, v1, 2.0 op_sel:[0,1] op_sel_hi:[1,0]
  OUTPUT v10   // == halves(add, a, TWO, 1, 0)
  v_pk_add_u16 v10, v1, 5
  OUTPUT v10   // == halves(add, a, 5)
  v_pk_mul_lo_u16 v10, v1, -5
  OUTPUT v10   // == halves(mul, a, 0xfffffffb)
  v_pk_mul_lo_u16 v10, v1, -5 op_sel_hi:[1,0]
  OUTPUT v10   // == halves(mul, a, 0xfffffffb, 0, 0)
  v_pk_sub_i16 v10, v1, 0.15915494
  OUTPUT v10   // == halves(sub, a, TURN)
  v_pk_sub_u16 v10, 0.15915494, v1 op_sel:[1,0] op_sel_hi:[0,1]
  OUTPUT v10   // == halves(lambda p, q: q - p, a, TURN, 1, 0)
  v_pk_add_i16 v10, v1, -1.0
  OUTPUT v10   // == halves(add, a, ONE | 0x80000000)
  v_pk_mul_lo_u16 v10, v1, 1.0 op_sel:[0,1]
  OUTPUT v10   // == halves(mul, a, ONE, 1, 1)
  v_pk_min_u16 v10, v1, 0.5
  OUTPUT v10   // == halves(min, a, HALF)
  v_pk_max_u16 v10, v1, 0.5
  OUTPUT v10   // == halves(max, a, HALF)
  v_pk_min_i16 v10, v1, 4.0
  OUTPUT v10   // == halves(lambda p, q: min(s16(p), s16(q)), a, b32(4.0))
  v_pk_max_i16 v10, v1, -4.0
  OUTPUT v10   // == halves(lambda p, q: max(s16(p), s16(q)), a, b32(-4.0))
  v_pk_lshlrev_b16 v10, v1, 1.0
  OUTPUT v10   // == halves(lambda p, q: q << (p & 15), a, ONE)
  v_pk_lshrrev_b16 v10, v1, 1.0
  OUTPUT v10   // == halves(lambda p, q: q >> (p & 15), a, ONE)
  v_pk_ashrrev_i16 v10, v1, -2.0
  OUTPUT v10   // == halves(lambda p, q: s16(q) >> (p & 15), a, b32(-2.0))
  v_pk_lshlrev_b16 v10, -2.0, v1 op_sel:[1,0]
  OUTPUT v10   // == halves(lambda p, q: p << (q & 15), a, b32(-2.0), 1, 1)
  v_pk_mad_u16 v10, v1, v2, 1.0
  OUTPUT v10   // == pair(lambda p, q, c: p * q + c, (half(a, 0), half(b, 0), 0), (half(a, 1), half(b, 1), 0x3f80))
  v_pk_mad_i16 v10, v1, 1.0, v2
  OUTPUT v10   // == pair(lambda p, q, c: p * q + c, (half(a, 0), 0, half(b, 0)), (half(a, 1), 0x3f80, half(b, 1)))
  v_dot2_i32_i16 v10, v1, 1.0, v2
  OUTPUT v10   // == s16(half(a, 1)) * 0x3f80 + b
  // halves: f16 patterns
  v_pk_add_f16 v10, v3, 1.0
  OUTPUT v10   // == pair(hadd, (half(h, 0), 0x3c00), (half(h, 1), 0))
  v_pk_add_f16 v10, v3, 1.0 op_sel_hi:[1,0]
  OUTPUT v10   // == pair(hadd, (half(h, 0), 0x3c00), (half(h, 1), 0x3c00))
  v_mov_b32_e32 v10, 0
  v_dot2c_f32_f16_e32 v10, 2.0, v3
  OUTPUT v10   // == b32(2 * f16(half(h, 0)))
END_KERNEL
