// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two waves meet at LDS bytes with no barrier between: write and read, read and write, write
// and write. After barriers the same is no finding, nor are reads alone.
// Source: two accesses to a byte by different waves, at least one a write, that no barrier
// orders (LLVM "User Guide for AMDGPU Backend", memory model: workgroup scope).

//| launch(block=128)
//| finding("race", "ds_read_b32 v2,", "ds_write_b32 v255, v255", message="reads LDS byte 0x0 (lane 0), which wave 0 writes")
//| finding("race", "ds_write_b64 v4,", "ds_read_b128 v[8:11]", message="writes LDS byte 0x400 (lane 0), which wave 0 reads")
//| finding("race", "ds_write_b32 v255, v6 offset:2048", "ds_write_b32 v255, v5 offset:2048", message=("writes LDS byte 0x880 (lane 0), which wave 0 writes", "in epoch 2"))
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 128
.set LDS, 4096
.include "prologue.inc"
.macro LATER // lets the other wave go first
  .rept 16
    s_nop 0
  .endr
.endm
KERNEL
  v_lshlrev_b32_e32 v3, 4, v0    // 16 bytes a work-item
  v_lshlrev_b32_e32 v4, 3, v0
  v_and_b32_e32 v1, 0xff, v255   // both waves the same 64 dwords
  v_mov_b32_e32 v7, 0
  v_readfirstlane_b32 s20, v0
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lsecond
  ds_write_b32 v255, v255
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b128 v[8:11], v3 offset:1024
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_mov_b32_e32 v5, 1
  v_add_u32_e32 v255, 0x80, v255 // 0x880 .. 0x97f
  ds_write_b32 v255, v5 offset:2048
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_branch .Ljoin
.Lsecond:
  LATER
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  LATER
  v_subrev_u32_e32 v4, 0x200, v4
  ds_write_b64 v4, v[6:7] offset:1024
  s_waitcnt lgkmcnt(0)
  s_barrier
  LATER
  v_mov_b32_e32 v6, 1
  v_subrev_u32_e32 v255, 0x80, v255 // 0x880 .. 0x97f, of lane 64 on
  ds_write_b32 v255, v6 offset:2048
  s_waitcnt lgkmcnt(0)
  s_barrier
.Ljoin:
  // Ordered: every wave writes its own, then all read all.
  v_lshlrev_b32_e32 v255, 2, v0
  ds_write_b32 v255, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v1
  ds_read_b32 v3, v1 offset:256
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_write_b32 v255, v0
  ds_read_b32 v2, v255
  s_waitcnt lgkmcnt(0)
END_KERNEL
