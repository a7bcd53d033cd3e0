// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions. CDNA3 ISA 12.8, 12.11; gfx950 forms from LLVM's definitions.
#include "floatop.h"
#include "numeric.h"

#define MODES                                                                  \
  uint32_t keep_in = w->f32_in;                                                \
  (void)keep_in
#define C1(name, expr)                                                         \
  EMU_LANES_OP(name, 1, MODES, uint32_t a = pa[i]; d[i] = (expr))
#define C2(name, expr)                                                         \
  EMU_LANES_OP(name, 2, , uint32_t a = pa[i], b = pb[i]; d[i] = (expr))

// Out of range saturates, NaN gives 0 (CDNA3 ISA 12.8).
static inline uint32_t to_i32(float f) {
  if (f != f)
    return 0;
  if (f >= 2147483648.0f)
    return 0x7fffffffu;
  if (f < -2147483648.0f)
    return 0x80000000u;
  return (uint32_t)(int32_t)f;
}
static inline uint32_t to_u32(float f) {
  if (!(f > 0.0f))
    return 0;
  if (f >= 4294967296.0f)
    return ~0u;
  return (uint32_t)(int64_t)f;
}
C1(v_cvt_f32_i32, emu_u32((float)(int32_t)a))
C1(v_cvt_f32_u32, emu_u32((float)a))
C1(v_cvt_i32_f32, to_i32(emu_f32(emu_flush32(a, keep_in))))
C1(v_cvt_u32_f32, to_u32(emu_f32(emu_flush32(a, keep_in))))
C1(v_cvt_rpi_i32_f32, to_i32(floorf(emu_f32(emu_flush32(a, keep_in)) + 0.5f)))
C1(v_cvt_flr_i32_f32, to_i32(floorf(emu_f32(emu_flush32(a, keep_in)))))
C1(v_cvt_f32_ubyte0, emu_u32((float)(a & 255)))
C1(v_cvt_f32_ubyte1, emu_u32((float)(a >> 8 & 255)))
C1(v_cvt_f32_ubyte2, emu_u32((float)(a >> 16 & 255)))
C1(v_cvt_f32_ubyte3, emu_u32((float)(a >> 24)))

static inline uint32_t f32_to_half(uint32_t a, const emu_wave *w) {
  return emu_half_out(emu_flush32(a, w->f32_in), emu_half(w));
}
// To nearest even whatever MODE says.
static inline uint32_t f32_to_near_half(uint32_t a, const emu_wave *w) {
  emu_half_mode m = emu_half(w);
  m.round = 0;
  return emu_half_out(emu_flush32(a, w->f32_in), m);
}
C1(v_cvt_f16_f32, f32_to_half(a, w))
C1(v_cvt_f32_f16, emu_f16_to_f32(EMU_FLUSH16(a & 0xffffu, w->f16_in)))
C1(v_cvt_f16_u16, emu_half_out(emu_u32((float)(a & 0xffffu)), emu_half(w)))
C1(v_cvt_f16_i16,
   emu_half_out(emu_u32((float)(int16_t)(uint16_t)a), emu_half(w)))
static inline uint32_t half_to_int(uint32_t h, float lo, float hi) {
  float f = emu_f32(emu_f16_to_f32(h & 0xffffu));
  f = f != f ? 0.0f : f < lo ? lo : f > hi ? hi : f;
  return (uint32_t)(int32_t)f & 0xffffu;
}
C1(v_cvt_u16_f16, half_to_int(a, 0.0f, 65535.0))
C1(v_cvt_i16_f16, half_to_int(a, -32768.0f, 32767.0))

C1(v_cvt_f32_bf16, a << 16)
// Denormal inputs are kept whatever MODE says: assumed (LLVM uses the
// instruction for a plain fptrunc under every denormal mode).
C2(v_cvt_pk_bf16_f32, emu_f32_to_bf16(a) | emu_f32_to_bf16(b) << 16)
C2(v_cvt_pk_f16_f32, f32_to_near_half(a, w) | f32_to_near_half(b, w) << 16)
static inline uint32_t f32_to_half_cut(uint32_t a, const emu_wave *w) {
  return emu_f32_to_f16_rounded(emu_flush32(a, w->f32_in), 3);
}
C2(v_cvt_pkrtz_f16_f32, f32_to_half_cut(a, w) | f32_to_half_cut(b, w) << 16)

// To nearest, which needs the exact product: 24 by 16 bits fit a double.
static inline uint32_t normed(float f, float lo, double scale) {
  f = f != f ? 0.0f : f < lo ? lo : f > 1.0f ? 1.0f : f;
  return (uint32_t)(int32_t)nearbyint((double)f * scale) & 0xffffu;
}
C2(v_cvt_pknorm_i16_f32, normed(emu_f32(a), -1.0f, 32767.0) |
                             normed(emu_f32(b), -1.0f, 32767.0) << 16)
C2(v_cvt_pknorm_u16_f32,
   normed(emu_f32(a), 0.0f, 65535.0) | normed(emu_f32(b), 0.0f, 65535.0) << 16)
#define NORM16(x, lo, scale)                                                   \
  normed(emu_f32(emu_f16_to_f32(EMU_FLUSH16((x)&0xffffu, w->f16_in))), lo,     \
         scale)
C2(v_cvt_pknorm_i16_f16, NORM16(a, -1.0f, 32767.0) | NORM16(b, -1.0f, 32767.0)
                                                         << 16)
C2(v_cvt_pknorm_u16_f16, NORM16(a, 0.0f, 65535.0) | NORM16(b, 0.0f, 65535.0)
                                                        << 16)
C1(v_cvt_norm_i16_f16, NORM16(a, -1.0f, 32767.0))
C1(v_cvt_norm_u16_f16, NORM16(a, 0.0f, 65535.0))
// Sixteenths of the signed low nibble.
C1(v_cvt_off_f32_i4, emu_u32((float)((int32_t)(a << 28) >> 28) / 16.0f))

static inline uint32_t byte_of(uint32_t a) {
  float f = emu_f32(a);
  return (uint32_t)rintf(f != f       ? 0.0f
                         : f < 0.0f   ? 0.0f
                         : f > 255.0f ? 255.0f
                                      : f);
}
// Into one byte of the destination; the others are those of the destination or
// of source 2.
#define BYTE(name, sources, others)                                            \
  EMU_EACH_LANE_OP(name, sources, , uint32_t at = 8 * (pb[i] & 3);             \
                   d[i] = (others[i] & ~(255u << at)) | byte_of(pa[i]) << at)
BYTE(v_cvt_pkaccum_u8_f32, 2_OLD, old)
BYTE(v_cvt_pk_u8_f32, 3, pc)

//===-- fp8 (OCP E4M3FN) and bf8 (E5M2) -----------------------------------===//

static inline uint32_t quiet(uint32_t x, const emu_wave *w) {
  return emu_flush32(x, w->f32_out);
}
#define FROM8(name, format)                                                    \
  EMU_LANES_OP(name, 1, ,                                                      \
               d[i] = quiet(emu_small_to_f32(&format, pa[i] & 0xffu), w))
FROM8(v_cvt_f32_fp8, emu_e4m3)
FROM8(v_cvt_f32_bf8, emu_e5m2)
#define PKFROM8(name, format)                                                  \
  EMU_EACH_LANE_OP(name, 1, , uint32_t a = pa[i];                              \
                   d[i] = quiet(emu_small_to_f32(&format, a & 0xffu), w);      \
                   d[64 + i] =                                                 \
                       quiet(emu_small_to_f32(&format, a >> 8 & 0xffu), w))
PKFROM8(v_cvt_pk_f32_fp8, emu_e4m3)
PKFROM8(v_cvt_pk_f32_bf8, emu_e5m2)

// Writes one half of the destination and keeps the other (op_sel bit of the
// destination chooses the high one). Saturates if FP16_OVFL is set.
#define TO8(name, format)                                                      \
  EMU_HANDLER(name) {                                                          \
    const uint32_t *pa = emu_src(w, in, 0), *pb = emu_src(w, in, 1);           \
    const uint32_t *old = EMU_FN(old_dst)(w, in);                              \
    uint32_t *d = w->tmp;                                                      \
    const emu_rounding even = {.saturate = w->mode >> 23 & 1};                 \
    bool high = in->flags & ISA_FLAG_DST_HI;                                   \
    for (int i = 0; i < EMU_LANES; i++) {                                      \
      uint32_t a = emu_flush32(pa[i], w->f32_in),                              \
               b = emu_flush32(pb[i], w->f32_in);                              \
      uint32_t r = emu_round_to(&format, a, 0, 23, even) |                     \
                   emu_round_to(&format, b, 0, 23, even) << 8;                 \
      d[i] = high ? r : (old[i] & 0xffff0000u) | r;                            \
    }                                                                          \
    emu_dst_done(w, in, d);                                                    \
  }
TO8(v_cvt_pk_fp8_f32, emu_e4m3)
TO8(v_cvt_pk_bf8_f32, emu_e5m2)

//===-- f64 ---------------------------------------------------------------===//

static inline double get(const uint32_t *p, int i) {
  return emu_f64(emu_pair(p, i));
}
EMU_EACH_LANE_OP(v_cvt_f32_f64, 1, ,
                 d[i] = emu_flush32(emu_u32((float)get(pa, i)), w->f32_out))
#define TO64(name, expr)                                                       \
  EMU_EACH_LANE_OP(name, 1, , uint32_t a = pa[i];                              \
                   emu_put_pair(d, i, emu_u64(expr)))
TO64(v_cvt_f64_f32, (double)emu_f32(emu_flush32(a, w->f32_in)))
TO64(v_cvt_f64_i32, (double)(int32_t)a)
TO64(v_cvt_f64_u32, (double)a)
static uint32_t f64_to_i32(double f) {
  return f != f               ? 0
         : f >= 2147483647.0  ? 0x7fffffffu
         : f <= -2147483648.0 ? 0x80000000u
                              : (uint32_t)(int32_t)f;
}
static uint32_t f64_to_u32(double f) {
  return !(f > 0) ? 0 : f >= 4294967295.0 ? ~0u : (uint32_t)f;
}
EMU_EACH_LANE_OP(v_cvt_i32_f64, 1, , d[i] = f64_to_i32(get(pa, i)))
EMU_EACH_LANE_OP(v_cvt_u32_f64, 1, , d[i] = f64_to_u32(get(pa, i)))
