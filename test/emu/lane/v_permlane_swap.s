// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_permlane32_swap_b32 D, S: D[32..63] <-> S[0..31].
// v_permlane16_swap_b32 D, S: D[16..31] <-> S[0..15] and D[48..63] <-> S[32..47].
// Source: CDNA4 ISA pseudocode of both (tinygrad/tinygrad:
// tinygrad/runtime/autogen/amd/cdna/str_pcode.py). It has no EXEC in it, so nothing is
// tested with lanes off: test/emu/ASSUMED.md.

//| inputs(a=[0x1000 + l for l in LANE], b=[0x2000 + l for l in LANE])
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_mov_b32_e32 v10, v1
  v_mov_b32_e32 v11, v2
  s_nop 1
  v_permlane32_swap_b32_e32 v10, v11
  s_nop 1
  OUTPUT v10    // == 0x1000 + lane if lane < 32 else 0x2000 + lane - 32
  OUTPUT v11    // == 0x1000 + lane + 32 if lane < 32 else 0x2000 + lane

  // twice is nothing
  v_permlane32_swap_b32_e64 v10, v11
  s_nop 1
  OUTPUT v10    // == a
  OUTPUT v11    // == b

  v_permlane16_swap_b32_e32 v10, v11
  s_nop 1
  OUTPUT v10    // == 0x1000 + lane if lane % 32 < 16 else 0x2000 + lane - 16
  OUTPUT v11    // == 0x1000 + lane + 16 if lane % 32 < 16 else 0x2000 + lane

  // the exchange of a softmax reduction: both operands the same value
  v_mov_b32_e32 v12, v1
  v_mov_b32_e32 v13, v1
  s_nop 1
  v_permlane32_swap_b32_e32 v12, v13
  s_nop 1
  v_add_u32_e32 v14, v12, v13
  OUTPUT v14    // == 0x2000 + 2 * (lane % 32) + 32
END_KERNEL
