// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar stores come back in any order, as scalar loads do, so that an LDS read is not
// certain while one is outstanding; a branch on VCCZ reads what is loaded into VCC.
// Source: CDNA3 ISA 4.4 (LGKM_CNT: scalar memory in any order); LLVM SIInsertWaitcnts.cpp
// (SMEM_ACCESS is one event for loads and stores).

//| finding("wait", "v_mov_b32_e32 v20, v5", "ds_read_b32 v5,", message="lgkmcnt(0)")
//| finding("wait", "s_cbranch_vccz", "s_load_dwordx2 vcc", message="reads vcc")
//| finding("wait", "s_cbranch_vccnz", "s_load_dword vcc_lo", message="reads vcc")
//| inputs([0] * 64)
//| no_output()
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  ds_write_b32 v255, v30
  s_mov_b32 s20, 0
  s_waitcnt lgkmcnt(0)

  ds_read_b32 v5, v255
  s_store_dword s20, s[6:7], 0x0
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v20, v5
  s_waitcnt lgkmcnt(0)

  s_load_dwordx2 vcc, s[4:5], 0x0
  s_cbranch_vccz .Lone
.Lone:
  s_waitcnt lgkmcnt(0)
  s_cbranch_vccz .Ltwo
.Ltwo:
  s_load_dword vcc_lo, s[4:5], 0x0
  s_cbranch_vccnz .Lthree
.Lthree:
  s_waitcnt lgkmcnt(0)
END_KERNEL
