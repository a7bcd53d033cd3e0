// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The heart of an attention kernel's loop: four waves fill a double buffer in LDS with
// direct loads, one tile ahead, wait for their own loads with vmcnt, meet at a barrier,
// read what the other waves fetched, and meet again before the buffer is filled anew.
// Clean code: no finding, and the same sums under every order and landing.
// Source: CDNA3 ISA, "Buffer load to LDS", S_BARRIER, S_WAITCNT.

//| launch(block=256)
//| T = 6                                           # tiles of 256 dwords
//| data = random_u32(256 * T, 160)
//| in_buffer(column_bytes([data]))
//| def result(l):
//|     # tile t: own dword, and the one of the wave across
//|     return sum((t + 1) * data[256 * t + l] + data[256 * t + 255 - l] for t in range(T))
//| matrix(full=True)
.set LANES, 256
.set LDS, 2048
.include "prologue.inc"
KERNEL
  s_mov_b32 s8, s4
  s_and_b32 s9, s5, 0xffff
  s_movk_i32 s10, 256*4*6
  s_mov_b32 s11, 0x00020000
  v_readfirstlane_b32 s20, v0          // first work-item of the wave
  s_lshl_b32 s20, s20, 2               // its bytes in a tile
  v_and_b32_e32 v1, 63, v0
  v_lshlrev_b32_e32 v1, 2, v1
  v_add_u32_e32 v1, s20, v1            // byte of the lane in a tile
  v_sub_u32_e32 v2, 0x3fc, v1          // and across
  v_mov_b32_e32 v3, 0                  // sum
  s_mov_b32 s21, 0                     // tile
  s_mov_b32 s22, 0                     // memory offset of the tile
  s_mov_b32 s23, 0                     // LDS buffer, 0 or 1024
  s_mov_b32 m0, s20
  s_nop 0
  buffer_load_dword v1, s[8:11], s22 offen lds
.Ltile:
  // the next tile into the other buffer (past the end: zeros)
  s_add_u32 s22, s22, 1024
  s_xor_b32 s24, s23, 1024
  s_add_u32 s25, s24, s20
  s_mov_b32 m0, s25
  s_nop 0
  buffer_load_dword v1, s[8:11], s22 offen lds
  s_waitcnt vmcnt(1)
  s_barrier
  v_add_u32_e32 v4, s23, v1
  v_add_u32_e32 v5, s23, v2
  ds_read_b32 v6, v4
  ds_read_b32 v7, v5
  s_add_u32 s21, s21, 1
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v6, v6, s21
  v_add3_u32 v3, v3, v6, v7
  s_mov_b32 s23, s24
  s_barrier
  s_cmp_lt_u32 s21, 6
  s_cbranch_scc1 .Ltile
  s_waitcnt vmcnt(0)
  OUTPUT v3    // == result(lane)
END_KERNEL
