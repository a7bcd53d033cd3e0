// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The twin of lds_dma_missing: waited for, or other bytes of LDS, or M0 changed after
// the issue, or the older of two.

//| inputs(a=random_u32(64, 0), b=random_u32(64, 1))
//| matrix(full=True)
.set LDS, 4096
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 512
  s_mov_b32 s11, 0x00020000
  v_mov_b32_e32 v2, 0x99
  ds_write_b32 v255, v2 offset:2048
  s_mov_b32 m0, 0
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  s_mov_b32 m0, 256
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen offset:256 lds
  s_mov_b32 m0, 0
  ds_read_b32 v3, v255 offset:2048
  s_waitcnt lgkmcnt(0) vmcnt(1)
  ds_read_b32 v4, v255
  s_waitcnt lgkmcnt(0) vmcnt(0)
  ds_read_b32 v5, v255 offset:512
  s_waitcnt lgkmcnt(0)
  OUTPUT v3    // == 0x99
  OUTPUT v4    // == a
  OUTPUT v5    // == b
END_KERNEL
