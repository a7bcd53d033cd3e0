// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Workgroups 1 and 2 count themselves by an atomic, and look at nothing: that orders neither of
// them. The store of 2 races with the loads of 0, which uses no atomic, and of 1; the last one is named.
// Source: two accesses to a byte by different workgroups, at least one a write, which nothing
// orders (LLVM "User Guide for AMDGPU Backend", memory model: agent scope).

//| launch(block=64, grid=3)
//| buffer("b", bytes=512, fill=0)
//| kernarg(offset=16, buffer="b")
//| finding("race", "global_store_dword v255, v1, s[8:9]", "global_load_dword v3, v255, s[8:9]", message="which workgroup (1,0,0) reads", count=64)
//| no_output()
//| checks("mem,wait,sync,race")
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v2, 0
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 .Lread
  global_atomic_add v2, v1, s[8:9] offset:256
  s_cmp_eq_u32 s2, 1
  s_cbranch_scc1 .Lread
  global_store_dword v255, v1, s[8:9]
  s_endpgm
.Lread:
  global_load_dword v3, v255, s[8:9]
  s_waitcnt vmcnt(0)
END_KERNEL
