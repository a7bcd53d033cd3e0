// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Waves that have ended do not count at a barrier: waves 2 and 3 leave at once, wave 1
// after its first barrier, wave 0 goes through three.
// Source: CDNA3 ISA S_BARRIER ("waves that have ended do not prevent a barrier from being
// satisfied").

//| launch(block=256)
//| matrix(full=True)
.set LANES, 256
.set LDS, 1024
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v2, 0
  OUTPUT v0    // == lane
  v_readfirstlane_b32 s20, v0
  s_cmp_ge_u32 s20, 128
  s_cbranch_scc1 .Lend
  ds_write_b32 v255, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cmp_ge_u32 s20, 64
  s_cbranch_scc1 .Lend
  ds_read_b32 v2, v255 offset:256
  s_barrier
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_mov_b32_e32 v3, v2
  v_add_u32_e32 v254, OUT_COLUMN*LANES*4, v255
  global_store_dword v254, v3, s[6:7]
.Lend:
  .set OUT_COLUMN, OUT_COLUMN+1
//| expect("partner", [64 + l if l < 64 else 0xa5a5a5a5 for l in LANE])
END_KERNEL
