// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// With a flat load outstanding a count above zero certifies nothing that was issued before
// it, in either counter, and no flat load is certain above zero: it may come back first.
// Source: CDNA3 ISA 10.2.2 (after flat instructions zero is the only useful count); LLVM
// SIInsertWaitcnts.cpp (hasPendingFlat).

//| finding("wait", "v_mov_b32_e32 v22, v5", "global_load_dword v5,", message="vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v23, v3", "flat_load_dword v3,", message="vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v24, v7", "ds_read_b32 v7,", message="lgkmcnt(0)")
//| inputs([11] * 64)
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v20, s4
  v_mov_b32_e32 v21, s5
  v_mov_b32_e32 v30, 0
  ds_write_b32 v255, v30
  s_waitcnt lgkmcnt(0)

  global_load_dword v5, v30, s[4:5]
  flat_load_dword v6, v[20:21]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v22, v5
  s_waitcnt vmcnt(0) lgkmcnt(0)

  flat_load_dword v3, v[20:21]
  global_load_dword v4, v30, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(0)
  v_mov_b32_e32 v23, v3
  s_waitcnt vmcnt(0)

  ds_read_b32 v7, v255
  flat_load_dword v8, v[20:21]
  s_waitcnt vmcnt(0) lgkmcnt(1)
  v_mov_b32_e32 v24, v7
  s_waitcnt vmcnt(0) lgkmcnt(0)

  // Enough: with another vector load after it the first is certain at one.
  global_load_dword v9, v30, s[4:5]
  flat_load_dword v10, v[20:21]
  global_load_dword v11, v30, s[4:5]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v25, v9
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v25   // == 11
  OUTPUT v6    // == 11
  OUTPUT v11   // == 11
END_KERNEL
