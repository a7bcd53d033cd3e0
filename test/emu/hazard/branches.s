// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// Wait states over branches: taken, not taken, backwards, one after the other, calls and
// returns. What counts is the way that the wave came. Wave 0 takes the short way to
// .Lboth, wave 1 the long one. Source: CDNA4 ISA 4.5 and tables 11, 38.

//| checks("hazard")
//| no_output()
//| launch(block=128)
//| mfma = "v_mfma_f32_16x16x32_bf16 v[0:3]"
//| def short(consumer, producer, states, required, count=2, **more):
//|     finding("hazard", consumer, producer, count=count,
//|             message=(f" {states} wait state", f"; {required} "), **more)
//| short("v_mov_b32_e32 v40, v1", mfma, 7, 8)
//| short("v_mov_b32_e32 v41, v1", mfma, 3, 8, count=4)   # twice back, two waves
//| short("v_mov_b32_e32 v42, v1", mfma, 4, 8, count=4)
//| short("v_mov_b32_e32 v43, v1", mfma, 5, 8)
//| short("v_mfma_f32_16x16x32_f16 v[4:7]", "v_mov_b32_e32 v24", 1, 2)
//| short("v_mfma_f32_16x16x32_f16 v[8:11]", "v_mov_b32_e32 v25", 1, 2)
//| short("v_mov_b32_e32 v34, v1", "v_mfma_f32_32x32x16_bf16 v[0:15]", 11, 12)
//| short("v_mov_b32_e32 v44, v1", mfma, 6, 8, count=1)
//| short("v_mov_b32_e32 v45, v1", mfma, 5, 8)
//| short("v_mov_b32_e32 v46, v1", "v_mfma_f32_16x16x32_f16 v[0:3]", 2, 8)
.include "prologue.inc"

.macro FAR
  s_nop 15
  s_nop 15
.endm
.macro MFMA
  FAR
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
.endm

KERNEL
  v_readfirstlane_b32 s30, v0
  FAR

  // forwards
  MFMA
  s_branch .Lshort
.Lenough:
  s_nop 6
  v_mov_b32_e32 v30, v1
  s_branch .Lloops
.Lshort:
  s_nop 5
  v_mov_b32_e32 v40, v1         // 1 + 6
  MFMA
  s_branch .Lenough

  // a long loop
.Lloops:
  s_mov_b32 s20, 3
  FAR
.Lloop:
  v_mov_b32_e32 v41, v1
  s_nop 4
  v_mov_b32_e32 v31, v2         // 3 + 1 + 5: enough
  .rept 24
    s_mov_b32 s21, 0
  .endr
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lloop
  FAR

  // one of a few instructions: the way goes through several turns of it
  s_mov_b32 s20, 3
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
.Lfew:
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lfew          // 3 turns: 9
  v_mov_b32_e32 v32, v1
  FAR
  s_mov_b32 s20, 3
.Ltight:
  s_nop 0
  v_mov_b32_e32 v42, v1         // after the turn before: 4
  s_nop 15
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Ltight

  // one branch after the other
  MFMA
  s_branch .Lhop1
.Lhop4:
  s_nop 0
  v_mov_b32_e32 v43, v1         // 4 + 1
  s_branch .Lcond
.Lhop3:
  s_branch .Lhop4
.Lhop2:
  s_branch .Lhop3
.Lhop1:
  s_branch .Lhop2

  // taken: one state
.Lcond:
  FAR
  s_cmp_eq_u32 s20, s20
  v_mov_b32_e32 v24, v60
  s_cbranch_scc1 .Lover
  s_nop 0
.Lover:
  v_mfma_f32_16x16x32_f16 v[4:7], v[20:23], v[24:27], 0
  // the s_branch after it is not issued
  FAR
  v_mov_b32_e32 v25, v60
  s_cbranch_scc1 .Lover2
  s_branch .Lover3
.Lover2:
  v_mfma_f32_16x16x32_f16 v[8:11], v[20:23], v[24:27], 0
.Lover3:
  FAR
  v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], 0
  s_cbranch_scc1 .Lover4
  s_branch .Lover5
.Lover4:
  s_nop 9
  v_mov_b32_e32 v34, v1         // 1 + 10
.Lover5:
  FAR
  v_mfma_f32_32x32x16_bf16 v[0:15], v[20:23], v[24:27], 0
  s_cbranch_scc1 .Lover6
  s_branch .Lover7
.Lover6:
  s_nop 10
  v_mov_b32_e32 v35, v1         // 1 + 11: enough
.Lover7:

  // two ways to one place
  MFMA
  s_cmp_eq_u32 s30, 0
  s_nop 1
  s_cbranch_scc1 .Lnear
  s_nop 7
.Lnear:
  s_nop 0
  s_nop 0
  v_mov_b32_e32 v44, v1         // 2 + 2 + 2, and more
  s_branch .Lcalls

  // nothing jumps to the instruction that would be too close
  v_mfma_f32_16x16x32_bf16 v[0:3], v[20:23], v[24:27], 0
.Lcalls:
  v_mov_b32_e32 v33, v1
  s_getpc_b64 s[34:35]
.Lhere:
  s_add_u32 s34, s34, .Lcallee-.Lhere
  s_addc_u32 s35, s35, 0
  MFMA
  s_nop 2
  s_swappc_b64 s[36:37], s[34:35]
  s_nop 0
  v_mov_b32_e32 v46, v1         // 1 + 1
  s_branch .Ldone
.Lcallee:
  s_nop 0
  v_mov_b32_e32 v45, v1         // 3 + 1 + 1
  s_nop 15
  s_nop 15
  v_mfma_f32_16x16x32_f16 v[0:3], v[20:23], v[24:27], 0
  s_setpc_b64 s[36:37]
.Ldone:
  FAR
END_KERNEL
