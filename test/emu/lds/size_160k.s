// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The full LDS of a gfx950 workgroup, 160 KiB: first and last bytes are distinct.
// Source: LLVM AMDGPU.td FeatureAddressableLocalMemorySize163840.

//| inputs(a=random_u32(64, 83))
.set LDS, 163840
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_not_b32_e32 v2, v1
  v_add_u32_e32 v3, 163840-256, v255
  ds_write_b32 v255, v1
  ds_write_b32 v3, v2
  v_add_u32_e32 v4, 65536, v255
  v_mov_b32_e32 v5, 7
  ds_write_b32 v4, v5
  ds_read_b32 v6, v255
  ds_read_b32 v7, v3
  s_waitcnt lgkmcnt(0)
  OUTPUT v6    // == a
  OUTPUT v7    // == ~a
  // a load direct to LDS beyond 64 KiB
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x00020000
  s_mov_b32 m0, 0x20800
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  v_add_u32_e32 v8, 0x20800, v255
  s_waitcnt vmcnt(0)
  ds_read_b32 v9, v8
  s_waitcnt lgkmcnt(0)
  OUTPUT v9    // == a
END_KERNEL
