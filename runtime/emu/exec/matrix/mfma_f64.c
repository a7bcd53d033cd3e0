// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions on f64. Here a result register pair holds one row for
// each lane group: register r, lane l is row 4 r + l / 16, column l % 16
// (16×16); row l / 16 and column l % 4 of block l / 4 % 4 (4×4, 4 blocks). A
// and B: lane l holds k = l / 16, row or column l % 16 (l % 4 of block l / 4 %
// 4). "AMD matrix instruction calculator", CDNA3. Sums go by k, each step
// rounded once: assumed.
#include "floatop.h"
#include "lanes.h"

static inline __attribute__((always_inline)) void
mfma(emu_wave *w, const isa_insn *in, const int n) {
  double a[EMU_LANES], b[EMU_LANES];
  const isa_operand *c = &in->src[2];
  // blgp holds the signs of A, B and C.
  bool na = in->imm >> 8 & 1, nb = in->imm >> 9 & 1, nc = in->imm >> 10 & 1;
  for (int l = 0; l < EMU_LANES; l++) {
    double x = emu_f64(emu_pair(w->v[in->src[0].index], l));
    double y = emu_f64(emu_pair(w->v[in->src[1].index], l));
    a[l] = na ? -x : x;
    b[l] = nb ? -y : y;
  }
  emu_round_nearest(w);
  for (int r = 0; r < (n == 16 ? 4 : 1); r++) {
    const uint32_t *from =
        c->kind == ISA_OPERAND_VGPR ? w->v[c->index + 2 * r] : c->lanes;
    uint32_t *to = w->v[in->dst[0].index + 2 * r];
    for (int l = 0; l < EMU_LANES; l++) {
      double sum = emu_f64(emu_pair(from, l));
      sum = nc ? -sum : sum;
      int first = n == 16 ? 4 * r + l / 16 : l % 16 / 4 * 4 + l / 16;
      for (int k = 0; k < 4; k++)
        sum = fma(a[16 * k + first], b[16 * k + l % 16], sum);
      uint64_t x = sum != sum ? 0x7ff8000000000000u : emu_u64(sum);
      emu_put_pair(to, l, x);
    }
  }
  emu_round_f32(w);
}
EMU_HANDLER(v_mfma_f64_16x16x4_f64) { mfma(w, in, 16); }
EMU_HANDLER(v_mfma_f64_4x4x4_4b_f64) { mfma(w, in, 4); }
