// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two waves exchange numbers through LDS. Some waits and barriers stand once, where they are
// needed, some twice, so that either alone does.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl exchange
.p2align 8
.type exchange,@function
exchange:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v3, 0x100, v1
  s_waitcnt lgkmcnt(0)            // twice: either does
  s_waitcnt lgkmcnt(0)
  global_load_dword v4, v1, s[4:5]
  s_waitcnt vmcnt(0)              // once
  ds_write_b32 v1, v4
  s_waitcnt lgkmcnt(0)            // twice
  s_waitcnt lgkmcnt(0)
  s_barrier                       // once
  ds_read_b32 v2, v3
  s_waitcnt lgkmcnt(0)            // once
  global_store_dword v1, v2, s[6:7]
  s_barrier                       // twice, and neither orders anything
  s_barrier
  s_endpgm
.Lend:
  .size exchange, .Lend-exchange
.rodata
.p2align 6
.amdhsa_kernel exchange
  .amdhsa_group_segment_fixed_size 512
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
