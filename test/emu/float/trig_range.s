// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_sin_f32 and v_cos_f32 beyond 256 turns, and of denormals where MODE keeps them.
// Source: CDNA4 ISA 12.8, V_SIN_F32, V_COS_F32 ("Full range input is supported. Denormals are
// supported"); how near is not said, so 16
// fraction bits are compared.
// LLVM 22 selects v_sin_f32 for gfx950 without reducing its argument.

//| inputs(a=random_f32(64, 27, 8, 22), d=[x & 0x807fffff for x in random_u32(64, 28)])
//| def part(bits): return float(Fraction(f32(bits)) % 1)
//| def near(value): return b32(round(value * 2 ** 16) / 2 ** 16)
//| def sine(bits): return near(math.sin(2 * math.pi * part(bits)))
//| def cosine(bits): return near(math.cos(2 * math.pi * part(bits)))
.set DENORM32, 3
.include "prologue.inc"
.macro ROUNDED reg                  // to 16 fraction bits
  v_mul_f32_e32 \reg, 0x47800000, \reg
  v_rndne_f32_e32 \reg, \reg
  v_mul_f32_e32 \reg, 0x37800000, \reg
  v_add_f32_e32 \reg, 0, \reg
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_sin_f32_e32 v10, v1
  ROUNDED v10
  OUTPUT v10   // == sine(a)
  v_cos_f32_e32 v10, v1
  ROUNDED v10
  OUTPUT v10   // == cosine(a)
  v_sin_f32_e32 v10, v2
  OUTPUT v10   // == 2 * math.pi * f32(d) ; ulp 1
  v_cos_f32_e32 v10, v2
  OUTPUT v10   // == 0x3f800000
END_KERNEL
