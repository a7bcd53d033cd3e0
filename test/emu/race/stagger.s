// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two wave groups one barrier apart, as in sync/ping_pong.s, but the first group reads the
// second one's half already after its first barrier, where the second group is writing it.
// Every wave passes as many barriers as the others: only epochs tell.
// Source: CDNA3 ISA S_BARRIER; the barriers of CK's and AITER's two-group kernels.

//| launch(block=256)
//| inputs(a=random_u32(256, 30))
//| finding("race", "ds_read_b32 v2, v3", "ds_write_b32 v255, v1", message="both in epoch 1 of the workgroup")
//| no_output()
//| options("--sched=rr:1")
//| checks("mem,wait,sync,race")
.set LANES, 256
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  v_readfirstlane_b32 s20, v0
  s_cmp_lt_u32 s20, 128
  s_cbranch_scc1 .Lfirst
  s_barrier
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v255
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_endpgm
.Lfirst:
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_nop 7
  s_nop 7
  v_xor_b32_e32 v3, 0x200, v255
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
END_KERNEL
