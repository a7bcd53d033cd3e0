// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// A counter that is full stalls the issue: of 64 vector loads the first is certain, of 63
// none is; of 16 LDS reads the first. Scalar loads come back in any order, so that which
// of 16 is back is not known.
// Source: CDNA3 ISA 4.4 (VM_CNT has 6 bits, LGKM_CNT 4); LLVM SIInsertWaitcnts.cpp
// (getWaitCountMax bounds what may be pending).

//| finding("wait", "v_mov_b32_e32 v200, v101", "global_load_dword v101,", "vmcnt(62)")
//| finding("wait", "v_mov_b32_e32 v201, v2", "global_load_dword v2,", "vmcnt(62)")
//| finding("wait", "v_mov_b32_e32 v202, v21", "ds_read_b32 v21,", "lgkmcnt(14)")
//| finding("wait", "s_mov_b32 s60, s20", "s_load_dword s20,", "lgkmcnt(0)")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v190, 0
  .set R, 101
  .rept 63
  global_load_dword v[R], v190, s[4:5]
  .set R, R+1
  .endr
  v_mov_b32_e32 v200, v101
  s_waitcnt vmcnt(0)

  .set R, 1
  .rept 64
  global_load_dword v[R], v190, s[4:5]
  .set R, R+1
  .endr
  v_mov_b32_e32 v200, v1
  v_mov_b32_e32 v201, v2
  s_waitcnt vmcnt(0)

  .set R, 20
  .rept 16
  ds_read_b32 v[R], v255
  .set R, R+1
  .endr
  v_mov_b32_e32 v200, v20
  v_mov_b32_e32 v202, v21
  s_waitcnt lgkmcnt(0)

  .set R, 20
  .rept 16
  s_load_dword s[R], s[4:5], 0x0
  .set R, R+1
  .endr
  s_mov_b32 s60, s20
  s_waitcnt lgkmcnt(0)
END_KERNEL
