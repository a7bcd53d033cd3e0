// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_mfma_f32_32x32x64_f8f6f4 on equal formats of A and B: fp8 (cbsz, blgp 0), bf8 (1), fp6 (2), bf6
// (3), fp4 (4); C as VGPRs, 0, and AGPRs. Small integers, exact in every format.
// Source: LLVM AMDGPUUsage / IntrinsicsAMDGPU.td int_amdgcn_mfma_scale_* (cbsz and blgp
// select the format, the operand takes 8, 8, 6, 6, 4 registers); OCP MX formats; place of
// the accumulators as in every 32x32 shape. Mixed formats: test/emu/ASSUMED.md.

//| from emu_matrix import Mfma
//| kinds = ["fp8", "bf8", "fp6", "bf6", "fp4"]
//| m = {kind: Mfma(kind, 32, 64) for kind in kinds}
//| A, B, C = m["fp8"].random(5, -3, 3)
//| inputs(*m["fp8"].acc(C))
//| for kind in kinds: inputs(*m[kind].a(A), *m[kind].b(B))
//| def want(label, d):
//|     for r, column in enumerate(m["fp8"].acc(d)):
//|         expect(f"{label} D[{r}]", column)
.include "prologue.inc"
KERNEL
  INPUTS 48, 16, 0

  INPUTS 2, 8, 16
  INPUTS 10, 8, 24
  LOADED
  v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[2:9], v[10:17], v[48:63]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("fp8", m["fp8"].product(A, B, C))

  INPUTS 2, 8, 32
  INPUTS 10, 8, 40
  LOADED
  v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[2:9], v[10:17], 0 cbsz:1 blgp:1
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("bf8", m["bf8"].product(A, B, 0))

  INPUTS 2, 6, 48
  INPUTS 10, 6, 54
  LOADED
  v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[2:7], v[10:15], v[48:63] cbsz:2 blgp:2
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("fp6", m["fp6"].product(A, B, C))

  INPUTS 2, 6, 60
  INPUTS 10, 6, 66
  LOADED
  v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[2:7], v[10:15], 0 cbsz:3 blgp:3
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("bf6", m["bf6"].product(A, B, 0))

  INPUTS 2, 4, 72
  INPUTS 10, 4, 76
  LOADED
  v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[2:5], v[10:13], v[48:63] cbsz:4 blgp:4
  s_nop 15
  s_nop 15
  OUTPUTS 96, 16
//| want("fp4", m["fp4"].product(A, B, C))

  // accumulate in AGPRs, twice
  .set .Lr, 0
  .rept 16
    v_accvgpr_write_b32 a[.Lr], v[48+.Lr]
    .set .Lr, .Lr+1
  .endr
  s_nop 7
  v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[2:5], v[10:13], a[0:15] cbsz:4 blgp:4
  v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[2:5], v[10:13], a[0:15] cbsz:4 blgp:4
  s_nop 15
  s_nop 15
  OUTPUTS_ACC 0, 16
//| want("AGPR, twice", m["fp8"].product(A, B, m["fp8"].product(A, B, C)))
END_KERNEL
