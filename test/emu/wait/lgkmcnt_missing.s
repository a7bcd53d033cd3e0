// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS reads and scalar loads used before lgkmcnt covers them. LDS returns in order, so a
// count above zero covers the older ones; scalar loads return in any order, so that only
// zero covers any of them, also when LDS operations are mixed in.
// Source: CDNA3 ISA, "Data dependency resolution" (LGKM_CNT: scalar memory reads can
// return out of order; LDS in order); LLVM SIInsertWaitcnts.cpp (counterOutOfOrder).

//| finding("wait", "v_mov_b32_e32 v20,", "ds_read_b32 v1,")
//| finding("wait", "v_mov_b32_e32 v21,", "ds_read_b32 v3,")
//| finding("wait", "s_add_u32 s30", "s_load_dword s20")
//| finding("wait", "s_add_u32 s31", "s_load_dword s22")
//| finding("wait", "s_add_u32 s34", "s_load_dword s24")
//| finding("wait", "v_mov_b32_e32 v22,", "s_load_dwordx2 s[26:27]")
//| finding("wait", "v_mov_b32_e32 v23,", "ds_bpermute_b32 v4,")
//| finding("wait", "v_mov_b32_e32 v24,", "ds_read_b64_tr_b16 v[6:7]")
//| finding("wait", "global_load_dword v25", "s_load_dwordx2 s[28:29]")
//| inputs([0] * 64)
//| no_output()
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  ds_write_b32 v255, v30
  v_lshlrev_b32_e32 v31, 3, v0
  ds_write_b32 v31, v30 offset:256
  ds_write_b32 v31, v30 offset:260
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v1, v255
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v20, v1
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v2, v255
  ds_read_b32 v3, v255
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v26, v2           // covered
  v_mov_b32_e32 v21, v3           // not
  s_waitcnt lgkmcnt(0)

  s_load_dword s20, s[4:5], 0x0
  s_add_u32 s30, s20, 1
  s_waitcnt lgkmcnt(0)

  s_load_dword s22, s[4:5], 0x0
  s_load_dword s23, s[4:5], 0x4
  s_waitcnt lgkmcnt(1)
  s_add_u32 s31, s22, 1           // either may be the one that is back
  s_waitcnt lgkmcnt(0)

  s_load_dword s24, s[4:5], 0x0
  ds_read_b32 v5, v255
  s_waitcnt lgkmcnt(1)
  s_add_u32 s34, s24, 1
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 s[26:27], s[4:5], 0x0
  v_mov_b32_e32 v22, s27
  s_waitcnt lgkmcnt(0)

  ds_bpermute_b32 v4, v255, v30
  v_mov_b32_e32 v23, v4
  s_waitcnt lgkmcnt(0)

  ds_read_b64_tr_b16 v[6:7], v31 offset:256
  v_mov_b32_e32 v24, v7
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 s[28:29], s[0:1], 0x0
  global_load_dword v25, v30, s[28:29]
  s_waitcnt vmcnt(0) lgkmcnt(0)
END_KERNEL
