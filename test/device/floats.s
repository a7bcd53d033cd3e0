// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What rounding and subnormals change: work-item l of workgroup g, of 64,
// writes 8 dwords at o[8 (64 g + l)], of x = i[64 g + l].
//   0 x / 3 + 1 (fma)   1 x * 2^-140 (subnormal)   2 1 / x   3 2^x
//   4 f16 of x          5 rows of x times columns of x by the matrix unit
//   6 sum of f64        7 x / 3 rounded up: MODE.round is left so
// Arguments: o u64, i u64.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl floats
.p2align 8
.type floats,@function
floats:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[6:7]
  v_lshlrev_b32_e32 v1, 3, v1
  s_mov_b32 s8, 0x3eaaaaab                  // 1/3
  s_mov_b32 s9, 0x00000200                  // 2^-140
  s_waitcnt vmcnt(0)
  v_fma_f32 v4, v2, s8, 1.0
  v_mul_f32_e32 v5, s9, v2
  v_rcp_f32_e32 v6, v2
  v_exp_f32_e32 v7, v2
  v_cvt_f16_f32_e32 v8, v2
  v_mov_b32_e32 v16, 0
  v_mov_b32_e32 v17, 0
  v_mov_b32_e32 v18, 0
  v_mov_b32_e32 v19, 0
  s_nop 4
  v_mfma_f32_16x16x4_f32 v[16:19], v2, v6, v[16:19]
  v_cvt_f64_f32_e32 v[12:13], v2
  v_rcp_f64_e32 v[14:15], v[12:13]
  s_nop 7
  s_nop 7
  v_add_f32_e32 v9, v16, v17
  v_add_f32_e32 v9, v9, v18
  v_add_f64 v[12:13], v[12:13], v[14:15]
  v_xor_b32_e32 v10, v12, v13
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5
  v_mul_f32_e32 v11, s8, v2
  global_store_dwordx4 v1, v[4:7], s[4:5]
  global_store_dwordx4 v1, v[8:11], s[4:5] offset:16
  s_endpgm
.Lend:
  .size floats, .Lend-floats
.rodata
.p2align 6
.amdhsa_kernel floats
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 20
  .amdhsa_accum_offset 20
  .amdhsa_next_free_sgpr 16
  .amdhsa_float_denorm_mode_32 3
.end_amdhsa_kernel
