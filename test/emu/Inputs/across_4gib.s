// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 512 bytes from 0x12ffffffff00 on, the input, through descriptors, and through a pointer.
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[16:17], s[0:1], 16
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 512
  s_mov_b32 s11, 0x00020000
  v_lshlrev_b32_e32 v1, 3, v0
  v_lshlrev_b32_e32 v2, 2, v0
  v_mov_b32_e32 v3, 0x77
  s_waitcnt lgkmcnt(0)
  // lanes 32..63 lie above 4 GiB: by vector offset, scalar offset, index
  buffer_load_dword v10, v1, s[8:11], 0 offen
  s_movk_i32 s20, 256
  buffer_load_dword v11, v255, s[8:11], s20 offen
  s_or_b32 s9, s9, 8<<16
  s_movk_i32 s10, 64
  buffer_load_dword v12, v0, s[8:11], 0 idxen offset:4
  s_and_b32 s9, s9, 0xffff
  // two dwords, of which the second is out of range in lane 62
  s_movk_i32 s10, 500
  buffer_load_dwordx2 v[14:15], v1, s[8:11], 0 offen
  // all below, the last dword included
  s_movk_i32 s10, 512
  buffer_load_dword v16, v255, s[8:11], 0 offen
  // nothing in range above
  s_movk_i32 s10, 256
  buffer_load_dword v17, v1, s[8:11], 0 offen
  // a base of its own above
  s_add_u32 s12, s4, 256
  s_addc_u32 s13, s5, 0
  s_and_b32 s13, s13, 0xffff
  s_movk_i32 s14, 256
  s_mov_b32 s15, s11
  buffer_load_dword v18, v255, s[12:15], 0 offen
  // a pointer
  global_load_dword v19, v1, s[4:5]
  // a store
  s_mov_b32 s8, s16
  s_and_b32 s9, s17, 0xffff
  s_movk_i32 s10, 512
  buffer_store_dword v3, v1, s[8:11], 0 offen
  s_waitcnt vmcnt(0)
  OUTPUT v10
  OUTPUT v11
  OUTPUT v12
  OUTPUT v14
  OUTPUT v15
  OUTPUT v16
  OUTPUT v17
  OUTPUT v18
  OUTPUT v19
END_KERNEL
