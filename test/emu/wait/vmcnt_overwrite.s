// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The destination of an outstanding load is written by something else: the load would
// land on top of it.
// Source: LLVM SIInsertWaitcnts.cpp, "WAW needs an s_waitcnt unless ..." the same type of
// VMEM instruction.

//| finding("wait", "v_mov_b32_e32 v1,", "global_load_dword v1,")
//| finding("wait", "ds_read_b32 v2", "global_load_dword v2,")
//| finding("wait", "v_mov_b32_e32 v5,", "global_load_dwordx4 v[4:7]")
//| finding("wait", "v_mov_b32_e32 v8,", "ds_read_b32 v8")
//| finding("wait", "s_mov_b32 s20", "s_load_dword s20")
//| finding("wait", "v_accvgpr_write_b32 a3,", "ds_read_b32 a3")
//| inputs([0] * 64)
//| no_output()
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  ds_write_b32 v255, v30
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v30, s[4:5]
  v_mov_b32_e32 v1, 5
  s_waitcnt vmcnt(0)
  global_load_dword v2, v30, s[4:5]
  ds_read_b32 v2, v255
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_load_dwordx4 v[4:7], v30, s[4:5]
  v_mov_b32_e32 v5, 5
  s_waitcnt vmcnt(0)
  ds_read_b32 v8, v255
  v_mov_b32_e32 v8, 5
  s_waitcnt lgkmcnt(0)
  s_load_dword s20, s[4:5], 0x0
  s_mov_b32 s20, 1
  s_waitcnt lgkmcnt(0)
  ds_read_b32 a3, v255
  v_accvgpr_write_b32 a3, v30
  s_waitcnt lgkmcnt(0)
END_KERNEL
