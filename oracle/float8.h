// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// 8-bit floating point of the Open Compute Project ("OCP 8-bit Floating Point
/// Specification (OFP8)"): e4m3 (fp8), without infinities, largest number 448;
/// and e5m2 (bf8), with infinities, largest number 57344. Codes to numbers
/// exactly, numbers to codes by one rounding to nearest, ties to even, whatever
/// the rounding mode of the host.
#ifndef FMHAC_ORACLE_FLOAT8_H
#define FMHAC_ORACLE_FLOAT8_H

#include <stdint.h>

/// What becomes of numbers that round to more than the largest, and of
/// infinities. NaN stays NaN in either form, with its sign.
typedef enum float8_overflow {
  FLOAT8_SATURATES, ///< the largest number: gfx950 with MODE.FP16_OVFL set
  FLOAT8_OVERFLOWS, ///< e4m3: NaN; e5m2: infinity
} float8_overflow;

float e4m3_to_float(uint8_t code);
float e5m2_to_float(uint8_t code);

uint8_t e4m3_from_double(double value, float8_overflow overflow);
uint8_t e5m2_from_double(double value, float8_overflow overflow);

#endif // FMHAC_ORACLE_FLOAT8_H
