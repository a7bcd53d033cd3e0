// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// sc0, sc1 and nt on loads and stores say how caches are used; data is the same. (On
// atomics sc0 asks for the old value: atomics.s.)
// Source: LLVM AMDGPUUsage "Memory model gfx942" (sc0, sc1, nt bits).

//| inputs(a=random_u32(64, 150), b=random_u32(64, 151))
//| matrix()
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 512
  s_mov_b32 s11, 0x00020000
  global_load_dword v1, v255, s[4:5] sc0
  global_load_dword v2, v255, s[4:5] offset:256 sc0 sc1
  global_load_dword v3, v255, s[4:5] nt
  buffer_load_dword v4, v255, s[8:11], 0 offen sc0 nt sc1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  OUTPUT v1    // == a
  OUTPUT v2    // == b
  OUTPUT v3    // == a
  OUTPUT v4    // == a
  v_add_u32_e32 v254, OUT_COLUMN*LANES*4, v255
  global_store_dword v254, v2, s[6:7] sc0 sc1
  global_store_dword v254, v1, s[6:7] offset:256 nt
  .set OUT_COLUMN, OUT_COLUMN+2
//| expect("store sc0 sc1", random_u32(64, 151))
//| expect("store nt", random_u32(64, 150))
END_KERNEL
