// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A vector load replaces the destination of an outstanding flat load: in order among
// vector loads once the LDS part is certain, not before.
// Source: LLVM SIInsertWaitcnts.cpp, "WAW needs an s_waitcnt unless ..."; CDNA3 ISA 4.4.

//| finding("wait", "global_load_dword v5,", "flat_load_dwordx2 v[4:5]")
//| inputs([11, 22, 33, 44] * 16)
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  v_mov_b32_e32 v20, s4
  v_mov_b32_e32 v21, s5
  flat_load_dwordx2 v[2:3], v[20:21]
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v30, s[4:5] offset:8
  global_load_dword v3, v30, s[4:5] offset:12
  flat_load_dwordx2 v[4:5], v[20:21]
  global_load_dword v5, v30, s[4:5] offset:8
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v2    // == 33
  OUTPUT v3    // == 44
  OUTPUT v4    // == 11
END_KERNEL
