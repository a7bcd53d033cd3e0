// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// By default the waves of a workgroup take turns of four instructions: after a barrier
// wave 0 stores in its second turn, wave 1 reads in its first, and again in its third.
// A race on purpose: shipped kernels hold such ones.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_sched).

//| launch(block=128)
.set LANES, 128
.set LDS, 512
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 7
  v_and_b32_e32 v4, 63, v0
  v_lshlrev_b32_e32 v4, 2, v4
  v_readfirstlane_b32 s20, v0
  v_mov_b32_e32 v2, 1
  v_mov_b32_e32 v3, 1
  ds_write_b32 v255, v2
  s_waitcnt lgkmcnt(0)
  s_cmp_ge_u32 s20, 64
  s_cbranch_scc1 .Lwave1
  s_barrier
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  ds_write_b32 v4, v1
  s_branch .Ldone
.Lwave1:
  s_barrier
  s_nop 0
  s_nop 0
  s_nop 0
  ds_read_b32 v2, v4
  s_nop 0
  s_nop 0
  s_nop 0
  s_nop 0
  ds_read_b32 v3, v4
.Ldone:
  s_waitcnt lgkmcnt(0)
  OUTPUT v2    // == 1
  OUTPUT v3    // == 7 if lane >= 64 else 1
END_KERNEL
