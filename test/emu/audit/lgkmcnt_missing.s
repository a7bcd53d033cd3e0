// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// LDS reads and scalar loads that are used too early. LDS operations return in order among
// themselves; scalar memory operations in any order, so that only zero certifies them, and
// they say nothing of the others: with one of them outstanding an LDS read is certain only
// if enough LDS operations are after it.
// Source: CDNA3 ISA 4.4 (LGKM_CNT); LLVM SIInsertWaitcnts.cpp (counterOutOfOrder).

//| finding("wait", "v_mov_b32_e32 v20, v1", "ds_read_b32 v1,", "lgkmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v20, v2", "ds_read_b32 v2,", "lgkmcnt(1)")
//| finding("wait", "s_add_u32 s30, s20", "s_load_dword s20", "any order")
//| finding("wait", "s_add_u32 s30, s22", "s_load_dwordx2 s[22:23]", "reads s22")
//| finding("wait", "s_add_u32 s30, s25", "s_load_dwordx2 s[24:25]", "reads s25")
//| finding("wait", "v_mov_b32_e32 v20, v4", "ds_read_b32 v4,", "lgkmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v20, v5", "ds_read_b32 v5,", "lgkmcnt(0)")
//| finding("wait", "global_load_dword v20, v30, s[26:27]", "s_load_dwordx2 s[26:27]", "reads s26")
//| finding("wait", "v_mov_b32_e32 v6,", "ds_read_b32 v6,", "overwrites v6")
//| finding("wait", "s_mov_b32 s28,", "s_load_dword s28", "overwrites s28")
//| finding("wait", "s_load_dword s29, s[4:5], 0x4", "s_load_dword s29, s[4:5], 0x0", "overwrites s29")
//| finding("wait", "v_mov_b32_e32 v20, v7", "ds_bpermute_b32 v7,", "lgkmcnt(0)")
//| finding("wait", "v_mov_b32_e32 v20, v8", "ds_add_rtn_u32 v8,", "lgkmcnt(0)")
//| finding("wait", "v_cndmask_b32_e32 v20", "s_load_dwordx2 vcc", "reads vcc")
//| finding("wait", "v_div_fmas_f32 v20", "s_load_dwordx2 vcc", "reads vcc")
//| finding("wait", "s_cbranch_vccz", "s_load_dwordx2 vcc", "reads vcc")
//| finding("wait", "v_cmp_eq_u32_e32 vcc", "s_load_dword vcc_hi", "overwrites vcc")
//| finding("wait", "s_mov_b32 s31, s33", "s_memtime s[32:33]", "lgkmcnt(0)")
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v31, 0

  ds_read_b32 v1, v255
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v20, v1
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v2, v255
  ds_write_b32 v255, v30
  s_waitcnt lgkmcnt(2)
  v_mov_b32_e32 v20, v2
  s_waitcnt lgkmcnt(0)

  s_load_dword s20, s[4:5], 0x0
  s_add_u32 s30, s20, 1
  s_waitcnt lgkmcnt(0)

  // One of the two may be back: which, nobody knows.
  s_load_dwordx2 s[22:23], s[4:5], 0x0
  s_load_dword s21, s[4:5], 0x0
  s_waitcnt lgkmcnt(1)
  s_add_u32 s30, s22, 1
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 s[24:25], s[4:5], 0x0
  s_add_u32 s30, s25, 1
  s_waitcnt lgkmcnt(0)

  // The one that is back may be the scalar load.
  ds_read_b32 v4, v255
  s_load_dword s20, s[4:5], 0x0
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v20, v4
  s_waitcnt lgkmcnt(0)

  // Or the scalar store.
  ds_read_b32 v5, v255
  s_store_dword s20, s[6:7], 0x0
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v20, v5
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 s[26:27], s[0:1], 0x0
  global_load_dword v20, v30, s[26:27]
  s_waitcnt vmcnt(0) lgkmcnt(0)

  ds_read_b32 v6, v255
  v_mov_b32_e32 v6, 0
  s_waitcnt lgkmcnt(0)

  s_load_dword s28, s[4:5], 0x0
  s_mov_b32 s28, 0
  s_waitcnt lgkmcnt(0)

  s_load_dword s29, s[4:5], 0x0
  s_load_dword s29, s[4:5], 0x4
  s_waitcnt lgkmcnt(0)

  ds_bpermute_b32 v7, v255, v30
  v_mov_b32_e32 v20, v7
  s_waitcnt lgkmcnt(0)

  ds_add_rtn_u32 v8, v255, v30
  v_mov_b32_e32 v20, v8
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 vcc, s[4:5], 0x0
  v_cndmask_b32_e32 v20, v30, v31, vcc
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 vcc, s[4:5], 0x0
  v_div_fmas_f32 v20, v30, v30, v31
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 vcc, s[4:5], 0x0
  s_cbranch_vccz .Lnext
.Lnext:
  s_waitcnt lgkmcnt(0)

  s_load_dword vcc_hi, s[4:5], 0x0
  v_cmp_eq_u32_e32 vcc, v30, v31
  s_waitcnt lgkmcnt(0)

  s_memtime s[32:33]
  s_mov_b32 s31, s33
  s_waitcnt lgkmcnt(0)
END_KERNEL
