// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels for workgroups of 64, of which each writes 64 dwords of o.
//   fill: o[64 g + l] = a. Arguments: o u64, a u32. At most 64 work-items.
//   tail: o[64 g + l] = the last dword of 2048 bytes of arguments; o u64 first.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5

// KERNEL name, kernarg_bytes, at, lds_bytes: writes the dword of its arguments at byte `at`.
.macro KERNEL name, kernarg_bytes, at, lds_bytes
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dword s8, s[0:1], \at
  v_lshlrev_b32_e32 v1, 2, v0
  s_lshl_b32 s3, s2, 8
  v_add_u32_e32 v1, s3, v1
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v2, s8
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.L\name\()_end:
  .size \name, .L\name\()_end-\name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_kernarg_size \kernarg_bytes
  .amdhsa_group_segment_fixed_size \lds_bytes
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.endm

KERNEL fill, 16, 8, 1024
KERNEL tail, 2048, 2044, 0
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
