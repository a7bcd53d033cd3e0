// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Flat accesses to the shared aperture are LDS accesses.
// Source: two accesses to a byte by different waves, at least one a write, that no barrier
// orders (LLVM "User Guide for AMDGPU Backend", memory model: workgroup scope).

//| launch(block=128)
//| finding("race", "ds_read_b32 v5, v1", "flat_store_dword v[8:9], v3", message="LDS byte 0x0 (lane 0)")
//| no_output()
//| checks("mem,wait,sync,race")
.set LANES, 128
.set LDS, 1024
.include "prologue.inc"
KERNEL
  s_mov_b64 s[20:21], src_shared_base
  v_mov_b32_e32 v8, v255
  v_mov_b32_e32 v9, s21
  v_and_b32_e32 v1, 0xff, v255
  v_mov_b32_e32 v3, 3
  v_readfirstlane_b32 s22, v0
  s_cmp_lg_u32 s22, 0
  s_cbranch_scc1 .Lsecond
  flat_store_dword v[8:9], v3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_barrier
  flat_store_dword v[8:9], v3
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.Lsecond:
  s_barrier
  .rept 32
    s_nop 0
  .endr
  ds_read_b32 v5, v1
  s_waitcnt lgkmcnt(0)
END_KERNEL
