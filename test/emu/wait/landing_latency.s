// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// --landing=default: the data of vector loads to registers arrives without a wait after 64
// instructions, not earlier; that of loads direct to LDS only at the wait. The finding
// comes all the same.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_landing).

//| finding("wait", "v_mov_b32_e32 v22,", "global_load_dword v1,")
//| finding("wait", "v_mov_b32_e32 v23,", "global_load_dword v1,")
//| finding("wait", "ds_read_b32 v24,", "buffer_load_dword")
//| finding("wait", "ds_read_b32 v25,", "buffer_load_dword")
//| inputs(a=random_u32(64, 85))
.set LDS, 1024
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_mov_b32 s10, 256
  s_mov_b32 s11, 0x00020000
  v_mov_b32_e32 v1, 1
  v_mov_b32_e32 v4, 4
  ds_write_b32 v255, v4
  ds_write_b32 v255, v4 offset:256
  s_waitcnt lgkmcnt(0)

  global_load_dword v1, v255, s[4:5]
  .rept 63
  s_nop 0
  .endr
  v_mov_b32_e32 v22, v1
  v_mov_b32_e32 v23, v1
  s_waitcnt vmcnt(0)

  s_mov_b32 m0, 256
  s_nop 0
  buffer_load_dword v255, s[8:11], 0 offen lds
  .rept 63
  s_nop 0
  .endr
  ds_read_b32 v24, v255 offset:256
  ds_read_b32 v25, v255 offset:256
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v22   // == 1
  OUTPUT v23   // == a
  OUTPUT v24   // == 4
  OUTPUT v25   // == 4
END_KERNEL
