// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions to and from fp4, fp6, bf6, fp8 and bf8 with a scale, and those
// with stochastic rounding. CDNA4 ISA, V_CVT_SCALEF32_*, V_CVT_SR_*.
//
// The scale is the power of two in the exponent of a float; it divides on the
// way down and multiplies on the way up (OCP MX), with one rounding. Exponent
// 255 is the NaN of E8M0: every result is NaN, or the largest number where the
// format has no NaN. Formats without infinities saturate; overflow of fp8 and
// bf8 follows FP16_OVFL. Stochastic rounding adds the upper bits of the seed
// below the kept bits and truncates, with carry; by the manual's text the
// mantissa would wrap. AMD's host code for the same conversions has these
// details (HIP, amd_hip_ocp_host.hpp). Denormals of f32 sources follow MODE
// (CDNA4 ISA 7.3); other denormals are kept.
#include "floatop.h"

/// Format of the wider side.
typedef enum wide { F32, F16, BF16 } wide;

static inline uint32_t wide_to_f32(uint32_t x, wide from) {
  return from == F32 ? x : from == F16 ? emu_f16_to_f32(x & 0xffff) : x << 16;
}
static const int k_fraction_bits[] = {[F32] = 23, [F16] = 10, [BF16] = 7};

static inline uint32_t exponent_of(uint32_t x) { return x >> 23 & 255; }

static uint32_t down_one(const emu_wave *w, const emu_small_format *f,
                         uint32_t x, wide from, uint32_t scale,
                         emu_rounding r) {
  x = from == F32 ? emu_flush32(x, w->f32_in) : wide_to_f32(x, from);
  if (exponent_of(scale) == 255)
    x |= 0x7fffffffu;
  return emu_round_to(f, x, (int)exponent_of(scale) - 127,
                      k_fraction_bits[from], r);
}

//===-- down --------------------------------------------------------------===//

/// Where the elements of a conversion down lie.
typedef enum layout {
  ONE,    ///< one element in source 0
  PAIR,   ///< f32 in sources 0 and 1
  PACKED, ///< consecutive in source 0
  WOVEN,  ///< f32: even ones in source 0, odd ones in source 1
} layout;

typedef struct down {
  const emu_small_format *format;
  wide from;
  layout layout;
  int count;
  bool seed; ///< stochastic; the seed is the source before the scale
} down;

static uint32_t element(const uint32_t *a, const uint32_t *b, const down *c,
                        int k, int i) {
  if (c->layout == PAIR)
    return (k ? b : a)[i];
  if (c->layout == WOVEN)
    return (k & 1 ? b : a)[64 * (k / 2) + i];
  if (c->from == F32)
    return a[64 * k + i];
  return a[64 * (k / 2) + i] >> 16 * (k & 1);
}

// Results of up to 16 bits go to the byte or half that OPSEL[3:2] names and the
// rest of the register stays; longer ones fill whole registers.
static void convert_down(emu_wave *w, const isa_insn *in, down c) {
  const uint32_t *a = emu_src(w, in, 0), *b = emu_src(w, in, 1);
  const uint32_t *scale = emu_src(w, in, in->nsrc - 1);
  uint32_t old[EMU_LANES], *d = w->tmp;
  memcpy(old, EMU_FN(old_dst)(w, in), sizeof old);
  int bits = 1 + c.format->exponent_bits + c.format->fraction_bits;
  int total = bits * c.count;
  uint32_t at = total > 16  ? 0
                : total > 8 ? ISA_OPSEL(in->imm) >> 3 << 4
                            : ISA_OPSEL(in->imm) >> 2 << 3;
  emu_rounding r = {.stochastic = c.seed, .saturate = w->mode >> 23 & 1};
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t window = 0;
    int filled = 0;
    unsigned row = 0;
    r.seed = c.seed ? b[i] : 0;
    for (int k = 0; k < c.count; k++) {
      uint64_t code =
          down_one(w, c.format, element(a, b, &c, k, i), c.from, scale[i], r);
      r.seed = emu_prng_step(r.seed);
      window |= code << filled;
      filled += bits;
      if (filled >= 32) {
        d[64 * row++ + i] = (uint32_t)window;
        window >>= 32;
        filled -= 32;
      }
    }
    if (total < 32) {
      uint32_t mask = ((1u << total) - 1) << at;
      d[i] = (old[i] & ~mask) | ((uint32_t)window << at & mask);
    }
  }
  emu_dst_done(w, in, d);
}

#define DOWN(name, fmt, from, layout, n, sr)                                   \
  EMU_HANDLER(name) {                                                          \
    convert_down(w, in, (down){&emu_##fmt, from, layout, n, sr});              \
  }
#define DOWN_EIGHT(small, fmt)                                                 \
  DOWN(v_cvt_scalef32_pk_##small##_f32, fmt, F32, PAIR, 2, false)              \
  DOWN(v_cvt_scalef32_pk_##small##_f16, fmt, F16, PACKED, 2, false)            \
  DOWN(v_cvt_scalef32_pk_##small##_bf16, fmt, BF16, PACKED, 2, false)          \
  DOWN(v_cvt_scalef32_sr_##small##_f32, fmt, F32, ONE, 1, true)                \
  DOWN(v_cvt_scalef32_sr_##small##_f16, fmt, F16, ONE, 1, true)                \
  DOWN(v_cvt_scalef32_sr_##small##_bf16, fmt, BF16, ONE, 1, true)
DOWN_EIGHT(fp8, e4m3)
DOWN_EIGHT(bf8, e5m2)
DOWN(v_cvt_scalef32_pk_fp4_f32, e2m1, F32, PAIR, 2, false)
DOWN(v_cvt_scalef32_pk_fp4_f16, e2m1, F16, PACKED, 2, false)
DOWN(v_cvt_scalef32_pk_fp4_bf16, e2m1, BF16, PACKED, 2, false)
DOWN(v_cvt_scalef32_sr_pk_fp4_f32, e2m1, F32, PACKED, 2, true)
DOWN(v_cvt_scalef32_sr_pk_fp4_f16, e2m1, F16, PACKED, 2, true)
DOWN(v_cvt_scalef32_sr_pk_fp4_bf16, e2m1, BF16, PACKED, 2, true)
#define DOWN_SIX(small, fmt)                                                   \
  DOWN(v_cvt_scalef32_2xpk16_##small##_f32, fmt, F32, WOVEN, 32, false)        \
  DOWN(v_cvt_scalef32_pk32_##small##_f16, fmt, F16, PACKED, 32, false)         \
  DOWN(v_cvt_scalef32_pk32_##small##_bf16, fmt, BF16, PACKED, 32, false)       \
  DOWN(v_cvt_scalef32_sr_pk32_##small##_f32, fmt, F32, PACKED, 32, true)       \
  DOWN(v_cvt_scalef32_sr_pk32_##small##_f16, fmt, F16, PACKED, 32, true)       \
  DOWN(v_cvt_scalef32_sr_pk32_##small##_bf16, fmt, BF16, PACKED, 32, true)
DOWN_SIX(fp6, e2m3)
DOWN_SIX(bf6, e3m2)

// Without a scale: the seed is the last source.
static void round_stochastically(emu_wave *w, const isa_insn *in,
                                 const emu_small_format *f) {
  const uint32_t *a = emu_src(w, in, 0), *seed = emu_src(w, in, 1);
  const uint32_t *old = EMU_FN(old_dst)(w, in);
  uint32_t *d = w->tmp;
  bool half = f->exponent_bits + f->fraction_bits == 15;
  uint32_t op_sel = ISA_OPSEL(in->imm);
  uint32_t at = half ? op_sel >> 3 << 4 : op_sel >> 2 << 3;
  uint32_t mask = (half ? 0xffffu : 0xffu) << at;
  for (int i = 0; i < EMU_LANES; i++) {
    emu_rounding r = {.stochastic = true,
                      .saturate = f != &emu_e8m7 && (w->mode >> 23 & 1),
                      .seed = seed[i]};
    uint32_t code = emu_round_to(f, emu_flush32(a[i], w->f32_in), 0, 23, r);
    d[i] = (old[i] & ~mask) | code << at;
  }
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_cvt_sr_fp8_f32) { round_stochastically(w, in, &emu_e4m3); }
EMU_HANDLER(v_cvt_sr_bf8_f32) { round_stochastically(w, in, &emu_e5m2); }
EMU_HANDLER(v_cvt_sr_f16_f32) { round_stochastically(w, in, &emu_e5m10); }
EMU_HANDLER(v_cvt_sr_bf16_f32) { round_stochastically(w, in, &emu_e8m7); }

//===-- up ----------------------------------------------------------------===//

// Exact but for results that are denormal in the wide format.
static uint32_t up_one(const emu_small_format *f, uint32_t code, wide to,
                       uint32_t scale) {
  double x = (double)emu_f32(emu_small_to_f32(f, code));
  x = ldexp(x, (int)exponent_of(scale) - 127);
  uint32_t sign = code >> (f->exponent_bits + f->fraction_bits) & 1;
  bool nan = x != x || exponent_of(scale) == 255;
  if (to == F16)
    return nan ? sign << 15 | 0x7e00u : emu_f64_to_f16(emu_u64(x));
  uint32_t bits = nan ? sign << 31 | 0x7fc00000u : emu_u32((float)x);
  return to == BF16 ? emu_f32_to_bf16(bits) : bits;
}

// `count` consecutive elements. OPSEL selects one or two of the source.
static void convert_up(emu_wave *w, const isa_insn *in,
                       const emu_small_format *f, wide to, int count) {
  const uint32_t *a = emu_src(w, in, 0), *scale = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  int bits = 1 + f->exponent_bits + f->fraction_bits;
  uint32_t op_sel = ISA_OPSEL(in->imm);
  uint32_t first = count > 2            ? 0
                   : bits * count == 16 ? (op_sel & 1) << 4
                                        : (op_sel & 3) << 3;
  bool high = count == 1 && to != F32 && op_sel >> 3;
  bool keep = count == 1 && to != F32;
  const uint32_t *old = EMU_FN(old_dst)(w, in);
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++)
    for (int k = 0; k < count; k++) {
      uint32_t at = first + (uint32_t)(k * bits);
      uint64_t pair = a[64 * (at / 32) + (unsigned)i];
      if (at % 32 + (uint32_t)bits > 32)
        pair |= (uint64_t)a[64 * (at / 32 + 1) + (unsigned)i] << 32;
      uint32_t code = (uint32_t)(pair >> at % 32) & ((1u << bits) - 1);
      uint32_t x = up_one(f, code, to, scale[i]);
      if (to == F32)
        d[64 * k + i] = x;
      else if (keep)
        d[i] = high ? (old[i] & 0xffffu) | x << 16 : (old[i] & ~0xffffu) | x;
      else if (k & 1)
        d[64 * (k / 2) + i] |= x << 16;
      else
        d[64 * (k / 2) + i] = x;
    }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}
#define UP(name, fmt, to, n)                                                   \
  EMU_HANDLER(name) { convert_up(w, in, &emu_##fmt, to, n); }
#define UP_EIGHT(small, fmt)                                                   \
  UP(v_cvt_scalef32_f32_##small, fmt, F32, 1)                                  \
  UP(v_cvt_scalef32_f16_##small, fmt, F16, 1)                                  \
  UP(v_cvt_scalef32_pk_f32_##small, fmt, F32, 2)                               \
  UP(v_cvt_scalef32_pk_f16_##small, fmt, F16, 2)                               \
  UP(v_cvt_scalef32_pk_bf16_##small, fmt, BF16, 2)
UP_EIGHT(fp8, e4m3)
UP_EIGHT(bf8, e5m2)
UP(v_cvt_scalef32_pk_f32_fp4, e2m1, F32, 2)
UP(v_cvt_scalef32_pk_f16_fp4, e2m1, F16, 2)
UP(v_cvt_scalef32_pk_bf16_fp4, e2m1, BF16, 2)
#define UP_SIX(small, fmt)                                                     \
  UP(v_cvt_scalef32_pk32_f32_##small, fmt, F32, 32)                            \
  UP(v_cvt_scalef32_pk32_f16_##small, fmt, F16, 32)                            \
  UP(v_cvt_scalef32_pk32_bf16_##small, fmt, BF16, 32)
UP_SIX(fp6, e2m3)
UP_SIX(bf6, e3m2)
