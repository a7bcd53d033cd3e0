// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transcendental functions. CDNA4 ISA 12.8: 1 ulp; f32 denormals are flushed on
// both sides, but sine and cosine support them; a NaN that no operand supplies
// is negative. Results are computed in f64 and rounded once, so that the error
// is little more than half an ulp; the exact bits are *assumed*.
#include "floatop.h"
#include "numeric.h"

// The result `r` for operand `a`.
static inline uint32_t nan_of(uint32_t r, uint32_t a) {
  r = emu_isnan32(r) ? EMU_NAN32 : r;
  return emu_isnan32(a) ? a | 0x400000u : r;
}

#define T1(name, expr)                                                         \
  EMU_HANDLER(name) {                                                          \
    emu_round_nearest(w);                                                      \
    const uint32_t *pa = emu_src(w, in, 0);                                    \
    uint32_t *d = emu_dst(w, in);                                              \
    EMU_LANE_LOOP {                                                            \
      uint32_t a = emu_flush32(pa[i], 0);                                      \
      d[i] = nan_of(emu_flush32(emu_u32(expr), 0), a);                         \
    }                                                                          \
    emu_round_f32(w);                                                          \
    emu_dst_done(w, in, d);                                                    \
  }

// 2^x of a number; results below the smallest normal f32 are 0.
static inline float exp2_of(float x) {
  x = x < -200.0f ? -200.0f : x > 200.0f ? 200.0f : x;
  // Adding 1.5 × 2^23 rounds to an integer, which then sits in the low bits.
  float shifted = x + 0x1.8p23f;
  float n = shifted - 0x1.8p23f;
  double f = (double)(x - n);
  // (2^f - 1) / f interpolated at the Chebyshev points of [-1/2, 1/2]: 2^f
  // within 1.2e-10, and exact where f is 0.
  double p = 0x1.00a5814f2a63cp-16;
  p = fma(p, f, 0x1.443fffcaa2337p-13);
  p = fma(p, f, 0x1.5d879ead1c114p-10);
  p = fma(p, f, 0x1.3b2a1b7150c21p-7);
  p = fma(p, f, 0x1.c6b08d883db58p-5);
  p = fma(p, f, 0x1.ebfbe045f4d5cp-3);
  p = fma(p, f, 0x1.62e42fefa39f0p-1);
  int32_t bits = (int32_t)emu_u32((float)fma(p, f, 1.0));
  int32_t exponent = (int32_t)(emu_u32(shifted) - 0x4b400000u);
  int32_t e = (bits >> 23) + exponent;
  uint32_t r = (uint32_t)bits + ((uint32_t)exponent << 23);
  r = e > 254 ? 0x7f800000u : r;
  return emu_f32(e < 1 ? 0 : r);
}

// log2 of a positive, finite, normal number.
static inline double log2_of(double x) {
  uint64_t bits = emu_u64(x);
  // Choose the exponent so that the significand lies in [0.707, 1.414].
  int64_t e = (int64_t)(bits >> 52) - 1023;
  e += (bits & 0xfffffffffffffu) > 0x6a09e667f3bcdu ? 1 : 0;
  double m = emu_f64(bits - ((uint64_t)e << 52));
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  return (double)e + s * p * 2.8853900817779268; // 2 / ln 2
}

static inline float exp2_f32(uint32_t a) {
  float x = emu_f32(a);
  return x != x ? x : exp2_of(x);
}
static inline float log2_f32(uint32_t a) {
  float x = emu_f32(a);
  float r = (float)log2_of((double)(x > 0.0f && x < INFINITY ? x : 1.0f));
  r = x == 0.0f ? -INFINITY : r;
  r = x < 0.0f ? NAN : r;
  return x == INFINITY || x != x ? x : r;
}
static inline float rsq_f32(uint32_t a) {
  float x = emu_f32(a);
  return (float)(1.0 / sqrt((double)x)); // -0 gives -infinity, as documented
}
T1(v_exp_f32, exp2_f32(a))
T1(v_log_f32, log2_f32(a))
T1(v_rcp_f32, 1.0f / emu_f32(a))
T1(v_rcp_iflag_f32, 1.0f / emu_f32(a))
T1(v_rsq_f32, rsq_f32(a))
T1(v_sqrt_f32, sqrtf(emu_f32(a)))

// Sine and cosine of x revolutions, any x. Quarters are split off, exactly, so
// that zeros and ones come out as the manual's examples have them.
static float turn(uint32_t a, bool cosine) {
  double x = (double)emu_f32(a);
  if (!isfinite(x))
    return NAN;
  if (x == 0 && !cosine)
    return emu_f32(a); // keeps the sign
  double quarters = rint(4 * x);
  double angle = 6.283185307179586 * (x - quarters / 4);
  int quadrant = (int)(quarters - 4 * floor(quarters / 4)) + cosine;
  double r = quadrant & 1 ? cos(angle) : sin(angle);
  return (float)((quadrant & 2 ? -r : r) + 0.0); // -0 becomes +0
}
#define T1_SLOW(name, expr)                                                    \
  EMU_HANDLER(name) {                                                          \
    emu_round_nearest(w);                                                      \
    const uint32_t *pa = emu_src(w, in, 0);                                    \
    uint32_t *d = emu_dst(w, in);                                              \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = emu_flush32(pa[i], w->f32_in);                              \
      d[i] = nan_of(emu_flush32(emu_u32(expr), w->f32_out), a);                \
    }                                                                          \
    emu_round_f32(w);                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
T1_SLOW(v_sin_f32, turn(a, false))
T1_SLOW(v_cos_f32, turn(a, true))

#define H1(name, expr)                                                         \
  EMU_HANDLER(name) {                                                          \
    const emu_half_mode m = emu_half(w);                                       \
    emu_round_nearest(w);                                                      \
    const uint32_t *pa = emu_src(w, in, 0);                                    \
    uint32_t *d = emu_dst(w, in);                                              \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t h = EMU_FLUSH16(pa[i] & 0xffffu, w->f16_in);                    \
      uint32_t a = emu_f16_to_f32(h);                                          \
      d[i] = emu_half_out(nan_of(emu_u32(expr), a), m);                        \
    }                                                                          \
    emu_round_f32(w);                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
H1(v_exp_f16, exp2_f32(a))
H1(v_log_f16, log2_f32(a))
H1(v_rcp_f16, 1.0f / emu_f32(a))
H1(v_rsq_f16, rsq_f32(a))
H1(v_sqrt_f16, sqrtf(emu_f32(a)))
H1(v_sin_f16, turn(a, false))
H1(v_cos_f16, turn(a, true))
H1(v_floor_f16, floorf(emu_f32(a)))
H1(v_ceil_f16, ceilf(emu_f32(a)))
H1(v_trunc_f16, truncf(emu_f32(a)))
H1(v_rndne_f16, rintf(emu_f32(a)))
static inline float fract16(float f) {
  float r = f - floorf(f);
  return r >= 0x1.ffcp-1f ? 0x1.ffcp-1f : r; // largest f16 below 1
}
H1(v_fract_f16, fract16(emu_f32(a)))
static inline float mant16(float f) {
  int e;
  return f == 0 || f != f || isinf(f) ? f : frexpf(f, &e);
}
H1(v_frexp_mant_f16, mant16(emu_f32(a)))
EMU_HANDLER(v_frexp_exp_i16_f16) {
  const uint32_t *pa = emu_src(w, in, 0);
  uint32_t *d = emu_dst(w, in);
  for (int i = 0; i < EMU_LANES; i++) {
    float f = emu_f32(emu_f16_to_f32(pa[i] & 0xffffu));
    int e = 0;
    if (f == f && !isinf(f) && f != 0)
      (void)frexpf(f, &e);
    d[i] = (uint32_t)e & 0xffffu;
  }
  emu_dst_done(w, in, d);
}
