// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// What the descriptor asks for is there at the start, and what is written piece by piece: masks
// of lanes, lanes of a vector register, halves. No finding.
// Source: what a wave finds set, LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State".

//| inputs(a=random_u32(64, 5))
//| checks("all")
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  s_add_u32 s20, s2, s0            // workgroup id, kernel arguments
  v_cmp_gt_u32_e32 vcc, 32, v0
  v_cndmask_b32_e32 v2, v0, v1, vcc
  // A mask that is built up in the lanes that are active.
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, 0xff
  s_andn2_b64 s[40:41], s[40:41], exec
  s_or_b64 s[40:41], s[40:41], exec
  s_not_b64 exec, exec
  s_or_b64 s[40:41], s[40:41], exec
  s_mov_b64 exec, s[30:31]
  v_cndmask_b32_e64 v3, v0, v1, s[40:41]
  s_and_b64 s[42:43], s[44:45], 0
  s_add_u32 s42, s42, s43
  // Lane by lane.
  v_writelane_b32 v4, s20, 5
  s_nop 0
  v_readlane_b32 s21, v4, 5
  s_add_u32 s21, s21, 1
  // A 32-bit product and sum: the high half of the addend is not used.
  v_mov_b32_e32 v6, 3
  v_mad_u64_u32 v[8:9], s[46:47], v1, v1, v[6:7]
  v_add_u32_e32 v10, v8, v1
  // One register of a pair, twice.
  v_pk_mul_f32 v[12:13], v[6:7], v[6:7] op_sel_hi:[0,0]
  v_swap_b32 v1, v11
  v_mov_b32_e32 v14, v11
  OUTPUT v14   // == a
END_KERNEL
