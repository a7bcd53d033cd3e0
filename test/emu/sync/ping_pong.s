// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two wave groups one barrier apart (the stagger of attention kernels): waves 0, 1 meet
// waves 2, 3 at different s_barrier instructions. A barrier is a count, not a place, and orders
// what each wave did before and does after it, wherever that wave stands: no race.
// Source: CDNA3 ISA S_BARRIER; the barriers of CK's and AITER's two-group kernels.

//| launch(block=256)
//| inputs(a=random_u32(256, 30))
//| A = random_u32(256, 30)
//| checks("mem,wait,sync,race")
//| matrix(full=True)
.set LANES, 256
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_readfirstlane_b32 s20, v0
  s_cmp_lt_u32 s20, 128
  s_cbranch_scc1 .Lfirst
  // second group: one more barrier ahead, one fewer behind
  s_barrier
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v255 offset:0
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_branch .Ljoin
.Lfirst:
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v255
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_xor_b32_e32 v3, 0x200, v255
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
.Ljoin:
  OUTPUT v2    // == A[lane ^ 128] if lane < 128 else a
END_KERNEL
