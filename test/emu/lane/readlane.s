// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_readlane, v_writelane (EXEC does not matter), v_readfirstlane (lowest lane on; lane 0
// if none is), v_swap, v_accvgpr moves under EXEC, the 32-bit halves of a lane mask.
// Source: CDNA4 ISA pseudocode V_READLANE_B32 (lane modulo 64), V_WRITELANE_B32,
// V_READFIRSTLANE_B32 ("force lane 0 if all lanes are disabled"), V_SWAP_B32.

//| A = random_u32(64, 16)
//| inputs(a=A, b=random_u32(64, 17))
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_readlane_b32 s20, v1, 17
  s_movk_i32 s21, 63
  v_readlane_b32 s22, v1, s21
  s_movk_i32 s21, 70
  v_readlane_b32 s23, v1, s21
  s_mov_b32 m0, 5
  v_readlane_b32 s24, v1, m0
  OUTPUT_S s20 // == A[17]
  OUTPUT_S s22 // == A[63]
  OUTPUT_S s23 // == A[6]
  OUTPUT_S s24 // == A[5]
  v_mov_b32_e32 v10, v1
  s_mov_b64 exec, 0
  v_readlane_b32 s25, v1, 9
  v_readfirstlane_b32 s26, v1
  v_writelane_b32 v10, s20, 40
  v_writelane_b32 v10, 12, 41
  v_mov_b32_e32 v10, 1
  s_mov_b64 exec, 0xfff000
  v_readfirstlane_b32 s27, v1
  v_mov_b32_e32 v11, v1
  v_swap_b32 v1, v2
  s_mov_b64 exec, -1
  OUTPUT_S s25 // == A[9]
  OUTPUT_S s26 // == A[0]
  OUTPUT_S s27 // == A[12]
  OUTPUT v10   // == A[17] if lane == 40 else 12 if lane == 41 else a
  OUTPUT v1    // == b if 12 <= lane < 24 else a
  OUTPUT v2    // == a if 12 <= lane < 24 else b
  v_accvgpr_write_b32 a7, 5
  s_mov_b64 exec, 0xff
  v_accvgpr_write_b32 a7, 1.0
  s_mov_b64 exec, -1
  s_nop 2
  v_accvgpr_read_b32 v12, a7
  v_accvgpr_mov_b32 a8, a7
  s_nop 2
  v_accvgpr_read_b32 v13, a8
  OUTPUT v12   // == 0x3f800000 if lane < 8 else 5
  OUTPUT v13   // == 0x3f800000 if lane < 8 else 5
END_KERNEL
