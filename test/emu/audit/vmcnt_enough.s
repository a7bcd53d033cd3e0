// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// The twin of vmcnt_missing: counts that just do, registers beside those of a load, data
// and addresses of stores reused at once, loads and half loads of one register in order,
// what nobody waits for.
// Source: CDNA3 ISA 4.4; LLVM SIInsertWaitcnts.cpp: no wait before a store's data is
// overwritten on GFX9 (vmemWriteNeedsExpWaitcnt), none between loads of one type into one
// register.

.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v31, 0
  s_mov_b32 m0, 0
  global_load_dword v2, v30, s[4:5]
  global_load_dword v3, v30, s[4:5]
  global_load_dword v24, v30, s[4:5]
  s_waitcnt vmcnt(2)
  v_mov_b32_e32 v20, v2
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v20, v3
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v20, v24

  global_load_dwordx4 v[4:7], v30, s[4:5]
  v_mov_b32_e32 v20, v3
  v_mov_b32_e32 v20, v8
  v_accvgpr_read_b32 v20, a4
  s_waitcnt vmcnt(0)

  global_store_dword v31, v20, s[6:7]
  v_mov_b32_e32 v20, 0
  v_mov_b32_e32 v31, 0

  global_load_dword v10, v30, s[4:5]
  global_store_dword v30, v31, s[6:7]
  global_load_lds_dword v30, s[4:5]
  s_waitcnt vmcnt(2)
  v_mov_b32_e32 v20, v10

  global_load_dword v12, v30, s[4:5]
  global_load_dword v12, v30, s[4:5] offset:4
  global_load_short_d16 v13, v30, s[4:5]
  global_load_short_d16_hi v13, v30, s[4:5]
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v20, v12
  v_mov_b32_e32 v20, v13
  global_load_dword v14, v30, s[4:5]
END_KERNEL
