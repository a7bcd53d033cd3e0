// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %audit_test %s
//
// Missing wait states: next to each other, one too few, by the taken branch only, from the
// end of a loop to its beginning, over two branches. What no path leads to is not looked at.
// Source: CDNA4 ISA 4.5, table 11: a vector ALU result read by v_readlane 1, as its lane
// 4; VCC before v_div_fmas 4; M0 before a load direct to LDS 1; 7.6, table 38: D of a
// 4-pass XDL instruction read by vector ALU 8, of 8 passes 12. LLVM pull requests 197267
// (data of stores) and 218363 (C of another opcode).

//| finding("hazard", "v_readlane_b32 s20, v1, 0", "v_mov_b32_e32 v1,", "0 wait states after")
//| finding("hazard", "v_readlane_b32 s22, v2, s21", "v_readfirstlane_b32 s21", "4 are required (lane-select); add s_nop 0 in between")
//| finding("hazard", "v_add_f32_e32 v12, v4, v4", "v_mfma_f32_16x16x16_f16 v[4:7]", "7 wait states after")
//| finding("hazard", "v_div_fmas_f32 v8,", "v_cmp_eq_u32_e32 vcc", "add s_nop 2 in between; by the branch at pc 0x40 to 0x48")
//| finding("hazard", "buffer_load_dword v0, s[8:11], 0 offen lds", "s_mov_b32 m0, 4", "1 is required (m0-lds); add s_nop 0")
//| finding("hazard", "v_readlane_b32 s23, v2, s24", "v_readfirstlane_b32 s24", "1 wait state after")
//| finding("hazard", "v_readlane_b32 s25, v2, s26", "v_readfirstlane_b32 s26", ", then ")
//| finding("hazard", "v_add_f32_e32 v13, v33, v33", "v_mfma_f32_32x32x16_bf16 v[32:47]", "11 wait states after")
//| finding("hazard", "v_mfma_f32_16x16x16_bf16 v[4:7]", "v_mfma_f32_16x16x16_f16 v[4:7]", "reads v[4:7] as C 5 wait states after")
//| finding("hazard", "v_mov_b32_e32 v49, 0", "buffer_store_dwordx4 v[48:51]", "1 is required (store-data-offset); add s_nop 0")
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 0
  v_readlane_b32 s20, v1, 0

  v_readfirstlane_b32 s21, v3
  s_nop 2
  v_readlane_b32 s22, v2, s21

  v_mfma_f32_16x16x16_f16 v[4:7], v[20:21], v[22:23], 0
  s_nop 6
  v_add_f32_e32 v12, v4, v4

  v_cmp_eq_u32_e32 vcc, v20, v21
  s_cbranch_scc1 .Lsoon
  s_nop 2
.Lsoon:
  v_div_fmas_f32 v8, v20, v20, v20

  s_mov_b32 m0, 4
  buffer_load_dword v0, s[8:11], 0 offen lds
  s_mov_b32 s24, 0
.Lagain:
  v_readlane_b32 s23, v2, s24
  s_nop 7
  v_readfirstlane_b32 s24, v3
  s_cbranch_scc1 .Lagain

  v_readfirstlane_b32 s26, v3
  s_cbranch_scc1 .Lone
  s_nop 3
.Lone:
  s_cbranch_scc0 .Ltwo
  s_nop 3
.Ltwo:
  v_readlane_b32 s25, v2, s26

  // the s_branch is jumped over, and no state
  v_mfma_f32_32x32x16_bf16 v[32:47], v[20:23], v[24:27], 0
  s_cbranch_scc1 .Lover
  s_branch .Lelse
.Lover:
  s_nop 9
  v_add_f32_e32 v13, v33, v33
.Lelse:
  s_nop 7

  // C is exactly D of another opcode
  v_mfma_f32_16x16x16_f16 v[4:7], v[20:21], v[22:23], 0
  s_nop 4
  v_mfma_f32_16x16x16_bf16 v[4:7], v[20:21], v[22:23], v[4:7]

  // data of wide stores
  buffer_store_dwordx4 v[48:51], off, s[8:11], s27
  v_mov_b32_e32 v49, 0
  s_endpgm

  v_mov_b32_e32 v1, 0
  v_readlane_b32 s20, v1, 0
END_KERNEL
