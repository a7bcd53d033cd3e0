// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --define=LAST=3 %s
// RUN: %emu_test --define=LAST=4 %s
//
// Workgroup 0 waits until workgroup LAST has written a flag. A device of one compute unit holds
// 4 workgroups of one wave with all registers, so that number 3 begins beside it, and number 4
// would only after an end. Source: LLVM "User Guide for AMDGPU Backend" (512 registers a lane
// of a SIMD); workgroups begin in the order of the grid.

//| LAST = globals().get("LAST", 3)
//| launch(block=64, grid=8)
//| buffer("flags", bytes=1024, fill=0)
//| kernarg(offset=16, buffer="flags")
//| options("--timing", "--timing-constants=compute_units=1,xcds=1")
//| checks("mem,wait,sync")
//| no_output() if LAST < 4 else error(4, "deadlock", "4 resident workgroups wait",
//|     "4 have not begun, because the part holds 4 at a time",
//|     "polls byte 512 of buffer \"flags\"", "`global_load_dword v2, v1, s[20:21] offset:512 sc1`",
//|     "workgroup (0,0,0)", "found 0x0")
.ifndef LAST
.set LAST, 3
.endif
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[20:21], s[0:1], 16
  v_mov_b32_e32 v1, 0
  v_mov_b32_e32 v3, 1
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s2, LAST
  s_cbranch_scc0 .Lpoll
  global_store_dword v1, v3, s[20:21] offset:512 sc1
  s_endpgm
.Lpoll:
  global_load_dword v2, v1, s[20:21] offset:512 sc1
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s28, v2
  s_cmp_eq_u32 s28, 0
  s_cbranch_scc1 .Lpoll
END_KERNEL
