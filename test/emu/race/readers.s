// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Of two readers and a writer that is one of them, the other reader is in conflict with the
// write. A workgroup has LDS of its own: two of them never meet.
// Source: two accesses to a byte by different waves, at least one a write, that no barrier
// orders (LLVM "User Guide for AMDGPU Backend", memory model: workgroup scope).

//| launch(block=192, grid=2)
//| finding("race", "ds_write_b32 v1, v3", "ds_read_b32 v2, v1", message="which wave 1 reads", count=2)
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 192
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_and_b32_e32 v1, 0, v255
  v_mov_b32_e32 v3, 3
  v_readfirstlane_b32 s20, v0
  s_cmp_eq_u32 s20, 128
  s_cbranch_scc1 .Lend
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lend
  .rept 32
    s_nop 0
  .endr
  ds_write_b32 v1, v3
  s_waitcnt lgkmcnt(0)
.Lend:
END_KERNEL
