// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose blocks, mixes and cycles are told by eye; see loops.sh. Every instruction
// here but ds_read_b32 has four bytes.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl loops
.p2align 8
.type loops,@function
loops:
  s_mov_b32 s2, 4
two:                       // byte 4: one loop with two back edges
  v_exp_f32_e32 v0, v1
  s_cbranch_scc1 two       // 8
  v_add_f32_e32 v2, v3, v4
  s_cbranch_scc0 two       // 16
lazy:                      // 20: a part of it lies out of line
  v_add_f32_e32 v2, v3, v4
  s_cbranch_vccnz rescale  // 24
back:
  s_cbranch_scc0 lazy      // 28
  s_branch nest            // 32, not in the loop
rescale:                   // 36
  v_exp_f32_e32 v0, v1
  v_exp_f32_e32 v0, v1
  s_branch back            // 44
nest:                      // 48
  s_mov_b32 s3, 4
inner:                     // 52
  ds_read_b32 v5, v0
  s_cbranch_scc0 inner     // 60
  v_add_f32_e32 v2, v3, v4
  s_cbranch_scc0 nest      // 68
choice:                    // 72: a way through has one of the two
  s_cbranch_vccz other
  v_exp_f32_e32 v0, v1
  s_branch join            // 80
other:                     // 84
  v_add_f32_e32 v2, v3, v4
join:                      // 88
  s_cbranch_scc0 choice
  s_cbranch_vccz odd       // 92: two entries, no loop
even:                      // 96
  s_nop 0
odd:                       // 100
  s_nop 0
  s_cbranch_scc0 even      // 104
  s_endpgm
.Lend:
.size loops, .Lend-loops

.rodata
.p2align 6
.amdhsa_kernel loops
  .amdhsa_group_segment_fixed_size 32768
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 16
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: loops
    .symbol: loops.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 32768
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 32
    .agpr_count: 16
    .vgpr_spill_count: 0
    .sgpr_spill_count: 0
    .max_flat_workgroup_size: 256
.end_amdgpu_metadata
