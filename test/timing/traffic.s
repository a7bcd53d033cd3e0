// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroups of a wave that read 64 KiB each: number n begins `stride` × n bytes after `in`, and
// one whose number has a bit of `idle` ends at once. Arguments: in: u64; stride, idle: u32.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl reader
.p2align 8
.type reader,@function
reader:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  s_and_b32 s7, s7, s2
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lend
  s_mul_i32 s6, s6, s2
  s_add_u32 s4, s4, s6
  s_addc_u32 s5, s5, 0
  s_movk_i32 s8, 64
.Lloop:
  global_load_dwordx4 v[4:7], v1, s[4:5]
  v_add_u32_e32 v1, 0x400, v1
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 .Lloop
  s_waitcnt vmcnt(0)
.Lend:
  s_endpgm
.size reader, .-reader
.rodata
.p2align 6
.amdhsa_kernel reader
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: reader
    .symbol: reader.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
