// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Common code of the floating-point handlers: flushing, NaN results, minimum
/// and maximum. x86 and gfx950 differ in which NaN an operation returns and
/// compilers may swap operands, so NaN results are chosen here: the first NaN
/// operand made quiet, else EMU_NAN32 (ERRATA.md).
#ifndef FMHAC_EMU_FLOATOP_H
#define FMHAC_EMU_FLOATOP_H

#include <math.h>

#include "lanes.h"
#include "numeric.h"

/// The result of an invalid operation without a NaN operand: its sign is set.
#define EMU_NAN32 0xffc00000u
#define EMU_NAN64 0xfff8000000000000u // by analogy: assumed

static inline uint32_t emu_nan1(uint32_t r, uint32_t a) {
  uint32_t n = emu_isnan32(a) ? a | 0x400000u : EMU_NAN32;
  return emu_isnan32(r) ? n : r;
}
static inline uint32_t emu_nan2(uint32_t r, uint32_t a, uint32_t b) {
  uint32_t n = emu_isnan32(b) ? b | 0x400000u : EMU_NAN32;
  n = emu_isnan32(a) ? a | 0x400000u : n;
  return emu_isnan32(r) ? n : r;
}
static inline uint32_t emu_nan3(uint32_t r, uint32_t a, uint32_t b,
                                uint32_t c) {
  uint32_t n = emu_isnan32(c) ? c | 0x400000u : EMU_NAN32;
  n = emu_isnan32(b) ? b | 0x400000u : n;
  n = emu_isnan32(a) ? a | 0x400000u : n;
  return emu_isnan32(r) ? n : r;
}

static inline bool emu_issnan32(uint32_t x) {
  return emu_isnan32(x) && !(x & 0x400000u);
}

/// Smaller and larger as IEEE 754-2008 minNum, maxNum with -0 < +0: a NaN
/// yields the other operand; with the IEEE bit of MODE (`ieee`) a signalling
/// NaN yields itself, quiet (CDNA3 ISA 12.7, V_MIN_F32).
static inline uint32_t emu_pick32(uint32_t r, uint32_t a, uint32_t b,
                                  bool ieee) {
  r = emu_isnan32(b) ? a : r;
  r = emu_isnan32(a) ? b : r;
  r = ieee && emu_issnan32(b) ? b : r;
  r = ieee && emu_issnan32(a) ? a : r;
  return emu_isnan32(r) ? r | 0x400000u : r;
}
static inline uint32_t emu_min32(uint32_t a, uint32_t b, bool ieee) {
  float x = emu_f32(a), y = emu_f32(b);
  return emu_pick32(x < y || (x == y && (a >> 31)) ? a : b, a, b, ieee);
}
static inline uint32_t emu_max32(uint32_t a, uint32_t b, bool ieee) {
  float x = emu_f32(a), y = emu_f32(b);
  return emu_pick32(x > y || (x == y && !(a >> 31)) ? a : b, a, b, ieee);
}
/// IEEE 754-2019 minimum and maximum: a NaN stays, a signalling one before a
/// quiet one (CDNA4 ISA 12.11, V_MINIMUM3_F32).
static inline uint32_t emu_keep_nan32(uint32_t r, uint32_t a, uint32_t b) {
  r = emu_isnan32(b) ? b | 0x400000u : r;
  r = emu_isnan32(a) ? a | 0x400000u : r;
  bool signalling = emu_issnan32(b) && !emu_issnan32(a);
  return signalling ? b | 0x400000u : r;
}
static inline uint32_t emu_minimum32(uint32_t a, uint32_t b) {
  return emu_keep_nan32(emu_min32(a, b, false), a, b);
}
static inline uint32_t emu_maximum32(uint32_t a, uint32_t b) {
  return emu_keep_nan32(emu_max32(a, b, false), a, b);
}
/// An integer that orders numbers as minNum and maxNum do, and back again.
static inline int32_t emu_key32(uint32_t x) {
  return (int32_t)(x ^ (uint32_t)((int32_t)x >> 31) >> 1);
}
/// Whether any of 64 values is a NaN.
static inline bool emu_any_nan32(const uint32_t *p) {
  uint32_t any = 0;
  EMU_LANE_LOOP any |= (p[i] & 0x7fffffffu) > 0x7f800000u;
  return any;
}
static inline uint32_t emu_med32(uint32_t a, uint32_t b, uint32_t c,
                                 bool ieee) {
  // In order of size, -0 before +0; of NaNs as the smallest of three (CDNA4 ISA
  // 12.11, V_MED3_F32, which leaves out the largest: of zeros as hardware
  // orders them, llvm-project pull request 201896).
  uint32_t low = emu_min32(a, b, ieee), high = emu_max32(a, b, ieee);
  uint32_t least = emu_min32(low, c, ieee);
  uint32_t mid = emu_max32(low, emu_min32(high, c, ieee), ieee);
  bool nan = emu_isnan32(a) || emu_isnan32(b) || emu_isnan32(c);
  return nan ? least : mid;
}
/// The same for f64.
static inline bool emu_issnan64(double a) {
  return a != a && !(emu_u64(a) >> 51 & 1);
}
static inline double emu_pick64(double r, double a, double b, bool ieee) {
  r = a != a ? b : b != b ? a : r;
  return ieee && emu_issnan64(a) ? a : ieee && emu_issnan64(b) ? b : r;
}
static inline double emu_min64(double a, double b, bool ieee) {
  return emu_pick64(a < b || (a == b && signbit(a)) ? a : b, a, b, ieee);
}
static inline double emu_max64(double a, double b, bool ieee) {
  return emu_pick64(a > b || (a == b && !signbit(a)) ? a : b, a, b, ieee);
}
#define EMU_IEEE(w) ((w)->mode >> 9 & 1)

static inline uint32_t emu_add32(uint32_t a, uint32_t b) {
  return emu_nan2(emu_u32(emu_f32(a) + emu_f32(b)), a, b);
}
static inline uint32_t emu_mul32(uint32_t a, uint32_t b) {
  return emu_nan2(emu_u32(emu_f32(a) * emu_f32(b)), a, b);
}
static inline uint32_t emu_fma32(uint32_t a, uint32_t b, uint32_t c) {
  return emu_nan3(emu_u32(fmaf(emu_f32(a), emu_f32(b), emu_f32(c))), a, b, c);
}

static inline void emu_round_nearest(const emu_wave *w) {
  if (w->mode & 3)
    emu_round(0);
}
static inline void emu_round_f64(const emu_wave *w) {
  if (w->mode & 15)
    emu_round(w->mode >> 2);
}
static inline void emu_round_f32(const emu_wave *w) {
  if (w->mode & 15)
    emu_round(w->mode);
}

/// A half of a packed f16, flushed as MODE says, as f32.
#define EMU_FLUSH16(x, keep)                                                   \
  (((x)&0x7c00u) == 0 ? (x) & (0x8000u | (keep)) : (x))

/// Conversion of a result to f16 by MODE: FP_ROUND bits 3:2, FP_DENORM,
/// FP16_OVFL (overflow gives the largest number; infinities stay). CDNA4
/// ISA 3.5.
typedef struct emu_half_mode {
  uint32_t keep; ///< ~0 keep denormals, 0 flush
  unsigned round;
  bool saturate;
} emu_half_mode;
static inline emu_half_mode emu_half(const emu_wave *w) {
  return (emu_half_mode){w->f16_out, w->mode >> 2 & 3, w->mode >> 23 & 1};
}
/// True if f16 results are rounded to nearest even and no other rounding of the
/// host is needed: the fast path.
static inline bool emu_half_is_plain(const emu_wave *w) {
  return !(w->mode & 0x80000fu);
}
/// f32 → f16. For results that f32 arithmetic rounded before, the host must
/// have rounded in the same mode.
static inline uint32_t emu_half_out(uint32_t x, emu_half_mode m) {
  uint32_t h = emu_f32_to_f16(x);
  if (m.round || m.saturate) {
    h = emu_f32_to_f16_rounded(x, m.round);
    h -= m.saturate && (h & 0x7fffu) == 0x7c00u &&
         (x & 0x7fffffffu) != 0x7f800000u;
  }
  return EMU_FLUSH16(h, m.keep);
}

/// Sums of two halves each, for atomics, denormals flushed on either side
/// unless `keep_*` is ~0.
static inline uint32_t emu_pk_add_f16(uint32_t a, uint32_t b, uint32_t keep_in,
                                      uint32_t keep_out) {
  uint32_t r = 0;
  for (int k = 0; k < 32; k += 16) {
    uint32_t x = a >> k & 0xffff, y = b >> k & 0xffff;
    uint32_t h =
        emu_f32_to_f16(emu_add32(emu_f16_to_f32_raw(EMU_FLUSH16(x, keep_in)),
                                 emu_f16_to_f32_raw(EMU_FLUSH16(y, keep_in))));
    r |= EMU_FLUSH16(h, keep_out) << k;
  }
  return r;
}
/// bf16 has the exponents of f32, but its mode is that of 16 bits: assumed.
static inline uint32_t emu_flush_bf16(uint32_t x, uint32_t keep) {
  return (x & 0x7f80u) == 0 ? x & (0x8000u | keep) : x;
}
static inline uint32_t emu_pk_add_bf16(uint32_t a, uint32_t b, uint32_t keep_in,
                                       uint32_t keep_out) {
  uint32_t r = 0;
  for (int k = 0; k < 32; k += 16) {
    uint32_t x = emu_flush_bf16(a >> k & 0xffff, keep_in);
    uint32_t y = emu_flush_bf16(b >> k & 0xffff, keep_in);
    uint32_t sum = emu_f32_to_bf16(emu_add32(x << 16, y << 16));
    r |= emu_flush_bf16(sum, keep_out) << k;
  }
  return r;
}

/// Quotients of zeros, infinities and NaNs: V_DIV_FIXUP does not look at the
/// computed one.
static inline bool emu_div_is_special(uint32_t den, uint32_t num,
                                      uint32_t *out) {
  const uint32_t infinity = 0x7f800000u, sign = (den ^ num) & 0x80000000u;
  uint32_t aden = den & 0x7fffffffu, anum = num & 0x7fffffffu;
  if (anum > infinity)
    *out = num | 0x400000u;
  else if (aden > infinity)
    *out = den | 0x400000u;
  else if ((!aden && !anum) || (aden == infinity && anum == infinity))
    *out = EMU_NAN32;
  else if (!aden || anum == infinity)
    *out = sign | infinity;
  else if (aden == infinity || !anum)
    *out = sign;
  else
    return false;
  return true;
}

#endif // FMHAC_EMU_FLOATOP_H
