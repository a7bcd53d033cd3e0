// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two loops of instructions that each take 4 cycles: one fits into the instruction cache
// of 64 KiB, the other does not. A workgroup of one wave.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5

.macro KERNEL name, instructions
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_movk_i32 s4, 4
.L\name:
  .rept \instructions
  v_mov_b32_e32 v1, v0
  .endr
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 .L\name
  s_endpgm
.size \name, .-\name
.rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 8
  .amdhsa_accum_offset 4
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.endm

KERNEL fits, 15360
KERNEL does_not_fit, 18432

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: fits
    .symbol: fits.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
  - .name: does_not_fit
    .symbol: does_not_fit.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
