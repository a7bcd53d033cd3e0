// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// v_mfma_scale_f32_16x16x128_f8f6f4: E8M0 scales, one byte of each scale register, selected by
// op_sel (low bit) and op_sel_hi (high bit). The scale varies by row of A and by column of
// B; it is the same for all k, so that no k order matters.
// Source: LLVM IntrinsicsAMDGPU.td int_amdgcn_mfma_scale_* and VOP3P scale operands
// (op_sel, op_sel_hi choose the byte); OCP MX "E8M0" (2**(x - 127)).

//| from emu_matrix import Mfma
//| m = Mfma("fp8", 16, 128)
//| A, B, C = m.random(6, -3, 3)
//| sa = [[(5 * r + 3 * byte) % 7 - 3 for r in range(16)] for byte in range(4)]
//| sb = [[(3 * r + 2 * byte) % 5 - 2 for r in range(16)] for byte in range(4)]
//| def register(s):
//|     return [sum(127 + s[byte][l % 16] << 8 * byte for byte in range(4)) for l in LANE]
//| inputs(*m.a(A), *m.b(B), *m.acc(C), register(sa), register(sb))
//| def want(label, x, y):
//|     p = m.product(A, B, 0)[0]
//|     d = [[[p[i][j] * 2.0 ** (sa[x][i] + sb[y][j]) + C[0][i][j] for j in range(16)]
//|           for i in range(16)]]
//|     for r, column in enumerate(m.acc(d)):
//|         expect(f"{label} D[{r}]", column)
.include "prologue.inc"
KERNEL
  INPUTS 2, 8, 0
  INPUTS 10, 8, 8
  INPUTS 48, 4, 16
  INPUTS 18, 2, 20
  LOADED
  v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[2:9], v[10:17], v[48:51], v18, v19 op_sel:[0,0,0] op_sel_hi:[0,0,0]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 4
//| want("bytes 0, 0", 0, 0)
  v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[2:9], v[10:17], v[48:51], v18, v19 op_sel:[1,0,0] op_sel_hi:[0,0,0]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 4
//| want("bytes 1, 0", 1, 0)
  v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[2:9], v[10:17], v[48:51], v18, v19 op_sel:[0,0,0] op_sel_hi:[0,1,0]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 4
//| want("bytes 0, 2", 0, 2)
  v_mfma_scale_f32_16x16x128_f8f6f4 v[96:99], v[2:9], v[10:17], v[48:51], v18, v19 op_sel:[1,1,0] op_sel_hi:[1,0,0]
  s_nop 15
  s_nop 15
  OUTPUTS 96, 4
//| want("bytes 3, 1", 3, 1)
END_KERNEL
