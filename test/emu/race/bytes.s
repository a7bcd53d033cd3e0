// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Byte exact: two waves write the halves of a dword, and its bytes, and meet nowhere; then at
// the third byte.
// Source: two accesses to a byte by different waves, at least one a write, that no barrier
// orders (LLVM "User Guide for AMDGPU Backend", memory model: workgroup scope).

//| launch(block=128)
//| finding("race", "ds_write_b8 v1, v3 offset:2", "ds_write_b16 v1, v3 offset:2", message="LDS byte 0x2 (lane 0), which wave 0")
//| finding("race", "ds_read_u8 v4, v1 offset:1026", "ds_write_b32 v1, v3 offset:1024", message="LDS byte 0x402 (lane 0)")
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 128
.set LDS, 4096
.include "prologue.inc"
KERNEL
  v_and_b32_e32 v1, 0xff, v255
  v_mov_b32_e32 v3, 7
  v_readfirstlane_b32 s20, v0
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lsecond
  ds_write_b16 v1, v3
  ds_write_b8 v1, v3 offset:512
  ds_write_b8 v1, v3 offset:514
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_write_b16 v1, v3 offset:2
  ds_write_b32 v1, v3 offset:1024
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.Lsecond:
  ds_write_b16 v1, v3 offset:2
  ds_write_b8 v1, v3 offset:513
  ds_write_b8 v1, v3 offset:515
  s_waitcnt lgkmcnt(0)
  s_barrier
  .rept 16
    s_nop 0
  .endr
  ds_write_b8 v1, v3 offset:2
  ds_write_b8 v1, v3 offset:1
  ds_read_u8 v4, v1 offset:1026
  s_waitcnt lgkmcnt(0)
  s_barrier
END_KERNEL
