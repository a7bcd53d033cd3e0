// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// DPP: every control of gfx9, bound_ctrl, row_mask, bank_mask, neg and abs on the
// permuted source, lanes off.
// Source: CDNA3 ISA "DPP: data parallel primitives" (row_shl: lane i reads lane i + n of
// its row of 16, row_shr: i - n; an invalid source leaves the destination alone, or reads
// 0 with bound_ctrl; row_mask and bank_mask leave lanes alone); LLVM AMDGPUModifierSyntax
// "DPP modifiers"; GPUOpen "AMD GCN assembly: cross-lane operations"; of row_bcast with
// bound_ctrl ROCm/rocm-systems pull requests 7847 and 8111.
// Sources in lanes that are off: test/emu/ASSUMED.md.

//| A = random_u32(64, 18)
//| inputs(a=A, f=random_f32(64, 19, -3, 3), g=random_f32(64, 20, -3, 3))
//| F = random_f32(64, 19, -3, 3)
//| OLD = 0x55aa55aa
//| def row(lane, i, bad=OLD):
//|     return A[lane & ~15 | i] if 0 <= i < 16 else bad
.include "prologue.inc"
.macro MOVE ctrl:vararg
  v_mov_b32_e32 v10, 0x55aa55aa
  s_nop 1
  v_mov_b32_dpp v10, v1 \ctrl
.endm
KERNEL
  INPUTS 1, 3, 0
  LOADED
  MOVE quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane ^ 2]
  MOVE quad_perm:[3,1,1,0] row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane & ~3 | (3, 1, 1, 0)[lane & 3]]
  MOVE row_shl:1 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == row(lane, (lane & 15) + 1)
  MOVE row_shl:15 row_mask:0xf bank_mask:0xf bound_ctrl:0
  OUTPUT v10   // == row(lane, (lane & 15) + 15, 0)
  MOVE row_shr:3 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == row(lane, (lane & 15) - 3)
  MOVE row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:0
  OUTPUT v10   // == row(lane, (lane & 15) - 3, 0)
  MOVE row_ror:5 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == row(lane, (lane - 5) & 15)
  MOVE row_mirror row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane ^ 15]
  MOVE row_half_mirror row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane ^ 7]
  MOVE row_newbcast:6 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane & ~15 | 6]
  MOVE row_bcast:15 row_mask:0xa bank_mask:0xf
  OUTPUT v10   // == A[(lane & ~15) - 1] if lane & 16 else OLD
  MOVE row_bcast:31 row_mask:0xc bank_mask:0xf
  OUTPUT v10   // == A[31] if lane & 32 else OLD
  MOVE row_bcast:15 row_mask:0xf bank_mask:0xf bound_ctrl:0
  OUTPUT v10   // == A[(lane & ~15) - 1] if lane >= 16 else 0
  MOVE row_bcast:31 row_mask:0xf bank_mask:0xf bound_ctrl:0
  OUTPUT v10   // == A[31] if lane & 32 else 0
  MOVE wave_shr:1 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane - 1] if lane else OLD
  MOVE wave_shl:1 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[lane + 1] if lane < 63 else OLD
  MOVE wave_ror:1 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[(lane - 1) % 64]
  MOVE wave_rol:1 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == A[(lane + 1) % 64]
  // rows 0 and 2; banks (groups of four lanes) 1 and 3
  MOVE row_mirror row_mask:0x5 bank_mask:0xf
  OUTPUT v10   // == OLD if lane & 16 else A[lane ^ 15]
  MOVE row_mirror row_mask:0xf bank_mask:0xa
  OUTPUT v10   // == A[lane ^ 15] if lane & 4 else OLD

  // arithmetic on the permuted first source
  v_mov_b32_e32 v10, 0x55aa55aa
  v_add_f32_dpp v10, -v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == sub32(g, F[lane ^ 1])
  v_max_f32_dpp v10, |v2|, -v3 row_mirror row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == max32(abs32(F[lane ^ 15]), neg32(g))
  v_mul_i32_i24_dpp v10, v1, v2 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == sext(A[lane & ~3 | 1], 24) * sext(f, 24)
  v_mul_u32_u24_dpp v10, v1, v2 row_newbcast:9 row_mask:0xf bank_mask:0xf
  OUTPUT v10   // == (A[lane & ~15 | 9] & 0xffffff) * (f & 0xffffff)
  // an add over the shifted source with bound_ctrl: the missing lane adds 0
  v_mov_b32_e32 v10, v1
  s_nop 1
  v_add_u32_dpp v10, v10, v10 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
  OUTPUT v10   // == a + row(lane, (lane & 15) - 1, 0)
END_KERNEL
