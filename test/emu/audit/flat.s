// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Flat loads may come from either memory: both counters must certify them, at zero, and
// with one outstanding a count above zero certifies no operation before it. A vector load
// may replace their registers once LDS has no part in them, an LDS read the other way
// round.
// Source: CDNA3 ISA 10.2.2 (after flat instructions zero is the only useful count); LLVM
// SIInsertWaitcnts.cpp (hasPendingFlat).

//| finding("wait", "v_mov_b32_e32 v22, v1", "flat_load_dword v1,", "lgkmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v22, v2", "flat_load_dword v2,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v22, v3", "flat_load_dword v3,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v22, v5", "global_load_dword v5,", "vmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v22, v7", "ds_read_b32 v7,", "lgkmcnt(0)")
//| finding("wait", "global_load_dword v9,", "flat_load_dword v9,", "lgkmcnt(0)")
//| finding("wait", "ds_read_b32 v10,", "flat_load_dword v10,", "vmcnt(0)")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v20, s4
  v_mov_b32_e32 v21, s5
  v_mov_b32_e32 v30, 0

  flat_load_dword v1, v[20:21]
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v22, v1
  s_waitcnt lgkmcnt(0)

  flat_load_dword v2, v[20:21]
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v22, v2
  s_waitcnt vmcnt(0)

  flat_load_dword v3, v[20:21]
  global_load_dword v4, v30, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(0)
  v_mov_b32_e32 v22, v3
  s_waitcnt vmcnt(0)

  global_load_dword v5, v30, s[4:5]
  flat_load_dword v6, v[20:21]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v22, v5
  s_waitcnt vmcnt(0) lgkmcnt(0)

  ds_read_b32 v7, v255
  flat_load_dword v8, v[20:21]
  s_waitcnt vmcnt(0) lgkmcnt(1)
  v_mov_b32_e32 v22, v7
  s_waitcnt lgkmcnt(0)

  flat_load_dword v9, v[20:21]
  global_load_dword v9, v30, s[4:5]
  s_waitcnt vmcnt(0) lgkmcnt(0)

  flat_load_dword v10, v[20:21]
  ds_read_b32 v10, v255
  s_waitcnt vmcnt(0) lgkmcnt(0)

  // Enough.
  flat_load_dword v11, v[20:21]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32_e32 v22, v11
  flat_load_dword v12, v[20:21]
  s_waitcnt lgkmcnt(0)
  global_load_dword v12, v30, s[4:5]
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v22, v12
  flat_load_dword v13, v[20:21]
  s_waitcnt vmcnt(0)
  ds_read_b32 v13, v255
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v22, v13
  flat_store_dword v[20:21], v22
  v_mov_b32_e32 v22, 0
END_KERNEL
