// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Global loads direct to LDS take M0[17:2]: other low bits are dropped, and a finding. Buffer
// loads take M0[17:0], and nothing is said of their alignment: no finding.
// Source: CDNA4 ISA 10.3 ("M0[17:2] * 4"), 9.1.9 ("18-bit unsigned byte offset from M0[17:0]").

//| in_buffer(bytes(4096))
//| no_output()
//| finding("mem", "global_load_lds_dword v255, s[4:5]", message=("M0 = 0x102, which is no multiple of 4", "drops the two low bits of M0"), count=1)
//| finding("mem", "global_load_lds_dwordx4 v1, s[4:5] offset:16", message=("M0 = 0x103", "drops the two low bits of M0"), count=1)
.set LDS, 4096
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 4096
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 4, v0
  s_movk_i32 m0, 0x104
  s_nop 0
  global_load_lds_dword v255, s[4:5] offset:4
  global_load_lds_dwordx4 v1, s[4:5]
  s_movk_i32 m0, 0x102
  s_nop 0
  global_load_lds_dword v255, s[4:5]
  buffer_load_dword v255, s[8:11], 0 offen lds
  s_movk_i32 m0, 0x103
  s_nop 0
  global_load_lds_dwordx4 v1, s[4:5] offset:16
  s_mov_b64 exec, 0
  global_load_lds_dwordx4 v1, s[4:5]
  s_waitcnt vmcnt(0)
END_KERNEL
