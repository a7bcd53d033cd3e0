// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of gfx950 whose element formats are fields of the
// instruction (f8f6f4), with and without block scales; see matrix.h.
#include "matrix.h"

// Block scales: each lane's E8M0 byte scales all the elements that it holds.
static void scale(const emu_wave *w, const emu_operand *o, unsigned byte,
                  int rows, int count, emu_matrix *m) {
  for (int l = 0; l < EMU_LANES; l++) {
    uint32_t reg = o->kind == EMU_K_VGPR ? w->v[o->index][l] : emu_s32(w, o);
    uint32_t x = reg >> 8 * byte & 255;
    float s = x == 255 ? NAN : (float)ldexp(1.0, (int)x - 127);
    for (int e = 0; e < count; e++)
      m->x[l / rows * count + e][l % rows] *= s;
  }
}

static inline __attribute__((always_inline)) void
mfma(emu_wave *w, const emu_insn *in, const int n, const int k) {
  emu_matrix a, b;
  emu_addend c;
  const int count = k * n / EMU_LANES;
  uint32_t fa = in->imm & 7, fb = in->imm >> 8 & 7;
  if (fa > EMU_FP4 || fb > EMU_FP4) {
    emu_fault(w, in, "formats cbsz %u and blgp %u: 0 to 4 are defined", fa, fb);
    return;
  }
  emu_fetch((const uint32_t(*)[EMU_LANES])w->v[in->src[0].index], (emu_elem)fa,
            n, count, &a);
  emu_fetch((const uint32_t(*)[EMU_LANES])w->v[in->src[1].index], (emu_elem)fb,
            n, count, &b);
  if (in->nsrc == 5) {
    scale(w, &in->src[3], in->imm >> 16 & 3, n, count, &a);
    scale(w, &in->src[4], in->imm >> 18 & 3, n, count, &b);
  }
  emu_addend_of(w, &in->src[2], &c);
  emu_round_nearest(w);
  emu_multiply(&a, &b, &c, n, k, 1, (emu_row *)w->v[in->dst[0].index]);
  emu_round_f32(w);
}
EMU_HANDLER(v_mfma_f32_32x32x64_f8f6f4) { mfma(w, in, 32, 64); }
EMU_HANDLER(v_mfma_f32_16x16x128_f8f6f4) { mfma(w, in, 16, 128); }
