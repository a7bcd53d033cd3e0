// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Relative scalar registers, s_quadmask_b64. Out of range: s0 is read, nothing is written.
// Source: CDNA4 ISA pseudocode S_MOVRELS_B32, S_MOVRELD_B64, S_QUADMASK_B64; 3.6.1.

.include "prologue.inc"
KERNEL
  s_mov_b32 s20, 0x1111
  s_mov_b32 s21, 0x2222
  s_mov_b32 s22, 0x3333
  s_mov_b32 s23, 0x4444
  s_mov_b32 m0, 2
  s_movrels_b32 s30, s20
  OUTPUT_S s30        // == 0x3333
  s_movrels_b64 s[30:31], s[20:21]
  OUTPUT_S s30        // == 0x3333
  OUTPUT_S s31        // == 0x4444
  s_movreld_b32 s18, s23
  OUTPUT_S s20        // == 0x4444
  s_mov_b32 m0, 4
  s_movreld_b64 s[16:17], s[22:23]
  OUTPUT_S s20        // == 0x3333
  OUTPUT_S s21        // == 0x4444
  s_mov_b32 s24, s0
  s_mov_b32 s0, 0x5555
  s_mov_b32 m0, 90
  s_movrels_b32 s30, s20
  OUTPUT_S s30        // == 0x5555
  s_mov_b32 m0, 0xfffffff0
  s_movrels_b32 s30, s20
  OUTPUT_S s30        // == 0x5555
  s_movreld_b32 s20, s22
  s_mov_b32 m0, 81
  s_movreld_b64 s[20:21], s[22:23]
  OUTPUT_S s20        // == 0x3333
  s_mov_b32 s0, s24
  s_mov_b32 s30, 0x00f010a0
  s_mov_b32 s31, 0x80000001
  s_quadmask_b64 s[32:33], s[30:31]
  s_cselect_b32 s34, 1, 0
  OUTPUT_S s32        // == 0b1000000100101010
  OUTPUT_S s33        // == 0
  OUTPUT_S s34        // == 1
  s_mov_b64 s[30:31], 0
  s_quadmask_b64 s[32:33], s[30:31]
  s_cselect_b32 s34, 1, 0
  OUTPUT_S s34        // == 0
END_KERNEL
