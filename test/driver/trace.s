// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five waves, so that two share SIMD 0, go five times through a loop in which there is
// one of everything that a trace shows. Wave 0 is late at each barrier. trace.py has
// the instructions once more, and what they come to.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl traced
.p2align 8
.type traced,@function
traced:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_and_b32_e32 v1, 63, v0
  v_lshlrev_b32_e32 v2, 4, v1
  v_lshlrev_b32_e32 v3, 8, v1
  v_readfirstlane_b32 s7, v0
  s_mov_b32 s6, 5
  ds_write_b32 v2, v1
  s_waitcnt lgkmcnt(0)
.Lloop:
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Learly
  s_nop 15
  s_nop 15
.Learly:
  s_barrier
  global_load_dword v5, v2, s[4:5]
  ds_read_b32 v4, v3
  ds_read_b128 v[20:23], v2
  v_mfma_f32_16x16x32_bf16 v[8:11], v[12:15], v[16:19], v[8:11]
  v_mfma_f32_16x16x32_bf16 v[8:11], v[12:15], v[16:19], v[8:11]
  v_exp_f32_e32 v6, v1
  v_pk_mul_f32 v[24:25], v[26:27], v[28:29]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lloop
  global_store_dword v2, v5, s[4:5]
  s_endpgm
.Lend:
  .size traced, .Lend-traced

// The same without a loop.
.globl straight
.p2align 8
.type straight,@function
straight:
  v_mov_b32_e32 v1, 1.0
  v_exp_f32_e32 v2, v1
  s_endpgm
.Lstraight_end:
  .size straight, .Lstraight_end-straight

// Reads what nobody has mapped.
.globl stray
.p2align 8
.type stray,@function
stray:
  v_mov_b32_e32 v1, 0
  s_mov_b64 s[4:5], 64
  global_load_dword v5, v1, s[4:5]
  s_endpgm
.Lstray_end:
  .size stray, .Lstray_end-stray

.rodata
.macro descriptor name
.p2align 6
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size 32768
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.endm
descriptor traced
descriptor straight
descriptor stray
