// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// LDS writes and reads are over when lgkmcnt says so: a wave that passes a barrier with a write
// outstanding, or with a read of bytes that another wave then writes, races.
// Source: LLVM "User Guide for AMDGPU Backend", memory model gfx942: s_waitcnt lgkmcnt(0)
// before the barrier of a release or acquire, for loads and stores.

//| launch(block=128)
//| finding("race", "ds_read_b32 v5, v1", "ds_write_b32 v255, v3", message=("which wave 0 writes", "passed the barrier without an s_waitcnt lgkmcnt"))
//| finding("race", "ds_write_b32 v1, v3 offset:1024", "ds_read2_b32 v[6:7], v255 offset1:1", message=("which wave 0 reads", "passed the barrier without an s_waitcnt lgkmcnt"))
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 128
.set LDS, 4096
.include "prologue.inc"
KERNEL
  v_and_b32_e32 v1, 0xff, v255
  v_mov_b32_e32 v3, 3
  v_readfirstlane_b32 s20, v0
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lsecond
  ds_write_b32 v255, v3
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_add_u32_e32 v255, 0x400, v255
  ds_read2_b32 v[6:7], v255 offset1:1
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_write_b32 v255, v3                    // right
  ds_read_b32 v4, v255 offset:512
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.Lsecond:
  s_barrier
  .rept 32
    s_nop 0
  .endr
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
  .rept 32
    s_nop 0
  .endr
  ds_write_b32 v1, v3 offset:1024
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
  ds_read_b32 v5, v1 offset:1024
  ds_write_b32 v1, v3 offset:1536
  s_waitcnt lgkmcnt(0)
END_KERNEL
