// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Registers that nothing has written: of a lane, of the scalar file, accumulation registers,
// vcc and m0. One finding a register: after it the register counts as written.
// Source: what a wave finds set, LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State".

//| finding("init", "global_store_dword v255, v2,", "v_add_u32_e32 v2, v1, v0", message="depends in lane 0 (64 lanes in all) on what `v_add_u32_e32 v2, v1, v0`", count=1)
//| finding("init", "global_store_dword v255, v4,", "v_add_f32_e32 v4, v3, v3", message="depends in lane 32 (32 lanes in all) on")
//| finding("init", "global_store_dword v255, v250,", "s_add_u32 s20, s21, 1", message="read: s21, which nothing has written since")
//| finding("init", "global_store_dword v255, v5,", "v_cndmask_b32_e32 v5, 0, v0, vcc", message="read: vcc")
//| finding("init", "global_store_dword v255, v6,", message="reads v6, which")
//| finding("init", "global_store_dword v255, v14,", "v_mfma_f32_32x32x8_f16 v[16:31], v[10:11], v[12:13], 0", message="read: v12, which nothing has written since")
//| finding("init", "global_store_dword v255, v9,", "v_add_u32_e32 v9, v8, v8", message="read: v8, which nothing has written since")
//| finding("init", "global_store_dword v255, v15,", "v_add_u32_e32 v15, v7, v7", message="depends in lane 3 (1 lanes in all) on")
//| no_output()
//| checks("all")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  v_add_u32_e32 v2, v1, v0
  KEEP v2
  v_add_u32_e32 v2, v1, v2         // told already
  KEEP v2
  s_mov_b64 s[30:31], exec
  s_mov_b32 exec_hi, 0
  v_mov_b32_e32 v3, 1.0
  v_add_f32_e32 v2, v3, v3         // these lanes are there
  KEEP v2
  s_mov_b64 exec, s[30:31]
  v_add_f32_e32 v4, v3, v3
  s_add_u32 s20, s21, 1
  v_cndmask_b32_e32 v5, 0, v0, vcc
  KEEP v4
  KEEP_S s20
  KEEP v5
  global_store_dword v255, v6, s[6:7]
  v_mov_b32_e32 v10, 0
  v_mov_b32_e32 v11, 0
  v_mov_b32_e32 v13, 0
  s_mov_b64 exec, 1
  v_mov_b32_e32 v12, 0
  s_nop 1
  v_mfma_f32_32x32x8_f16 v[16:31], v[10:11], v[12:13], 0 // all lanes, whatever EXEC
  s_mov_b64 exec, s[30:31]
  s_nop 15
  s_nop 1
  v_mov_b32_e32 v14, v31           // an MFMA writes all lanes
  v_add_u32_e32 v14, v14, v31
  KEEP v14
  v_accvgpr_read_b32 v8, a5        // a move passes on that nothing is there
  s_nop 1
  v_add_u32_e32 v9, v8, v8
  KEEP v9
  s_mov_b64 exec, -9               // all lanes but 3
  v_mov_b32_e32 v7, 7
  s_mov_b64 exec, s[30:31]
  v_add_u32_e32 v15, v7, v7
  KEEP v15
END_KERNEL
