// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Where paths meet, the worst of them counts: one that does not wait, and of two that do,
// the one with fewer operations after the load. What is waited for on every path, or in
// each of two ways, is certain.
// Source: CDNA3 ISA 4.4.

//| finding("wait", "v_mov_b32_e32 v20, v1", "global_load_dword v1,", "; by the branch at pc 0x20 to 0x28")
//| finding("wait", "v_mov_b32_e32 v20, v2", "global_load_dword v2,", "vmcnt(1) in between; by the branch at pc 0x44 to 0x54")
//| finding("wait", "v_mov_b32_e32 v20, v5", "global_load_dword v5,", "pc 0x6c to 0x74")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  s_cmp_eq_u32 s2, 0
  global_load_dword v1, v30, s[4:5]
  s_cbranch_scc1 .Lno_wait
  s_waitcnt vmcnt(0)
.Lno_wait:
  v_mov_b32_e32 v20, v1
  s_waitcnt vmcnt(0)

  global_load_dword v2, v30, s[4:5]
  global_load_dword v3, v30, s[4:5]
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 .Lno_load
  global_load_dword v4, v30, s[4:5]
  s_nop 0
.Lno_load:
  s_waitcnt vmcnt(2)
  v_mov_b32_e32 v20, v2
  s_waitcnt vmcnt(0)

  // Loaded on one of two ways only, and not waited for where they meet.
  s_cbranch_scc1 .Lelse
  global_load_dword v5, v30, s[4:5]
  s_branch .Lmet
.Lelse:
  v_mov_b32_e32 v5, 0
.Lmet:
  v_mov_b32_e32 v20, v5
  s_waitcnt vmcnt(0)

  // Enough: each way waits, as far as it must.
  global_load_dword v6, v30, s[4:5]
  global_load_dword v7, v30, s[4:5]
  s_cbranch_scc1 .Lmore
  s_waitcnt vmcnt(1)
  s_branch .Lboth
.Lmore:
  global_load_dword v8, v30, s[4:5]
  s_waitcnt vmcnt(2)
.Lboth:
  v_mov_b32_e32 v20, v6
  s_waitcnt vmcnt(0)

  // A way that ends the program does not matter.
  global_load_dword v9, v30, s[4:5]
  s_cbranch_scc0 .Lgo_on
  s_endpgm
.Lgo_on:
  s_waitcnt vmcnt(0)
  v_mov_b32_e32 v20, v9
END_KERNEL
