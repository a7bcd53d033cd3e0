// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// 16-bit floating point: bits to numbers exactly, numbers to bits by rounding
/// to nearest, ties to even. Overflow gives infinity, NaN stays NaN. And
/// elements of every type that tensors have; the 8-bit ones are float8.h's.
#ifndef FMHAC_ORACLE_HALF_H
#define FMHAC_ORACLE_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Element types of files and tensors.
typedef enum element_type {
  ELEMENT_BF16,
  ELEMENT_F16,
  ELEMENT_FP8, ///< OCP e4m3
  ELEMENT_BF8, ///< OCP e5m2
  ELEMENT_F32,
  ELEMENT_I32, ///< lengths; never rounded
} element_type;

/// "bf16", "f16", "fp8", "bf8", "f32", "i32".
const char *element_name(element_type type);
uint32_t element_bytes(element_type type);
/// True for the types whose elements may have factors: fp8 and bf8.
bool element_is_8_bit(element_type type);

float bf16_to_float(uint16_t bits);
float f16_to_float(uint16_t bits);
/// One rounding, from double: no second one by way of float.
uint16_t bf16_from_double(double value);
uint16_t f16_from_double(double value);

/// The nearest number of the type, as a double. F32 rounds to float; the 8-bit
/// types saturate.
double element_round(element_type type, double value);

/// How far apart the numbers of the type lie at |value|: 2^(e - f) where 2^e <=
/// |value| < 2^(e + 1) and f bits follow the leading one (bf16 7, f16 10,
/// fp8 3, bf8 2, f32 23). Below the least normal number the spacing is that of
/// subnormals, beyond the largest number that of the largest. `value` is not
/// NaN.
double element_ulp(element_type type, double value);

/// Read and store element `index` of an array of the type. A store rounds as
/// element_round() does.
double element_load(element_type type, const void *array, size_t index);
void element_store(element_type type, void *array, size_t index, double value);

#endif // FMHAC_ORACLE_HALF_H
