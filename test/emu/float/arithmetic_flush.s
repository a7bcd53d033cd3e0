// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_add, v_sub, v_mul, v_fma, v_fmac, v_mac-free forms in f32 with denormals flushed
// (.amdhsa_float_denorm_mode_32 0): a denormal source is a zero of its sign, so is a
// denormal result. Modifiers: neg, abs, SGPR and inline-constant sources, literals.
// Source: CDNA4 ISA pseudocode; CDNA3 ISA "Denormals and rounding" (FP_DENORM 0: flush
// source and destination); LLVM AMDGPUUsage FLOAT_DENORM_MODE_FLUSH_SRC_DST.

//| special = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
//|            0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0x00800001]
//| step = rng(40)
//| def column(seed):
//|     s = rng(seed)
//|     return ([special[s(12) % len(special)] for _ in range(32)] +
//|             random_f32(24, seed, -8, 8) + random_f32(8, seed + 50, -126, -110))
//| inputs(a=column(1), b=column(2), c=column(3))
.include "prologue.inc"
KERNEL
  INPUTS 1, 3, 0
  LOADED
  s_mov_b32 s20, 0x40490fdb
  v_add_f32_e32 v10, v1, v2
  OUTPUT v10   // == add32(a, b)
  v_sub_f32_e32 v10, v1, v2
  OUTPUT v10   // == sub32(a, b)
  v_subrev_f32_e32 v10, v1, v2
  OUTPUT v10   // == sub32(b, a)
  v_mul_f32_e32 v10, v1, v2
  OUTPUT v10   // == mul32(a, b)
  v_fma_f32 v10, v1, v2, v3
  OUTPUT v10   // == fma32(a, b, c)
  v_mov_b32_e32 v10, v3
  v_fmac_f32_e32 v10, v1, v2
  OUTPUT v10   // == fma32(a, b, c)
  v_fma_f32 v10, -v1, |v2|, -|v3|
  OUTPUT v10   // == fma32(neg32(a), abs32(b), neg32(abs32(c)))
  v_mul_f32_e64 v10, -s20, v1
  OUTPUT v10   // == mul32(0xc0490fdb, a)
  v_add_f32_e64 v10, 0, -v1
  OUTPUT v10   // == add32(0, neg32(a))
  v_mul_f32_e32 v10, 0.15915494, v1
  OUTPUT v10   // == mul32(0x3e22f983, a)
  v_add_f32_e32 v10, -4.0, v1
  OUTPUT v10   // == add32(0xc0800000, a)
  v_mul_f32_e32 v10, 0x3fb8aa3b, v1
  OUTPUT v10   // == mul32(0x3fb8aa3b, a)
  // an integer inline constant is its bits: a denormal here, flushed
  v_add_f32_e32 v10, 64, v1
  OUTPUT v10   // == add32(64, a)
  v_fma_f32 v10, v1, s20, 2.0
  OUTPUT v10   // == fma32(a, 0x40490fdb, 0x40000000)
  v_fmamk_f32 v10, v1, 0x40490fdb, v2
  OUTPUT v10   // == fma32(a, 0x40490fdb, b)
  v_fmaak_f32 v10, v1, v2, 0x40490fdb
  OUTPUT v10   // == fma32(a, b, 0x40490fdb)
  v_ldexp_f32 v10, v1, 3
  OUTPUT v10   // == mul32(a, 0x41000000)
END_KERNEL
