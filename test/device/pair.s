// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels for workgroups of 64, of which each writes 64 dwords of o.
//   fill: o[64 g + l] = a. Arguments: o u64, a u32. At most 64 work-items.
//   tail: o[64 g + l] = the last dword of 2048 bytes of arguments; o u64 first.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl fill
.p2align 8
.type fill,@function
fill:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s8
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Lfill_end:
  .size fill, .Lfill_end-fill
.globl tail
.p2align 8
.type tail,@function
tail:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x7fc
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s8
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.Ltail_end:
  .size tail, .Ltail_end-tail
.rodata
.p2align 6
.amdhsa_kernel fill
  .amdhsa_kernarg_size 16
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel tail
  .amdhsa_kernarg_size 2048
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: fill
    .symbol: fill.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
