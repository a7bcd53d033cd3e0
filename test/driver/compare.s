// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose cycles follow from documents. compare.py has the arithmetic.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text

.macro begin name
.globl \name
.p2align 8
.type \name,@function
\name:
.endm

.macro finish name
.Lend_\name:
  .size \name, .Lend_\name-\name
.endm

// Two matrix instructions of 32 cycles, one after the other, hide all else.
.macro hidden_body
  v_mfma_f32_32x32x16_bf16 v[16:31], v[0:3], v[4:7], v[16:31]
  v_add_f32_e32 v8, v9, v9
  v_add_f32_e32 v8, v9, v9
  v_add_f32_e32 v8, v9, v9
  v_add_f32_e32 v8, v9, v9
  v_mfma_f32_32x32x16_bf16 v[32:47], v[0:3], v[4:7], v[32:47]
.endm

begin hidden
  s_mov_b32 s6, 6
.Lhidden:
  hidden_body
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lhidden
  s_endpgm
finish hidden

// The same work twice in each of half as many rounds.
begin twice
  s_mov_b32 s6, 3
.Ltwice:
  hidden_body
  hidden_body
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Ltwice
  s_endpgm
finish twice

// Packed instructions do not issue while the matrix unit runs.
begin apart
  s_mov_b32 s6, 6
.Lapart:
  v_mfma_f32_32x32x16_bf16 v[16:31], v[0:3], v[4:7], v[16:31]
  v_pk_mul_f32 v[8:9], v[10:11], v[12:13]
  v_pk_mul_f32 v[8:9], v[10:11], v[12:13]
  v_pk_mul_f32 v[8:9], v[10:11], v[12:13]
  v_exp_f32_e32 v14, v15
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 .Lapart
  s_endpgm
finish apart

// No loop, and code that is never executed.
begin straight
  s_cmp_eq_u32 s0, s0
  s_cbranch_scc1 .Lover
  v_mov_b32_e32 v1, 2.0
.Lover:
  v_exp_f32_e32 v2, v1
  s_endpgm
finish straight

// Reads what nobody has mapped.
begin stray
  v_mov_b32_e32 v1, 0
  s_mov_b64 s[4:5], 64
  global_load_dword v5, v1, s[4:5]
  s_endpgm
finish stray

.rodata
.macro descriptor name
.p2align 6
.amdhsa_kernel \name
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 48
  .amdhsa_accum_offset 48
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.endm
descriptor hidden
descriptor twice
descriptor apart
descriptor straight
descriptor stray

// A list of launches needs the names of the kernels.
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: hidden
    .symbol: hidden.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
  - .name: twice
    .symbol: twice.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
  - .name: apart
    .symbol: apart.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
  - .name: straight
    .symbol: straight.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
  - .name: stray
    .symbol: stray.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 48
    .max_flat_workgroup_size: 1024
...
.end_amdgpu_metadata
