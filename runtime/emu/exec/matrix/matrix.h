// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Shared by the matrix instructions: element formats, operands as matrices,
/// the register layout of results, and the sum of products.
///
/// Layouts, for M = N = 32, 16 or 4 and G = 64 / M lane groups ("CDNA4 ISA" 7.1
/// and 7.2; AMD's matrix instruction calculator for CDNA3):
///   A  lane l holds row l % M, elements e of lane group g = l / M:
///         k = g × (K / G) + e                                 (one run)
///         k = (e / h) × (K / 2) + g × h + e % h, h = K / G / 2  (two runs)
///   B  lane l holds column l % N, the same k
///   C, D  lane l holds column l % N; register r is row
///         8 (r / 4) + 4 (l / 32) + r % 4   (32×32)
///         4 (l / 16) + r                   (16×16)
///         r, in block l / 4                (4×4, 16 blocks)
/// Two runs: 8-bit operands of f8f6f4, and B of the sparse shapes of gfx950.
/// EXEC and the rounding and denormal modes are ignored (ibid. 7.1.2).
#ifndef FMHAC_EMU_MATRIX_H
#define FMHAC_EMU_MATRIX_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "floatop.h"

enum { EMU_MAX_K = 128, EMU_MAX_M = 32 };

typedef enum emu_elem {
  EMU_FP8 = 0,
  EMU_BF8 = 1,
  EMU_FP6 = 2,
  EMU_BF6 = 3,
  EMU_FP4 = 4, // as cbsz and blgp number them
  EMU_BF16,
  EMU_F16,
  EMU_XF32,
  EMU_I8,
} emu_elem;

/// Consecutive vector registers.
typedef const uint32_t (*emu_registers)[EMU_LANES];

/// An operand: [k][row of A or column of B].
typedef struct emu_matrix {
  _Alignas(64) float x[EMU_MAX_K][EMU_MAX_M];
} emu_matrix;

static inline unsigned emu_elem_bits(emu_elem f) {
  static const uint8_t bits[] = {8, 8, 6, 6, 4, 16, 16, 32, 8};
  return bits[f];
}

static inline float emu_small(uint32_t x, emu_elem f) {
  switch (f) {
  case EMU_FP8:
    return emu_f32(emu_small_to_f32(&emu_e4m3, x));
  case EMU_BF8:
    return emu_f32(emu_small_to_f32(&emu_e5m2, x));
  case EMU_FP6:
    return emu_f32(emu_small_to_f32(&emu_e2m3, x));
  case EMU_BF6:
    return emu_f32(emu_small_to_f32(&emu_e3m2, x));
  default:
    return emu_f32(emu_small_to_f32(&emu_e2m1, x));
  }
}

static inline float emu_element(uint32_t x, emu_elem f) {
  switch (f) {
  case EMU_BF16:
    return emu_f32(x << 16);
  case EMU_F16:
    return emu_f32(emu_f16_to_f32(x & 0xffffu));
  case EMU_XF32:
    return emu_f32(x);
  case EMU_I8:
    return (float)(int8_t)x;
  default:
    return emu_small(x & ((1u << emu_elem_bits(f)) - 1), f);
  }
}

static inline __attribute__((always_inline)) void
emu_fetch_as(emu_registers v, const emu_elem f, const int rows, int count,
             const bool two_runs, emu_matrix *m) {
  unsigned bits = emu_elem_bits(f);
  const int groups = EMU_LANES / rows, run = two_runs ? count / 2 : count;
  for (int e = 0; e < count; e++) {
    unsigned at = (unsigned)e * bits, reg = at / 32, shift = at % 32;
    for (int g = 0; g < groups; g++) {
      float *restrict to = m->x[(e / run * groups + g) * run + e % run];
      const uint32_t *lo = v[reg] + g * rows;
      if (shift + bits <= 32) {
        for (int n = 0; n < rows; n++)
          to[n] = emu_element(lo[n] >> shift, f);
      } else {
        const uint32_t *hi = v[reg + 1] + g * rows;
        for (int n = 0; n < rows; n++)
          to[n] = emu_element(lo[n] >> shift | hi[n] << (32 - shift), f);
      }
    }
  }
}

// Fetches A or B: `rows` lanes a group, `count` elements a lane. The format
// becomes a constant, so that each loop is one straight conversion.
static inline __attribute__((always_inline)) void
emu_fetch(emu_registers v, emu_elem f, const int rows, int count,
          const bool two_runs, emu_matrix *m) {
  switch (f) {
#define EMU_FETCH(format)                                                      \
  case format:                                                                 \
    emu_fetch_as(v, format, rows, count, two_runs, m);                         \
    break;
    EMU_FETCH(EMU_FP8)
    EMU_FETCH(EMU_BF8)
    EMU_FETCH(EMU_FP6)
    EMU_FETCH(EMU_BF6)
    EMU_FETCH(EMU_FP4)
    EMU_FETCH(EMU_BF16)
    EMU_FETCH(EMU_F16)
    EMU_FETCH(EMU_XF32)
    EMU_FETCH(EMU_I8)
#undef EMU_FETCH
  }
}

// Row of the product that register r of lane group g holds.
static inline int emu_row_of(int n, int r, int g) {
  return n == 32 ? 8 * (r / 4) + 4 * g + r % 4 : n == 16 ? 4 * g + r : r;
}

//===-- the sum of products ----------------------------------------------===//
//
// Products are summed in order of k. Each step is rounded once to nearest even,
// and a NaN is 0x7fc00000. This holds here, in exec/matrix/mfma_f64.c,
// exec/matrix/mfma_small.c (scales beyond f32) and exec/matrix/smfmac.c (sparse
// A). The order and the intermediate roundings are *assumed* (ERRATA.md);
// nearest even and kept denormals are documented (CDNA4 ISA 7.1.2).

// A vector of the host, and a tile of results that it keeps in registers:
// eight chains of sums hide the latency of a fused multiply-add.
#if defined(__AVX512F__)
typedef __m512 emu_vf;
enum { EMU_VF = 16 };
#define EMU_VF_LOAD(p) _mm512_loadu_ps(p)
#define EMU_VF_SPLAT(x) _mm512_set1_ps(x)
#define EMU_VF_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define EMU_VF_STORE(p, v)                                                     \
  _mm512_storeu_ps(                                                            \
      p, _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),         \
                            _mm512_set1_ps(emu_f32(0x7fc00000u))))
#elif defined(__AVX2__)
typedef __m256 emu_vf;
enum { EMU_VF = 8 };
#define EMU_VF_LOAD(p) _mm256_loadu_ps(p)
#define EMU_VF_SPLAT(x) _mm256_set1_ps(x)
#define EMU_VF_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define EMU_VF_STORE(p, v)                                                     \
  _mm256_storeu_ps(p,                                                          \
                   _mm256_blendv_ps(v, _mm256_set1_ps(emu_f32(0x7fc00000u)),   \
                                    _mm256_cmp_ps(v, v, _CMP_UNORD_Q)))
#else
typedef float emu_vf;
enum { EMU_VF = 1 };
#define EMU_VF_LOAD(p) (*(p))
#define EMU_VF_SPLAT(x) (x)
#define EMU_VF_FMA(a, b, c) fmaf(a, b, c)
#define EMU_VF_STORE(p, v) (*(p) = (v) != (v) ? emu_f32(0x7fc00000u) : (v))
#endif

// Registers of C and D as floats.
typedef float emu_row __attribute__((may_alias));

// Eight vectors of sums: rows m to m + 3 by two vectors of columns from b.
// Row i of the sums is at from[64 i] and goes to to[64 i].
static inline __attribute__((always_inline)) void
emu_tile_4x2(const float (*a)[EMU_MAX_M], const float (*b)[EMU_MAX_M], int m,
             int column, int k, const emu_row *from, emu_row *to) {
#define EMU_EACH(X)                                                            \
  X(0, 0) X(0, 1) X(1, 0) X(1, 1) X(2, 0) X(2, 1) X(3, 0) X(3, 1)
#define EMU_IN(r, c) emu_vf s##r##c = EMU_VF_LOAD(from + 64 * r + EMU_VF * c);
#define EMU_OUT(r, c) EMU_VF_STORE(to + 64 * r + EMU_VF * c, s##r##c);
#define EMU_STEP(r, c) s##r##c = EMU_VF_FMA(x##r, y##c, s##r##c);
  EMU_EACH(EMU_IN)
  for (int j = 0; j < k; j++) {
    emu_vf y0 = EMU_VF_LOAD(&b[j][column]);
    emu_vf y1 = EMU_VF_LOAD(&b[j][column + EMU_VF]);
    emu_vf x0 = EMU_VF_SPLAT(a[j][m]), x1 = EMU_VF_SPLAT(a[j][m + 1]);
    emu_vf x2 = EMU_VF_SPLAT(a[j][m + 2]), x3 = EMU_VF_SPLAT(a[j][m + 3]);
    EMU_EACH(EMU_STEP)
  }
  EMU_EACH(EMU_OUT)
#undef EMU_EACH
}

#if defined(__AVX512F__)
// The same for 16 columns: rows m to m + 7; row i of the sums is at
// from[64 (i % 4) + 16 (i / 4)].
static inline __attribute__((always_inline)) void
emu_tile_8x1(const float (*a)[EMU_MAX_M], const float (*b)[EMU_MAX_M], int m,
             int k, const emu_row *from, emu_row *to) {
#define EMU_EACH(X)                                                            \
  X(0, 0) X(1, 0) X(2, 0) X(3, 0) X(0, 1) X(1, 1) X(2, 1) X(3, 1)
#define EMU_STEP8(r, c)                                                        \
  s##r##c = EMU_VF_FMA(EMU_VF_SPLAT(a[j][m + r + 4 * c]), y, s##r##c);
  EMU_EACH(EMU_IN)
  for (int j = 0; j < k; j++) {
    emu_vf y = EMU_VF_LOAD(b[j]);
    EMU_EACH(EMU_STEP8)
  }
  EMU_EACH(EMU_OUT)
#undef EMU_EACH
}
#endif

/// Registers of C: those of the operand, or four copies of a constant.
typedef struct emu_addend {
  _Alignas(64) uint32_t constant[4][EMU_LANES];
  const emu_row *rows;
  int pitch; ///< elements from one register to the next fourth: 256 or 0
} emu_addend;

static inline void emu_addend_of(emu_wave *w, const isa_operand *c,
                                 emu_addend *out) {
  out->pitch = c->kind == ISA_OPERAND_VGPR ? 4 * EMU_LANES : 0;
  out->rows = (const emu_row *)(out->pitch ? w->v[c->index] : out->constant[0]);
  if (!out->pitch)
    for (int r = 0; r < 4; r++)
      memcpy(out->constant[r], c->lanes, sizeof out->constant[r]);
}

/// D = A × B + C over `blocks` blocks of n × n results and k products each;
/// `to` is the first register of D.
///
/// With several blocks the lane groups of A and B are the blocks (each holds
/// all k of its own), and so are consecutive runs of registers of C and D; for
/// 4×4 the blocks of C and D are lane groups too.
static inline __attribute__((always_inline)) void
emu_multiply(const emu_matrix *a, const emu_matrix *b, const emu_addend *c,
             const int n, const int k, const int blocks, emu_row *to) {
  const int regs = n == 4 ? 4 : n * n / EMU_LANES;
  const emu_row *from = c->rows;
  for (int q = 0; q < (n == 4 ? 1 : blocks); q++)
    for (int r = 0; r < regs; r += 4, from += c->pitch, to += 4 * EMU_LANES) {
      const float(*x)[EMU_MAX_M] = &a->x[q * k], (*y)[EMU_MAX_M] = &b->x[q * k];
#if defined(__AVX512F__)
      if (n == 16) {
        for (int g = 0; g < 4; g += 2)
          emu_tile_8x1(x, y, 4 * g, k, from + 16 * g, to + 16 * g);
        continue;
      }
#endif
      if (n >= 16) {
        for (int g = 0; g < EMU_LANES / n; g++)
          for (int j = 0; j < n; j += 2 * EMU_VF)
            emu_tile_4x2(x, y, emu_row_of(n, r, g), j, k, from + n * g + j,
                         to + n * g + j);
        continue;
      }
      for (int i = 0; i < 4; i++)
        for (int l = 0; l < EMU_LANES; l++) {
          float sum = from[64 * i + l];
          for (int j = l / n * k; j < l / n * k + k; j++)
            sum = fmaf(a->x[j][i], b->x[j][l % n], sum);
          to[64 * i + l] = sum != sum ? emu_f32(0x7fc00000u) : sum;
        }
    }
}

/// With FP16_OVFL in MODE a sum that overflows is the largest number instead
/// (CDNA4 ISA 7.1.2); infinite operands stay infinite: assumed. `c` is C as it
/// was, a row a register.
static __attribute__((noinline, unused)) void
emu_clamp_overflow(const emu_matrix *a, const emu_matrix *b, const emu_row *c,
                   int n, int k, int blocks, emu_row *d) {
  const int regs = n == 4 ? 4 : n * n / EMU_LANES;
  for (int r = 0; r < (n == 4 ? 4 : blocks * regs); r++)
    for (int l = 0; l < EMU_LANES; l++) {
      float x = d[64 * r + l];
      if (!isinf(x) || isinf(c[64 * r + l]))
        continue;
      int block = n == 4 ? l / 4 : r / regs;
      int m = emu_row_of(n, n == 4 ? r : r % regs, l / n);
      bool overflow = true;
      for (int j = block * k; j < block * k + k; j++)
        overflow &= !isinf(a->x[j][m]) && !isinf(b->x[j][l % n]);
      if (overflow)
        d[64 * r + l] = x < 0 ? -0x1.fffffep127f : 0x1.fffffep127f;
    }
}
static inline bool emu_overflow_clamps(const emu_wave *w) {
  return w->mode >> 23 & 1;
}

static inline uint32_t emu_clamp_i32(int64_t x) {
  x = x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
  return (uint32_t)(int32_t)x;
}

/// The instruction's product, once its operands are matrices.
static inline __attribute__((always_inline)) void
emu_matrix_f32(emu_wave *w, const isa_insn *in, const emu_matrix *a,
               const emu_matrix *b, const int n, const int k,
               const int blocks) {
  emu_addend c;
  emu_row *d = (emu_row *)w->v[in->dst[0].index];
  emu_addend_of(w, &in->src[2], &c);
  emu_round_nearest(w);
  bool clamps = emu_overflow_clamps(w);
  float before[32 * EMU_LANES];
  const int regs = n == 4 ? 4 : blocks * n * n / EMU_LANES;
  for (int r = 0; clamps && r < regs; r++)
    memcpy(before + 64 * r, c.rows + c.pitch * (r / 4) + 64 * (r % 4), 256);
  emu_multiply(a, b, &c, n, k, blocks, d);
  if (clamps)
    emu_clamp_overflow(a, b, before, n, k, blocks, d);
  emu_round_f32(w);
}

#endif // FMHAC_EMU_MATRIX_H
