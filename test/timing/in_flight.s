// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops for what `fmhac inspect` says of loads on their way; nothing runs them.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl loops
.p2align 8
.type loops,@function
loops:
  // Two loads of 1024 and one of 256 bytes, a store; waits for the first load of the trip before, and for all.
.Lboth:
  global_load_dwordx4 v[8:11], v0, s[4:5]
  global_load_dwordx4 v[12:15], v0, s[4:5] offset:1024
  s_waitcnt vmcnt(3)
  global_store_dword v0, v1, s[4:5]
  buffer_load_dword v16, v0, s[8:11], 0 offen
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lboth
  s_waitcnt vmcnt(0)
  // 16 bytes a lane direct to LDS, never waited for but where vmcnt ends; lgkmcnt is no wait for them.
.Ldirect:
  buffer_load_dwordx4 v0, s[8:11], 0 offen lds
  s_waitcnt lgkmcnt(0)
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Ldirect
  // Waits as a number: for all.
.Lall:
  global_load_dwordx2 v[8:9], v0, s[4:5]
  s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lall
  // No load.
.Lnone:
  s_sub_u32 s7, s7, 1
  s_cmp_lg_u32 s7, 0
  s_cbranch_scc1 .Lnone
  s_endpgm
.size loops, .-loops
.rodata
.p2align 6
.amdhsa_kernel loops
  .amdhsa_next_free_vgpr 128
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 128
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: loops
    .symbol: loops.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 128
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
