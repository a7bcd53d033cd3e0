// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions of gfx950 whose element formats are fields of the
// instruction (f8f6f4), with and without block scales; see matrix.h and "CDNA4
// ISA" 7.2.
#include "matrix.h"

enum { BLOCK_K = 32 }; ///< elements of a row that share a scale

/// Exponents of the scales: [k / 32][row of A or column of B]. 255 - 127 is
/// NaN.
typedef struct scales {
  int16_t e[EMU_MAX_K / BLOCK_K][EMU_MAX_M];
  bool far; ///< too large or small to multiply into the elements
} scales;

// Lane l of the scale operand holds that of row l % n, k from 32 (l / n) on.
static void read_scales(const emu_wave *w, const isa_operand *o, unsigned byte,
                        int n, scales *out) {
  out->far = false;
  for (int l = 0; l < EMU_LANES; l++) {
    uint32_t reg =
        o->kind == ISA_OPERAND_VGPR ? w->v[o->index][l] : emu_s32(w, o);
    int e = (int)(reg >> 8 * byte & 255) - 127;
    out->e[l / n][l % n] = (int16_t)e;
    out->far |= e != 128 && e > 96; // times 2^-127, any element is exact
  }
}

static float power_of_2(int e) {
  return e == 128   ? NAN
         : e < -126 ? 0x1p-127f
                    : emu_f32((uint32_t)(e + 127) << 23);
}

static void apply(const scales *s, int n, int k, emu_matrix *m) {
  for (int block = 0; block < k / BLOCK_K; block++) {
    float factor[EMU_MAX_M];
    for (int i = 0; i < n; i++)
      factor[i] = power_of_2(s->e[block][i]);
    for (int j = block * BLOCK_K; j < (block + 1) * BLOCK_K; j++)
      for (int i = 0; i < n; i++)
        m->x[j][i] *= factor[i];
  }
}

// Products that leave the range of f32 when one scale is applied but not when
// both are: the same sum with the products in f64, where they are exact, each
// step rounded to odd there and then to f32, which is one rounding in effect.
static void multiply_far(emu_wave *w, const isa_insn *in, const emu_matrix *a,
                         const emu_matrix *b, const scales *sa,
                         const scales *sb, int n, int k) {
  const isa_operand *c = &in->src[2];
  for (int r = 0; r < n * n / EMU_LANES; r++) {
    const uint32_t *from =
        c->kind == ISA_OPERAND_VGPR ? w->v[c->index + r] : c->lanes;
    for (int l = 0; l < EMU_LANES; l++) {
      int m = emu_row_of(n, r, l / n), column = l % n;
      float sum = emu_f32(from[l]);
      for (int j = 0; j < k; j++) {
        int ea = sa->e[j / BLOCK_K][m], eb = sb->e[j / BLOCK_K][column];
        double product = (double)a->x[j][m] * (double)b->x[j][column];
        product = ea == 128 || eb == 128 ? NAN : ldexp(product, ea + eb);
        sum = (float)emu_f64(
            emu_f64_fma_odd(emu_u64(product), emu_u64(1.0), emu_u64(sum)));
      }
      if (isinf(sum) && emu_overflow_clamps(w) && !isinf(emu_f32(from[l])))
        sum = sum < 0 ? -0x1.fffffep127f : 0x1.fffffep127f;
      w->v[in->dst[0].index + r][l] = sum != sum ? 0x7fc00000u : emu_u32(sum);
    }
  }
}

static inline __attribute__((always_inline)) void
mfma(emu_wave *w, const isa_insn *in, const int n, const int k) {
  emu_matrix a, b;
  const int count = k * n / EMU_LANES;
  uint32_t fa = in->imm & 7, fb = in->imm >> 8 & 7;
  if (fa > EMU_FP4 || fb > EMU_FP4) {
    emu_fault(w, in, "formats cbsz %u and blgp %u: 0 to 4 are defined", fa, fb);
    return;
  }
  emu_fetch((const uint32_t(*)[EMU_LANES])w->v[in->src[0].index], (emu_elem)fa,
            n, count, fa <= EMU_BF8, &a);
  emu_fetch((const uint32_t(*)[EMU_LANES])w->v[in->src[1].index], (emu_elem)fb,
            n, count, fb <= EMU_BF8, &b);
  if (in->nsrc == 5) {
    scales sa, sb;
    read_scales(w, &in->src[3], in->imm >> 16 & 3, n, &sa);
    read_scales(w, &in->src[4], in->imm >> 18 & 3, n, &sb);
    if (sa.far || sb.far) {
      emu_round_nearest(w);
      multiply_far(w, in, &a, &b, &sa, &sb, n, k);
      emu_round_f32(w);
      return;
    }
    apply(&sa, n, k, &a);
    apply(&sb, n, k, &b);
  }
  emu_matrix_f32(w, in, &a, &b, n, k, 1);
}
EMU_HANDLER(v_mfma_f32_32x32x64_f8f6f4) { mfma(w, in, 32, 64); }
EMU_HANDLER(v_mfma_f32_16x16x128_f8f6f4) { mfma(w, in, 16, 128); }
