// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Four waves in a workgroup: ids, LDS shared between them across a barrier, a barrier
// that some waves reach long before others.
// Source: LLVM AMDGPUUsage "Initial kernel execution state"; CDNA4 ISA S_BARRIER.

//| launch(block=256)
//| inputs(a=random_u32(256, 23))
//| A = random_u32(256, 23)
//| matrix(full=True)
.set LANES, 256
.set LDS, 2048
.include "prologue.inc"
KERNEL
  INPUT v1, 0
  LOADED
  OUTPUT v0    // == lane
  // wave w idles 64 * w turns
  v_readfirstlane_b32 s20, v0
.Lidle:
  s_cmp_eq_u32 s20, 0
  s_cbranch_scc1 .Lbusy
  s_sub_u32 s20, s20, 1
  s_branch .Lidle
.Lbusy:
  ds_write_b32 v255, v1
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_u32_e32 v2, 255, v0
  v_lshlrev_b32_e32 v2, 2, v2
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  OUTPUT v3    // == A[255 - lane]
  s_barrier
  ds_write_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v255 offset:0
  s_waitcnt lgkmcnt(0)
  OUTPUT v4    // == a
END_KERNEL
