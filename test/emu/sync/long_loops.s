// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=HOW=0 %s
// RUN: %emu_test --define=HOW=1 %s
// RUN: %emu_test --define=HOW=2 %s
// RUN: %emu_test --define=HOW=3 %s
//
// Loops that go round often, read the same all the time, and still get on: one counts in a
// scalar register (0), one in a lane of a vector register (1), one by an atomic whose old value it
// drops (2), one in LDS (3). Nothing of that is a deadlock.

//| HOW = globals().get("HOW", 0)
//| launch(block=64, grid=2)
//| buffer("word", bytes=64, fill=0)
//| buffer("counts", bytes=64, fill=0)
//| kernarg(offset=16, buffer="word")
//| kernarg(offset=24, buffer="counts")
//| checks("mem,wait,sync")
//| matrix()
//| no_output()
.ifndef HOW
.set HOW, 0
.endif
.set LDS, 64
.include "prologue.inc"
KERNEL
  s_load_dwordx4 s[20:23], s[0:1], 16
  s_mov_b32 s24, 0
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  v_mov_b32_e32 v4, 0
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s26, s2, 2
  s_add_u32 s22, s22, s26
  s_addc_u32 s23, s23, 0
  s_mov_b64 exec, 1
.Lloop:
  global_load_dword v2, v1, s[20:21] sc1
.if HOW == 0
  s_add_u32 s24, s24, 1
.elseif HOW == 1
  v_add_u32_e32 v4, 1, v4
  v_readfirstlane_b32 s24, v4
.elseif HOW == 2
  global_atomic_add v1, v3, s[22:23]
  global_load_dword v5, v1, s[22:23]
  s_waitcnt vmcnt(0)
  v_cmp_lt_u32_e32 vcc, 0x4fff, v5
  v_cndmask_b32_e64 v5, 0, -1, vcc
  v_readfirstlane_b32 s24, v5
.else
  ds_add_u32 v1, v3
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
  v_cmp_lt_u32_e32 vcc, 0x4fff, v5
  v_cndmask_b32_e64 v5, 0, -1, vcc
  v_readfirstlane_b32 s24, v5
.endif
  s_waitcnt vmcnt(0)
  s_cmp_lt_u32 s24, 0x5000
  s_cbranch_scc1 .Lloop
END_KERNEL
