// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// EXEC and M0 are read without being named: what goes into EXEC must be known, and M0 where an
// instruction takes an address from it. 0 & x is known whatever x is.
// Source: CDNA4 ISA 3.3 (EXEC), pseudocode of DS_WRITE_ADDTID_B32 and DS_APPEND (M0).

//| finding("init", "s_mov_b64 exec, s[20:21]", message="reads s20,")
//| finding("init", "s_and_b64 exec, exec, s[22:23]", message="reads s22,")
//| finding("init", "s_mov_b32 exec_hi, s24", message="reads s24,")
//| finding("init", "s_xor_b64 exec, exec, s[26:27]", message="reads s26,")
//| finding("init", "ds_write_addtid_b32 v0", message="reads m0,")
//| no_output()
//| checks("mem,wait,sync,init")
.set LDS, 256
.include "prologue.inc"
KERNEL
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, s[20:21]
  s_mov_b64 exec, s[30:31]
  s_and_b64 exec, exec, s[22:23]
  s_mov_b64 exec, s[30:31]
  s_mov_b32 exec_hi, s24
  s_mov_b64 exec, s[30:31]
  s_xor_b64 exec, exec, s[26:27]
  s_mov_b64 exec, 0
  s_and_b64 exec, exec, s[28:29]   // right: 0 & x
  s_mov_b64 exec, s[30:31]
  s_mov_b64 s[32:33], s[34:35]     // a move alone
  ds_write_addtid_b32 v0
  s_mov_b32 m0, 0
  ds_write_addtid_b32 v0           // right
  ds_append v3
  s_waitcnt lgkmcnt(0)
END_KERNEL
