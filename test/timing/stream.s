// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroups that read a stream each: number n begins n × `stride` bytes after `in`. A trip of a wave is 8 loads of 64
// consecutive lanes; the next 8 are issued before it waits for these, so that 8 to 16 are on their way. Waves of a workgroup take
// turns. Arguments: in: u64; stride, trips, waves: u32.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5

.macro kernel name, shift, load, middle, lds
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dword s8, s[0:1], 0x10
  v_and_b32_e32 v1, 63, v0
  v_lshrrev_b32_e32 v2, 6, v0
  v_lshlrev_b32_e32 v1, \shift, v1
  v_lshlrev_b32_e32 v2, \shift + 9, v2
  v_readfirstlane_b32 s10, v2
  v_add_u32_e32 v1, v1, v2
  v_add_u32_e32 v1, \middle, v1
  s_add_u32 m0, s10, \middle // of loads direct to LDS, to which the offset is added, too
  s_waitcnt lgkmcnt(0)
  s_mul_hi_u32 s9, s6, s2
  s_mul_i32 s6, s6, s2
  s_add_u32 s4, s4, s6
  s_addc_u32 s5, s5, s9
  s_lshl_b32 s8, s8, \shift + 9
.L\name:
  s_waitcnt vmcnt(8)
  \load 0
  \load 1
  \load 2
  \load 3
  \load 4
  \load 5
  \load 6
  \load 7
  v_add_u32_e32 v1, s8, v1
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .L\name
  s_waitcnt vmcnt(0)
  s_endpgm
.size \name, .-\name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 40
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 40
  .amdhsa_group_segment_fixed_size \lds
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.endm

.macro wide i
  global_load_dwordx4 v[8 + 4 * \i:11 + 4 * \i], v1, s[4:5] offset:1024 * \i - 4096
.endm
.macro narrow i
  global_load_dword v[8 + \i], v1, s[4:5] offset:256 * \i
.endm
.macro direct i
  global_load_lds_dwordx4 v1, s[4:5] offset:1024 * \i - 4096
.endm

kernel wide, 4, wide, 0x1000, 0
kernel narrow, 2, narrow, 0, 0
kernel direct, 4, direct, 0x1000, 131072

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: wide
    .symbol: wide.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 40
    .max_flat_workgroup_size: 1024
  - .name: narrow
    .symbol: narrow.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 40
    .max_flat_workgroup_size: 1024
  - .name: direct
    .symbol: direct.kd
    .kernarg_segment_size: 20
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 131072
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 40
    .max_flat_workgroup_size: 1024
...
.end_amdgpu_metadata
