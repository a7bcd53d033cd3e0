// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Scalar compares into SCC, with register and 16-bit constant, bit tests, addk, mulk,
// cmovk; branches on SCC.
// Source: CDNA4 ISA pseudocode of SOPC and SOPK: the i32 forms sign extend the constant,
// the u32 forms zero extend it.

//| a, b = pairs_u32(64, 13)
//| a[0:8] = [0xfffffff0, 0xfff0, 0x7ff0, 0xffffffff, 0x1234, 5, 0x80000000, 0xfffffff1]
//| b[0:3] = a[0:3]
//| inputs(a=a, b=b)
.include "prologue.inc"
.macro STEP op, x, y, result
  \op \x, \y
  PUT_SCC v[\result]
.endm
KERNEL
  INPUTS 1, 2, 0
  LOADED
  FOR_LANES
    GET s21, v1
    GET s22, v2
    s_mov_b32 s23, 2
    s_mov_b32 s24, s22
    s_mov_b32 s25, 3
    STEP s_cmp_eq_i32, s21, s22, 10
    STEP s_cmpk_eq_i32, s21, -16, 11
    STEP s_cmp_lg_i32, s21, s22, 12
    STEP s_cmpk_lg_i32, s21, -16, 13
    STEP s_cmp_gt_i32, s21, s22, 14
    STEP s_cmpk_gt_i32, s21, -16, 15
    STEP s_cmp_ge_i32, s21, s22, 16
    STEP s_cmpk_ge_i32, s21, -16, 17
    STEP s_cmp_lt_i32, s21, s22, 18
    STEP s_cmpk_lt_i32, s21, -16, 19
    STEP s_cmp_le_i32, s21, s22, 20
    STEP s_cmpk_le_i32, s21, -16, 21
    STEP s_cmp_eq_u32, s21, s22, 22
    STEP s_cmpk_eq_u32, s21, 0xfff0, 23
    STEP s_cmp_lg_u32, s21, s22, 24
    STEP s_cmpk_lg_u32, s21, 0xfff0, 25
    STEP s_cmp_gt_u32, s21, s22, 26
    STEP s_cmpk_gt_u32, s21, 0xfff0, 27
    STEP s_cmp_ge_u32, s21, s22, 28
    STEP s_cmpk_ge_u32, s21, 0xfff0, 29
    STEP s_cmp_lt_u32, s21, s22, 30
    STEP s_cmpk_lt_u32, s21, 0xfff0, 31
    STEP s_cmp_le_u32, s21, s22, 32
    STEP s_cmpk_le_u32, s21, 0xfff0, 33
    STEP s_cmp_eq_u64, s[22:23], s[24:25], 34
    STEP s_cmp_lg_u64, s[22:23], s[22:23], 35
    STEP s_bitcmp1_b32, s21, s22, 36
    STEP s_bitcmp0_b32, s21, s22, 37
    STEP s_bitcmp1_b64, s[22:23], 33, 38
    s_mov_b32 s30, s21
    s_addk_i32 s30, -2
    PUT_SCC v61
    PUT v60, s30
    s_mov_b32 s30, s21
    s_mulk_i32 s30, -3
    PUT v62, s30
    s_cmp_gt_u32 s21, s22
    s_mov_b32 s30, 1
    s_cmovk_i32 s30, -5
    PUT v63, s30
    s_mov_b32 s30, 0
    s_cbranch_scc1 .Ltaken
    s_add_u32 s30, s30, 16
  .Ltaken:
    s_cmp_gt_u32 s21, s22
    s_cbranch_scc0 .Lother
    s_add_u32 s30, s30, 1
  .Lother:
    PUT v64, s30
  END_LANES
  OUTPUT v10   // == i32(a) == i32(b)
  OUTPUT v11   // == i32(a) == -16
  OUTPUT v12   // == i32(a) != i32(b)
  OUTPUT v13   // == i32(a) != -16
  OUTPUT v14   // == i32(a) > i32(b)
  OUTPUT v15   // == i32(a) > -16
  OUTPUT v16   // == i32(a) >= i32(b)
  OUTPUT v17   // == i32(a) >= -16
  OUTPUT v18   // == i32(a) < i32(b)
  OUTPUT v19   // == i32(a) < -16
  OUTPUT v20   // == i32(a) <= i32(b)
  OUTPUT v21   // == i32(a) <= -16
  OUTPUT v22   // == (a) == (b)
  OUTPUT v23   // == a == 0xfff0
  OUTPUT v24   // == (a) != (b)
  OUTPUT v25   // == a != 0xfff0
  OUTPUT v26   // == (a) > (b)
  OUTPUT v27   // == a > 0xfff0
  OUTPUT v28   // == (a) >= (b)
  OUTPUT v29   // == a >= 0xfff0
  OUTPUT v30   // == (a) < (b)
  OUTPUT v31   // == a < 0xfff0
  OUTPUT v32   // == (a) <= (b)
  OUTPUT v33   // == a <= 0xfff0
  OUTPUT v34   // == 0
  OUTPUT v35   // == 0
  OUTPUT v36   // == a >> (b & 31) & 1
  OUTPUT v37   // == 1 - (a >> (b & 31) & 1)
  OUTPUT v38   // == 1
  OUTPUT v60   // == a - 2
  OUTPUT v61   // == i32(a) - 2 < -0x80000000
  OUTPUT v62   // == a * -3
  OUTPUT v63   // == -5 if a > b else 1
  OUTPUT v64   // == 1 if a > b else 16
END_KERNEL
