// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --landing=default: what a use without a wait sees. The finding comes all the same.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_landing).

//| options("--landing=default")
//| finding("wait", "v_mov_b32_e32 v20,", "global_load_dword v1,")
//| finding("wait", "v_mov_b32_e32 v21,", "ds_read_b32 v2,")
//| finding("wait", "v_mov_b32_e32 v22,", "s_load_dword s20,")
//| finding("wait", "ds_read_b32 v23,", "buffer_load_dword")
//| inputs(a=random_u32(64, 84))
.set LDS, 1024
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x00020000
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v2, 2
  s_mov_b32 s20, 3
  v_mov_b32_e32 v4, 4
  ds_write_b32 v255, v4
  ds_write_b32 v255, v4 offset:256
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v255, s[4:5]
  v_mov_b32_e32 v20, v1
  s_waitcnt vmcnt(0)
  ds_read_b32 v2, v255
  v_mov_b32_e32 v21, v2
  s_waitcnt lgkmcnt(0)
  s_load_dword s20, s[4:5], 0x0
  v_mov_b32_e32 v22, s20
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 256
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  ds_read_b32 v23, v255 offset:256
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v20   // == 1
  OUTPUT v21   // == 4
  OUTPUT v22   // == random_u32(1, 84)[0]
  OUTPUT v23   // == 4
  // the covering wait delivers in any case
  OUTPUT v1    // == a
  OUTPUT v2    // == 4
  OUTPUT_S s20 // == random_u32(1, 84)[0]
END_KERNEL
