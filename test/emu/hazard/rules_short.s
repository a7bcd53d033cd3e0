// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// For every rule of the hazard checker two instructions one wait state too near to each
// other; rules_enough.s has the same with the right number. Sources: rules.inc.

//| checks("hazard")
//| no_output()
//| def rule(name, states, producer, consumer):
//|     left = states - 1
//|     s = "" if left == 1 else "s"
//|     finding("hazard", consumer, producer, count=1,
//|             message=(f" {left} wait state{s} after", f"; {states} ", f"required ({name}",
//|                      "; add s_nop 0 in between"))
//| # matrix results before matrix instructions
//| rule("mfma-c-same", 2, "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[20:21], v[22:23], v[0:3]", "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[24:25], v[26:27], v[0:3]")
//| rule("xdl-c-other", 10, "v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], 0", "v_mfma_f32_32x32x16_f16 v[0:15], v[20:23], v[24:27], v[0:15]")
//| rule("xdl-c-other", 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0", "v_mfma_f32_16x16x32_f16 v[0:3], v[20:23], v[24:27], v[0:3]")
//| rule("sgemm-c-other", 8, "v_mfma_f32_16x16x4_f32 v[0:3], v20, v21, 0", "v_mfma_f32_16x16x32_bf16 v[40:43], v[20:23], v[24:27], v[0:3]")
//| rule("xdl-c", 6, "v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0", "v_mfma_f32_16x16x32_bf16 v[4:7], v[20:23], v[24:27], v[2:5]")
//| rule("xdl-c", 18, "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[20:27], v[28:35], 0", "v_mfma_f32_16x16x32_bf16 v[40:43], v[20:23], v[24:27], v[12:15]")
//| rule("xdl-c-wide", 10, "v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], 0", "v_mfma_f32_16x16x4_f32 v[40:43], v20, v24, v[4:7]")
//| rule("xdl-ab", 8, "v_mfma_f32_16x16x32_f16 v[0:3], v[20:23], v[24:27], 0", "v_mfma_f32_16x16x32_f16 v[40:43], v[0:3], v[24:27], 0")
//| rule("xdl-ab", 12, "v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], 0", "v_mfma_f32_16x16x16_f16 v[40:43], v[24:25], v[14:15], 0")
//| rule("xdl-ab", 8, "v_smfmac_f32_16x16x64_bf16 v[0:3], v[20:23], v[24:31], v32", "v_smfmac_f32_16x16x64_bf16 v[40:43], v[20:23], v[24:31], v2")
//| rule("sgemm-c", 8, "v_mfma_f32_16x16x4_f32 v[0:3], v20, v21, 0", "v_mfma_f32_16x16x4_f32 v[40:43], v20, v21, v[2:5]")
//| rule("sgemm-ab", 18, "v_mfma_f32_32x32x2_f32 v[0:15], v20, v21, 0", "v_mfma_f32_16x16x4_f32 v[40:43], v20, v7, 0")
//| rule("dgemm16-c", 17, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "v_mfma_f64_16x16x4_f64 v[40:47], v[20:21], v[22:23], v[4:11]")
//| rule("dgemm16-ab", 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "v_mfma_f64_16x16x4_f64 v[40:47], v[2:3], v[22:23], 0")
//| rule("dgemm4-c-same", 4, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_mfma_f64_4x4x4_4b_f64 v[40:41], v[20:21], v[22:23], v[0:1]")
//| rule("dgemm4-c", 4, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_mfma_f64_16x16x4_f64 v[40:47], v[20:21], v[22:23], v[0:7]")
//| rule("dgemm4-ab", 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_mfma_f64_4x4x4_4b_f64 v[40:41], v[20:21], v[0:1], 0")
//| # matrix results before others
//| rule("xdl-read", 5, "v_mfma_i32_4x4x4_16b_i8 v[0:3], v20, v21, 0", "v_mov_b32_e32 v40, v1")
//| rule("xdl-read", 8, "v_mfma_f32_16x16x32_bf16 a[0:3], v[20:23], v[24:27], 0", "v_accvgpr_read_b32 v40, a2")
//| rule("xdl-read", 12, "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[20:25], v[28:33], 0 cbsz:2 blgp:3", "ds_write_b32 v90, v15")
//| rule("xdl-read", 20, "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[20:27], v[28:31], 0, v36, v37 op_sel_hi:[0,0,0] blgp:4", "global_store_dwordx4 v[90:91], v[12:15], off")
//| rule("xdl-overwrite", 12, "v_mfma_f32_32x32x8_f16 v[0:15], v[20:21], v[22:23], 0", "v_mov_b32_e32 v9, v90")
//| rule("xdl-load", 8, "v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[20:21], v[22:23], 0", "ds_read_b32 v3, v90")
//| rule("sgemm-read", 10, "v_mfma_f32_16x16x4_f32 v[0:3], v20, v21, 0", "v_add_f32_e32 v40, v3, v90")
//| rule("sgemm-overwrite", 4, "v_mfma_f32_4x4x1_16b_f32 v[0:3], v20, v21, 0", "v_mov_b32_e32 v3, v91")
//| rule("sgemm-load", 18, "v_mfma_f32_32x32x1_2b_f32 v[0:31], v40, v41, 0", "buffer_load_dword v31, v90, s[84:87], 0 offen")
//| rule("dgemm16-read", 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "v_add_f64 v[40:41], v[6:7], v[90:91]")
//| rule("dgemm16-memory", 18, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "global_store_dwordx2 v[90:91], v[6:7], off")
//| rule("dgemm16-overwrite", 19, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "v_mov_b32_e32 v5, v92")
//| rule("dgemm16-load", 11, "v_mfma_f64_16x16x4_f64 v[0:7], v[20:21], v[22:23], 0", "global_load_dword v4, v[90:91], off")
//| rule("dgemm4-read", 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_mov_b32_e32 v41, v1")
//| rule("dgemm4-memory", 9, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "ds_write_b64 v90, v[0:1]")
//| rule("dgemm4-overwrite", 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_mov_b32_e32 v1, v93")
//| rule("dgemm4-load", 6, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "ds_read_b64 v[0:1], v90")
//| rule("dgemm-fma64", 2, "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[20:21], v[22:23], 0", "v_fma_f64 v[40:41], v[90:91], v[90:91], v[90:91]")
//| rule("xdl-c-overwrite", 7, "v_mfma_f32_32x32x16_f16 v[0:15], v[20:23], v[24:27], v[40:55]", "v_mov_b32_e32 v47, v90")
//| rule("xdl-c-load", 3, "v_mfma_f32_16x16x32_f16 v[0:3], v[20:23], v[24:27], v[40:43]", "ds_read_b32 v42, v90")
//| # vector alu before matrix instructions; dot products
//| rule("valu-mfma", 2, "v_cvt_pk_bf16_f32 v21, v90, v91", "v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0")
//| rule("exec-mfma", 4, "v_cmpx_eq_u32_e32 vcc, v90, v91", "v_mfma_f32_16x16x32_bf16 v[40:43], v[20:23], v[24:27], 0")
//| rule("dot-ab", 3, "v_dot2_f32_f16 v0, v20, v21, v22", "v_dot2_f32_f16 v1, v0, v21, v22")
//| rule("dot-read", 3, "v_dot4_i32_i8 v0, v20, v21, v22", "v_add_u32_e32 v40, v0, v90")
//| rule("dot-read", 3, "v_dot4_i32_i8 v0, v20, v21, v24", "v_mfma_f32_16x16x4_f32 v[40:43], v0, v20, 0")
//| rule("dot-overwrite", 3, "v_dot4_i32_i8 v0, v20, v21, v23", "v_mov_b32_e32 v0, v94")
//| # within the vector alu
//| rule("trans", 1, "v_exp_f32_e32 v0, v90", "v_mul_f32_e32 v40, v0, v91")
//| rule("trans-lds-dma", 1, "v_rcp_f32_e32 v0, v90", "buffer_load_dword v0, s[84:87], 0 offen lds")
//| rule("partial-write", 1, "v_cvt_pk_fp8_f32 v0, v90, v91 op_sel:[0,0,1]", "v_mov_b32_e32 v42, v0")
//| rule("partial-write", 1, "v_add_u16_sdwa v0, v90, v91 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD", "v_mov_b32_e32 v0, v95")
//| rule("partial-lds-dma", 1, "v_cvt_pk_bf8_f32 v0, v90, v91 op_sel:[0,0,1]", "buffer_load_dwordx4 v0, s[84:87], 0 offen lds")
//| rule("sgpr-valu", 2, "v_readfirstlane_b32 s20, v90", "v_mov_b32_e32 v43, s20")
//| rule("sgpr-valu", 2, "v_cmp_lt_u32_e32 vcc, v90, v91", "v_mov_b32_e32 v44, vcc_hi")
//| rule("valu-readlane", 1, "v_mov_b32_e32 v0, v96", "v_readlane_b32 s21, v0, 5")
//| rule("exec-lane", 4, "v_cmpx_lt_u32_e32 vcc, v90, v91", "v_writelane_b32 v45, s22, 3")
//| rule("lane-select", 4, "v_readlane_b32 s23, v90, 2", "v_readlane_b32 s24, v91, s23")
//| rule("vcc-div-fmas", 4, "v_cmp_eq_u32_e32 vcc, v90, v91", "v_div_fmas_f32 v46, v90, v91, v92")
//| rule("dpp", 2, "v_mov_b32_e32 v0, v97", "v_mov_b32_dpp v47, v0 row_shr:1 row_mask:0xf bank_mask:0xf")
//| rule("dpp-old", 2, "v_mov_b32_e32 v48, v97", "v_mov_b32_dpp v48, v92 row_shr:2 row_mask:0xf bank_mask:0xf")
//| rule("exec-dpp", 5, "v_cmpx_gt_u32_e32 vcc, v90, v91", "v_mov_b32_dpp v49, v92 row_shr:3 row_mask:0xf bank_mask:0xf")
//| rule("permlane", 2, "v_mov_b32_e32 v1, v97", "v_permlane32_swap_b32_e32 v0, v1")
//| rule("exec-permlane", 4, "v_cmpx_le_u32_e32 vcc, v90, v91", "v_permlane16_swap_b32_e32 v0, v1")
//| rule("vccz", 5, "v_cmp_ge_u32_e32 vcc, v90, v91", "v_mov_b32_e32 v50, src_vccz")
//| rule("vccz", 5, "v_cmpx_ge_u32_e32 vcc, v90, v91", "v_mov_b32_e32 v51, src_execz")
//| # memory
//| rule("sgpr-vmem", 5, "v_readfirstlane_b32 s84, v99", "buffer_load_dword v52, v90, s[84:87], 0 offen")
//| rule("exec-vmem", 5, "v_cmpx_ne_u32_e32 vcc, v90, v91", "global_load_dword v53, v[90:91], off")
//| rule("store-data", 2, "global_store_dwordx3 v[90:91], v[54:56], off", "v_mov_b32_e32 v56, v92")
//| rule("store-data", 2, "buffer_store_dwordx4 v[54:57], v90, s[84:87], 0 offen", "v_mov_b32_e32 v54, v93")
//| rule("store-data-offset", 1, "buffer_store_dwordx4 v[54:57], v90, s[84:87], s25 offen", "v_mov_b32_e32 v55, v94")
//| rule("store-data-offset", 1, "buffer_store_dwordx3 v[54:56], v90, s[84:87], s25 offen", "v_mov_b32_e32 v55, v95")
//| rule("store-data-load", 1, "global_store_dwordx4 v[90:91], v[54:57], off", "ds_read_b32 v57, v90")
//| # modes and m0
//| rule("setreg-getreg", 2, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s25", "s_getreg_b32 s26, hwreg(HW_REG_MODE, 4, 4)")
//| rule("setreg-setreg", 2, "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 1), 0", "s_setreg_b32 hwreg(HW_REG_TRAPSTS, 1, 1), s25")
//| rule("vskip-getreg", 2, "s_setvskip 0, 0", "s_getreg_b32 s27, hwreg(HW_REG_MODE)")
//| rule("vskip-vector", 2, "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s25", "v_mov_b32_e32 v58, v94")
//| rule("m0-lds", 1, "s_mov_b32 m0, s25", "global_load_lds_dword v[90:91], off")
//| rule("m0-lds", 1, "s_add_u32 m0, m0, s25", "ds_read_addtid_b32 v59")
//| rule("m0-message", 1, "s_mov_b32 m0, 0", "s_sendmsg sendmsg(MSG_INTERRUPT)")
//| rule("m0-movrel", 1, "s_mov_b32 m0, 1", "s_movrels_b32 s28, s29")
.set SHORT, 1
.include "rules.inc"
