// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Operands that a result does not depend on: the one that s_cselect does not select, that of
// s_cmov where SCC is 0, what is multiplied with 0. What was selected counts where it is used.
// Source: the formulas, CDNA4 ISA 12.1 (s_cselect: D = SCC ? S0 : S1; s_mul_i32: D = S0 * S1)
// and 12.3 (s_cmov: if SCC, D = S0).

//| finding("init", "global_store_dword v255, v250,", "s_add_u32 s20, s50, 1", message="read: s50, which nothing has written since", count=1)
//| finding("init", "global_store_dword v255, v250,", "s_add_u32 s21, s53, 1", message="read: s53, which nothing has written since", count=1)
//| finding("init", "global_store_dword v255, v250,", "s_add_u32 s22, s55, 1", message="read: s55, which nothing has written since", count=1)
//| finding("init", "global_store_dword v255, v250,", "s_mul_i32 s23, s30, s60", message="read: s60, which nothing has written since", count=1)
//| finding("init", "global_store_dword v255, v250,", "s_mul_i32 s24, s62, s61", message="read: s62, which nothing has written since", count=1)
//| no_output()
//| checks("all")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  s_mov_b32 s30, 5
  s_mov_b32 s31, 0
  s_cmp_eq_u32 s30, 5              // SCC = 1
  s_cselect_b32 s40, s30, s60
  s_add_u32 s20, s40, 1
  KEEP_S s20
  s_cmp_eq_u32 s30, 5
  s_cselect_b32 s50, s60, s30      // moves only
  s_cselect_b64 s[52:53], s[60:61], 0
  s_cmov_b32 s54, s60
  s_mov_b32 s55, 7
  s_cmov_b32 s55, s60
  s_cmp_eq_u32 s30, 4              // SCC = 0
  s_cselect_b32 s41, s60, s30
  s_cselect_b64 s[42:43], s[60:61], 0
  s_mov_b32 s44, 7
  s_cmov_b32 s44, s60
  s_mov_b64 s[46:47], 7
  s_cmov_b64 s[46:47], s[60:61]
  s_add_u32 s20, s41, s42
  KEEP_S s20
  s_addc_u32 s20, s43, s44
  KEEP_S s20
  s_add_u32 s20, s46, s47
  KEEP_S s20
  s_add_u32 s20, s50, 1
  KEEP_S s20
  s_add_u32 s21, s53, 1
  KEEP_S s21
  s_add_u32 s22, s55, 1
  KEEP_S s22
  s_mul_i32 s45, 0, s60
  s_mul_i32 s45, s45, s31
  s_mul_i32 s45, s60, s31
  s_add_u32 s20, s45, 1
  KEEP_S s20
  s_mul_i32 s23, s30, s60
  KEEP_S s23
  s_mul_i32 s24, s62, s61          // 0 by chance is no 0
  KEEP_S s24
END_KERNEL
