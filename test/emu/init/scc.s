// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// SCC before anything has set it, and as s_and and its like set it from what nothing has written.
// One known bit that is set decides it, whatever the others are; a comparison sets it anew.
// Source: CDNA4 ISA, pseudocode of S_AND_B32 and the like (SCC = D != 0).

//| finding("init", "s_cbranch_scc1 0", message="reads scc, which nothing has set since the wave began", count=1)
//| finding("init", "s_cbranch_scc1 0", "s_and_b32 s24, s21, 3", message="read: s21")
//| finding("init", "s_cbranch_scc1 0", "s_not_b32 s26, s27", message="read: s27")
//| finding("init", "s_cbranch_scc1 0", "s_nor_b64 s[28:29], s[30:31], 1", message="read: s30")
//| no_output()
//| checks("all")
.include "prologue.inc"
.macro DECIDE reg
  s_cmp_eq_u32 \reg, 0
  s_cbranch_scc1 .Ldecide\@
.Ldecide\@:
.endm
ENTRY
  s_cbranch_scc1 .Lfirst
.Lfirst:
  s_cbranch_scc0 .Lagain          // told already
.Lagain:
  s_and_b32 s24, s21, 3           // two bits that nobody knows
  s_mov_b32 s25, 0                // keeps it
  s_cselect_b32 s20, 1, 0
  DECIDE s20
  s_not_b32 s26, s27
  s_addc_u32 s22, 0, 0
  DECIDE s22
  s_nor_b64 s[28:29], s[30:31], 1
  s_mov_b32 s23, 0
  s_cmov_b32 s23, 1
  DECIDE s23
  s_and_b32 s24, s21, 0           // 0: right, as all that follows
  s_cselect_b32 s20, 1, 0
  DECIDE s20
  s_or_b32 s24, s21, 4
  s_cselect_b32 s20, 1, 0
  DECIDE s20
  s_nand_b32 s24, s21, 1          // 31 bits are 1
  s_cselect_b32 s20, 1, 0
  DECIDE s20
  s_xor_b32 s24, s2, 1
  s_cselect_b32 s20, 1, 0
  DECIDE s20
  s_and_b32 s24, s21, 3
  s_cmp_eq_u32 s2, 0
  s_cselect_b32 s20, 1, 0
  DECIDE s20
END_KERNEL
