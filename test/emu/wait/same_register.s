// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Two loads of one register that a count above zero certifies both: the later one stands,
// also where data arrives at the wait. Neither is a finding.
// Source: CDNA3 ISA 4.4 (LDS operations and vector loads return in order).

//| inputs(a=random_u32(64, 7), b=random_u32(64, 8))
//| matrix(full=True)
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  v_add_u32_e32 v30, 256, v255
  LOADED
  ds_write_b32 v255, v1
  ds_write_b32 v255, v2 offset:256
  ds_read_b32 v5, v255
  ds_read_b32 v5, v255 offset:256
  ds_read_b32 v6, v255
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v20, v5
  s_waitcnt lgkmcnt(0)
  global_load_dword v7, v255, s[4:5]
  global_load_dword v7, v30, s[4:5]
  global_load_dword v8, v255, s[4:5]
  s_waitcnt vmcnt(1)
  v_mov_b32_e32 v21, v7
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == b
  OUTPUT v6    // == a
  OUTPUT v21   // == b
  OUTPUT v8    // == a
END_KERNEL
