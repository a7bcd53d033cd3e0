// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel can do that a checker or the cycle model looks at: loads direct to LDS, LDS
// with conflicts and atomics, memory atomics, matrix instructions, a loop, barriers, and two
// mistakes: a load that is used before its wait, an LDS word that two waves write.
// Workgroups of 512, any number in x. Arguments: o, i, c: u64.
//   i: 8 KiB; o: 2 KiB a workgroup, one after the other; c: 256 bytes, sums.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl observed
.p2align 8
.type observed,@function
observed:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[12:13], s[0:1], 0x10
  v_lshrrev_b32_e32 v1, 6, v0
  v_and_b32_e32 v2, 63, v0
  v_lshlrev_b32_e32 v3, 4, v2                     // 16 × lane
  v_lshlrev_b32_e32 v4, 2, v0                     // 4 × work-item
  v_lshlrev_b32_e32 v5, 7, v2                     // 128 × lane: 8 ways
  v_readfirstlane_b32 s3, v1
  s_lshl_b32 s14, s3, 10                          // a KiB for each wave
  s_mov_b32 m0, s14
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6
  s_and_b32 s9, s7, 0xffff
  s_movk_i32 s10, 0x2000
  s_mov_b32 s11, 0x20000
  buffer_load_dwordx4 v3, s[8:11], s14 offen lds
  s_waitcnt vmcnt(0)
  s_barrier
  v_mov_b32_e32 v10, 0
  s_movk_i32 s15, 6
.Lloop:
  ds_read_b128 v[12:15], v5
  ds_read_b64 v[16:17], v4 offset:1024
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x32_bf16 v[20:23], v[12:15], v[12:15], 0
  v_add_u32_e32 v10, v10, v12
  v_xor_b32_e32 v10, v10, v16
  v_exp_f32_e32 v18, v17
  v_add_u32_e32 v5, 4, v5
  s_sub_u32 s15, s15, 1
  s_cmp_lg_u32 s15, 0
  s_cbranch_scc1 .Lloop
  s_barrier
  v_and_b32_e32 v6, 15, v2
  v_lshlrev_b32_e32 v6, 2, v6
  ds_add_u32 v6, v10 offset:8192
  ds_max_rtn_u32 v19, v6, v10 offset:8256
  v_mov_b32_e32 v11, 0
  ds_write_b32 v11, v0 offset:8448                // of every wave: a race
  s_waitcnt lgkmcnt(0)
  global_load_dword v24, v4, s[6:7]
  v_mov_b32_e32 v25, v24                          // no wait
  v_lshrrev_b32_e32 v26, 26, v10
  v_lshlrev_b32_e32 v26, 2, v26
  global_atomic_add v26, v10, s[12:13]
  s_lshl_b32 s16, s2, 11
  v_add_u32_e32 v4, s16, v4
  v_add_u32_e32 v10, v10, v25
  v_xor_b32_e32 v10, v10, v20
  global_store_dword v4, v10, s[4:5]
  s_endpgm
.Lend:
.size observed, .Lend-observed
.rodata
.p2align 6
.amdhsa_kernel observed
  .amdhsa_kernarg_size 24
  .amdhsa_group_segment_fixed_size 16384
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
