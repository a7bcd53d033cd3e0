// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numeric.h"

#include <math.h>

static double from_bits(uint64_t x) {
  double d;
  memcpy(&d, &x, 8);
  return d;
}
static uint64_t to_bits(double d) {
  uint64_t x;
  memcpy(&x, &d, 8);
  return x;
}

uint32_t emu_f32_to_f16_rounded(uint32_t x, unsigned mode) {
  uint32_t sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
  if (a > 0x7f800000u)
    return sign | 0x7e00u | (a >> 13 & 0x3ffu);
  if (a == 0x7f800000u)
    return sign | 0x7c00u;
  bool away = mode == 1 ? !sign : mode == 2 && sign;
  if (a >= 0x47800000u) // 2^16 and more
    return sign | (mode == 0 || away ? 0x7c00u : 0x7bffu);
  uint32_t kept, rest, half;
  if (a >= 0x38800000u) {
    kept = (a - 0x38000000u) >> 13;
    rest = a & 0x1fffu;
    half = 0x1000u;
  } else { // units of 2^-24
    uint32_t e = a >> 23, m = (a & 0x7fffffu) | (e ? 0x800000u : 0);
    uint32_t drop = e < 102 ? 25 : 126 - e; // beyond 24 no half is reached
    kept = m >> drop;
    rest = m & ((1u << drop) - 1);
    half = 1u << (drop - 1);
  }
  bool up =
      mode == 0 ? rest > half || (rest == half && (kept & 1)) : away && rest;
  return sign | (kept + up);
}

// Whether a magnitude between two codes goes to the larger one: `rest` of it
// is above the smaller, in parts of which `half` is a half.
static bool goes_away(unsigned mode, bool negative, bool odd, uint64_t rest,
                      uint64_t half) {
  if (mode == 0)
    return rest > half || (rest == half && odd);
  return rest && mode == (negative ? 2 : 1);
}

uint32_t emu_f64_to_f16_mode(uint64_t x, unsigned mode) {
  bool negative = x >> 63;
  uint32_t sign = negative ? 0x8000u : 0;
  int e = (int)(x >> 52 & 0x7ff);
  uint64_t m = x & 0xfffffffffffffu;
  if (e == 0x7ff)
    return m ? sign | 0x7e00u | (uint32_t)(m >> 42) : sign | 0x7c00u;
  if (e == 0 && m == 0)
    return sign;
  // Value is m × 2^(e-1075); the result's unit is 2^-24 or, if normal, 2^10
  // times less than its leading bit. What is far below half of the smallest
  // f16 rounds like a quarter of it.
  int drop = e < 1009 ? 1051 - e : 42;
  if (e)
    m |= 1ull << 52;
  if (drop > 54) {
    drop = 54;
    m = 1ull << 52;
  }
  uint64_t kept = m >> drop, rest = m & ((1ull << drop) - 1);
  kept += goes_away(mode, negative, kept & 1, rest, 1ull << (drop - 1));
  uint32_t r = (uint32_t)kept;
  if (e >= 1009)
    r += (uint32_t)(e - 1009) << 10; // the leading bit adds 1 to the exponent
  if (e > 1009 + 31 || r >= 0x7c00u)
    return sign | (goes_away(mode, negative, true, 1, 1) ? 0x7c00u : 0x7bffu);
  return sign | r;
}
uint32_t emu_f64_to_f16(uint64_t x) { return emu_f64_to_f16_mode(x, 0); }

uint64_t emu_f64_fma_odd(uint64_t a, uint64_t b, uint64_t c) {
  double product = from_bits(a) * from_bits(b), addend = from_bits(c);
  double sum = product + addend;
  // Knuth's two-sum: sum + error is exact (the product is, for f16 inputs).
  double t = sum - product;
  double error = (product - (sum - t)) + (addend - t);
  uint64_t bits = to_bits(sum);
  if (isfinite(sum) && error != 0 && !(bits & 1)) {
    // Truncate toward the true value, then force the lowest bit.
    if ((error > 0) == (sum > 0))
      bits |= 1;
    else
      bits -= 1;
  }
  return bits;
}

// Small formats without infinities: value = (-1)^s × m × 2^(e - bias).
static uint32_t small_to_f32(uint32_t x, int ebits, int mbits, int bias) {
  uint32_t sign = x >> (ebits + mbits) & 1;
  int e = (int)(x >> mbits & ((1u << ebits) - 1));
  uint32_t m = x & ((1u << mbits) - 1);
  float value = e ? ldexpf((float)(m | 1u << mbits), e - bias - mbits)
                  : ldexpf((float)m, 1 - bias - mbits);
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits | sign << 31;
}

uint32_t emu_fp8_to_f32(uint8_t x) {
  if ((x & 0x7f) == 0x7f)
    return (uint32_t)(x & 0x80) << 24 | 0x7fc00000u;
  return small_to_f32(x, 4, 3, 7);
}
uint32_t emu_bf8_to_f32(uint8_t x) {
  if ((x & 0x7c) == 0x7c) {
    uint32_t m = x & 3u;
    return (uint32_t)(x & 0x80) << 24 | 0x7f800000u | m << 21 |
           (m ? 0x400000u : 0);
  }
  return small_to_f32(x, 5, 2, 15);
}
uint32_t emu_fp6_to_f32(uint8_t x) { return small_to_f32(x & 63, 2, 3, 1); }
uint32_t emu_bf6_to_f32(uint8_t x) { return small_to_f32(x & 63, 3, 2, 3); }
uint32_t emu_fp4_to_f32(uint8_t x) { return small_to_f32(x & 15, 2, 1, 1); }

// |x| finite → magnitude code of a format, rounding to nearest even; may
// exceed the format's largest code, which the caller turns into overflow.
static uint32_t round_small(uint32_t a, int mbits, int bias) {
  int e = (int)(a >> 23);
  if (e == 0)
    return 0;
  uint32_t m = (a & 0x7fffffu) | 0x800000u;
  int te = e - 127 + bias; // exponent code in the target
  int drop = 23 - mbits + (te < 1 ? 1 - te : 0);
  if (drop > 25)
    return 0;
  uint32_t kept = m >> drop, rest = m & ((1u << drop) - 1);
  uint32_t half = 1u << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    kept++;
  return te < 1 ? kept : kept + ((uint32_t)(te - 1) << mbits);
}

uint8_t emu_f32_to_fp8(uint32_t x, bool saturate) {
  uint8_t sign = (uint8_t)(x >> 24 & 0x80);
  uint32_t a = x & 0x7fffffffu;
  if (a > 0x7f800000u)
    return sign | 0x7f;
  uint32_t r = a == 0x7f800000u ? 0x7f : round_small(a, 3, 7);
  if (r > 0x7e)
    r = saturate ? 0x7e : 0x7f;
  return (uint8_t)(sign | r);
}

uint8_t emu_f32_to_bf8(uint32_t x, bool saturate) {
  uint8_t sign = (uint8_t)(x >> 24 & 0x80);
  uint32_t a = x & 0x7fffffffu;
  if (a > 0x7f800000u)
    return sign | 0x7f;
  uint32_t r = a == 0x7f800000u ? 0x7c : round_small(a, 2, 15);
  if (r > 0x7b)
    r = saturate ? 0x7b : 0x7c;
  return (uint8_t)(sign | r);
}

const emu_small_format emu_e2m1 = {2, 1, 1, 7, 7, 7};
const emu_small_format emu_e2m3 = {2, 3, 1, 31, 31, 31};
const emu_small_format emu_e3m2 = {3, 2, 3, 31, 31, 31};
const emu_small_format emu_e4m3 = {4, 3, 7, 0x7e, 0x7f, 0x7f};
const emu_small_format emu_e5m2 = {5, 2, 15, 0x7b, 0x7c, 0x7f};
const emu_small_format emu_e5m10 = {5, 10, 15, 0x7bff, 0x7c00, 0x7e00};
const emu_small_format emu_e8m7 = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0};

uint32_t emu_round_to(const emu_small_format *f, uint32_t x, int scale,
                      int source_bits, emu_rounding rounding) {
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

double emu_small_to_f64(const emu_small_format *f, uint32_t code) {
  uint32_t all = (1u << (f->exponent_bits + f->fraction_bits)) - 1;
  uint32_t a = code & all;
  double sign = code & (all + 1) ? -1.0 : 1.0;
  if (a > f->largest)
    return a == f->infinity && f->infinity != f->nan ? sign * (double)INFINITY
                                                     : sign * (double)NAN;
  int e = (int)(a >> f->fraction_bits);
  uint32_t m = a & ((1u << f->fraction_bits) - 1);
  if (e)
    m |= 1u << f->fraction_bits;
  else
    e = 1;
  return sign * ldexp((double)m, e - f->bias - f->fraction_bits);
}
