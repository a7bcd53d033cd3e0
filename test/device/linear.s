// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-item l of workgroup g, of 64: o[64 g + l] = i[64 g + l] * a + b, dwords.
// Arguments: o u64, i u64, a u32, b u32.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl linear
.p2align 8
.type linear,@function
linear:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[6:7]
  s_waitcnt vmcnt(0)
  v_mul_lo_u32 v2, v2, s8
  v_add_u32_e32 v2, s9, v2
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Lend:
  .size linear, .Lend-linear
.rodata
.p2align 6
.amdhsa_kernel linear
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
