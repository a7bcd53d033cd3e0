// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Registers of an outstanding load that another kind of operation writes.
// Source: LLVM SIInsertWaitcnts.cpp, "WAW needs an s_waitcnt unless ..." the same type of
// VMEM instruction.

//| finding("wait", "ds_read_b32 v1,", "global_load_dword v1,", "vmcnt(0)")
//| finding("wait", "global_load_dword v2,", "ds_read_b32 v2,", "lgkmcnt(0)")
//| finding("wait", "flat_load_dword v3,", "global_load_dword v3,", "vmcnt(0)")
//| finding("wait", "v_readfirstlane_b32 s20", "s_load_dword s20", "overwrites s20")
//| finding("wait", "v_mfma_f32_4x4x4_16b_f16 v[4:7]", "global_load_dword v6,", "overwrites v6")
//| finding("wait", "v_swap_b32 v8, v9", "ds_read_b32 v9,", "reads v9")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v20, s4
  v_mov_b32_e32 v21, s5
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v31, 0
  global_load_dword v1, v30, s[4:5]
  ds_read_b32 v1, v255
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_b32 v2, v255
  global_load_dword v2, v30, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_load_dword v3, v30, s[4:5]
  flat_load_dword v3, v[20:21]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_load_dword s20, s[4:5], 0x0
  v_readfirstlane_b32 s20, v30
  s_waitcnt lgkmcnt(0)
  global_load_dword v6, v30, s[4:5]
  v_mfma_f32_4x4x4_16b_f16 v[4:7], v[30:31], v[30:31], 0
  s_waitcnt vmcnt(0)
  ds_read_b32 v9, v255
  v_swap_b32 v8, v9
  s_waitcnt lgkmcnt(0)
END_KERNEL
