// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Number formats: every pattern of the small formats against values built from
// their definitions, and conversions against a search for the nearest value.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "numeric.h"

static float as_float(uint32_t x) {
  float f;
  memcpy(&f, &x, 4);
  return f;
}
static uint32_t as_bits(float f) {
  uint32_t x;
  memcpy(&x, &f, 4);
  return x;
}

typedef struct format {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity; ///< the largest exponent is infinity and NaN
  bool top_is_nan;   ///< only all ones is NaN (E4M3FN)
} format;

static const format k_f16 = {5, 10, 15, true, false};
static const format k_bf16 = {8, 7, 127, true, false};
static const format k_fp8 = {4, 3, 7, false, true};
static const format k_bf8 = {5, 2, 15, true, false};
static const format k_fp6 = {2, 3, 1, false, false};
static const format k_bf6 = {3, 2, 3, false, false};
static const format k_fp4 = {2, 1, 1, false, false};

// The value of a pattern, from the definition.
static double value_of(const format *f, uint32_t x) {
  uint32_t m = x & ((1u << f->mantissa_bits) - 1);
  int e = (int)(x >> f->mantissa_bits & ((1u << f->exponent_bits) - 1));
  double sign = x >> (f->exponent_bits + f->mantissa_bits) & 1 ? -1 : 1;
  int top = (1 << f->exponent_bits) - 1;
  if (f->has_infinity && e == top)
    return m ? NAN : sign * INFINITY;
  if (f->top_is_nan && e == top && m == (1u << f->mantissa_bits) - 1)
    return NAN;
  double fraction = (double)m / (double)(1u << f->mantissa_bits);
  return sign *
         (e ? ldexp(1 + fraction, e - f->bias) : ldexp(fraction, 1 - f->bias));
}

static void same_value(double want, uint32_t have) {
  float f = as_float(have);
  if (isnan(want)) {
    assert_true(isnan(f));
    return;
  }
  assert_true((double)f == want);
  assert_int_equal(signbit(f) != 0, signbit(want) != 0);
}

static void widening(void **state) {
  (void)state;
  for (uint32_t x = 0; x < 65536; x++) {
    same_value(value_of(&k_f16, x), emu_f16_to_f32(x));
    same_value(value_of(&k_f16, x), emu_f16_to_f32_raw(x));
    same_value(value_of(&k_bf16, x), emu_bf16_to_f32(x));
  }
  for (uint32_t x = 0; x < 256; x++) {
    same_value(value_of(&k_fp8, x), emu_small_to_f32(&emu_e4m3, x));
    same_value(value_of(&k_bf8, x), emu_small_to_f32(&emu_e5m2, x));
  }
  for (uint32_t x = 0; x < 64; x++) {
    same_value(value_of(&k_fp6, x), emu_small_to_f32(&emu_e2m3, x));
    same_value(value_of(&k_bf6, x), emu_small_to_f32(&emu_e3m2, x));
  }
  for (uint32_t x = 0; x < 16; x++)
    same_value(value_of(&k_fp4, x), emu_small_to_f32(&emu_e2m1, x));
}

// Patterns of positive finite values ascend: for every neighbouring pair, the
// values at, just below and just above their middle tell the rounding apart.
static void check_pair(uint32_t low, uint32_t high, double a, double b,
                       uint32_t (*narrow)(uint32_t)) {
  float middle = (float)((a + b) / 2); // exact: formats are narrow
  assert_true((double)middle == (a + b) / 2);
  assert_int_equal(narrow(as_bits((float)a)), low);
  assert_int_equal(narrow(as_bits((float)b)), high);
  assert_int_equal(narrow(as_bits(middle)), low & 1 ? high : low);
  assert_int_equal(narrow(as_bits(nextafterf(middle, 0))), low);
  assert_int_equal(narrow(as_bits(nextafterf(middle, INFINITY))), high);
}

static uint32_t to_f16(uint32_t x) { return emu_f32_to_f16(x); }
static uint32_t to_bf16(uint32_t x) { return emu_f32_to_bf16(x); }
static uint32_t to_small(const emu_small_format *f, uint32_t x, bool saturate) {
  return emu_round_to(f, x, 0, 23, (emu_rounding){.saturate = saturate});
}
static uint32_t to_fp8(uint32_t x) { return to_small(&emu_e4m3, x, false); }
static uint32_t to_bf8(uint32_t x) { return to_small(&emu_e5m2, x, false); }
static uint32_t to_f16_through_f64(uint32_t x) {
  double d = as_float(x);
  uint64_t bits;
  memcpy(&bits, &d, 8);
  return emu_f64_to_f16(bits);
}

static void narrowing(void **state) {
  (void)state;
  for (uint32_t x = 0; x < 0x7bff; x++) {
    double a = value_of(&k_f16, x), b = value_of(&k_f16, x + 1);
    check_pair(x, x + 1, a, b, to_f16);
    check_pair(x, x + 1, a, b, to_f16_through_f64);
  }
  for (uint32_t x = 1; x < 0x7f7f; x++) // half of the least bf16 is f32 too
    check_pair(x, x + 1, value_of(&k_bf16, x), value_of(&k_bf16, x + 1),
               to_bf16);
  for (uint32_t x = 0; x < 0x7e; x++)
    check_pair(x, x + 1, value_of(&k_fp8, x), value_of(&k_fp8, x + 1), to_fp8);
  for (uint32_t x = 0; x < 0x7b; x++)
    check_pair(x, x + 1, value_of(&k_bf8, x), value_of(&k_bf8, x + 1), to_bf8);
}

static void overflow(void **state) {
  (void)state;
  assert_int_equal(emu_f32_to_f16(as_bits(65519.996f)), 0x7bff);
  assert_int_equal(emu_f32_to_f16(as_bits(65520.0f)), 0x7c00);
  assert_int_equal(emu_f32_to_f16(as_bits(-INFINITY)), 0xfc00);
  assert_int_equal(emu_f32_to_f16(0x7f800001u) & 0x7e00, 0x7e00);
  assert_int_equal(emu_f32_to_f16_rounded(as_bits(1e9f), 3), 0x7bff);
  assert_int_equal(emu_f32_to_f16_rounded(as_bits(INFINITY), 3), 0x7c00);
  assert_int_equal(emu_f32_to_bf16(0x7f7fffffu), 0x7f80);
  assert_int_equal(emu_f32_to_bf16(0x7f800001u), 0x7fc0);
  assert_int_equal(to_small(&emu_e4m3, as_bits(464.0f), false), 0x7e);
  assert_int_equal(to_small(&emu_e4m3, as_bits(464.1f), false), 0x7f);
  assert_int_equal(to_small(&emu_e4m3, as_bits(-1e9f), true), 0xfe);
  assert_int_equal(to_small(&emu_e4m3, as_bits(NAN), true) & 0x7f, 0x7f);
  assert_int_equal(to_small(&emu_e5m2, as_bits(61439.0f), false), 0x7b);
  assert_int_equal(to_small(&emu_e5m2, as_bits(61440.0f), false), 0x7c);
  assert_int_equal(to_small(&emu_e5m2, as_bits(-INFINITY), true), 0xfb);
}

static void toward_zero(void **state) {
  (void)state;
  for (uint32_t x = 0; x < 0x7bff; x++) {
    float b = (float)value_of(&k_f16, x + 1);
    assert_int_equal(emu_f32_to_f16_rounded(as_bits(nextafterf(b, 0)), 3), x);
    assert_int_equal(emu_f32_to_f16_rounded(as_bits(-b), 3), 0x8000 | (x + 1));
  }
}

// Sums whose rounding to f64 hides a bit that decides the rounding to f16.
static void fused(void **state) {
  (void)state;
  double one = 1.0, least = 0x1p-24, tie = 0x1p-11;
  uint64_t a, b, c;
  // 1 + 2^-11 lies in the middle of two f16; 2^-60 more must round up.
  double nudge = 0x1p-60, high = one + tie;
  memcpy(&a, &nudge, 8);
  memcpy(&b, &one, 8);
  memcpy(&c, &high, 8);
  assert_int_equal(emu_f64_to_f16(emu_f64_fma_odd(a, b, c)), 0x3c01);
  nudge = -nudge;
  memcpy(&a, &nudge, 8);
  assert_int_equal(emu_f64_to_f16(emu_f64_fma_odd(a, b, c)), 0x3c00);
  nudge = 0;
  memcpy(&a, &nudge, 8);
  assert_int_equal(emu_f64_to_f16(emu_f64_fma_odd(a, b, c)), 0x3c00);
  memcpy(&c, &least, 8);
  assert_int_equal(emu_f64_to_f16(c), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(widening), cmocka_unit_test(narrowing),
      cmocka_unit_test(overflow), cmocka_unit_test(toward_zero),
      cmocka_unit_test(fused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
