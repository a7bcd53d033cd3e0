// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The twin of lgkmcnt_missing. LDS operations of one wave are done in order, so a write
// followed by a read needs no wait between; data registers of a write are free at once.
// Source: CDNA3 ISA, "Data dependency resolution"; LLVM SIInsertWaitcnts.cpp.

//| inputs(a=random_u32(64, 5), b=random_u32(64, 6))
//| matrix()
.set LDS, 1024
.include "prologue.inc"
KERNEL
  INPUTS 1, 2, 0
  LOADED
  v_mov_b32_e32 v3, v1
  v_mov_b32_e32 v4, v2
  ds_write_b32 v255, v3
  ds_write_b32 v255, v4 offset:256
  v_mov_b32_e32 v3, 0
  v_mov_b32_e32 v4, 0
  ds_read_b32 v5, v255
  ds_read_b32 v6, v255 offset:256
  s_waitcnt lgkmcnt(1)
  v_mov_b32_e32 v7, v5
  s_waitcnt lgkmcnt(0)
  OUTPUT v7    // == a
  OUTPUT v6    // == b
  ds_write_b32 v255, v1 offset:512
  ds_read_b32 v8, v255 offset:512
  ds_write_b32 v255, v2 offset:512
  ds_read_b32 v9, v255 offset:512
  s_waitcnt lgkmcnt(2)
  v_mov_b32_e32 v10, v8
  s_waitcnt lgkmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v9    // == b
  s_load_dword s20, s[4:5], 0x0
  s_load_dword s21, s[4:5], 0x4
  s_waitcnt lgkmcnt(0)
  s_xor_b32 s20, s20, s21
  OUTPUT_S s20 // == random_u32(2, 5)[0] ^ random_u32(2, 5)[1]
END_KERNEL
