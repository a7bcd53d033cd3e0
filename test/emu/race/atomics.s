// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Atomics of several waves on one dword do not race with each other, nor with reads, which
// may be atomic loads; a plain write beside them does, whichever of the waves it is of.
// Source: two accesses to a byte by different waves, at least one a write, that no barrier
// orders (LLVM "User Guide for AMDGPU Backend", memory model: workgroup scope).

//| launch(block=256)
//| finding("race", "ds_write_b32 v1, v3 offset:64", "ds_add_u32 v1, v3 offset:64", message="which wave")
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 256
.set LDS, 4096
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  ds_add_u32 v1, v3
  ds_max_rtn_u32 v5, v1, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_add_u32 v1, v3 offset:64
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s20, v0
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lend
  .rept 64
    s_nop 0
  .endr
  ds_read_b32 v4, v1 offset:64
  ds_write_b32 v1, v3 offset:64 // the first wave, whose own update is not the conflict
  s_waitcnt lgkmcnt(0)
.Lend:
END_KERNEL
