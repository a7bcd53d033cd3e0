// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The twin of vmcnt_missing: waits that cover, loads that return in order, data and
// addresses of stores that may be overwritten at once, loads nobody waits for.
// Source: CDNA3 ISA, "Data dependency resolution": vector loads return in order; LLVM
// SIInsertWaitcnts.cpp: no wait before a store's data is overwritten on GFX9
// (vmemWriteNeedsExpWaitcnt), none between loads of one type into one register.

//| inputs(a=random_u32(64, 3), b=random_u32(64, 4))
//| matrix()
.include "prologue.inc"
KERNEL
  v_add_u32_e32 v30, 256, v255
  global_load_dword v1, v255, s[4:5]
  global_load_dword v2, v30, s[4:5]
  global_load_dword v3, v255, s[4:5]
  s_waitcnt vmcnt(2)
  v_mov_b32_e32 v11, v1
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v12, v2
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v13, v3
  OUTPUT v11   // == a
  OUTPUT v12   // == b
  OUTPUT v13   // == a
  // what a store reads is read at issue
  v_mov_b32_e32 v14, v11
  v_add_u32_e32 v253, OUT_COLUMN*LANES*4, v255
  global_store_dword v253, v14, s[6:7]
  v_mov_b32_e32 v14, 0
  v_mov_b32_e32 v253, 0
  .set OUT_COLUMN, OUT_COLUMN+1
//| expect("store data overwritten", [a for a in random_u32(64, 3)])
  // stores count in vmcnt too, in order
  global_load_dword v4, v255, s[4:5]
  v_add_u32_e32 v253, OUT_COLUMN*LANES*4, v255
  global_store_dword v253, v12, s[6:7]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v15, v4
  .set OUT_COLUMN, OUT_COLUMN+1
//| expect("store after load", random_u32(64, 4))
  OUTPUT v15   // == a
  // two loads of one type into one register: the later one stands
  global_load_dword v5, v255, s[4:5]
  global_load_dword v5, v30, s[4:5]
  s_waitcnt vmcnt(0)
  OUTPUT v5    // == b
  // registers beside the pending one are free
  global_load_dwordx2 v[6:7], v255, s[4:5]
  v_mov_b32_e32 v8, 7
  s_waitcnt vmcnt(0)
  OUTPUT v8    // == 7
  // nobody waits for the last one
  global_load_dword v9, v255, s[4:5]
END_KERNEL
