// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions. CDNA3 ISA chapter 7; gfx950 shapes.
//
// Layouts, for M = N = 32 or 16 and G = 64 / M lane groups:
//   A  lane l holds row l % M, elements k = (l / M) × (K / G) + e
//   B  lane l holds column l % N, the same k
//   C, D  lane l holds column l % N; register r is row
//         8 (r / 4) + 4 (l / 32) + r % 4   (32×32)
//         4 (l / 16) + r                   (16×16)
//         r, in block l / 4                (4×4, 16 blocks)
// EXEC is ignored. Which of its k a lane of f8f6f4 16×16×128 holds first is
// assumed to follow the same rule.
#include "floatop.h"
#include "lanes.h"
#include "numeric.h"

enum { MAX_K = 128, MAX_M = 32 };

typedef enum format {
  FP8 = 0,
  BF8 = 1,
  FP6 = 2,
  BF6 = 3,
  FP4 = 4, // as cbsz and blgp number them
  BF16,
  F16,
  F32
} format;

typedef struct matrix {
  _Alignas(64) float x[MAX_K][MAX_M]; ///< [k][row of A or column of B]
} matrix;

// Bits of a small float shifted into f32 place, then scaled: exact, and
// denormals come out right.
static inline float small(uint32_t x, format f) {
  uint32_t sign, bits;
  float scale;
  switch (f) {
  case FP8:
    sign = x >> 7 & 1, bits = (x & 0x7f) << 20, scale = 0x1p120f;
    break;
  case BF8:
    sign = x >> 7 & 1, bits = (x & 0x7f) << 21, scale = 0x1p112f;
    break;
  case FP6:
    sign = x >> 5 & 1, bits = (x & 31) << 20, scale = 0x1p126f;
    break;
  case BF6:
    sign = x >> 5 & 1, bits = (x & 31) << 21, scale = 0x1p124f;
    break;
  default:
    sign = x >> 3 & 1, bits = (x & 7) << 22, scale = 0x1p126f;
    break;
  }
  float value = emu_f32(bits) * scale;
  if (f == FP8 && (x & 0x7f) == 0x7f)
    value = NAN;
  if (f == BF8 && (x & 0x7c) == 0x7c)
    value = x & 3 ? NAN : INFINITY;
  return sign ? -value : value;
}

static unsigned bits_of(format f) {
  switch (f) {
  case F32:
    return 32;
  case BF16:
  case F16:
    return 16;
  case FP8:
  case BF8:
    return 8;
  case FP6:
  case BF6:
    return 6;
  default:
    return 4;
  }
}

// Fetches A or B: `rows` lanes a group, `count` elements a lane.
static void fetch(const uint32_t (*v)[EMU_LANES], format f, int rows, int count,
                  matrix *m) {
  unsigned bits = bits_of(f);
  for (int e = 0; e < count; e++) {
    unsigned at = (unsigned)e * bits, reg = at / 32, shift = at % 32;
    for (int g = 0; g < EMU_LANES / rows; g++) {
      float *to = m->x[g * count + e];
      const uint32_t *from = v[reg] + g * rows;
      if (f == BF16) {
        for (int n = 0; n < rows; n++)
          to[n] = emu_f32(shift ? from[n] & 0xffff0000u : from[n] << 16);
      } else if (f == F16) {
        for (int n = 0; n < rows; n++)
          to[n] = emu_f32(emu_f16_to_f32(from[n] >> shift & 0xffffu));
      } else if (f == F32) {
        for (int n = 0; n < rows; n++)
          to[n] = emu_f32(from[n]);
      } else {
        for (int n = 0; n < rows; n++) {
          uint32_t x = from[n] >> shift;
          if (shift + bits > 32)
            x |= v[reg + 1][g * rows + n] << (32 - shift);
          to[n] = small(x & ((1u << bits) - 1), f);
        }
      }
    }
  }
}

// The only place that knows how products are summed: one after the other in
// order of k, each step rounded once to nearest even, denormals kept, NaN as
// 0x7fc00000. All of that is *assumed*: hardware sums in blocks of its own.
static inline void accumulate(const float (*a)[MAX_M], const float (*b)[MAX_M],
                              int m, int n, int k, float *acc) {
  for (int j = 0; j < k; j++) {
    float x = a[j][m];
    const float *y = b[j];
    for (int i = 0; i < n; i++)
      acc[i] = fmaf(x, y[i], acc[i]);
  }
}

// Row of the product that register r of lane group g holds.
static inline int row_of(int n, int r, int g) {
  return n == 32 ? 8 * (r / 4) + 4 * g + r % 4 : n == 16 ? 4 * g + r : r;
}

// With several blocks the lane groups of A and B are the blocks (each holds all
// k of its own), and so are consecutive runs of registers of C and D; for 4×4
// the blocks of C and D are lane groups too.
static inline void multiply(emu_wave *w, const emu_insn *in, const matrix *a,
                            const matrix *b, const int n, const int k,
                            const int blocks) {
  const emu_operand *c = &in->src[2];
  const int regs = n == 4 ? 4 : n * n / EMU_LANES;
  for (int q = 0; q < (n == 4 ? 1 : blocks); q++)
    for (int r = 0; r < regs; r++) {
      int at = q * regs + r;
      const uint32_t *from =
          c->kind == EMU_K_VGPR ? w->v[c->index + at] : c->lanes;
      uint32_t *to = w->v[in->dst[0].index + at];
      _Alignas(64) float acc[EMU_LANES];
      memcpy(acc, from, sizeof acc);
      for (int g = 0; g < EMU_LANES / n; g++) {
        int block = n == 4 ? g : q;
        accumulate(&a->x[block * k], &b->x[block * k], row_of(n, r, g), n, k,
                   acc + g * n);
      }
      EMU_LANE_LOOP {
        uint32_t x = emu_u32(acc[i]);
        to[i] = emu_isnan32(x) ? 0x7fc00000u : x;
      }
    }
}

// Block scales: each lane's E8M0 byte scales all the elements that it holds.
static void scale(const emu_wave *w, const emu_operand *o, unsigned byte,
                  int rows, int count, matrix *m) {
  for (int l = 0; l < EMU_LANES; l++) {
    uint32_t reg = o->kind == EMU_K_VGPR ? w->v[o->index][l] : emu_s32(w, o);
    uint32_t x = reg >> 8 * byte & 255;
    float s = x == 255 ? NAN : (float)ldexp(1.0, (int)x - 127);
    for (int e = 0; e < count; e++)
      m->x[l / rows * count + e][l % rows] *= s;
  }
}

static inline void mfma(emu_wave *w, const emu_insn *in, const int n,
                        const int k, const int blocks, format fa, format fb) {
  matrix a, b;
  int count = k * blocks * n / EMU_LANES;
  bool scaled = fa <= FP4 && in->nsrc == 5;
  fetch((const uint32_t(*)[EMU_LANES]) & w->v[in->src[0].index], fa, n, count,
        &a);
  fetch((const uint32_t(*)[EMU_LANES]) & w->v[in->src[1].index], fb, n, count,
        &b);
  if (scaled) {
    scale(w, &in->src[3], in->imm >> 16 & 3, n, count, &a);
    scale(w, &in->src[4], in->imm >> 18 & 3, n, count, &b);
  }
  emu_round_nearest(w);
  multiply(w, in, &a, &b, n, k, blocks);
  emu_round_f32(w);
}

// Broadcast and permutation of blocks (cbsz, abid, blgp) exist in the older
// shapes only and no compiler emits them here.
static bool plain(emu_wave *w, const emu_insn *in) {
  if (!(in->imm & 0xffff))
    return true;
  emu_fault(w, in, "cbsz, abid, blgp are not known for this instruction");
  return false;
}

#define BLOCKS(name, n, k, blocks, fa, fb)                                     \
  EMU_HANDLER(v_mfma_f32_##name) {                                             \
    if (plain(w, in))                                                          \
      mfma(w, in, n, k, blocks, fa, fb);                                       \
  }
#define MFMA(name, n, k, fa, fb) BLOCKS(name, n, k, 1, fa, fb)
BLOCKS(32x32x4_2b_f16, 32, 4, 2, F16, F16)
BLOCKS(32x32x4_2b_bf16, 32, 4, 2, BF16, BF16)
BLOCKS(16x16x4_4b_f16, 16, 4, 4, F16, F16)
BLOCKS(16x16x4_4b_bf16, 16, 4, 4, BF16, BF16)
BLOCKS(4x4x4_16b_f16, 4, 4, 16, F16, F16)
BLOCKS(4x4x4_16b_bf16, 4, 4, 16, BF16, BF16)
BLOCKS(32x32x1_2b_f32, 32, 1, 2, F32, F32)
BLOCKS(16x16x1_4b_f32, 16, 1, 4, F32, F32)
BLOCKS(4x4x1_16b_f32, 4, 1, 16, F32, F32)
MFMA(32x32x16_bf16, 32, 16, BF16, BF16)
MFMA(32x32x16_f16, 32, 16, F16, F16)
MFMA(16x16x32_bf16, 16, 32, BF16, BF16)
MFMA(16x16x32_f16, 16, 32, F16, F16)
MFMA(32x32x8_bf16, 32, 8, BF16, BF16)
MFMA(32x32x8_f16, 32, 8, F16, F16)
MFMA(16x16x16_bf16, 16, 16, BF16, BF16)
MFMA(16x16x16_f16, 16, 16, F16, F16)
MFMA(32x32x2_f32, 32, 2, F32, F32)
MFMA(16x16x4_f32, 16, 4, F32, F32)
MFMA(32x32x16_fp8_fp8, 32, 16, FP8, FP8)
MFMA(32x32x16_fp8_bf8, 32, 16, FP8, BF8)
MFMA(32x32x16_bf8_fp8, 32, 16, BF8, FP8)
MFMA(32x32x16_bf8_bf8, 32, 16, BF8, BF8)
MFMA(16x16x32_fp8_fp8, 16, 32, FP8, FP8)
MFMA(16x16x32_fp8_bf8, 16, 32, FP8, BF8)
MFMA(16x16x32_bf8_fp8, 16, 32, BF8, FP8)
MFMA(16x16x32_bf8_bf8, 16, 32, BF8, BF8)

static inline void small_mfma(emu_wave *w, const emu_insn *in, const int n,
                              const int k) {
  uint32_t fa = in->imm & 7, fb = in->imm >> 8 & 7;
  if (fa > FP4 || fb > FP4)
    emu_fault(w, in, "formats %u and %u: 0 to 4 are defined", fa, fb);
  else
    mfma(w, in, n, k, 1, (format)fa, (format)fb);
}
EMU_HANDLER(v_mfma_f32_32x32x64_f8f6f4) { small_mfma(w, in, 32, 64); }
EMU_HANDLER(v_mfma_f32_16x16x128_f8f6f4) { small_mfma(w, in, 16, 128); }

//===-- i8 → i32: exact, sums wrap ---------------------------------------===//

static inline void integer(emu_wave *w, const emu_insn *in, const int n,
                           const int k, const int blocks) {
  int32_t a[64][MAX_M], b[64][MAX_M];
  const emu_operand *c = &in->src[2];
  int count = k * blocks * n / EMU_LANES;
  const int regs = n == 4 ? 4 : n * n / EMU_LANES;
  for (int l = 0; l < EMU_LANES; l++)
    for (int e = 0; e < count; e++) {
      int at = l / n * count + e, shift = 8 * (e % 4);
      a[at][l % n] = (int8_t)(w->v[in->src[0].index + e / 4][l] >> shift);
      b[at][l % n] = (int8_t)(w->v[in->src[1].index + e / 4][l] >> shift);
    }
  for (int q = 0; q < (n == 4 ? 1 : blocks); q++)
    for (int r = 0; r < regs; r++) {
      int at = q * regs + r;
      uint32_t acc[EMU_LANES];
      memcpy(acc, c->kind == EMU_K_VGPR ? w->v[c->index + at] : c->lanes,
             sizeof acc);
      for (int l = 0; l < EMU_LANES; l++) {
        int g = l / n, block = n == 4 ? g : q, m = row_of(n, r, g);
        for (int j = block * k; j < block * k + k; j++)
          acc[l] += (uint32_t)(a[j][m] * b[j][l % n]);
      }
      memcpy(w->v[in->dst[0].index + at], acc, sizeof acc);
    }
}
#define INTEGER(name, n, k, blocks)                                            \
  EMU_HANDLER(v_mfma_i32_##name) {                                             \
    if (plain(w, in))                                                          \
      integer(w, in, n, k, blocks);                                            \
  }
INTEGER(32x32x32_i8, 32, 32, 1)
INTEGER(16x16x64_i8, 16, 64, 1)
INTEGER(32x32x16_i8, 32, 16, 1)
INTEGER(16x16x32_i8, 16, 32, 1)
INTEGER(32x32x4_2b_i8, 32, 4, 2)
INTEGER(16x16x4_4b_i8, 16, 4, 4)
INTEGER(4x4x4_16b_i8, 4, 4, 16)
