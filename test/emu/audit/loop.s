// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Loads of one turn that the next uses. In the first loop the count is right for what was
// loaded before the loop, and one too high for what the turn before has loaded; in the
// second it is right for both; in the third the load is used before the back edge only.
// In the fourth a load replaces registers that the turn before still waits for: in order.
// Source: CDNA3 ISA 4.4.

//| finding("wait", "v_add_u32_e32 v20, v1, v20", "global_load_dword v1, v30, s[4:5] offset:8", "vmcnt(1) in between; by the branch at pc 0x50 back to 0x30")
//| finding("wait", "v_add_u32_e32 v20, v3, v20", "global_load_dword v3,", "; by the branch at pc 0xa8 back to 0x90")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v30, 0
  s_mov_b32 s20, 0
  global_load_dword v1, v30, s[4:5]
  global_load_dword v2, v30, s[4:5]
  global_load_dword v4, v30, s[4:5]
.Lone_too_high:
  s_waitcnt vmcnt(2)
  v_add_u32_e32 v20, v1, v20
  global_load_dword v1, v30, s[4:5] offset:8
  global_load_dword v2, v30, s[4:5]
  s_add_u32 s20, s20, 1
  s_cmp_lt_u32 s20, s2
  s_cbranch_scc1 .Lone_too_high
  s_waitcnt vmcnt(0)

  global_load_dword v1, v30, s[4:5]
  global_load_dword v2, v30, s[4:5]
.Lright:
  s_waitcnt vmcnt(1)
  v_add_u32_e32 v20, v1, v20
  global_load_dword v1, v30, s[4:5]
  s_waitcnt vmcnt(1)
  v_add_u32_e32 v20, v2, v20
  global_load_dword v2, v30, s[4:5]
  s_cbranch_scc1 .Lright
  s_waitcnt vmcnt(0)

.Lround:
  s_add_u32 s20, s20, 1
  v_add_u32_e32 v20, v3, v20
  s_waitcnt vmcnt(0)
  global_load_dword v3, v30, s[4:5]
  s_nop 0
  s_cbranch_scc1 .Lround
  s_waitcnt vmcnt(0)

.Linto_the_same:
  global_load_dword v5, v30, s[4:5]
  s_cbranch_scc1 .Linto_the_same
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v20, v5, v20
END_KERNEL
