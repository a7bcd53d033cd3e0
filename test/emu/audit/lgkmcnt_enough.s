// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// The twin of lgkmcnt_missing: counts that just do, LDS reads after which enough LDS
// operations stand for the count to hold whatever scalar loads are about, registers beside
// those of a load, LDS reads of one register in order.
// Source: CDNA3 ISA 4.4 (LGKM_CNT).

.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  ds_read_b32 v2, v255
  ds_write_b32 v255, v30
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v20, v2
  v_mov_b32_e32 v30, 0

  s_load_dwordx2 s[22:23], s[4:5], 0x0
  s_add_u32 s30, s21, s24
  s_waitcnt lgkmcnt(0)
  s_add_u32 s30, s22, s23

  // At most two are outstanding: of the scalar load and the two LDS operations after the
  // first read one at least is back, so that the read is.
  ds_read_b32 v4, v255
  s_load_dword s20, s[4:5], 0x0
  ds_read_b32 v5, v255
  ds_write_b32 v255, v30
  s_waitcnt lgkmcnt(2)
  v_mov_b32_e32 v20, v4
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v6, v255
  ds_read_b32 v6, v255 offset:4
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v20, v6

  s_load_dwordx2 vcc, s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  v_cndmask_b32_e32 v20, v30, v31, vcc
  s_cbranch_vccz .Lnext
.Lnext:
  // A load nobody waits for, and scalar data that a store has read at issue.
  s_store_dword s20, s[6:7], 0x0
  s_mov_b32 s20, 0
  ds_read_b32 v7, v255
END_KERNEL
