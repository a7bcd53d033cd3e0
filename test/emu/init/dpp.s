// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// DPP: what counts is the lane that a value is taken from. v1 is written in lanes 0 to 31. A move
// passes on what it takes, lane by lane, keeps what a mask leaves out and writes 0 where bound_ctrl
// asks for it; an addition that takes nothing from the other lanes is no finding.
// Source: CDNA3 ISA 12.16.2 (DPP_CTRL, BOUND_CTRL, masks).

//| finding("init", "global_store_dword v255, v2,", "v_add_u32_dpp v2, v1, v0 row_shr:1", message="depends in lane 33 (30 lanes in all) on")
//| finding("init", "global_store_dword v255, v5,", "v_add_u32_e32 v5, v4, v0", message="depends in lane 1 (32 lanes in all) on")
//| finding("init", "global_store_dword v255, v7,", "v_add_u32_e32 v7, v6, v0", message="depends in lane 48 (16 lanes in all) on")
//| finding("init", "global_store_dword v255, v11,", "v_add_u32_dpp v11, v10, v9 quad_perm:[0,0,0,0]", message="read: v9, which nothing has written since")
//| finding("init", "global_store_dword v255, v24,", "v_add_u32_e32 v24, v24, v25", message="read: v25, which nothing has written since")
//| no_output()
//| checks("all")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  s_mov_b64 s[30:31], exec
  s_mov_b32 exec_hi, 0
  v_mov_b32_e32 v1, 1
  s_nop 4
  // rows of the written half alone: every lane takes one of its own row
  v_add_u32_dpp v3, v1, v0 row_ror:3 row_mask:0xf bank_mask:0xf
  s_mov_b64 exec, s[30:31]
  s_nop 4
  // all lanes write, and take from the first row what the first row holds
  v_add_u32_dpp v3, v1, v0 row_shr:1 row_mask:0x3 bank_mask:0xf bound_ctrl:0
  // of rows 2 and 3 all lanes but the last: 15 each
  v_add_u32_dpp v2, v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
  KEEP v2
  // lanes 1, 3, … of quads take lanes 0, 2, … of v20: written in even lanes only
  s_mov_b32 s20, 0x55555555
  s_mov_b32 s21, 0x55555555
  s_mov_b64 exec, s[20:21]
  v_mov_b32_e32 v20, 2
  s_mov_b64 exec, s[30:31]
  s_nop 4
  v_mov_b32_dpp v14, v20 quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
  v_add_u32_e32 v14, v14, v0
  KEEP v14
  v_mov_b32_dpp v4, v20 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf
  v_add_u32_e32 v5, v4, v0
  KEEP v5
  // rows 0 to 2 are written; with bound_ctrl lane 0 of each row becomes 0
  v_mov_b32_dpp v6, v0 row_shr:1 row_mask:0x7 bank_mask:0xf bound_ctrl:0
  v_add_u32_e32 v7, v6, v0
  KEEP v7
  v_mov_b32_e32 v10, 3
  s_nop 1
  v_add_u32_dpp v11, v10, v9 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf
  KEEP v11
  // both registers of a pair move; v17 is there, v19 is not
  v_mov_b32_e32 v16, 4
  v_mov_b32_e32 v17, 4
  v_mov_b32_e32 v18, 4
  s_nop 1
  v_mov_b64_dpp v[22:23], v[16:17] row_newbcast:3 row_mask:0xf bank_mask:0xf
  v_mov_b64_dpp v[24:25], v[18:19] row_newbcast:3 row_mask:0xf bank_mask:0xf
  v_add_u32_e32 v22, v22, v23
  v_add_u32_e32 v24, v24, v25
  KEEP v22
  KEEP v24
END_KERNEL
