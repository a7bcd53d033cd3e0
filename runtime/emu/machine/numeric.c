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

// Whether a magnitude between two codes rounds to the larger one. `rest` is its
// distance from the smaller one; `half` is half the distance of the codes.
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
  // times less than its leading bit. A value far below half of the smallest f16
  // rounds like a quarter of it.
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
