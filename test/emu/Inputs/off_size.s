// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores whose addresses are multiples of their size, and of less.
.set LDS, 8192
.set SCRATCH, 64
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  v_lshlrev_b32_e32 v1, 4, v0
  v_mul_u32_u24_e32 v2, 12, v0
  v_lshlrev_b32_e32 v3, 3, v0
  v_lshlrev_b32_e32 v4, 1, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, s8
  s_and_b32 s13, s9, 0xffff
  s_movk_i32 s14, 4096
  s_mov_b32 s15, 0x00020000
  // memory
  global_load_dwordx4 v[20:23], v1, s[8:9]
  global_load_dwordx4 v[20:23], v1, s[8:9] offset:8
  global_load_dwordx3 v[20:22], v2, s[8:9]
  global_load_dwordx3 v[20:22], v2, s[8:9] offset:6
  global_load_ushort v20, v4, s[8:9] offset:2
  global_load_ushort v20, v4, s[8:9] offset:1
  global_load_ubyte v20, v0, s[8:9] offset:1
  buffer_load_dwordx2 v[20:21], v3, s[12:15], 0 offen offset:16
  buffer_load_dwordx2 v[20:21], v3, s[12:15], 0 offen offset:4
  buffer_store_dword v1, v255, s[12:15], 0 offen offset:2048
  buffer_store_dword v1, v255, s[12:15], 0 offen offset:2050
  s_load_dwordx4 s[20:23], s[8:9], 0x4
  s_waitcnt vmcnt(0) lgkmcnt(0)
  // LDS
  ds_write_b64 v3, v[20:21] offset:8
  ds_write_b64 v3, v[20:21] offset:4
  ds_read_b128 v[20:23], v1 offset:16
  ds_read_b128 v[24:27], v1 offset:8
  ds_read_b96 v[28:30], v1
  ds_read_b96 v[32:34], v1 offset:12
  ds_read2_b32 v[36:37], v255 offset0:1 offset1:3
  ds_read2_b64 v[38:41], v3 offset0:1 offset1:3
  s_mov_b64 s[20:21], src_shared_base
  v_mov_b32_e32 v45, s21
  v_mov_b32_e32 v44, v1
  flat_load_dwordx2 v[46:47], v[44:45] offset:8
  flat_load_dwordx2 v[48:49], v[44:45] offset:4
  s_waitcnt vmcnt(0) lgkmcnt(0)
  // direct to LDS
  s_movk_i32 m0, 0x1000
  s_nop 0
  global_load_lds_dwordx4 v1, s[8:9]
  s_movk_i32 m0, 0x1004
  s_nop 0
  global_load_lds_dwordx4 v1, s[8:9]
  s_movk_i32 m0, 0x1002
  s_nop 0
  buffer_load_dword v255, s[12:15], 0 offen lds
  s_waitcnt vmcnt(0)
  // private memory, which lies in dwords
  scratch_store_dword off, v0, off offset:6
  scratch_load_dwordx4 v[20:23], off, off offset:4
  s_waitcnt vmcnt(0)
END_KERNEL
