// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=HOW=0 %s
// RUN: %emu_test --define=HOW=1 %s
// RUN: %emu_test --define=HOW=2 %s
// RUN: %emu_test --define=HOW=3 %s
// RUN: %emu_test --define=HOW=4 %s
//
// Nobody writes what two workgroups of two waves poll: a load (0), a scalar load (1), an atomic
// that changes nothing (2), a lock that is taken (3), LDS after a barrier (4). The error says who
// polls what where; it does not take the budget of instructions.

//| HOW = globals().get("HOW", 0)
//| launch(block=128, grid=2)
//| buffer("flag", bytes=64, fill=3)
//| kernarg(offset=16, buffer="flag")
//| checks("mem,wait,sync")
//| WHAT = ["`global_load_dword v2, v1, s[20:21] offset:8 sc1` at pc",
//|         "`s_load_dword s28, s[20:21], 0x8`", "`global_atomic_or v2, v1, v1, s[20:21] offset:8 sc0 sc1`",
//|         "`global_atomic_cmpswap v2, v1, v[4:5], s[20:21] offset:8 sc0 sc1`",
//|         "`ds_read_b32 v2, v1 offset:8`"]
//| error(4, "deadlock: nothing moves any more: each wave of 2 resident workgroups waits",
//|       "all have begun", "wave 0 goes round in a loop", WHAT[HOW],
//|       "byte 8 of LDS" if HOW == 4 else "byte 8 of buffer \"flag\"",
//|       "found 0x%x" % (0x3030303 if HOW < 4 else 0))
.ifndef HOW
.set HOW, 0
.endif
.set LANES, 128
.set LDS, 64
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[20:21], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v4, 7
  v_mov_b32_e32 v5, 0
  s_waitcnt lgkmcnt(0)
.Lpoll:
.if HOW == 0
  global_load_dword v2, v1, s[20:21] offset:8 sc1
.elseif HOW == 1
  s_load_dword s28, s[20:21], 0x8
.elseif HOW == 2
  global_atomic_or v2, v1, v1, s[20:21] offset:8 sc0 sc1
.elseif HOW == 3
  global_atomic_cmpswap v2, v1, v[4:5], s[20:21] offset:8 sc0 sc1
.else
  ds_write_b32 v1, v1 offset:8
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v1 offset:8
.endif
  s_waitcnt vmcnt(0) lgkmcnt(0)
.if HOW != 1
  v_readfirstlane_b32 s28, v2
.endif
.if HOW == 4
  s_barrier
.endif
  s_cmp_lg_u32 s28, 5
  s_cbranch_scc1 .Lpoll
END_KERNEL
