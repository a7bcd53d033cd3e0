// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=HOW=0 %s
// RUN: %emu_test --define=HOW=1 %s
// RUN: %emu_test --define=HOW=2 %s
// RUN: %emu_test --define=HOW=3 %s
// RUN: %emu_test --define=HOW=4 %s
// RUN: %emu_test --define=HOW=5 %s
// RUN: %emu_test --define=HOW=6 %s
// RUN: %emu_test --define=HOW=7 %s
// RUN: %emu_test --define=HOW=8 %s
//
// Workgroup 1 stores a row and then a flag; workgroup 0 polls the flag and then reads the row. With a
// release and an acquire that is no race (0), also with an atomic for the flag (1), with a row that is
// stored past L2 and needs no buffer_wbl2 (2), or that is also read past the caches (3). Without the wait
// before the flag (4), without buffer_wbl2 (5), without the wait for buffer_wbl2 (6), without buffer_inv (7),
// or with a buffer_inv before the wait for the flag (8) it is one, and both accesses are named.
// Source: LLVM AMDGPUUsage, "Memory Model gfx942", agent scope.

//| HOW = globals().get("HOW", 0)
//| launch(block=64, grid=2)
//| buffer("row", bytes=256, fill=0)
//| buffer("flag", bytes=256, fill=0)
//| kernarg(offset=16, buffer="row")
//| kernarg(offset=24, buffer="flag")
//| no_output()
//| checks("mem,wait,sync,race")
//| options("--threads=1")
//| STORE = "global_store_dword v255, v3, s[20:21]"
//| LOAD = "global_load_dword v4, v255, s[20:21]"
//| FLAG = "released too little by `global_store_dword v1, v3, s[22:23] sc1`"
//| WHY = {4: ("workgroup (1,0,0) " + FLAG, "before its wave has waited for a store"),
//|        5: (FLAG, "with stores in its L2 that no `buffer_wbl2 sc1` has written back"),
//|        6: (FLAG, "before its wave has waited for `buffer_wbl2 sc1`"),
//|        7: ("workgroup (0,0,0) has read what (1,0,0) released", "no `buffer_inv sc1` follows"),
//|        8: ("workgroup (0,0,0) has read what (1,0,0) released", "no `buffer_inv sc1` follows")}
//| if HOW in WHY and HOW < 7:
//|     finding("race", STORE, LOAD, count=64, message=("writes byte 0 of buffer \"row\"",
//|             "which workgroup (0,0,0) reads") + WHY[HOW])
//| elif HOW in WHY: # the release ended a part of workgroup 1, which was compared then
//|     finding("race", LOAD, STORE, count=64, message=("reads byte 0 of buffer \"row\"",
//|             "which workgroup (1,0,0) writes") + WHY[HOW])
.ifndef HOW
.set HOW, 0
.endif
.include "prologue.inc"
KERNEL
  s_load_dwordx4 s[20:23], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 .Lpoll
.if HOW == 2 || HOW == 3
  global_store_dword v255, v3, s[20:21] sc1
.else
  global_store_dword v255, v3, s[20:21]
.endif
.if HOW == 6
  s_waitcnt vmcnt(0)
.endif
.if HOW != 2 && HOW != 3 && HOW != 5
  buffer_wbl2 sc1
.endif
.if HOW != 4 && HOW != 6
  s_waitcnt vmcnt(0)
.endif
.if HOW == 1
  global_atomic_add v1, v3, s[22:23]
.else
  global_store_dword v1, v3, s[22:23] sc1
.endif
  s_endpgm
.Lpoll:
  global_load_dword v2, v1, s[22:23] sc1
.if HOW == 8
  buffer_inv sc1
.endif
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s28, v2
  s_cmp_eq_u32 s28, 0
  s_cbranch_scc1 .Lpoll
.if HOW < 7 && HOW != 3
  buffer_inv sc1
.endif
.if HOW == 3
  global_load_dword v4, v255, s[20:21] sc1
.else
  global_load_dword v4, v255, s[20:21]
.endif
  s_waitcnt vmcnt(0)
END_KERNEL
