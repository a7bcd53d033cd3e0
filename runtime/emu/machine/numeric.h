// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conversions between number formats, on bit patterns, rounding to nearest
/// even unless named otherwise. Pure functions; tested over all patterns.
/// Formats: IEEE 754 binary16/32/64; bf16 (upper half of binary32); fp8 E4M3FN
/// and E5M2, fp6, fp4, E8M0 (OCP "8-bit Floating Point Specification" and
/// "Microscaling Formats (MX)").
#ifndef FMHAC_ISA_NUMERIC_H
#define FMHAC_ISA_NUMERIC_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// f16 → f32, exact; signalling NaNs become quiet.
static inline uint32_t emu_f16_to_f32(uint32_t h) {
  uint32_t sign = (h & 0x8000u) << 16, e = h >> 10 & 31, m = h & 0x3ff;
  // A denormal is m × 2^-24: exact in f32 by conversion from integer.
  float d = (float)(int32_t)m * 0x1p-24f;
  uint32_t denormal;
  memcpy(&denormal, &d, 4);
  uint32_t normal = (e + 112) << 23 | m << 13;
  uint32_t special = 0x7f800000u | m << 13 | (m ? 0x400000u : 0);
  uint32_t x = e == 0 ? denormal : e == 31 ? special : normal;
  return sign | x;
}

/// As emu_f16_to_f32(), but signalling NaNs stay signalling.
static inline uint32_t emu_f16_to_f32_raw(uint32_t h) {
  bool signalling = (h & 0x7e00u) == 0x7c00u && (h & 0x1ffu);
  return emu_f16_to_f32(h) & (signalling ? ~0x400000u : ~0u);
}

/// f32 → f16, whatever the host's rounding mode is.
static inline uint32_t emu_f32_to_f16(uint32_t x) {
  uint32_t sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
  // Normal results: re-bias and round on bit 13.
  uint32_t normal = (a - 0x38000000u + 0xfffu + (a >> 13 & 1)) >> 13;
  // Denormal results: the significand in units of 2^-24, rounded likewise.
  // Below half of that unit the shift leaves nothing.
  uint32_t e = a >> 23, m = (a & 0x7fffffu) | 0x800000u;
  uint32_t shift = e > 101 ? 126 - e : 25;
  shift = e > 112 ? 1 : shift; // not used then
  m = e > 101 ? m : 0;
  uint32_t denormal = (m + (1u << (shift - 1)) - 1 + (m >> shift & 1)) >> shift;
  uint32_t nan = 0x7e00u | (a >> 13 & 0x3ffu);
  uint32_t r = a < 0x38800000u ? denormal : normal;
  r = a >= 0x477ff000u ? 0x7c00u : r;
  r = a > 0x7f800000u ? nan : r;
  return sign | r;
}

/// f32 → f16 in a rounding mode, numbered as MODE does: 0 to nearest even, 1
/// up, 2 down, 3 to zero. Whatever the host's rounding mode is.
uint32_t emu_f32_to_f16_rounded(uint32_t x, unsigned mode);

/// f32 → bf16; NaNs stay NaN, quiet.
static inline uint32_t emu_f32_to_bf16(uint32_t x) {
  uint32_t r = (x + 0x7fffu + (x >> 16 & 1)) >> 16;
  return (x & 0x7fffffffu) > 0x7f800000u ? (x >> 16 | 0x40u) : r;
}
static inline uint32_t emu_bf16_to_f32(uint32_t b) { return b << 16; }

/// f64 → f16, one rounding: to nearest even, or in a mode as MODE numbers them
/// (0 nearest even, 1 up, 2 down, 3 to zero).
uint32_t emu_f64_to_f16(uint64_t bits);
uint32_t emu_f64_to_f16_mode(uint64_t bits, unsigned mode);

/// Sum or product that was rounded to f64 with an error: makes the lowest bit
/// odd so that a later rounding is right (round to odd). The host must round to
/// nearest.
uint64_t emu_f64_fma_odd(uint64_t a, uint64_t b, uint64_t c);

/// A format narrower than f32: sign, exponent, fraction.
typedef struct emu_small_format {
  int exponent_bits, fraction_bits, bias;
  uint32_t largest;  ///< code of the largest number, without sign
  uint32_t infinity; ///< result of overflow; formats without: the largest
  uint32_t nan;      ///< likewise
} emu_small_format;
static const emu_small_format emu_e2m1 = {2, 1, 1, 7, 7, 7};
static const emu_small_format emu_e2m3 = {2, 3, 1, 31, 31, 31};
static const emu_small_format emu_e3m2 = {3, 2, 3, 31, 31, 31};
static const emu_small_format emu_e4m3 = {4, 3, 7, 0x7e, 0x7f, 0x7f};
static const emu_small_format emu_e5m2 = {5, 2, 15, 0x7b, 0x7c, 0x7f};
static const emu_small_format emu_e5m10 = {5, 10, 15, 0x7bff, 0x7c00, 0x7e00};
static const emu_small_format emu_e8m7 = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};

/// Rounding of emu_round_to().
typedef struct emu_rounding {
  bool stochastic; ///< adds the upper bits of `seed` and truncates; else even
  bool saturate;   ///< overflow gives the largest number
  uint32_t seed;
} emu_rounding;

/// f32 ÷ 2^`scale` → a code of `format`, rounded once. `source_bits` is how
/// many fraction bits the source had before it became f32 (23, 10 or 7):
/// stochastic rounding works in them.
static inline uint32_t emu_round_to(const emu_small_format *f, uint32_t x,
                                    int scale, int source_bits,
                                    emu_rounding rounding) {
  uint32_t sign = x >> 31 << (f->exponent_bits + f->fraction_bits);
  uint32_t a = x & 0x7fffffffu, overflow = f->infinity;
  if (rounding.saturate)
    overflow = f->largest;
  if (a > 0x7f800000u)
    return sign | f->nan;
  if (a == 0x7f800000u)
    return sign | overflow;
  if (a == 0)
    return sign;
  // Value = m × 2^(e - source_bits), m with its leading bit at source_bits.
  int e = (int)(a >> 23) - 127;
  uint32_t m = a & 0x7fffffu;
  if (a >> 23)
    m |= 0x800000u;
  else
    for (e = -126; !(m >> 23); e--)
      m <<= 1;
  m >>= 23 - source_bits;
  e -= scale;
  int least = 1 - f->bias, drop = source_bits - f->fraction_bits;
  int shift = e < least ? least - e : 0; // of denormal results
  uint32_t kept;
  if (rounding.stochastic) {
    m = shift < 32 ? m >> shift : 0;
    m += rounding.seed >> (32 - drop);
    kept = m >> drop;
  } else {
    int all = drop + shift;
    kept = all < 32 ? m >> all : 0;
    uint32_t rest = all < 32 ? m & ((1u << all) - 1) : m;
    uint32_t half = all < 1 ? 1 : all < 32 ? 1u << (all - 1) : ~0u;
    if (rest > half || (rest == half && (kept & 1)))
      kept++;
  }
  // The leading bit adds 1 to the exponent, a carry another.
  uint64_t code =
      kept + (shift ? 0 : (uint64_t)(e + f->bias - 1) << f->fraction_bits);
  return sign | (code > f->largest ? overflow : (uint32_t)code);
}
/// Code of `f` → f32 bits, exact. NaNs become quiet and keep their sign, and
/// their payload where the format has infinities.
static inline uint32_t emu_small_to_f32(const emu_small_format *f,
                                        uint32_t code) {
  uint32_t magnitude = (1u << (f->exponent_bits + f->fraction_bits)) - 1;
  uint32_t a = code & magnitude, sign = code & (magnitude + 1) ? 1u << 31 : 0;
  // Shifted into the place of f32's fields, with the exponent's bias made up by
  // a multiplication, which normalises denormals too.
  uint32_t bits = a << (23 - f->fraction_bits);
  uint32_t power = (uint32_t)(254 - f->bias) << 23; // 2^(127 - bias)
  float value, scale;
  memcpy(&value, &bits, 4);
  memcpy(&scale, &power, 4);
  value *= scale;
  uint32_t x;
  memcpy(&x, &value, 4);
  bool infinities = f->infinity != f->nan;
  uint32_t payload = infinities ? bits & 0x7fffffu : 0;
  x = a > f->largest ? 0x7fc00000u | payload : x;
  x = infinities && a == f->infinity ? 0x7f800000u : x;
  return sign | x;
}
/// The next number of V_PRNG_B32, one step of a linear feedback shift register
/// (CDNA4 ISA).
static inline uint32_t emu_prng_step(uint32_t x) {
  return x << 1 ^ (x >> 31 ? 0xc5u : 0);
}

#endif // FMHAC_ISA_NUMERIC_H
