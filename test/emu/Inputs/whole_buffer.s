// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads 4096 bytes through one descriptor.
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 4096
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 4, v0
  s_mov_b32 s20, 0
.Lloop:
  buffer_load_dwordx4 v[10:13], v1, s[8:11], s20 offen
  s_waitcnt vmcnt(0)
  s_addk_i32 s20, 1024
  s_cmpk_lt_i32 s20, 4096
  s_cbranch_scc1 .Lloop
END_KERNEL
