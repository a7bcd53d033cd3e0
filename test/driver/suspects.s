// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel for audit.sh, which gives it one body: CASE.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5

  .text
  .globl suspect
  .p2align 8
  .type suspect,@function
suspect:
  // The condition of a select, a move, a branch: what was added.
.if CASE == 1
  s_add_u32 s4, s2, s3
  s_cselect_b32 s5, s6, s7
.elseif CASE == 2
  s_sub_i32 s4, s2, s3
  v_mov_b32_e32 v1, s4          // keeps SCC
  s_cmov_b32 s5, s6
.elseif CASE == 3
  s_addc_u32 s4, s2, s3
  s_cbranch_scc0 .Lend
  s_nop 0
  // over a branch: on one way of two it is a sum
.elseif CASE == 4
  s_cmp_eq_u32 s2, s3
  s_cbranch_vccz .Lmeet
  s_addk_i32 s4, 0x10
.Lmeet:
  s_cselect_b64 s[6:7], -1, 0
  // in a loop, from its end to its beginning
.elseif CASE == 5
  s_cmp_eq_u32 s2, s3
.Lloop:
  s_cselect_b32 s5, s6, s7
  s_add_i32 s4, s4, s5
  s_cbranch_execnz .Lloop

  // A comparison, or logic, whose SCC says whether the result is zero.
.elseif CASE == 11
  s_add_u32 s4, s2, s3
  s_cmp_eq_u32 s4, 0
  s_cselect_b32 s5, s6, s7
.elseif CASE == 12
  s_add_u32 s4, s2, s3
  s_and_b32 s8, s4, s6
  s_cbranch_scc1 .Lend
  s_lshl_b32 s8, s8, 2
  s_cmov_b32 s5, s6
  // A carry that is taken as a carry.
.elseif CASE == 13
  s_add_u32 s4, s2, s3
  s_addc_u32 s5, s6, s7
  s_sub_u32 s4, s2, s3
  s_subb_u32 s5, s6, s7
  // A sum on a way that does not lead here.
.elseif CASE == 14
  s_cmp_eq_u32 s2, s3
  s_cbranch_vccz .Lmeet
  s_add_u32 s4, s2, s3
  s_endpgm
.Lmeet:
  s_cselect_b32 s5, s6, s7

  // Both halves of the result take the high half of an operand.
.elseif CASE == 6
  v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]
  // the low half, or each its own
.elseif CASE == 15
  v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel_hi:[1,0,1]
  v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]
  v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[1,0,0] op_sel_hi:[0,1,1] // swapped
.elseif CASE == 16
  v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[0,1]
.else
.error "no such CASE"
.endif
.Lend:
  s_endpgm
.Lsuspect:
  .size suspect, .Lsuspect-suspect
  .rodata
  .p2align 6
  .amdhsa_kernel suspect
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_accum_offset 8
    .amdhsa_next_free_sgpr 16
  .end_amdhsa_kernel
