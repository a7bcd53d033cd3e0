// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS bytes that nothing has written in this workgroup, down to the byte; an earlier workgroup
// does not count. What a load direct to LDS, a store, an atomic wrote is there; an atomic reads before that.
// Source: what a wave finds set, LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State".

//| launch(block=64, grid=2)
//| options("--threads=1")
//| finding("init", "global_store_dword v255, v2,", "ds_read_b32 v2, v255", message="read: 4 bytes at LDS address 0x0 of lane 0; nothing has written byte 0x0 since", count=2)
//| finding("init", "global_store_dword v255, v5,", "ds_read_b64 v[4:5], v1 offset:1024", message="read: 8 bytes at LDS address 0x400 of lane 0; nothing has written byte 0x406", count=2)
//| finding("init", "ds_add_u32 v255, v0 offset:3072", "ds_add_u32 v255, v0 offset:3072", message="read: 4 bytes at LDS address 0xc00 of lane 0", count=2)
//| inputs(a=random_u32(64, 5))
//| no_output()
//| checks("mem,sync,wait,init,hazard")
.set LDS, 4096
.include "prologue.inc"
.include "keep.inc"
KERNEL
  v_lshlrev_b32_e32 v1, 3, v0
  ds_read_b32 v2, v255
  s_waitcnt lgkmcnt(0)
  KEEP v2
  ds_write_b32 v255, v0
  ds_read_b32 v3, v255
  ds_write_b32 v1, v0 offset:1024
  ds_write_b16 v1, v0 offset:1028
  s_waitcnt lgkmcnt(0)
  ds_read_b64 v[4:5], v1 offset:1024
  ds_read_u16 v6, v1 offset:1028
  s_waitcnt lgkmcnt(0)
  KEEP v3
  KEEP v4
  KEEP v5
  KEEP v6
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 256
  s_mov_b32 s11, 0x00020000
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  ds_read_b32 v7, v255
  ds_add_u32 v255, v0 offset:3072
  ds_read_b32 v8, v255 offset:3072 // told already
  s_waitcnt lgkmcnt(0)
  KEEP v7
  KEEP v8
END_KERNEL
