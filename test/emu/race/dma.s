// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A load direct to LDS owns its bytes from its issue to its own wave's s_waitcnt vmcnt, in
// every epoch between. Waiting before the barrier is right; waiting after it is not, even if
// the reader comes later than that wait.
// Source: CDNA3 ISA 4.4, "Buffer load to LDS" is tracked with VM_CNT of the issuing wave.

//| launch(block=128)
//| finding("race", "ds_read_b32 v5, v1 offset:1024", "buffer_load_dword v255, s[8:11], 0 offen offset:1024 lds", message=("reads LDS byte 0x400 (lane 0), which wave 0 writes", "passed the barrier without an s_waitcnt vmcnt"))
//| finding("race", "buffer_load_dword v255, s[8:11], 0 offen offset:2048 lds", "ds_read_b32 v6, v1 offset:2048", message="writes LDS byte 0x800 (lane 0), which wave 1 reads")
//| inputs(*[random_u32(128, c) for c in range(8)])
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 128
.set LDS, 4096
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 4096
  s_mov_b32 s11, 0x00020000
  v_and_b32_e32 v1, 0xff, v255
  s_mov_b32 m0, 0
  v_readfirstlane_b32 s20, v0
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lsecond
  buffer_load_dword v255, s[8:11], 0 offen lds
  s_waitcnt vmcnt(0)
  s_barrier                                       // right
  buffer_load_dword v255, s[8:11], 0 offen offset:1024 lds
  s_barrier
  s_waitcnt vmcnt(0)                              // one barrier too late
  s_barrier
  .rept 64
    s_nop 0
  .endr
  buffer_load_dword v255, s[8:11], 0 offen offset:2048 lds
  s_waitcnt vmcnt(0)
  s_barrier
  s_endpgm
.Lsecond:
  s_barrier
  ds_read_b32 v4, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  .rept 64
    s_nop 0
  .endr
  ds_read_b32 v5, v1 offset:1024
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v6, v1 offset:2048
  s_waitcnt lgkmcnt(0)
  s_barrier
END_KERNEL
