// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_pk_mul_f32, v_pk_add_f32, v_pk_fma_f32, v_pk_mov_b32: op_sel picks the half that feeds
// the low result, op_sel_hi the one that feeds the high result (1 by default), neg_lo and
// neg_hi negate it. SGPR pairs as sources; a constant is used through its low half.
// Source: CDNA4 ISA pseudocode V_PK_*_F32, V_PK_MOV_B32; CDNA3 ISA "Packed math: OPSEL,
// OPSEL_HI, NEG, NEG_HI".

//| inputs(a=random_f32(64, 1, -4, 4), A=random_f32(64, 2, -4, 4), b=random_f32(64, 3, -4, 4),
//|        B=random_f32(64, 4, -4, 4), c=random_f32(64, 5, -4, 4), C=random_f32(64, 6, -4, 4))
.include "prologue.inc"
KERNEL
  INPUTS 2, 6, 0
  LOADED
  s_mov_b32 s20, 0x40490fdb
  s_mov_b32 s21, 0xc02df854
  v_pk_mul_f32 v[10:11], v[2:3], v[4:5]
  OUTPUT v10   // == mul32(a, b)
  OUTPUT v11   // == mul32(A, B)
  v_pk_add_f32 v[10:11], v[2:3], v[4:5]
  OUTPUT v10   // == add32(a, b)
  OUTPUT v11   // == add32(A, B)
  v_pk_fma_f32 v[10:11], v[2:3], v[4:5], v[6:7]
  OUTPUT v10   // == fma32(a, b, c)
  OUTPUT v11   // == fma32(A, B, C)
  v_pk_mul_f32 v[10:11], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1]
  OUTPUT v10   // == mul32(A, b)
  OUTPUT v11   // == mul32(a, B)
  v_pk_mul_f32 v[10:11], v[2:3], v[4:5] op_sel_hi:[1,0]
  OUTPUT v10   // == mul32(a, b)
  OUTPUT v11   // == mul32(A, b)
  v_pk_fma_f32 v[10:11], v[2:3], v[4:5], v[6:7] op_sel:[0,1,1] op_sel_hi:[1,1,0] neg_lo:[1,0,0] neg_hi:[0,1,1]
  OUTPUT v10   // == fma32(neg32(a), B, C)
  OUTPUT v11   // == fma32(A, neg32(B), neg32(c))
  v_pk_add_f32 v[10:11], v[2:3], v[4:5] neg_lo:[0,1] neg_hi:[0,1]
  OUTPUT v10   // == sub32(a, b)
  OUTPUT v11   // == sub32(A, B)
  v_pk_mul_f32 v[10:11], v[2:3], s[20:21]
  OUTPUT v10   // == mul32(a, 0x40490fdb)
  OUTPUT v11   // == mul32(A, 0xc02df854)
  v_pk_fma_f32 v[10:11], v[2:3], s[20:21], v[6:7] op_sel_hi:[1,0,1]
  OUTPUT v10   // == fma32(a, 0x40490fdb, c)
  OUTPUT v11   // == fma32(A, 0x40490fdb, C)
  v_pk_mul_f32 v[10:11], v[2:3], 2.0 op_sel_hi:[1,0]
  OUTPUT v10   // == mul32(a, 0x40000000)
  OUTPUT v11   // == mul32(A, 0x40000000)
  v_pk_add_f32 v[10:11], v[2:3], 0 op_sel_hi:[1,0]
  OUTPUT v10   // == a
  OUTPUT v11   // == A
  // the result may lie over a source: both halves are read first
  v_mov_b32_e32 v12, v2
  v_mov_b32_e32 v13, v3
  v_pk_mul_f32 v[12:13], v[12:13], v[4:5] op_sel:[1,0] op_sel_hi:[0,1]
  OUTPUT v12   // == mul32(A, b)
  OUTPUT v13   // == mul32(a, B)
  v_pk_mov_b32 v[10:11], v[2:3], v[4:5] op_sel:[1,0]
  OUTPUT v10   // == A
  OUTPUT v11   // == b
  v_pk_mov_b32 v[10:11], v[2:3], v[4:5] op_sel:[0,1]
  OUTPUT v10   // == a
  OUTPUT v11   // == B
END_KERNEL
