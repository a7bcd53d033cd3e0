// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Conversions between number formats, on bit patterns, rounding to nearest
/// even unless named otherwise. Pure functions; tested over all patterns.
/// Formats: IEEE 754 binary16/32/64; bf16 (upper half of binary32); fp8 E4M3FN
/// and E5M2, fp6, fp4, E8M0 (OCP "8-bit Floating Point Specification" and
/// "Microscaling Formats (MX)").
#ifndef FMHAC_EMU_NUMERIC_H
#define FMHAC_EMU_NUMERIC_H

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

/// fp8 E4M3FN → f32 bits.
uint32_t emu_fp8_to_f32(uint8_t x);
/// fp8 E5M2 → f32 bits.
uint32_t emu_bf8_to_f32(uint8_t x);
/// fp6 E2M3, bf6 E3M2, fp4 E2M1 → f32 bits (low 6 or 4 bits of x).
uint32_t emu_fp6_to_f32(uint8_t x);
uint32_t emu_bf6_to_f32(uint8_t x);
uint32_t emu_fp4_to_f32(uint8_t x);

/// f32 → fp8 E4M3FN. Beyond the largest number (448 after rounding): NaN, or
/// ±448 with `saturate`. Infinities likewise.
uint8_t emu_f32_to_fp8(uint32_t x, bool saturate);
/// f32 → fp8 E5M2. Beyond 57344 after rounding: ±infinity, or ±57344 with
/// `saturate`.
uint8_t emu_f32_to_bf8(uint32_t x, bool saturate);

/// A format narrower than f32: sign, exponent, fraction.
typedef struct emu_small_format {
  int exponent_bits, fraction_bits, bias;
  uint32_t largest;  ///< code of the largest number, without sign
  uint32_t infinity; ///< what overflow gives; of formats without, the largest
  uint32_t nan;      ///< likewise
} emu_small_format;
extern const emu_small_format emu_e2m1, emu_e2m3, emu_e3m2, emu_e4m3, emu_e5m2,
    emu_e5m10, emu_e8m7;

/// How emu_round_to() rounds.
typedef struct emu_rounding {
  bool stochastic; ///< adds the upper bits of `seed` and truncates; else even
  bool saturate;   ///< overflow gives the largest number
  uint32_t seed;
} emu_rounding;

/// f32 ÷ 2^`scale` → a code of `format`, rounded once. `source_bits` is how
/// many fraction bits the source had before it became f32 (23, 10 or 7):
/// stochastic rounding works in them.
uint32_t emu_round_to(const emu_small_format *format, uint32_t x, int scale,
                      int source_bits, emu_rounding rounding);
/// Code of `format` → f64, exact. NaNs are NaN.
double emu_small_to_f64(const emu_small_format *format, uint32_t code);

#endif // FMHAC_EMU_NUMERIC_H
