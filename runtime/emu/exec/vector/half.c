// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 arithmetic, scalar and packed, mixed-precision fma, dot products.
// Sums and products of f16 are computed in f32: 24 bits are at least twice 11
// plus two, so rounding twice to nearest equals rounding once.
#include "floatop.h"
#include "numeric.h"

static inline uint32_t half_in(uint32_t x, uint32_t keep) {
  x &= 0xffffu;
  return emu_f16_to_f32_raw(EMU_FLUSH16(x, keep));
}
// The sum of two zeros of different signs, or of opposite numbers, is +0, and
// -0 when rounding down.
static inline uint32_t zero_sum(uint32_t a, uint32_t c, unsigned round) {
  return (a & 0x80000000u) == (c & 0x80000000u) ? a >> 16 & 0x8000u
         : round == 2                           ? 0x8000u
                                                : 0;
}
// a × b + c rounded once; the host rounds to nearest.
static inline uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c,
                                emu_half_mode m) {
  float exact = emu_f32(a) * emu_f32(b); // 22 bits: exact
  if (exact != exact || emu_isnan32(c) || isinf(exact) || isinf(emu_f32(c)))
    return emu_half_out(emu_fma32(a, b, c), m);
  uint64_t sum =
      emu_f64_fma_odd(emu_u64((double)emu_f32(a)), emu_u64((double)emu_f32(b)),
                      emu_u64((double)emu_f32(c)));
  if (sum << 1 == 0)
    return zero_sum(emu_u32(exact), c, m.round);
  uint32_t r = emu_f64_to_f16_mode(sum, m.round);
  r -= m.saturate && (r & 0x7fffu) == 0x7c00u;
  return EMU_FLUSH16(r, m.keep);
}

// A denormal f16, as f32, becomes a zero of its sign.
static inline uint32_t no_denormal(uint32_t x) {
  return (x & 0x7fffffffu) < 0x38800000u ? x & 0x80000000u : x;
}
// a × b rounded, then + c rounded (V_MAD_F16, V_MAC_F16 are not fused).
// Denormals are flushed whatever MODE says (CDNA4 ISA 12.11, V_MAD_F16; LLVM
// selects mad and mac only where they may be).
static inline uint32_t half_mad(uint32_t a, uint32_t b, uint32_t c,
                                emu_half_mode m) {
  m.keep = 0;
  uint32_t product = emu_mul32(no_denormal(a), no_denormal(b));
  product = emu_f16_to_f32_raw(emu_half_out(product, m));
  return emu_half_out(emu_add32(product, no_denormal(c)), m);
}

static inline uint32_t op_sub(uint32_t a, uint32_t b) {
  return emu_nan2(emu_u32(emu_f32(a) - emu_f32(b)), a, b);
}
static inline uint32_t ldexp32(uint32_t a, uint32_t b) {
  return emu_nan1(emu_u32(ldexpf(emu_f32(a), (int16_t)(uint16_t)b)), a);
}

// Sums, products: the host rounds as MODE says for f16, so that rounding twice
// in the same direction is rounding once.
#define H2_LOOP(expr, m)                                                       \
  for (int i = 0; i < EMU_LANES; i++) {                                        \
    uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki);                   \
    d[i] = emu_half_out(expr, m);                                              \
  }
#define H2(name, expr)                                                         \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint32_t *d = emu_dst(w, in), ki = w->f16_in;                              \
    if (emu_half_is_plain(w)) {                                                \
      const emu_half_mode plain = {w->f16_out, 0, false};                      \
      H2_LOOP(expr, plain)                                                     \
    } else {                                                                   \
      const emu_half_mode mode = emu_half(w);                                  \
      emu_round_f64(w);                                                        \
      H2_LOOP(expr, mode)                                                      \
      emu_round_f32(w);                                                        \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
H2(v_add_f16, emu_add32(a, b))
H2(v_sub_f16, op_sub(a, b))
H2(v_subrev_f16, op_sub(b, a))
H2(v_mul_f16, emu_mul32(a, b))
H2(v_min_f16, emu_min32(a, b, ieee))
H2(v_max_f16, emu_max32(a, b, ieee))
H2(v_ldexp_f16, ((void)b, ldexp32(a, pb[i])))

static inline uint32_t div_fixup16(uint32_t q, uint32_t den, uint32_t num) {
  uint32_t special;
  return emu_div_is_special(den, num, &special)
             ? special
             : ((den ^ num) & 0x80000000u) | (q & 0x7fffffffu);
}

// Three sources. With keep_high they keep the high half of the destination on
// gfx9 (LLVM GCNSubtarget::zeroesHigh16BitsOfDest).
#define H3(name, keep_high, host, expr)                                        \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    EMU_SRC3_OLD;                                                              \
    uint32_t high =                                                            \
        (keep_high) && !(in->flags & ISA_FLAG_DST_HI) ? 0xffff0000u : 0;       \
    uint32_t *d = w->tmp, ki = w->f16_in;                                      \
    const emu_half_mode m = emu_half(w);                                       \
    host(w);                                                                   \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki),                 \
               c = half_in(pc[i], ki);                                         \
      d[i] = (expr) | (old[i] & high);                                         \
    }                                                                          \
    emu_round_f32(w);                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
H3(v_fma_f16, 1, emu_round_nearest, half_fma(a, b, c, m))
H3(v_mad_f16, 1, emu_round_f64, half_mad(a, b, c, m))
H3(v_fma_legacy_f16, 0, emu_round_nearest, half_fma(a, b, c, m))
H3(v_mad_legacy_f16, 0, emu_round_f64, half_mad(a, b, c, m))
H3(v_min3_f16, 1, emu_round_nearest,
   emu_half_out(emu_min32(emu_min32(a, b, ieee), c, ieee), m))
H3(v_max3_f16, 1, emu_round_nearest,
   emu_half_out(emu_max32(emu_max32(a, b, ieee), c, ieee), m))
H3(v_med3_f16, 1, emu_round_nearest, emu_half_out(emu_med32(a, b, c, ieee), m))
H3(v_div_fixup_f16, 1, emu_round_nearest, emu_half_out(div_fixup16(a, b, c), m))
H3(v_div_fixup_legacy_f16, 0, emu_round_nearest,
   emu_half_out(div_fixup16(a, b, c), m))
// The constant of v_madmk is the second factor, of v_madak the addend.
H3(v_madmk_f16, 0, emu_round_f64, half_mad(a, b, c, m))

EMU_HANDLER(v_mac_f16) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),
                 *pc = EMU_FN(old_dst)(w, in);
  uint32_t *d = w->tmp, ki = w->f16_in;
  const emu_half_mode m = emu_half(w);
  emu_round_f64(w);
  for (int i = 0; i < EMU_LANES; i++)
    d[i] =
        half_mad(half_in(pa[i], ki), half_in(pb[i], ki), half_in(pc[i], ki), m);
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}

//===-- packed ------------------------------------------------------------===//

#define PK2_BODY(expr, m)                                                      \
  {                                                                            \
    uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki);                   \
    uint32_t lo = emu_half_out(expr, m);                                       \
    a = half_in(pa[i] >> 16, ki);                                              \
    b = half_in(pb[i] >> 16, ki);                                              \
    d[i] = lo | emu_half_out(expr, m) << 16;                                   \
  }
#define PK2(name, expr)                                                        \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint32_t *d = emu_dst(w, in), ki = w->f16_in;                              \
    if (emu_half_is_plain(w)) {                                                \
      const emu_half_mode plain = {w->f16_out, 0, false};                      \
      EMU_LANE_LOOP PK2_BODY(expr, plain)                                      \
    } else {                                                                   \
      const emu_half_mode mode = emu_half(w);                                  \
      emu_round_f64(w);                                                        \
      for (int i = 0; i < EMU_LANES; i++)                                      \
        PK2_BODY(expr, mode)                                                   \
      emu_round_f32(w);                                                        \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
PK2(v_pk_add_f16, emu_add32(a, b))
PK2(v_pk_mul_f16, emu_mul32(a, b))
PK2(v_pk_min_f16, emu_min32(a, b, ieee))
PK2(v_pk_max_f16, emu_max32(a, b, ieee))

static void packed_three(emu_wave *w, const isa_insn *in, const uint32_t *pc,
                         uint32_t (*f)(uint32_t, uint32_t, uint32_t,
                                       emu_half_mode)) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp, ki = w->f16_in;
  const emu_half_mode m = emu_half(w);
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t r = 0;
    for (int k = 0; k < 32; k += 16)
      r |= f(half_in(pa[i] >> k, ki), half_in(pb[i] >> k, ki),
             half_in(pc[i] >> k, ki), m)
           << k;
    d[i] = r;
  }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}
static uint32_t minimum3(uint32_t a, uint32_t b, uint32_t c, emu_half_mode m) {
  return emu_half_out(emu_minimum32(emu_minimum32(a, b), c), m);
}
static uint32_t maximum3(uint32_t a, uint32_t b, uint32_t c, emu_half_mode m) {
  return emu_half_out(emu_maximum32(emu_maximum32(a, b), c), m);
}
EMU_HANDLER(v_pk_fma_f16) { packed_three(w, in, emu_src(w, in, 2), half_fma); }
EMU_HANDLER(v_pk_fmac_f16) {
  packed_three(w, in, EMU_FN(old_dst)(w, in), half_fma);
}
EMU_HANDLER(v_pk_minimum3_f16) {
  packed_three(w, in, emu_src(w, in, 2), minimum3);
}
EMU_HANDLER(v_pk_maximum3_f16) {
  packed_three(w, in, emu_src(w, in, 2), maximum3);
}

//===-- mixed precision ---------------------------------------------------===//

// Sources arrive as f32 bits (exec/operand.c). Writes f32, or f16 into one
// half and keeps the other.
static void fma_mix(emu_wave *w, const isa_insn *in, int half) {
  EMU_SRC3_OLD;
  uint32_t *d = w->tmp;
  const emu_half_mode m = emu_half(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t a = emu_flush32(pa[i], w->f32_in),
             b = emu_flush32(pb[i], w->f32_in),
             c = emu_flush32(pc[i], w->f32_in);
    d[i] = emu_flush32(emu_fma32(a, b, c), w->f32_out);
  }
  if (half >= 0) {
    emu_round_nearest(w); // the conversion rounds as MODE says for f16
    for (int i = 0; i < EMU_LANES; i++) {
      float f = emu_f32(d[i]);
      // Without DX10_CLAMP clamp keeps a NaN.
      if (in->flags & ISA_FLAG_CLAMP && (f == f || (w->mode >> 8 & 1)))
        f = f > 1.0f ? 1.0f : f > 0.0f ? f : 0.0f;
      uint32_t h = emu_half_out(emu_u32(f), m);
      d[i] = half ? (old[i] & 0xffffu) | h << 16 : (old[i] & 0xffff0000u) | h;
    }
    emu_round_f32(w);
  }
  uint64_t exec = emu_exec(w);
  if (half < 0) {
    emu_dst_done(w, in, d);
    return;
  }
  int at = in->dst[0].index;
  if (emu_gpr_idx(w, in) & 8)
    at = emu_gpr_indexed(w, in->dst[0].index, 1);
  for (int i = 0; i < EMU_LANES && at >= 0; i++)
    if (exec >> i & 1)
      w->v[at][i] = d[i];
}
EMU_HANDLER(v_fma_mix_f32) { fma_mix(w, in, -1); }
EMU_HANDLER(v_fma_mixlo_f16) { fma_mix(w, in, 0); }
EMU_HANDLER(v_fma_mixhi_f16) { fma_mix(w, in, 1); }

//===-- dot products (of integers: exec/vector/dot.c) ---------------------===//

// Sums in the manual's order, rounded to nearest even after each step, whatever
// MODE says; denormals become zeros on both sides (CDNA4 ISA 6.4, 12.10). With
// `addend_last` both products come first. Products of 16-bit numbers are exact.
// Every NaN result of f16 is the same (ERRATA.md).
static void dot2(emu_wave *w, const isa_insn *in, const uint32_t *pc, bool bf16,
                 bool addend_last) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  emu_round_nearest(w);
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t c = emu_flush32(pc[i], 0), r = addend_last ? 0x80000000u : c;
    for (int k = 0; k < 32; k += 16) {
      uint32_t a = pa[i] >> k & 0xffff, b = pb[i] >> k & 0xffff;
      a = bf16 ? emu_flush32(a << 16, 0) : half_in(a, 0);
      b = bf16 ? emu_flush32(b << 16, 0) : half_in(b, 0);
      r = emu_fma32(a, b, r);
    }
    r = emu_flush32(addend_last ? emu_add32(r, c) : r, 0);
    d[i] = !bf16 && emu_isnan32(r) ? EMU_NAN32 : r;
  }
  emu_round_f32(w);
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_dot2_f32_f16) { dot2(w, in, emu_src(w, in, 2), false, false); }
EMU_HANDLER(v_dot2_f32_bf16) { dot2(w, in, emu_src(w, in, 2), true, true); }
EMU_HANDLER(v_dot2c_f32_f16) {
  dot2(w, in, EMU_FN(old_dst)(w, in), false, false);
}
EMU_HANDLER(v_dot2c_f32_bf16) {
  dot2(w, in, EMU_FN(old_dst)(w, in), true, false);
}
