// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=BARRIER=1 %s
// RUN: %emu_test --define=BARRIER=0 %s
//
// Wave 1 of workgroup 1 stores a row, wave 0 releases it. That takes a barrier between the store and the
// release. Workgroup 0 passes the flag on to workgroup 2, which reads the row: an order of two steps.
// Source: LLVM AMDGPUUsage, "Memory Model gfx942": a release is cumulative, and other waves' stores come before
// it by a barrier (s_waitcnt vmcnt(0) is not needed there outside of tgsplit mode).

//| BARRIER = globals().get("BARRIER", 1)
//| launch(block=128, grid=3)
//| buffer("row", bytes=512, fill=0)
//| buffer("flags", bytes=256, fill=0)
//| kernarg(offset=16, buffer="row")
//| kernarg(offset=24, buffer="flags")
//| no_output()
//| checks("mem,wait,sync,race")
//| options("--threads=1")
//| if not BARRIER:
//|     finding("race", "global_load_dword v4, v255, s[20:21]", "global_store_dword v255, v3, s[20:21]",
//|             message=("reads byte 256 of buffer \"row\"", "which workgroup (1,0,0) writes"))
.ifndef BARRIER
.set BARRIER, 1
.endif
.set LANES, 128
.include "prologue.inc"
.macro RELEASE at
  buffer_wbl2 sc1
  s_waitcnt vmcnt(0)
  global_store_dword v1, v3, s[22:23] offset:\at sc1
.endm
.macro POLL at
.Lpoll\@:
  global_load_dword v2, v1, s[22:23] offset:\at sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s28, v2
  s_cmp_eq_u32 s28, 0
  s_cbranch_scc1 .Lpoll\@
  buffer_inv sc1
.endm
KERNEL
  s_load_dwordx4 s[20:23], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  v_readfirstlane_b32 s24, v0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 .Lpass_on
  s_cmp_eq_u32 s2, 2
  s_cbranch_scc1 .Lread
  s_cmp_eq_u32 s24, 0
  s_cbranch_scc1 .Lrelease
  global_store_dword v255, v3, s[20:21]
.if BARRIER
  s_barrier
.endif
  s_endpgm
.Lrelease:
.if BARRIER
  s_barrier
.endif
  RELEASE 0
  s_endpgm
.Lpass_on:
  POLL 0
  RELEASE 128
  s_endpgm
.Lread:
  POLL 128
  global_load_dword v4, v255, s[20:21]
  s_waitcnt vmcnt(0)
END_KERNEL
