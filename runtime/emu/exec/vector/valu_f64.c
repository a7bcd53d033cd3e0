// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f64 arithmetic. CDNA3 ISA 12.7, 12.8, 12.11. Rounding and denormals by the
// modes that f64 shares with f16.
#include "floatop.h"

static inline double get(const uint32_t *p, int i) {
  return emu_f64(emu_pair(p, i));
}
static inline void put(uint32_t *d, int i, double x) {
  uint64_t bits = emu_u64(x);
  if (x != x)
    bits |= 0x0008000000000000u;
  emu_put_pair(d, i, bits);
}
static inline double flush64(double x, uint32_t keep) {
  return keep ? x : emu_f64(emu_flush64(emu_u64(x), 0));
}
// NaN results as those of f32 (floatop.h): the first NaN operand, else
// negative.
static inline double dnan(double r, double a, double b, double c) {
  return r == r ? r : a != a ? a : b != b ? b : c != c ? c : emu_f64(EMU_NAN64);
}
// `second` declares b, if there is one.
#define D_OP(name, sources, second, expr)                                      \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    emu_round_f64(w);                                                          \
    EMU_SRC##sources;                                                          \
    uint32_t *d = w->tmp;                                                      \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      double a = flush64(get(pa, i), w->f16_in);                               \
      second;                                                                  \
      put(d, i, flush64(expr, w->f16_out));                                    \
    }                                                                          \
    emu_round_f32(w);                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
#define D1(name, expr) D_OP(name, 1, , expr)
#define D2(name, expr)                                                         \
  D_OP(name, 2, double b = flush64(get(pb, i), w->f16_in), expr)
static inline double dfract(double a) {
  double r = a - floor(a);
  return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}
// Whatever the host's rounding is.
static inline double nearest_even(double a) {
  double whole = trunc(a), rest = fabs(a - whole); // exact
  bool away = rest > 0.5 || (rest == 0.5 && fmod(whole, 2.0) != 0.0);
  return copysign(away ? whole + copysign(1.0, a) : whole, a);
}
static inline double dmant(double a) {
  int e;
  return a == 0 || a != a || isinf(a) ? a : frexp(a, &e);
}
D2(v_add_f64, dnan(a + b, a, b, 0))
D2(v_mul_f64, dnan(a *b, a, b, 0))
D2(v_min_f64, emu_min64(a, b, ieee))
D2(v_max_f64, emu_max64(a, b, ieee))
D1(v_rcp_f64, dnan(1.0 / a, a, 0, 0)) // hardware: about 1 ulp, bits assumed
D1(v_rsq_f64, dnan(1.0 / sqrt(a), a, 0, 0))
D1(v_sqrt_f64, dnan(sqrt(a), a, 0, 0))
D1(v_fract_f64, dnan(dfract(a), a, 0, 0))
D1(v_trunc_f64, trunc(a))
D1(v_ceil_f64, ceil(a))
D1(v_rndne_f64, nearest_even(a))
D1(v_floor_f64, floor(a))
D1(v_frexp_mant_f64, dmant(a))

EMU_HANDLER(v_frexp_exp_i32_f64) {
  const uint32_t *pa = emu_src(w, in, 0);
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    double a = get(pa, i);
    int e = 0;
    if (a == a && !isinf(a) && a != 0)
      (void)frexp(a, &e);
    d[i] = (uint32_t)e;
  }
  emu_dst_done(w, in, d);
}

EMU_HANDLER(v_ldexp_f64) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  emu_round_f64(w);
  for (int i = 0; i < EMU_LANES; i++) {
    int32_t n = (int32_t)pb[i];
    n = n < -4000 ? -4000 : n > 4000 ? 4000 : n;
    put(d, i, flush64(ldexp(flush64(get(pa, i), w->f16_in), n), w->f16_out));
  }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}

static int exponent_of(double x) { return (int)(emu_u64(x) >> 52 & 0x7ff); }

// Sign of a × b + c - sum, where sum is that rounded to nearest (Boldo, Muller:
// "Exact and approximated error of the FMA").
static int fma_error_sign(double a, double b, double c, double sum) {
  double p = a * b, p_low = fma(a, b, -p);
  double s = c + p_low, t = s - c, s_low = (c - (s - t)) + (p_low - t);
  double u = p + s, v = u - p, u_low = (p - (u - v)) + (s - v);
  double error = ((u - sum) + u_low) + s_low;
  return (error > 0) - (error < 0);
}

// (a × b + c) × 2^±128 as v_div_fmas_f32, rounded once.
static double fma_scaled(const emu_wave *w, double a, double b, double c) {
  double sum = fma(a, b, c);
  if (exponent_of(c) > 1023)
    return ldexp(sum, 128);
  double r = ldexp(sum, -128);
  // Rounding twice goes wrong only where the sum, itself rounded to nearest,
  // lies half way between two denormals: then its error decides.
  if (w->mode & 12 || fabs(r) > 0x1p-1022)
    return r;
  double beyond = sum - ldexp(r, 128);
  if (fabs(beyond) != 0x1p-947) // half a denormal step, scaled up
    return r;
  int error = fma_error_sign(a * 0x1p200, b, c * 0x1p200, sum * 0x1p200);
  return error == (beyond > 0) - (beyond < 0) ? r + copysign(0x1p-1074, beyond)
                                              : r;
}

static void fma64(emu_wave *w, const isa_insn *in, const uint32_t *pc,
                  uint64_t scale, uint32_t keep_in, uint32_t keep_out) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  emu_round_f64(w);
  for (int i = 0; i < EMU_LANES; i++) {
    double a = flush64(get(pa, i), keep_in);
    double b = flush64(get(pb, i), keep_in);
    double c = flush64(get(pc, i), keep_in);
    double r = scale >> i & 1 ? fma_scaled(w, a, b, c) : fma(a, b, c);
    put(d, i, flush64(dnan(r, a, b, c), keep_out));
  }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_fma_f64) {
  fma64(w, in, emu_src(w, in, 2), 0, w->f16_in, w->f16_out);
}
EMU_HANDLER(v_fmac_f64) {
  fma64(w, in, EMU_FN(old_dst)(w, in), 0, w->f16_in, w->f16_out);
}
// Denormals stay whatever MODE says (CDNA4 ISA 12.11), as in f32.
EMU_HANDLER(v_div_fmas_f64) {
  fma64(w, in, emu_src(w, in, 2), emu_vcc(w), ~0u, w->f16_out);
}

EMU_HANDLER(v_div_scale_f64) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  uint64_t scaled = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    double s0 = get(pa, i), s1 = get(pb, i), s2 = get(pc, i), r = s0;
    bool same1 = emu_u64(s0) == emu_u64(s1), same2 = emu_u64(s0) == emu_u64(s2);
    bool vcc = false;
    bool tiny_inverse = fpclassify(1.0 / s1) == FP_SUBNORMAL;
    bool tiny_quotient = fpclassify(s2 / s1) == FP_SUBNORMAL;
    if (s2 == 0 || s1 == 0) {
      r = emu_f64(EMU_NAN64);
    } else if (exponent_of(s2) - exponent_of(s1) >= 768) {
      vcc = true;
      if (same1)
        r = ldexp(s0, 128);
    } else if (fpclassify(s1) == FP_SUBNORMAL) {
      r = ldexp(s0, 128);
    } else if (tiny_inverse && tiny_quotient) {
      vcc = true;
      if (same1)
        r = ldexp(s0, -128); // the manual scales up, which overflows
    } else if (tiny_inverse) {
      r = ldexp(s0, -128);
    } else if (tiny_quotient) {
      vcc = true;
      if (same2)
        r = ldexp(s0, 128);
    } else if (exponent_of(s2) <= 53) {
      r = ldexp(s0, 128);
    }
    put(d, i, r);
    scaled |= (uint64_t)vcc << i;
  }
  emu_dst_done(w, in, d);
  emu_put64(w, &in->dst[1], scaled & emu_exec(w));
}

EMU_HANDLER(v_div_fixup_f64) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    double q = get(pa, i), den = get(pb, i), num = get(pc, i), r;
    double sign = signbit(den) != signbit(num) ? -1.0 : 1.0;
    if (num != num)
      r = num;
    else if (den != den)
      r = den;
    else if ((den == 0 && num == 0) || (isinf(den) && isinf(num)))
      r = emu_f64(EMU_NAN64);
    else if (den == 0 || isinf(num))
      r = copysign(INFINITY, sign);
    else if (isinf(den) || num == 0)
      r = copysign(0.0, sign);
    else if (exponent_of(num) - exponent_of(den) < -1075)
      r = copysign(0.0, sign);
    else if (exponent_of(q) == 2047) // overflow, as v_div_fixup_f32
      r = copysign(INFINITY, sign);
    else
      r = copysign(q, sign);
    put(d, i, r);
  }
  emu_dst_done(w, in, d);
}

// The first 1201 bits of the fraction of 2/π, left aligned; zeros after them.
// From 4 × (4 atan 1/5 − atan 1/239).
static const uint32_t k_two_over_pi[] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u,
    0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u,
    0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u,
    0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu,
    0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
    0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b0000u,
};

// Bits shift .. shift + 52 of that fraction, as a number in the place where
// they stand; of huge arguments scaled by 2^128. CDNA4 ISA, V_TRIG_PREOP_F64.
static double trig_preop(double x, uint32_t segment) {
  enum { WORDS = sizeof k_two_over_pi / sizeof *k_two_over_pi };
  int e = (int)(emu_u64(x) >> 52 & 0x7ff);
  int shift = (int)(segment & 31) * 53 + (e > 1077 ? e - 1077 : 0);
  uint64_t result = 0;
  for (int k = shift; k < shift + 53; k++) {
    bool set = k / 32 < WORDS && (k_two_over_pi[k / 32] >> (31 - k % 32) & 1);
    result = result << 1 | set;
  }
  return ldexp((double)result, -53 - shift + (e >= 1968 ? 128 : 0));
}
EMU_EACH_LANE_OP(v_trig_preop_f64, 2, ,
                 put(d, i, trig_preop(get(pa, i), pb[i])))
