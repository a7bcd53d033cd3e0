// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The swaps of rows and halves pass on, lane by lane, that nothing is there. v1 is written, v2
// is not: after the swap of halves v1 lacks its upper lanes, v2 its upper ones too.
// Source: LLVM AMDGPUUsage, llvm.amdgcn.permlane32.swap (upper half of the first against lower
// half of the second), llvm.amdgcn.permlane16.swap (odd rows against even ones).

//| finding("init", "global_store_dword v255, v3,", "v_add_u32_e32 v3, v1, v0", message="depends in lane 32 (32 lanes in all) on")
//| finding("init", "global_store_dword v255, v4,", "v_add_u32_e32 v4, v2, v0", message="depends in lane 32 (32 lanes in all) on")
//| finding("init", "global_store_dword v255, v7,", "v_add_u32_e32 v7, v5, v0", message="depends in lane 16 (32 lanes in all) on")
//| finding("init", "global_store_dword v255, v8,", "v_add_u32_e32 v8, v6, v0", message="depends in lane 16 (32 lanes in all) on")
//| no_output()
//| checks("all")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v5, 1
  v_mov_b32_e32 v11, 1
  v_mov_b32_e32 v12, 1
  s_nop 1
  v_permlane32_swap_b32 v1, v2
  v_permlane16_swap_b32 v5, v6
  v_permlane32_swap_b32 v11, v12
  s_nop 1
  v_add_u32_e32 v3, v1, v0
  v_add_u32_e32 v4, v2, v0
  v_add_u32_e32 v7, v5, v0
  v_add_u32_e32 v8, v6, v0
  v_add_u32_e32 v13, v11, v12      // right
  .irp r, 3, 4, 7, 8, 13
    KEEP v\r
  .endr
END_KERNEL
