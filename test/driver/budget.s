// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose cycles are added up by hand in budget.sh. Of one instruction: an MFMA
// of 32x32x16 takes 32 cycles (8 passes), of 16x16x32 16, f8f6f4 of 32x32x64 64 with
// fp8 and 32 with fp4 (CDNA4 ISA 7.6); a vector instruction 4, v_exp_f32 and
// v_permlane32_swap 8 (ROCm/gfx950-gluon-tutorials, kernels/attention/README.md). LDS as
// rocRoller has it (ROCm/rocm-libraries, shared/rocroller, LDSModel.cpp): a port of 64
// bytes a cycle takes 256 bytes of addresses and the data of writes.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl budget
.p2align 8
.type budget,@function
budget:
vector:
  .rept 4
  v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]
  .endr
  .rept 6
  v_add_f32_e32 v8, v9, v10
  .endr
  v_permlane32_swap_b32_e32 v8, v9
  v_pk_mul_f32 v[8:9], v[10:11], v[12:13]
  v_exp_f32_e32 v8, v9
  v_exp_f32_e32 v8, v9
  s_cbranch_scc0 vector
lds:
  ds_read_b128 v[8:11], v0
  ds_read_b128 v[8:11], v0
  ds_read_b64_tr_b16 v[8:9], v0
  ds_write_b64 v0, v[8:9]
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_cbranch_scc0 lds
narrow:
  v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[8:15], a[0:15]
  v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[8:11], a[0:15] cbsz:4 blgp:4
  s_cbranch_scc0 narrow
memory:
  buffer_load_dwordx4 v[8:11], v0, s[4:7], 0 offen
  buffer_load_dwordx4 v0, s[4:7], 0 offen lds
  global_load_dword v8, v0, s[0:1]
  s_add_u32 s2, s2, 1
  s_nop 3
  s_cbranch_scc0 memory
  s_endpgm
.Lend:
.size budget, .Lend-budget

.rodata
.p2align 6
.amdhsa_kernel budget
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
  - .name: budget
    .symbol: budget.kd
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
