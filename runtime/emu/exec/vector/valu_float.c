// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32 arithmetic. CDNA3 ISA 12.7, 12.8, 12.11. Denormals as MODE says.
#include "floatop.h"

#define IN(x) emu_flush32(x, keep_in)
#define OUT(x) emu_flush32(x, keep_out)
#define MODES                                                                  \
  uint32_t keep_in = w->f32_in, keep_out = w->f32_out;                         \
  bool ieee = EMU_IEEE(w);                                                     \
  (void)ieee
#define F1(name, expr)                                                         \
  EMU_LANES_OP(name, 1, MODES, uint32_t a = IN(pa[i]); d[i] = OUT(expr))
#define F2(name, expr)                                                         \
  EMU_LANES_OP(name, 2, MODES, uint32_t a = IN(pa[i]), b = IN(pb[i]);          \
               d[i] = OUT(expr))
#define F3(name, expr)                                                         \
  EMU_LANES_OP(name, 3, MODES, uint32_t a = IN(pa[i]), b = IN(pb[i]),          \
               c = IN(pc[i]);                                                  \
               d[i] = OUT(expr))

static inline uint32_t mul_legacy(uint32_t a, uint32_t b) {
  return !(a << 1) || !(b << 1) ? 0 : emu_mul32(a, b);
}
static inline uint32_t sub32(uint32_t a, uint32_t b) {
  return emu_nan2(emu_u32(emu_f32(a) - emu_f32(b)), a, b);
}
F2(v_add_f32, emu_add32(a, b))
F2(v_sub_f32, sub32(a, b))
F2(v_subrev_f32, sub32(b, a))
F2(v_mul_f32, emu_mul32(a, b))
F2(v_mul_legacy_f32, mul_legacy(a, b))
F3(v_fma_f32, emu_fma32(a, b, c))
F3(v_fmamk_f32, emu_fma32(a, b, c))
F3(v_fmaak_f32, emu_fma32(a, b, c))
F3(v_med3_f32, emu_med32(a, b, c, ieee))
F3(v_minimum3_f32, emu_minimum32(emu_minimum32(a, b), c))
F3(v_maximum3_f32, emu_maximum32(emu_maximum32(a, b), c))

// Minimum and maximum. Without NaNs, nearly always, integer keys give them.
// Both paths give the same bits.
#define KEYS2(name, op, exact)                                                 \
  EMU_HANDLER(name) {                                                          \
    MODES;                                                                     \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint32_t *d = emu_dst(w, in);                                              \
    if (emu_any_nan32(pa) || emu_any_nan32(pb))                                \
      EMU_LANE_LOOP {                                                          \
        uint32_t a = IN(pa[i]), b = IN(pb[i]);                                 \
        d[i] = OUT(exact);                                                     \
      }                                                                        \
    else                                                                       \
      EMU_LANE_LOOP {                                                          \
        int32_t a = emu_key32(IN(pa[i])), b = emu_key32(IN(pb[i]));            \
        d[i] = OUT((uint32_t)emu_key32((uint32_t)(a op b ? a : b)));           \
      }                                                                        \
    emu_dst_done(w, in, d);                                                    \
  }
#define KEYS3(name, op, exact)                                                 \
  EMU_HANDLER(name) {                                                          \
    MODES;                                                                     \
    EMU_SRC3;                                                                  \
    uint32_t *d = emu_dst(w, in);                                              \
    if (emu_any_nan32(pa) || emu_any_nan32(pb) || emu_any_nan32(pc))           \
      EMU_LANE_LOOP {                                                          \
        uint32_t a = IN(pa[i]), b = IN(pb[i]), c = IN(pc[i]);                  \
        d[i] = OUT(exact);                                                     \
      }                                                                        \
    else                                                                       \
      EMU_LANE_LOOP {                                                          \
        int32_t a = emu_key32(IN(pa[i])), b = emu_key32(IN(pb[i]));            \
        int32_t c = emu_key32(IN(pc[i]));                                      \
        a = a op b ? a : b;                                                    \
        d[i] = OUT((uint32_t)emu_key32((uint32_t)(a op c ? a : c)));           \
      }                                                                        \
    emu_dst_done(w, in, d);                                                    \
  }
KEYS2(v_min_f32, <, emu_min32(a, b, ieee))
KEYS2(v_max_f32, >, emu_max32(a, b, ieee))
KEYS3(v_min3_f32, <, emu_min32(emu_min32(a, b, ieee), c, ieee))
KEYS3(v_max3_f32, >, emu_max32(emu_max32(a, b, ieee), c, ieee))

EMU_LANES_OP(v_fmac_f32, 2_OLD, MODES, uint32_t a = IN(pa[i]), b = IN(pb[i]),
             c = IN(old[i]);
             d[i] = OUT(emu_fma32(a, b, c)))

EMU_HANDLER(v_ldexp_f32) {
  MODES;
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = emu_dst(w, in);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t a = IN(pa[i]);
    int32_t n = (int32_t)pb[i];
    n = n < -600 ? -600 : n > 600 ? 600 : n;
    d[i] = OUT(emu_nan1(emu_u32(ldexpf(emu_f32(a), n)), a));
  }
  emu_dst_done(w, in, d);
}

static inline uint32_t fract(uint32_t a) {
  float f = emu_f32(a), r = f - floorf(f);
  r = r >= 1.0f ? 0x1.fffffep-1f : r; // stays below 1
  return emu_nan1(emu_u32(r), a);
}
F1(v_fract_f32, fract(a))
F1(v_trunc_f32, emu_nan1(emu_u32(truncf(emu_f32(a))), a))
F1(v_ceil_f32, emu_nan1(emu_u32(ceilf(emu_f32(a))), a))
F1(v_floor_f32, emu_nan1(emu_u32(floorf(emu_f32(a))), a))
EMU_HANDLER(v_rndne_f32) { // whatever MODE's rounding is
  MODES;
  const uint32_t *pa = emu_src(w, in, 0);
  uint32_t *d = emu_dst(w, in);
  emu_round_nearest(w);
  EMU_LANE_LOOP {
    uint32_t a = IN(pa[i]);
    d[i] = OUT(emu_nan1(emu_u32(rintf(emu_f32(a))), a));
  }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}

// Significand in [0.5, 1) and exponent; denormals are normalised first.
static inline uint32_t normalise(uint32_t a, int *exponent) {
  int e = (int)(a >> 23 & 255);
  if (e == 0 && (a & 0x7fffff)) {
    int shift = __builtin_clz(a & 0x7fffff) - 8;
    a = (a & 0x80000000u) | (a << shift & 0x7fffffu);
    e = 1 - shift;
  }
  *exponent = e;
  return a;
}
static inline uint32_t frexp_mant(uint32_t a) {
  if ((a & 0x7f800000u) == 0x7f800000u || !(a << 1))
    return a;
  int e;
  a = normalise(a, &e);
  return (a & 0x807fffffu) | 126u << 23;
}
static inline uint32_t frexp_exp(uint32_t a) {
  if ((a & 0x7f800000u) == 0x7f800000u || !(a << 1))
    return 0;
  int e;
  normalise(a, &e);
  return (uint32_t)(e - 126);
}
F1(v_frexp_mant_f32, frexp_mant(a))
EMU_LANES_OP(v_frexp_exp_i32_f32, 1, uint32_t keep_in = w->f32_in,
             d[i] = frexp_exp(IN(pa[i])))

//===-- division helpers: CDNA3 ISA 12.11 ---------------------------------===//

static int exponent_of(uint32_t a) { return (int)(a >> 23 & 255); }
static bool denormal(float f) { return f != 0 && fabsf(f) < 0x1p-126f; }

EMU_HANDLER(v_div_scale_f32) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  uint64_t scaled = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t a = pa[i], b = pb[i], c = pc[i];
    float s0 = emu_f32(a), s1 = emu_f32(b), s2 = emu_f32(c);
    bool vcc = false;
    float r = s0;
    double inverse = 1.0 / (double)s1, quotient = (double)s2 / (double)s1;
    bool tiny_inverse = inverse != 0 && fabs(inverse) < 0x1p-126;
    bool tiny_quotient = quotient != 0 && fabs(quotient) < 0x1p-126;
    if (s2 == 0 || s1 == 0) {
      r = emu_f32(EMU_NAN32);
    } else if (exponent_of(c) - exponent_of(b) >= 96) {
      vcc = true;
      if (a == b)
        r = ldexpf(s0, 64);
    } else if (denormal(s1)) {
      r = ldexpf(s0, 64);
    } else if (tiny_inverse && tiny_quotient) {
      vcc = true;
      if (a == b)
        r = ldexpf(s0, -64); // the manual scales up, which overflows
    } else if (tiny_inverse) {
      r = ldexpf(s0, -64);
    } else if (tiny_quotient) {
      vcc = true;
      if (a == c)
        r = ldexpf(s0, 64);
    } else if (exponent_of(c) <= 23) {
      r = ldexpf(s0, 64);
    }
    d[i] = emu_nan1(emu_u32(r), a);
    scaled |= (uint64_t)vcc << i;
  }
  emu_dst_done(w, in, d);
  emu_put64(w, &in->dst[1], scaled & emu_exec(w));
}

// Undoes the scaling of v_div_scale: by 2^64 upwards for large quotients (the
// addend has their exponent), downwards for small ones. There is one rounding
// in all; with two, denormal quotients would be wrong (ERRATA.md).
static uint32_t fma_scaled(const emu_wave *w, uint32_t a, uint32_t b,
                           uint32_t c) {
  int shift = exponent_of(c) > 127 ? 64 : -64;
  float sum = fmaf(emu_f32(a), emu_f32(b), emu_f32(c));
  if (!isfinite(sum))
    return emu_nan3(emu_u32(sum), a, b, c);
  emu_round_nearest(w);
  uint64_t odd =
      emu_f64_fma_odd(emu_u64((double)emu_f32(a)), emu_u64((double)emu_f32(b)),
                      emu_u64((double)emu_f32(c)));
  emu_round_f32(w);
  return emu_u32((float)ldexp(emu_f64(odd), shift));
}

EMU_HANDLER(v_div_fmas_f32) {
  uint32_t keep_out = w->f32_out;
  EMU_SRC3;
  uint32_t *d = w->tmp;
  uint64_t vcc = emu_vcc(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t a = pa[i], b = pb[i], c = pc[i]; // not flushed
    uint32_t r = vcc >> i & 1 ? fma_scaled(w, a, b, c) : emu_fma32(a, b, c);
    d[i] = OUT(r);
  }
  emu_dst_done(w, in, d);
}

static inline uint32_t div_fixup(uint32_t q, uint32_t den, uint32_t num) {
  uint32_t sign = (den ^ num) & 0x80000000u, special;
  if (emu_div_is_special(den, num, &special))
    return special;
  if (exponent_of(num) - exponent_of(den) < -150)
    return sign; // underflow
  // The manual tests the exponent of the denominator, which cannot be 255 here.
  // The test of the quotient is meant: its refinement turns infinity into NaN.
  if (exponent_of(q) == 255)
    return sign | 0x7f800000u;
  return sign | (q & 0x7fffffffu);
}
F3(v_div_fixup_f32, div_fixup(a, b, c))
