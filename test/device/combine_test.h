// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the tests of combining and merging share: numbers of every type of O,
/// and the formula in double precision. Types are decoded here bit by bit, by
/// their definitions (IEEE 754, bfloat16, OCP e4m3).
#ifndef FMHAC_TEST_COMBINE_TEST_H
#define FMHAC_TEST_COMBINE_TEST_H

#include <math.h>

#include "device_test.h"
#include "fmhac.h"
#include "fmhac_emu.h"
#include "fmhac_inspect.h"

typedef enum o_type { O_BF16, O_F16, O_F32, O_FP8 } o_type;

static inline size_t bytes_of(o_type type) {
  return type == O_F32 ? 4 : type == O_FP8 ? 1 : 2;
}

/// Sign, exponent and mantissa of `bits`; all exponents but the highest count
/// in e4m3, where one pattern is NaN.
static inline double decode(uint32_t bits, int exponent_bits, int mantissa_bits,
                            bool is_finite_type) {
  const int exponent =
      (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = (int)(bits & ((1u << mantissa_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int highest = (1 << exponent_bits) - 1;
  double value;
  if (exponent == highest && is_finite_type &&
      mantissa == (1 << mantissa_bits) - 1)
    value = NAN;
  else if (exponent == highest && !is_finite_type)
    value = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    value = ldexp(mantissa, 1 - bias - mantissa_bits);
  else
    value =
        ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  return bits >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

static inline double load_o(const unsigned char *at, o_type type) {
  uint16_t half;
  float single;
  switch (type) {
  case O_F32:
    memcpy(&single, at, sizeof single);
    return (double)single;
  case O_FP8:
    return decode(*at, 4, 3, true);
  case O_BF16:
  case O_F16:
    memcpy(&half, at, sizeof half);
    return type == O_BF16 ? decode(half, 8, 7, false)
                          : decode(half, 5, 10, false);
  }
  return NAN;
}

/// How far a number that was rounded to the type may lie from `exact`, of
/// terms whose magnitudes sum up to `terms` and were added in f32.
static inline double bound_of(double exact, double terms, o_type type) {
  static const int digits[] = {
      [O_BF16] = 8, [O_F16] = 11, [O_F32] = 24, [O_FP8] = 4};
  static const int least[] = {// exponent of the smallest subnormal number
                              [O_BF16] = -133,
                              [O_F16] = -24,
                              [O_F32] = -126,
                              [O_FP8] = -9};
  const double in_f32 = 4e-6 * terms; // exp2, sums, reciprocal
  return fmax(ldexp(fabs(exact) + in_f32, -digits[type]),
              ldexp(0.5, least[type])) +
         in_f32;
}

typedef struct sum {
  double o, terms; ///< of one column; sum of magnitudes, over that of weights
  double lse;
} sum;

/// Results over some keys each: `count` of them, O at `o[i]`, which counts only
/// where there is a weight; `sink` is -INFINITY where there is none. By the
/// definition of softmax, with no more than a shift by the greatest.
static inline sum combine(const double *lse, const double *o, size_t count,
                          double sink) {
  double most = sink, weights = 0, total = 0, terms = 0;
  for (size_t i = 0; i < count; ++i)
    if (isnan(lse[i]) || lse[i] == INFINITY)
      return (sum){NAN, NAN, NAN};
    else
      most = fmax(most, lse[i]);
  if (most == -INFINITY)
    return (sum){0, 0, -INFINITY};
  for (size_t i = 0; i < count; ++i) {
    const double w = exp(lse[i] - most);
    weights += w;
    if (lse[i] == -INFINITY)
      continue;
    total += w * o[i];
    terms += fabs(w * o[i]);
  }
  weights += exp(sink - most);
  return (sum){total / weights, terms / weights, most + log(weights)};
}

/// Numbers that look random, the same in every run.
static inline uint32_t next(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
/// From -1 to 1.
static inline double next_unit(uint32_t *state) {
  return (double)next(state) / 0x1p23 - 1;
}

/// The emulator with all checks, and waves and loads in one of the orders that
/// hardware may take; 0 is the usual one.
enum { ORDERS = 4 };
static inline fmhac_status set_order(fmhac_rt_device *device, int order) {
  static const struct {
    fmhac_emu_sched sched;
    fmhac_emu_landing landing;
  } orders[ORDERS] = {{FMHAC_EMU_SCHED_ROUND_ROBIN, FMHAC_EMU_LANDING_DEFAULT},
                      {FMHAC_EMU_SCHED_UNTIL_BLOCKED, FMHAC_EMU_LANDING_LATE},
                      {FMHAC_EMU_SCHED_RANDOM, FMHAC_EMU_LANDING_RANDOM},
                      {FMHAC_EMU_SCHED_RANDOM, FMHAC_EMU_LANDING_EARLY}};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  options.sched = orders[order].sched;
  options.landing = orders[order].landing;
  options.seed = 11;
  return fmhac_emu_configure(device, &options);
}

#endif // FMHAC_TEST_COMBINE_TEST_H
