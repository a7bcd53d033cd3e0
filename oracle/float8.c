// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "float8.h"

#include <math.h>
#include <stdbool.h>

/// A format of a sign, exponent bits and fraction bits, with subnormals.
typedef struct format {
  int fraction_bits;
  int least_exponent;   ///< of normal numbers
  uint8_t largest_code; ///< of the largest number, without sign
  uint8_t overflow_code;
  uint8_t nan_code;
} format;

static const format e4m3_format = {3, -6, 0x7e, 0x7f, 0x7f};
static const format e5m2_format = {2, -14, 0x7b, 0x7c, 0x7f};

enum { SIGN = 0x80 };

static float decode(const format *f, uint8_t code) {
  const int magnitude = code & ~SIGN;
  float value;
  if (magnitude > f->largest_code) {
    const bool infinite =
        magnitude == f->overflow_code && magnitude != f->nan_code;
    value = infinite ? INFINITY : NAN;
  } else {
    const int implicit = 1 << f->fraction_bits;
    const int exponent = magnitude >> f->fraction_bits;
    const int fraction = magnitude & (implicit - 1);
    // Subnormals have the exponent of the least normal numbers, without their
    // leading bit.
    value = exponent
                ? ldexpf((float)(implicit + fraction),
                         exponent - 1 + f->least_exponent - f->fraction_bits)
                : ldexpf((float)fraction, f->least_exponent - f->fraction_bits);
  }
  return copysignf(value, code & SIGN ? -1 : 1);
}

static uint8_t encode(const format *f, double value, float8_overflow overflow) {
  const uint8_t sign = signbit(value) ? SIGN : 0;
  const uint8_t beyond =
      overflow == FLOAT8_SATURATES ? f->largest_code : f->overflow_code;
  if (isnan(value))
    return sign | f->nan_code;
  if (value == 0)
    return sign;
  const double magnitude = fabs(value);
  // Also keeps the code below in range; 2^16 is beyond both formats.
  if (magnitude >= 0x1p16)
    return sign | beyond;
  int exponent = ilogb(magnitude);
  if (exponent < f->least_exponent)
    exponent = f->least_exponent;
  // In units of the last place: exact, as is what is cut off.
  const double units = ldexp(magnitude, f->fraction_bits - exponent);
  uint32_t kept = (uint32_t)units;
  const double rest = units - kept;
  if (rest > 0.5 || (rest == 0.5 && kept & 1))
    ++kept;
  // The leading bit of a normal number, or a carry, adds 1 to the exponent's
  // field.
  const uint32_t code =
      ((uint32_t)(exponent - f->least_exponent) << f->fraction_bits) + kept;
  return sign | (code > f->largest_code ? beyond : (uint8_t)code);
}

float e4m3_to_float(uint8_t code) { return decode(&e4m3_format, code); }

float e5m2_to_float(uint8_t code) { return decode(&e5m2_format, code); }

uint8_t e4m3_from_double(double value, float8_overflow overflow) {
  return encode(&e4m3_format, value, overflow);
}

uint8_t e5m2_from_double(double value, float8_overflow overflow) {
  return encode(&e5m2_format, value, overflow);
}
