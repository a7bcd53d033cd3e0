// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two waves exchange numbers through LDS without a barrier.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl exchange
.p2align 8
.type exchange,@function
exchange:
  s_nop 0
  s_nop 0
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v3, 0x100, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Lend:
  .size exchange, .Lend-exchange
.rodata
.p2align 6
.amdhsa_kernel exchange
  .amdhsa_group_segment_fixed_size 512
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 6
.end_amdhsa_kernel
