// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// One mistake is one finding, however many waves and turns of a loop make it; `count` has
// them all: 2 workgroups x 4 waves x 3 turns.
// Source: the contract of the emulator (runtime/public/fmhac_emu.h, fmhac_emu_finding).

//| launch(block=256, grid=2)
//| finding("wait", "v_mov_b32_e32 v2,", "global_load_dword v1,", count=24)
//| inputs([0])
//| no_output()
.set LANES, 256
.include "prologue.inc"
KERNEL
  s_mov_b32 s20, 0
.Lturn:
  global_load_dword v1, v255, s[4:5]
  v_mov_b32_e32 v2, v1
  s_waitcnt vmcnt(0)
  s_add_u32 s20, s20, 1
  s_cmp_lt_u32 s20, 3
  s_cbranch_scc1 .Lturn
END_KERNEL
