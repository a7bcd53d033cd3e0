// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// 64-bit shifts (count modulo 64), and inline constants on every kind of operand. A float
// constant on a 32-bit operand is the bits of the f32, whatever the operation; on a 64-bit
// integer operand of a vector shift LLVM gives the f64 pattern for a float constant, so
// 1.0 there is 0x3ff0000000000000; integers -16..64 are sign extended.
// Source: CDNA4 ISA pseudocode V_LSHLREV_B64 ...; LLVM AMDGPUOperandSyntax "Constants":
// "inline constants may be used with any operand; the size of the operand decides"
// (64-bit operand: 64-bit floating-point value).

//| a, b = pairs_u32(64, 6)
//| inputs(a=a, b=b, n=[(i * 37 + i // 9) & 0xff for i in range(64)])
.include "prologue.inc"
KERNEL
  INPUTS 2, 2, 0
  INPUT v1, 2
  LOADED
  v_lshlrev_b64 v[10:11], v1, v[2:3]
  OUTPUT64 v10, v11   // == (a | b << 32) << (n & 63) & U64
  v_lshrrev_b64 v[10:11], v1, v[2:3]
  OUTPUT64 v10, v11   // == (a | b << 32) >> (n & 63)
  v_ashrrev_i64 v[10:11], v1, v[2:3]
  OUTPUT64 v10, v11   // == i64(a | b << 32) >> (n & 63) & U64
  v_lshlrev_b64 v[10:11], 32, v[2:3]
  OUTPUT64 v10, v11   // == a << 32
  v_lshlrev_b64 v[10:11], v1, 1
  OUTPUT64 v10, v11   // == 1 << (n & 63)
  v_lshrrev_b64 v[10:11], v1, -1
  OUTPUT64 v10, v11   // == U64 >> (n & 63)
  v_ashrrev_i64 v[10:11], v1, -16
  OUTPUT64 v10, v11   // == -16 >> (n & 63) & U64
  v_lshrrev_b64 v[10:11], 0, 1.0
  OUTPUT64 v10, v11   // == 0x3ff0000000000000
  v_lshrrev_b64 v[10:11], 4, -4.0
  OUTPUT64 v10, v11   // == 0xc010000000000000 >> 4

  v_add_u32_e32 v10, 1.0, v2
  OUTPUT v10   // == 0x3f800000 + a
  v_add_u32_e32 v10, -16, v2
  OUTPUT v10   // == a - 16
  v_add_u32_e32 v10, 64, v2
  OUTPUT v10   // == a + 64
  v_and_b32_e32 v10, 0.5, v2
  OUTPUT v10   // == 0x3f000000 & a
  v_or_b32_e32 v10, -0.5, v2
  OUTPUT v10   // == 0xbf000000 | a
  v_xor_b32_e32 v10, -1.0, v2
  OUTPUT v10   // == 0xbf800000 ^ a
  v_mul_lo_u32 v10, 2.0, v2
  OUTPUT v10   // == 0x40000000 * a
  v_mul_lo_u32 v10, -2.0, v2
  OUTPUT v10   // == 0xc0000000 * a
  v_add3_u32 v10, v2, 4.0, 0.15915494
  OUTPUT v10   // == a + 0x40800000 + 0x3e22f983
  v_cndmask_b32_e64 v10, -4.0, 1.0, s[20:21]
  v_mov_b32_e32 v10, 0.15915494
  OUTPUT v10   // == 0x3e22f983
  v_cmp_gt_u32_e64 s[20:21], v2, 1.0
  v_cndmask_b32_e64 v10, 0, 1, s[20:21]
  OUTPUT v10   // == a > 0x3f800000
  v_mov_b64_e32 v[10:11], v[2:3]
  OUTPUT64 v10, v11   // == a | b << 32
  v_mov_b64_e32 v[10:11], 0
  OUTPUT64 v10, v11   // == 0
  v_mov_b64_e32 v[10:11], -3
  OUTPUT64 v10, v11   // == -3 & U64
  // scalar
  s_mov_b32 s20, 1.0
  OUTPUT_S s20 // == 0x3f800000
  s_or_b32 s20, s20, 0.5
  OUTPUT_S s20 // == 0x3f800000
  s_add_u32 s20, s20, -16
  OUTPUT_S s20 // == 0x3f7ffff0
  s_mov_b32 s20, 0.15915494
  OUTPUT_S s20 // == 0x3e22f983
  s_mov_b64 s[20:21], -5
  OUTPUT_S64 s20, s21
//| expect64("s_mov_b64 -5", [-5 & U64] * 64)
  s_mov_b64 s[20:21], 1.0
  OUTPUT_S64 s20, s21
//| expect64("s_mov_b64 1.0", [0x3ff0000000000000] * 64)
  s_mov_b64 s[20:21], 0x12345678
  OUTPUT_S64 s20, s21
//| expect64("s_mov_b64 literal", [0x12345678] * 64)
  s_movk_i32 s20, -2
  OUTPUT_S s20 // == -2 & U32
END_KERNEL
