// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_dot2_f32_f16, v_dot2c_f32_f16, v_dot2_f32_bf16, v_dot2c_f32_bf16: order of the sums,
// rounding to nearest even, denormals as zeros, although MODE here keeps denormals and
// rounds toward zero.
// Source: CDNA4 ISA 6.4 ("V_DOT2 instructions operating on floating point data do not support
// denormal and rounding modes. They flush input and output denorms"); pseudocode 12.7
// V_DOT2C_F32_{F16,BF16}, 12.10 V_DOT2_F32_{F16,BF16} (only the last adds S2 at the end).

//| def halves(seed):                  # exponents near each other, and denormals
//|     return [x & 0xbfff | (0x2000 if i % 4 else 0) if i % 4 else x & 0x83ff for i, x in enumerate(random_u32(64, seed))]
//| def brains(seed):
//|     return [x & 0x80ff | (0x3f00 + (x >> 20 & 0x80) if i % 4 else 0) & (~0 if i % 4 else 0x807f) for i, x in enumerate(random_u32(64, seed))]
//| a = [x | y << 16 for x, y in zip(halves(300), halves(301))]
//| b = [x | y << 16 for x, y in zip(halves(302), halves(303))]
//| p = [x | y << 16 for x, y in zip(brains(304), brains(305))]
//| q = [x | y << 16 for x, y in zip(brains(306), brains(307))]
//| c = [x & 0x80ffffff | 0x3e000000 if i % 5 else x & 0x807fffff for i, x in enumerate(random_u32(64, 308))]
//| inputs(a=a, b=b, p=p, q=q, c=c)
//| def half(x): return 0.0 if not x & 0x7c00 else f16(x & 0xffff)
//| def brain(x): return 0.0 if not x & 0x7f80 else bf16(x & 0xffff)
//| def step(s, x, y): return f32(b32(Fraction(s) + Fraction(x) * Fraction(y)))
//| def number(bits): return f32(flush32(bits))
//| def result(x): return b32(x) & 0x7fffffff if abs(x) < 2.0 ** -126 else b32(x)
//| def first(f, x, y, c): return result(step(step(number(c), f(x), f(y)), f(x >> 16), f(y >> 16)))
//| def last(f, x, y, c): return result(f32(b32(Fraction(step(step(0.0, f(x), f(y)), f(x >> 16), f(y >> 16))) + Fraction(number(c)))))
.set DENORM32, 3
.set ROUND32, 3
.include "prologue.inc"
.macro SIGNLESS_ZERO                // of a sum of zeros
  v_add_f32_e32 v10, 0, v10
.endm
KERNEL
  INPUTS 1, 5, 0
  LOADED
  v_dot2_f32_f16 v10, v1, v2, v5
  SIGNLESS_ZERO
  OUTPUT v10   // == first(half, a, b, c)
  v_mov_b32_e32 v10, v5
  v_dot2c_f32_f16_e32 v10, v1, v2
  SIGNLESS_ZERO
  OUTPUT v10   // == first(half, a, b, c)
  v_dot2_f32_bf16 v10, v3, v4, v5
  SIGNLESS_ZERO
  OUTPUT v10   // == last(brain, p, q, c)
  v_mov_b32_e32 v10, v5
  v_dot2c_f32_bf16_e32 v10, v3, v4
  SIGNLESS_ZERO
  OUTPUT v10   // == first(brain, p, q, c)
END_KERNEL
