// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two nested loops whose instructions can be counted by eye.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl counted
.p2align 8
.type counted,@function
counted:
  s_load_dword s2, s[0:1], 0x0                  // smem
  v_mov_b32_e32 v0, 0                           // valu
  s_waitcnt lgkmcnt(0)                          // wait
outer:                                          // 8 + 4 + 4 = byte 16
  s_mov_b32 s3, 4                               // salu
inner:                                          // byte 20
  v_mfma_f32_32x32x16_bf16 a[0:15], v[0:3], v[4:7], a[0:15]
  v_exp_f32_e32 v1, v0                          // trans
  ds_read_b64_tr_b16 v[2:3], v0                 // lds_read
  buffer_load_dwordx4 v0, s[4:7], 0 offen lds   // lds_dma
  s_sub_u32 s3, s3, 1                           // salu
  s_cbranch_scc0 inner                          // branch, byte 20 + 8+4+8+8+4 = 52
  ds_write_b32 v0, v1                           // lds_write
  s_barrier                                     // barrier
  s_sub_u32 s2, s2, 1                           // salu
  s_cbranch_scc0 outer                          // branch, byte 56 + 8 + 4 + 4 = 72
  global_store_dword v0, v1, s[0:1]             // store
  s_endpgm
.Lend:
.size counted, .Lend-counted

.rodata
.p2align 6
.amdhsa_kernel counted
  .amdhsa_group_segment_fixed_size 66560
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 80
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 44
.end_amdhsa_kernel

.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: counted
    .symbol: counted.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 66560
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 80
    .agpr_count: 36
    .vgpr_spill_count: 0
    .sgpr_spill_count: 0
    .max_flat_workgroup_size: 512
    .args:
      - .name: field_mask
        .offset: 0
        .size: 8
        .value_kind: by_value
      - .name: q
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: global
.end_amdgpu_metadata
