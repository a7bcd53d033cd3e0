// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions with A of 4:2 structured sparsity: A holds two elements
// of four neighbouring k of a row, and two bits each in an index register give
// their k. The destination is also C.
//
// "CDNA4 ISA" 7.5. A: as a dense operand of K / 2 elements a row (matrix.h). B:
// dense, K; in two runs in the shapes that gfx950 added, so that A's and B's
// lane groups do not correspond. The index register of a lane holds 2 bits for
// each element of A in that lane, in order. If the register has room for
// several sets, abid selects one if cbsz is 0; else the first set is used.
#include "matrix.h"

// Where the elements of A stand: [element of K / 2][row].
typedef struct places {
  uint8_t k[EMU_MAX_K / 2][EMU_MAX_M];
} places;

static void read_places(const emu_wave *w, const isa_insn *in, int n, int count,
                        places *p) {
  uint32_t cbsz = in->imm & 7, abid = in->imm >> 4 & 15;
  int sets = 16 / count, set = cbsz ? 0 : (int)abid % sets;
  for (int l = 0; l < EMU_LANES; l++) {
    uint32_t bits = w->v[in->src[2].index][l] >> 2 * count * set;
    for (int e = 0; e < count; e++) {
      int element = l / n * count + e;
      p->k[element][l % n] =
          (uint8_t)(element / 2 * 4 + (int)(bits >> 2 * e & 3));
    }
  }
}

static void fetch(emu_wave *w, const isa_insn *in, int n, int k, emu_elem fa,
                  emu_elem fb, emu_matrix *a, emu_matrix *b, places *p) {
  const int count = k / 2 * n / EMU_LANES;
  const bool gfx950 = count * (int)emu_elem_bits(fa) == 128; // 4 registers of A
  emu_registers va = (emu_registers)w->v[in->src[0].index];
  emu_registers vb = (emu_registers)w->v[in->src[1].index];
  read_places(w, in, n, count, p);
  emu_fetch(va, fa, n, count, false, a);
  emu_fetch(vb, fb, n, 2 * count, gfx950, b);
}

// Row `m` of A times n columns of B, added to `sum`.
static inline void add_row(const emu_matrix *a, const emu_matrix *b,
                           const places *p, int m, int n, int k, float *sum) {
  for (int e = 0; e < k / 2; e++)
    for (int i = 0; i < n; i++)
      sum[i] = fmaf(a->x[e][m], b->x[p->k[e][m]][i], sum[i]);
}

// As emu_clamp_overflow(), of one sum.
static float clamped(const emu_matrix *a, const emu_matrix *b, const places *p,
                     int m, int column, int k, float before, float sum) {
  if (!isinf(sum) || isinf(before))
    return sum;
  for (int e = 0; e < k / 2; e++)
    if (isinf(a->x[e][m]) || isinf(b->x[p->k[e][m]][column]))
      return sum;
  return sum < 0 ? -0x1.fffffep127f : 0x1.fffffep127f;
}

static void smfmac(emu_wave *w, const isa_insn *in, int n, int k, emu_elem fa,
                   emu_elem fb) {
  emu_matrix a, b;
  places p;
  fetch(w, in, n, k, fa, fb, &a, &b, &p);
  emu_round_nearest(w);
  for (int r = 0; r < n * n / EMU_LANES; r++)
    for (int g = 0; g < EMU_LANES / n; g++) {
      uint32_t *d = w->v[in->dst[0].index + r] + g * n;
      float before[EMU_MAX_M], sum[EMU_MAX_M];
      int m = emu_row_of(n, r, g);
      memcpy(before, d, sizeof *d * (size_t)n);
      memcpy(sum, d, sizeof *d * (size_t)n);
      add_row(&a, &b, &p, m, n, k, sum);
      for (int i = 0; i < n; i++) {
        if (emu_overflow_clamps(w))
          sum[i] = clamped(&a, &b, &p, m, i, k, before[i], sum[i]);
        d[i] = sum[i] != sum[i] ? 0x7fc00000u : emu_u32(sum[i]);
      }
    }
  emu_round_f32(w);
}

#define SMFMAC(name, n, k, fa, fb)                                             \
  EMU_HANDLER(v_smfmac_f32_##name) { smfmac(w, in, n, k, fa, fb); }
SMFMAC(16x16x32_f16, 16, 32, EMU_F16, EMU_F16)
SMFMAC(32x32x16_f16, 32, 16, EMU_F16, EMU_F16)
SMFMAC(16x16x32_bf16, 16, 32, EMU_BF16, EMU_BF16)
SMFMAC(32x32x16_bf16, 32, 16, EMU_BF16, EMU_BF16)
SMFMAC(16x16x64_f16, 16, 64, EMU_F16, EMU_F16)
SMFMAC(32x32x32_f16, 32, 32, EMU_F16, EMU_F16)
SMFMAC(16x16x64_bf16, 16, 64, EMU_BF16, EMU_BF16)
SMFMAC(32x32x32_bf16, 32, 32, EMU_BF16, EMU_BF16)
SMFMAC(16x16x64_fp8_fp8, 16, 64, EMU_FP8, EMU_FP8)
SMFMAC(16x16x64_fp8_bf8, 16, 64, EMU_FP8, EMU_BF8)
SMFMAC(16x16x64_bf8_fp8, 16, 64, EMU_BF8, EMU_FP8)
SMFMAC(16x16x64_bf8_bf8, 16, 64, EMU_BF8, EMU_BF8)
SMFMAC(32x32x32_fp8_fp8, 32, 32, EMU_FP8, EMU_FP8)
SMFMAC(32x32x32_fp8_bf8, 32, 32, EMU_FP8, EMU_BF8)
SMFMAC(32x32x32_bf8_fp8, 32, 32, EMU_BF8, EMU_FP8)
SMFMAC(32x32x32_bf8_bf8, 32, 32, EMU_BF8, EMU_BF8)
SMFMAC(16x16x128_fp8_fp8, 16, 128, EMU_FP8, EMU_FP8)
SMFMAC(16x16x128_fp8_bf8, 16, 128, EMU_FP8, EMU_BF8)
SMFMAC(16x16x128_bf8_fp8, 16, 128, EMU_BF8, EMU_FP8)
SMFMAC(16x16x128_bf8_bf8, 16, 128, EMU_BF8, EMU_BF8)
SMFMAC(32x32x64_fp8_fp8, 32, 64, EMU_FP8, EMU_FP8)
SMFMAC(32x32x64_fp8_bf8, 32, 64, EMU_FP8, EMU_BF8)
SMFMAC(32x32x64_bf8_fp8, 32, 64, EMU_BF8, EMU_FP8)
SMFMAC(32x32x64_bf8_bf8, 32, 64, EMU_BF8, EMU_BF8)

//===-- i8 → i32: as in exec/matrix/mfma_int.c ----------------------------===//

static void smfmac_int(emu_wave *w, const isa_insn *in, int n, int k) {
  emu_matrix a, b;
  places p;
  fetch(w, in, n, k, EMU_I8, EMU_I8, &a, &b, &p);
  emu_round_nearest(w);
  for (int r = 0; r < n * n / EMU_LANES; r++)
    for (int g = 0; g < EMU_LANES / n; g++) {
      uint32_t *d = w->v[in->dst[0].index + r] + g * n;
      float sum[EMU_MAX_M] = {0};
      add_row(&a, &b, &p, emu_row_of(n, r, g), n, k, sum);
      for (int i = 0; i < n; i++)
        d[i] = emu_overflow_clamps(w)
                   ? emu_clamp_i32((int64_t)(int32_t)d[i] + (int64_t)sum[i])
                   : d[i] + (uint32_t)(int32_t)sum[i];
    }
  emu_round_f32(w);
}
#define SMFMAC_INT(name, n, k)                                                 \
  EMU_HANDLER(v_smfmac_i32_##name) { smfmac_int(w, in, n, k); }
SMFMAC_INT(16x16x64_i8, 16, 64)
SMFMAC_INT(32x32x32_i8, 32, 32)
SMFMAC_INT(16x16x128_i8, 16, 128)
SMFMAC_INT(32x32x64_i8, 32, 64)
