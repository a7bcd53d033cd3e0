// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "half.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "float8.h"

/// A binary format with an implicit leading bit and gradual underflow.
typedef struct format {
  int fraction_bits;
  int least_exponent; ///< of normal numbers
  double largest;     ///< finite
} format;

// bf16: sign 1, exponent 8, fraction 7. f16: sign 1, exponent 5, fraction 10.
// f32: sign 1, exponent 8, fraction 23. The 8-bit types' codes are
// float8.c's.
static const format bf16_format = {7, -126, 0x1.FEp127};
static const format f16_format = {10, -14, 65504.0};
static const format f32_format = {23, -126, FLT_MAX};
static const format fp8_format = {3, -6, 448.0};
static const format bf8_format = {2, -14, 57344.0};

const char *element_name(element_type type) {
  switch (type) {
  case ELEMENT_BF16:
    return "bf16";
  case ELEMENT_F16:
    return "f16";
  case ELEMENT_FP8:
    return "fp8";
  case ELEMENT_BF8:
    return "bf8";
  case ELEMENT_F32:
    return "f32";
  case ELEMENT_I32:
    return "i32";
  }
  return "?";
}

uint32_t element_bytes(element_type type) {
  if (element_is_8_bit(type))
    return 1;
  return type == ELEMENT_F32 || type == ELEMENT_I32 ? 4 : 2;
}

bool element_is_8_bit(element_type type) {
  return type == ELEMENT_FP8 || type == ELEMENT_BF8;
}

/// Rounds to the format. Above the least normal number the spacing follows the
/// exponent, so the low bits of the double are cut; below it the spacing is
/// fixed, and adding and taking away a large number cuts at the right place.
static double round_to(const format *f, double value) {
  if (isnan(value) || isinf(value))
    return value;
  if (fabs(value) < ldexp(1.0, f->least_exponent)) {
    double cut = ldexp(1.5, 52 + f->least_exponent - f->fraction_bits);
    // volatile: a compiler that reassociates would remove the rounding.
    volatile double sum = value + cut;
    return copysign(sum - cut, value);
  }
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int dropped = 52 - f->fraction_bits;
  uint64_t half_less_one = (UINT64_C(1) << (dropped - 1)) - 1;
  bits += half_less_one + (bits >> dropped & 1);
  bits &= ~((UINT64_C(1) << dropped) - 1);
  double rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  return fabs(rounded) > f->largest ? copysign(INFINITY, value) : rounded;
}

/// The same by the largest number in place of an infinity. Faster than by way
/// of a code: the floors round each weight.
static double saturate_to(const format *f, double value) {
  const double rounded = round_to(f, value);
  return isinf(rounded) ? copysign(f->largest, value) : rounded;
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

float bf16_to_float(uint16_t bits) {
  return float_of_bits((uint32_t)bits << 16);
}

uint16_t bf16_from_double(double value) {
  if (isnan(value))
    return 0x7fc0;
  // Every bf16 number is a float: the cast is exact.
  return (uint16_t)(float_bits((float)round_to(&bf16_format, value)) >> 16);
}

float f16_to_float(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 31)
    return float_of_bits(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) {
    float magnitude = ldexpf((float)fraction, -24);
    return sign ? -magnitude : magnitude;
  }
  return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t f16_from_double(double value) {
  if (isnan(value))
    return 0x7e00;
  double rounded = round_to(&f16_format, value);
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double magnitude = fabs(rounded);
  if (isinf(rounded))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | (uint16_t)(magnitude * 0x1p24);
  uint32_t bits = float_bits((float)magnitude);
  return sign | (uint16_t)(((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3ff));
}

double element_round(element_type type, double value) {
  switch (type) {
  case ELEMENT_BF16:
    return round_to(&bf16_format, value);
  case ELEMENT_F16:
    return round_to(&f16_format, value);
  case ELEMENT_FP8:
    return saturate_to(&fp8_format, value);
  case ELEMENT_BF8:
    return saturate_to(&bf8_format, value);
  case ELEMENT_F32:
    return (float)value;
  case ELEMENT_I32:
    break;
  }
  return value;
}

static double spacing_of(const format *f, double value) {
  double magnitude = fmin(fabs(value), f->largest);
  int exponent = f->least_exponent;
  if (magnitude >= ldexp(1.0, exponent))
    exponent = ilogb(magnitude);
  return ldexp(1.0, exponent - f->fraction_bits);
}

double element_ulp(element_type type, double value) {
  switch (type) {
  case ELEMENT_BF16:
    return spacing_of(&bf16_format, value);
  case ELEMENT_F16:
    return spacing_of(&f16_format, value);
  case ELEMENT_FP8:
    return spacing_of(&fp8_format, value);
  case ELEMENT_BF8:
    return spacing_of(&bf8_format, value);
  case ELEMENT_F32:
    return spacing_of(&f32_format, value);
  case ELEMENT_I32:
    break;
  }
  return 1;
}

double element_load(element_type type, const void *array, size_t index) {
  switch (type) {
  case ELEMENT_BF16:
    return bf16_to_float(((const uint16_t *)array)[index]);
  case ELEMENT_F16:
    return f16_to_float(((const uint16_t *)array)[index]);
  case ELEMENT_FP8:
    return e4m3_to_float(((const uint8_t *)array)[index]);
  case ELEMENT_BF8:
    return e5m2_to_float(((const uint8_t *)array)[index]);
  case ELEMENT_F32:
    return ((const float *)array)[index];
  case ELEMENT_I32:
    return ((const int32_t *)array)[index];
  }
  return NAN;
}

void element_store(element_type type, void *array, size_t index, double value) {
  switch (type) {
  case ELEMENT_BF16:
    ((uint16_t *)array)[index] = bf16_from_double(value);
    return;
  case ELEMENT_F16:
    ((uint16_t *)array)[index] = f16_from_double(value);
    return;
  case ELEMENT_FP8:
    ((uint8_t *)array)[index] = e4m3_from_double(value, FLOAT8_SATURATES);
    return;
  case ELEMENT_BF8:
    ((uint8_t *)array)[index] = e5m2_from_double(value, FLOAT8_SATURATES);
    return;
  case ELEMENT_F32:
    ((float *)array)[index] = (float)value;
    return;
  case ELEMENT_I32:
    ((int32_t *)array)[index] = (int32_t)value;
    return;
  }
}
