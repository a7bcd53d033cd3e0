// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 arithmetic, scalar and packed, mixed-precision fma, dot products.
// Sums, products and quotients of f16 are computed in f32: 24 bits are at
// least twice 11 plus two, so rounding twice equals rounding once.
#include "floatop.h"
#include "numeric.h"

static inline uint32_t half_in(uint32_t x, uint32_t keep) {
  x &= 0xffffu;
  return emu_f16_to_f32_raw(EMU_FLUSH16(x, keep));
}
static inline uint32_t half_out(uint32_t f32, uint32_t keep) {
  uint32_t h = emu_f32_to_f16(f32);
  return EMU_FLUSH16(h, keep);
}
// a × b + c rounded once.
static inline uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c,
                                uint32_t keep) {
  uint32_t r;
  float exact = emu_f32(a) * emu_f32(b); // 22 bits: exact
  if (exact != exact || emu_isnan32(c) || isinf(exact) || isinf(emu_f32(c)))
    r = emu_f32_to_f16(emu_fma32(a, b, c));
  else
    r = emu_f64_to_f16(emu_f64_fma_odd(emu_u64((double)emu_f32(a)),
                                       emu_u64((double)emu_f32(b)),
                                       emu_u64((double)emu_f32(c))));
  return EMU_FLUSH16(r, keep);
}

// a × b rounded, then + c rounded (V_MAD_F16, V_MAC_F16 are not fused).
static inline uint32_t half_mad(uint32_t a, uint32_t b, uint32_t c,
                                uint32_t keep) {
  uint32_t product = emu_f16_to_f32_raw(half_out(emu_mul32(a, b), keep));
  return half_out(emu_add32(product, c), keep);
}

static inline uint32_t op_sub(uint32_t a, uint32_t b) {
  return emu_nan2(emu_u32(emu_f32(a) - emu_f32(b)), a, b);
}
static inline uint32_t ldexp32(uint32_t a, uint32_t b) {
  return emu_nan1(emu_u32(ldexpf(emu_f32(a), (int16_t)(uint16_t)b)), a);
}

#define H2(name, expr)                                                         \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    if (!emu_half_mode(w, in))                                                 \
      return;                                                                  \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint32_t *d = emu_dst(w, in), ki = w->f16_in, ko = w->f16_out;             \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki);                 \
      d[i] = half_out(expr, ko);                                               \
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
  uint32_t sign = (den ^ num) & 0x80000000u;
  uint32_t aden = den & 0x7fffffffu, anum = num & 0x7fffffffu;
  if (anum > 0x7f800000u)
    return num | 0x400000u;
  if (aden > 0x7f800000u)
    return den | 0x400000u;
  if ((!aden && !anum) || (aden == 0x7f800000u && anum == 0x7f800000u))
    return 0xffc00000u;
  if (!aden || anum == 0x7f800000u)
    return sign | 0x7f800000u;
  if (aden == 0x7f800000u || !anum)
    return sign;
  return sign | (q & 0x7fffffffu);
}

// Three sources. These keep the high half of the destination on gfx9 (LLVM
// GCNSubtarget::zeroesHigh16BitsOfDest) where KEEP is 1.
#define H3(name, keep_high, expr)                                              \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    if (!emu_half_mode(w, in))                                                 \
      return;                                                                  \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),           \
                   *pc = emu_src(w, in, 2), *old = EMU_FN(old_dst)(w, in);     \
    uint32_t high =                                                            \
        (keep_high) && !(in->flags & EMU_F_DST_HI) ? 0xffff0000u : 0;          \
    uint32_t *d = w->tmp, ki = w->f16_in, ko = w->f16_out;                     \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki),                 \
               c = half_in(pc[i], ki);                                         \
      d[i] = (expr) | (old[i] & high);                                         \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
H3(v_fma_f16, 1, half_fma(a, b, c, ko))
H3(v_mad_f16, 1, half_mad(a, b, c, ko))
H3(v_fma_legacy_f16, 0, half_fma(a, b, c, ko))
H3(v_min3_f16, 1, half_out(emu_min32(emu_min32(a, b, ieee), c, ieee), ko))
H3(v_max3_f16, 1, half_out(emu_max32(emu_max32(a, b, ieee), c, ieee), ko))
H3(v_med3_f16, 1, half_out(emu_med32(a, b, c, ieee), ko))
H3(v_div_fixup_f16, 1, half_out(div_fixup16(a, b, c), ko))

EMU_HANDLER(v_mac_f16) {
  if (!emu_half_mode(w, in))
    return;
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),
                 *pc = EMU_FN(old_dst)(w, in);
  uint32_t *d = w->tmp, ki = w->f16_in, ko = w->f16_out;
  for (int i = 0; i < EMU_LANES; i++)
    d[i] = half_mad(half_in(pa[i], ki), half_in(pb[i], ki), half_in(pc[i], ki),
                    ko);
  emu_dst_done(w, in, d);
}

//===-- packed
//--------------------------------------------------------------===//

#define PK2(name, expr)                                                        \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    if (!emu_half_mode(w, in))                                                 \
      return;                                                                  \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    uint32_t *d = emu_dst(w, in), ki = w->f16_in, ko = w->f16_out;             \
    EMU_LANE_LOOP {                                                            \
      uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki);                 \
      uint32_t lo = half_out(expr, ko);                                        \
      a = half_in(pa[i] >> 16, ki);                                            \
      b = half_in(pb[i] >> 16, ki);                                            \
      d[i] = lo | half_out(expr, ko) << 16;                                    \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
PK2(v_pk_add_f16, emu_add32(a, b))
PK2(v_pk_mul_f16, emu_mul32(a, b))
PK2(v_pk_min_f16, emu_min32(a, b, ieee))
PK2(v_pk_max_f16, emu_max32(a, b, ieee))

#define PK3(name, expr)                                                        \
  EMU_HANDLER(name) {                                                          \
    bool ieee = EMU_IEEE(w);                                                   \
    (void)ieee;                                                                \
    if (!emu_half_mode(w, in))                                                 \
      return;                                                                  \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),           \
                   *pc = emu_src(w, in, 2);                                    \
    uint32_t *d = emu_dst(w, in), ki = w->f16_in, ko = w->f16_out;             \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = half_in(pa[i], ki), b = half_in(pb[i], ki),                 \
               c = half_in(pc[i], ki), lo = expr;                              \
      a = half_in(pa[i] >> 16, ki);                                            \
      b = half_in(pb[i] >> 16, ki);                                            \
      c = half_in(pc[i] >> 16, ki);                                            \
      d[i] = lo | (expr) << 16;                                                \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
PK3(v_pk_fma_f16, half_fma(a, b, c, ko))
PK3(v_pk_minimum3_f16, half_out(emu_minimum32(emu_minimum32(a, b), c), ko))
PK3(v_pk_maximum3_f16, half_out(emu_maximum32(emu_maximum32(a, b), c), ko))

//===-- mixed precision
//-------------------------------------------------------===//

// Sources arrive as f32 bits (exec_operand.c). Writes f32, or f16 into one
// half and keeps the other.
static void fma_mix(emu_wave *w, const emu_insn *in, int half) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),
                 *pc = emu_src(w, in, 2), *old = EMU_FN(old_dst)(w, in);
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t a = emu_flush32(pa[i], w->f32_in),
             b = emu_flush32(pb[i], w->f32_in),
             c = emu_flush32(pc[i], w->f32_in);
    uint32_t r = emu_flush32(emu_fma32(a, b, c), w->f32_out);
    if (half >= 0) {
      if (in->flags & EMU_F_CLAMP) {
        float f = emu_f32(r);
        r = emu_u32(f > 1.0f ? 1.0f : f > 0.0f ? f : 0.0f);
      }
      uint32_t h = emu_f32_to_f16(r);
      r = half ? (old[i] & 0xffffu) | h << 16 : (old[i] & 0xffff0000u) | h;
    }
    d[i] = r;
  }
  uint64_t exec = emu_exec(w);
  if (half < 0) {
    emu_dst_done(w, in, d);
    return;
  }
  uint32_t *v = w->v[in->dst[0].index];
  for (int i = 0; i < EMU_LANES; i++)
    if (exec >> i & 1)
      v[i] = d[i];
}
EMU_HANDLER(v_fma_mix_f32) { fma_mix(w, in, -1); }
EMU_HANDLER(v_fma_mixlo_f16) { fma_mix(w, in, 0); }
EMU_HANDLER(v_fma_mixhi_f16) { fma_mix(w, in, 1); }

//===-- dot products: order of the two additions is assumed
//-------------------===//

static void dot2(emu_wave *w, const emu_insn *in, const uint32_t *pc,
                 bool bf16) {
  const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    uint32_t r = pc[i];
    for (int k = 0; k < 32; k += 16) {
      uint32_t a = pa[i] >> k & 0xffff, b = pb[i] >> k & 0xffff;
      r = bf16 ? emu_fma32(a << 16, b << 16, r)
               : emu_fma32(emu_f16_to_f32(a), emu_f16_to_f32(b), r);
    }
    d[i] = r;
  }
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_dot2_f32_f16) { dot2(w, in, emu_src(w, in, 2), false); }
EMU_HANDLER(v_dot2_f32_bf16) { dot2(w, in, emu_src(w, in, 2), true); }
EMU_HANDLER(v_dot2c_f32_f16) { dot2(w, in, EMU_FN(old_dst)(w, in), false); }
EMU_HANDLER(v_dot2c_f32_bf16) { dot2(w, in, EMU_FN(old_dst)(w, in), true); }

#define DOT(name, step, type, addend)                                          \
  EMU_HANDLER(name) {                                                          \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1),           \
                   *pc = (addend);                                             \
    uint32_t *d = w->tmp;                                                      \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t r = pc[i];                                                      \
      for (int k = 0; k < 32; k += step)                                       \
        r += (uint32_t)((int64_t)(type)(pa[i] >> k) * (type)(pb[i] >> k));     \
      d[i] = r;                                                                \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
DOT(v_dot4_i32_i8, 8, int8_t, emu_src(w, in, 2))
DOT(v_dot4c_i32_i8, 8, int8_t, w->v[in->dst[0].index])
DOT(v_dot4_u32_u8, 8, uint8_t, emu_src(w, in, 2))
DOT(v_dot2_i32_i16, 16, int16_t, emu_src(w, in, 2))
DOT(v_dot2_u32_u16, 16, uint16_t, emu_src(w, in, 2))
