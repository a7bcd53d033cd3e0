// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dense matrix instructions on signed bytes: i8 → i32, exact, sums wrap. The
// layouts are those of matrix.h.
#include "broadcast.h"
#include "matrix.h"

typedef const uint32_t (*registers)[EMU_LANES];

static inline __attribute__((always_inline)) void
product(emu_wave *w, const emu_insn *in, registers va, registers vb,
        const int n, const int k, const int blocks) {
  int32_t a[64][EMU_MAX_M], b[64][EMU_MAX_M];
  const emu_operand *c = &in->src[2];
  const int count = k * blocks * n / EMU_LANES;
  const int regs = n == 4 ? 4 : n * n / EMU_LANES;
  for (int e = 0; e < count; e++)
    for (int l = 0; l < EMU_LANES; l++) {
      int at = l / n * count + e, shift = 8 * (e % 4);
      a[at][l % n] = (int8_t)(va[e / 4][l] >> shift);
      b[at][l % n] = (int8_t)(vb[e / 4][l] >> shift);
    }
  for (int q = 0; q < (n == 4 ? 1 : blocks); q++)
    for (int r = 0; r < regs; r++) {
      int at = q * regs + r;
      uint32_t sum[EMU_LANES];
      memcpy(sum, c->kind == EMU_K_VGPR ? w->v[c->index + at] : c->lanes,
             sizeof sum);
      for (int g = 0; g < EMU_LANES / n; g++) {
        int from = (n == 4 ? g : q) * k, m = emu_row_of(n, r, g);
        for (int j = from; j < from + k; j++)
          for (int i = 0; i < n; i++)
            sum[g * n + i] += (uint32_t)(a[j][m] * b[j][i]);
      }
      memcpy(w->v[in->dst[0].index + at], sum, sizeof sum);
    }
}

static inline __attribute__((always_inline)) void mfma(emu_wave *w,
                                                       const emu_insn *in,
                                                       const int n, const int k,
                                                       const int blocks) {
  if (in->imm & 0xffff) {
    emu_broadcast moved;
    if (emu_broadcast_operands(w, in, n, blocks, blocks > 1, &moved))
      product(w, in, moved.a, moved.b, n, k, blocks);
    return;
  }
  product(w, in, (registers)w->v[in->src[0].index],
          (registers)w->v[in->src[1].index], n, k, blocks);
}
#define MFMA(name, n, k, blocks)                                               \
  EMU_HANDLER(v_mfma_i32_##name) { mfma(w, in, n, k, blocks); }
MFMA(32x32x32_i8, 32, 32, 1)
MFMA(16x16x64_i8, 16, 64, 1)
MFMA(32x32x16_i8, 32, 16, 1)
MFMA(16x16x32_i8, 16, 32, 1)
MFMA(32x32x4_2b_i8, 32, 4, 2)
MFMA(16x16x4_4b_i8, 16, 4, 4)
MFMA(4x4x4_16b_i8, 4, 4, 16)
