// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Instructions that add to their destination, or change bits of it, read it, though its name
// stands there once. With a destination that is written before they are no finding.
// Source: CDNA4 ISA, pseudocode of each (D.f32 = S0.f32 * S1.f32 + D.f32 and the like).

//| finding("init", "global_store_dword v255, v1,", "v_fmac_f32_e32 v1, v0, v0", message="depends in lane 0 (64 lanes in all) on what `v_fmac_f32_e32 v1, v0, v0` at pc")
//| finding("init", "global_store_dword v255, v2,", "v_fmac_f64_e32 v[2:3], v[30:31], v[30:31]", message="read: v2, which nothing has written since")
//| finding("init", "global_store_dword v255, v4,", "v_mac_f16_e32 v4, v0, v0", message="read: v4, which nothing has written since")
//| finding("init", "global_store_dword v255, v5,", "v_pk_fmac_f16_e32 v5, v0, v0", message="read: v5, which nothing has written since")
//| finding("init", "global_store_dword v255, v6,", "v_dot2c_f32_f16_e32 v6, v0, v0", message="read: v6, which nothing has written since")
//| finding("init", "global_store_dword v255, v7,", "v_dot4c_i32_i8_e32 v7, v0, v0", message="read: v7, which nothing has written since")
//| finding("init", "global_store_dword v255, v8,", "v_fmac_f32_dpp v8, v0, v0", message="read: v8, which nothing has written since")
//| finding("init", "global_store_dword v255, v12,", "v_smfmac_f32_16x16x32_f16 v[12:15], v[30:31], v[32:35], v0", message="read: v12, which nothing has written since")
//| finding("init", "global_store_dword v255, v250,", "s_addk_i32 s20, 0x5", message="read: s20, which nothing has written since")
//| finding("init", "global_store_dword v255, v250,", "s_mulk_i32 s21, 0x5", message="read: s21, which nothing has written since")
//| finding("init", "global_store_dword v255, v250,", "s_bitset1_b32 s22, 3", message="read: s22, which nothing has written since")
//| no_output()
//| checks("all")
.include "prologue.inc"
.include "keep.inc"
KERNEL
  .irp r, 30, 31, 32, 33, 34, 35
    v_mov_b32_e32 v\r, 0
  .endr
  s_nop 1
  v_fmac_f32_e32 v1, v0, v0
  v_fmac_f64_e32 v[2:3], v[30:31], v[30:31]
  v_mac_f16_e32 v4, v0, v0
  v_pk_fmac_f16 v5, v0, v0
  v_dot2c_f32_f16_e32 v6, v0, v0
  v_dot4c_i32_i8_e32 v7, v0, v0
  v_fmac_f32_dpp v8, v0, v0 row_ror:1 row_mask:0xf bank_mask:0xf
  v_smfmac_f32_16x16x32_f16 v[12:15], v[30:31], v[32:35], v0
  s_nop 15
  s_nop 3
  s_addk_i32 s20, 0x5
  s_mulk_i32 s21, 0x5
  s_bitset1_b32 s22, 3
  .irp r, 1, 2, 4, 5, 6, 7, 8, 12
    KEEP v\r
  .endr
  .irp r, 20, 21, 22
    KEEP_S s\r
  .endr
  .irp r, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15
    v_mov_b32_e32 v\r, 0
  .endr
  .irp r, 20, 21, 22
    s_mov_b32 s\r, 0
  .endr
  s_nop 1
  v_fmac_f32_e32 v1, v0, v0         // right
  v_fmac_f64_e32 v[2:3], v[30:31], v[30:31]
  v_mac_f16_e32 v4, v0, v0
  v_pk_fmac_f16 v5, v0, v0
  v_dot2c_f32_f16_e32 v6, v0, v0
  v_smfmac_f32_16x16x32_f16 v[12:15], v[30:31], v[32:35], v0
  s_addk_i32 s20, 0x5
  s_mulk_i32 s21, 0x5
  s_bitset1_b32 s22, 3
  s_nop 15
  .irp r, 1, 2, 3, 4, 5, 6, 12, 13, 14, 15
    KEEP v\r
  .endr
  .irp r, 20, 21, 22
    KEEP_S s\r
  .endr
END_KERNEL
