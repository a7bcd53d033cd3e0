// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_mfma_f32_16x16x4_4b_f16: operand and accumulator places, C in VGPR, AGPR and as an inline
// constant, D over C. Small integers: every order of summation is exact.
// Source of the layout: ROCm/amd_matrix_instruction_calculator (CDNA3, same name and
// shape), `--detail-instruction`; CDNA4 keeps it. The formulas: test/tools/emu_matrix.py.

//| from emu_matrix import Mfma
//| m = Mfma("f16", 16, 4, blocks=4)
//| A, B, C = m.random(1)
//| inputs(*m.a(A), *m.b(B), *m.acc(C))
//| def want(label, d):
//|     for r, column in enumerate(m.acc(d)):
//|         expect(f"{label} D[{r}]", column)
.include "prologue.inc"
KERNEL
  INPUTS 2, 2, 0
  INPUTS 4, 2, 2
  INPUTS 32, 16, 4
  LOADED

  // C = 0
  v_mfma_f32_16x16x4_4b_f16 v[96:111], v[2:3], v[4:5], 0
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("C=0", m.product(A, B, 0))

  // C = 1.0, an inline constant
  v_mfma_f32_16x16x4_4b_f16 v[96:111], v[2:3], v[4:5], 1.0
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("C=1.0", m.product(A, B, 1))

  // C in VGPRs
  v_mfma_f32_16x16x4_4b_f16 v[96:111], v[2:3], v[4:5], v[32:47]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("C in VGPR", m.product(A, B, C))

  // D is C, twice
  v_mfma_f32_16x16x4_4b_f16 v[96:111], v[2:3], v[4:5], v[96:111]
  v_mfma_f32_16x16x4_4b_f16 v[96:111], v[2:3], v[4:5], v[96:111]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("D is C", m.product(A, B, m.product(A, B, m.product(A, B, C))))

  // everything in AGPRs
  .set .Lr, 0
  .rept 2
    v_accvgpr_write_b32 a[2+.Lr], v[2+.Lr]
    v_accvgpr_write_b32 a[4+.Lr], v[4+.Lr]
    .set .Lr, .Lr+1
  .endr
  .set .Lr, 0
  .rept 16
    v_accvgpr_write_b32 a[32+.Lr], v[32+.Lr]
    .set .Lr, .Lr+1
  .endr
  s_nop 7
  v_mfma_f32_16x16x4_4b_f16 a[32:47], a[2:3], a[4:5], a[32:47]
  s_nop 15
  s_nop 15
  OUTPUTS_ACC 32, 16
//| want("all in AGPR", m.product(A, B, C))

  // A in AGPR, B in VGPR, C and D in AGPR
  v_mfma_f32_16x16x4_4b_f16 a[32:47], a[2:3], v[4:5], 0
  s_nop 15
  s_nop 15
  OUTPUTS_ACC 32, 16
//| want("A in AGPR, B in VGPR", m.product(A, B, 0))
END_KERNEL
