// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Global and buffer atomics: add, sub, min, max, and, or, xor, swap, cmpswap, inc, dec,
// 64-bit add, f32 add, with the old value (sc0) and without.
// Source: CDNA4 ISA pseudocode GLOBAL_ATOMIC_*, BUFFER_ATOMIC_*
// (tinygrad/tinygrad:tinygrad/runtime/autogen/amd/cdna/str_pcode.py).

//| a, b = pairs_u32(64, 43)
//| inputs(a=a, b=b)
//| buffer("memory", bytes=8192, fill=0, out=True)
//| kernarg(offset=16, buffer="memory")
//| matrix()
.include "prologue.inc"
.set .Lat, 0
.macro STEP op
  global_store_dword v255, v1, s[8:9] offset:.Lat*256
  s_waitcnt vmcnt(0)
  global_atomic_\op v10, v255, v2, s[8:9] offset:.Lat*256 sc0
  s_waitcnt vmcnt(0)
  global_load_dword v11, v255, s[8:9] offset:.Lat*256
  s_waitcnt vmcnt(0)
  .set .Lat, .Lat+1
.endm
KERNEL
  s_load_dwordx2 s[8:9], s[0:1], 16
  INPUTS 1, 2, 0
  s_waitcnt vmcnt(0) lgkmcnt(0)
  STEP add
  OUTPUT v10   // == a
  OUTPUT v11   // == a + b
  STEP sub
  OUTPUT v10   // == a
  OUTPUT v11   // == a - b
  STEP smin
  OUTPUT v10   // == a
  OUTPUT v11   // == min(i32(a), i32(b))
  STEP umin
  OUTPUT v10   // == a
  OUTPUT v11   // == min(a, b)
  STEP smax
  OUTPUT v10   // == a
  OUTPUT v11   // == max(i32(a), i32(b))
  STEP umax
  OUTPUT v10   // == a
  OUTPUT v11   // == max(a, b)
  STEP and
  OUTPUT v10   // == a
  OUTPUT v11   // == a & b
  STEP or
  OUTPUT v10   // == a
  OUTPUT v11   // == a | b
  STEP xor
  OUTPUT v10   // == a
  OUTPUT v11   // == a ^ b
  STEP swap
  OUTPUT v10   // == a
  OUTPUT v11   // == b
  STEP inc
  OUTPUT v10   // == a
  OUTPUT v11   // == 0 if a >= b else a + 1
  STEP dec
  OUTPUT v10   // == a
  OUTPUT v11   // == b if a == 0 or a > b else a - 1
  // compare and swap: v[12:13] = { new, compare }, even lanes compare equal
  v_and_b32_e32 v14, 1, v0
  v_mov_b32_e32 v12, v2
  v_xor_b32_e32 v13, v14, v1
  global_store_dword v255, v1, s[8:9] offset:3072
  s_waitcnt vmcnt(0)
  global_atomic_cmpswap v10, v255, v[12:13], s[8:9] offset:3072 sc0
  s_waitcnt vmcnt(0)
  global_load_dword v11, v255, s[8:9] offset:3072
  s_waitcnt vmcnt(0)
  OUTPUT v10   // == a
  OUTPUT v11   // == a if lane & 1 else b
  // every lane on one dword
  v_mov_b32_e32 v15, 0
  v_add_u32_e32 v16, 1, v0
  global_atomic_add v15, v16, s[8:9] offset:3584
  v_cvt_f32_u32_e32 v17, v0
  global_atomic_add_f32 v15, v17, s[8:9] offset:3588
  v_mov_b32_e32 v18, -1
  v_mov_b32_e32 v19, -1
  global_atomic_add_x2 v15, v[18:19], s[8:9] offset:3592
  s_mov_b32 s10, 0x1000
  s_mov_b32 s11, 0x00020000
  buffer_atomic_add v16, off, s[8:11], 0 offset:3600
  // out of range: dropped
  s_movk_i32 s10, 3600
  buffer_atomic_add v16, off, s[8:11], 0 offset:3600
  s_waitcnt vmcnt(0)
  global_load_dwordx4 v[20:23], v15, s[8:9] offset:3584
  global_load_dword v24, v15, s[8:9] offset:3600
  s_waitcnt vmcnt(0)
  OUTPUT v20   // == 64 * 65 // 2
  OUTPUT v21   // == b32(63.0 * 32)
  OUTPUT64 v22, v23   // == -64 & U64
  OUTPUT v24   // == 64 * 65 // 2
END_KERNEL
