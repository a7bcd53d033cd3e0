// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense matrix instructions with f32 results; see matrix.h.
#include "broadcast.h"
#include "matrix.h"

static inline __attribute__((always_inline)) void
mfma(emu_wave *w, const isa_insn *in, const int n, const int k,
     const int blocks, emu_elem fa, emu_elem fb, bool has_blgp) {
  emu_registers va = (emu_registers)w->v[in->src[0].index];
  emu_registers vb = (emu_registers)w->v[in->src[1].index];
  emu_broadcast moved;
  if (in->imm & 0xffff) {
    if (!emu_broadcast_operands(w, in, blocks, has_blgp, &moved))
      return;
    va = moved.a;
    vb = moved.b;
  }
  emu_matrix a, b;
  int count = k * blocks * n / EMU_LANES;
  emu_fetch(va, fa, n, count, false, &a);
  emu_fetch(vb, fb, n, count, false, &b);
  emu_matrix_f32(w, in, &a, &b, n, k, blocks);
}

#define MFMA(name, n, k, blocks, fa, fb, has_blgp)                             \
  EMU_HANDLER(v_mfma_f32_##name) {                                             \
    mfma(w, in, n, k, blocks, fa, fb, has_blgp);                               \
  }
MFMA(32x32x4_2b_f16, 32, 4, 2, EMU_F16, EMU_F16, true)
MFMA(32x32x4_2b_bf16, 32, 4, 2, EMU_BF16, EMU_BF16, true)
MFMA(16x16x4_4b_f16, 16, 4, 4, EMU_F16, EMU_F16, true)
MFMA(16x16x4_4b_bf16, 16, 4, 4, EMU_BF16, EMU_BF16, true)
MFMA(4x4x4_16b_f16, 4, 4, 16, EMU_F16, EMU_F16, true)
MFMA(4x4x4_16b_bf16, 4, 4, 16, EMU_BF16, EMU_BF16, true)
MFMA(32x32x1_2b_f32, 32, 1, 2, EMU_XF32, EMU_XF32, true)
MFMA(16x16x1_4b_f32, 16, 1, 4, EMU_XF32, EMU_XF32, true)
MFMA(4x4x1_16b_f32, 4, 1, 16, EMU_XF32, EMU_XF32, true)
MFMA(32x32x2_f32, 32, 2, 1, EMU_XF32, EMU_XF32, true)
MFMA(16x16x4_f32, 16, 4, 1, EMU_XF32, EMU_XF32, true)
MFMA(32x32x16_bf16, 32, 16, 1, EMU_BF16, EMU_BF16, false)
MFMA(32x32x16_f16, 32, 16, 1, EMU_F16, EMU_F16, false)
MFMA(16x16x32_bf16, 16, 32, 1, EMU_BF16, EMU_BF16, false)
MFMA(16x16x32_f16, 16, 32, 1, EMU_F16, EMU_F16, false)
MFMA(32x32x8_bf16, 32, 8, 1, EMU_BF16, EMU_BF16, false)
MFMA(32x32x8_f16, 32, 8, 1, EMU_F16, EMU_F16, false)
MFMA(16x16x16_bf16, 16, 16, 1, EMU_BF16, EMU_BF16, false)
MFMA(16x16x16_f16, 16, 16, 1, EMU_F16, EMU_F16, false)
MFMA(32x32x16_fp8_fp8, 32, 16, 1, EMU_FP8, EMU_FP8, false)
MFMA(32x32x16_fp8_bf8, 32, 16, 1, EMU_FP8, EMU_BF8, false)
MFMA(32x32x16_bf8_fp8, 32, 16, 1, EMU_BF8, EMU_FP8, false)
MFMA(32x32x16_bf8_bf8, 32, 16, 1, EMU_BF8, EMU_BF8, false)
MFMA(16x16x32_fp8_fp8, 16, 32, 1, EMU_FP8, EMU_FP8, false)
MFMA(16x16x32_fp8_bf8, 16, 32, 1, EMU_FP8, EMU_BF8, false)
MFMA(16x16x32_bf8_fp8, 16, 32, 1, EMU_BF8, EMU_FP8, false)
MFMA(16x16x32_bf8_bf8, 16, 32, 1, EMU_BF8, EMU_BF8, false)
