// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 and f16, every bit pattern and every boundary between two neighbours,
// against the definition of a binary format.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "half.h"

typedef struct format {
  int exponent_bits, fraction_bits;
  float (*to_float)(uint16_t);
  uint16_t (*from_double)(double);
  element_type type;
} format;

static const format formats[] = {
    {8, 7, bf16_to_float, bf16_from_double, ELEMENT_BF16},
    {5, 10, f16_to_float, f16_from_double, ELEMENT_F16},
};

/// The value of a bit pattern, from the definition.
static double decode(const format *f, uint16_t bits) {
  int fields = (1 << f->exponent_bits) - 1;
  int exponent = bits >> f->fraction_bits & fields;
  int fraction = bits & ((1 << f->fraction_bits) - 1);
  int bias = fields / 2;
  double sign = bits >> 15 ? -1 : 1;
  if (exponent == fields)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp(fraction, 1 - bias - f->fraction_bits);
  return sign * ldexp((1 << f->fraction_bits) + fraction,
                      exponent - bias - f->fraction_bits);
}

static void test_every_pattern(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i)
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const format *f = &formats[i];
      double expected = decode(f, (uint16_t)bits);
      double found = f->to_float((uint16_t)bits);
      uint16_t back = f->from_double(found);
      if (isnan(expected)) {
        assert_true(isnan(found) && isnan(decode(f, back)));
        continue;
      }
      assert_true(found == expected && signbit(found) == signbit(expected));
      assert_int_equal(back, bits);
      assert_true(element_round(f->type, found) == expected);
    }
}

/// Between two neighbours a and b, b the larger: the middle goes to the even
/// one, and the next double on either side to the nearer one.
static void check_boundary(const format *f, uint16_t bits, double a, double b) {
  double middle = a + (b - a) / 2;
  uint16_t even = bits & 1 ? (uint16_t)(bits + 1) : bits;
  assert_int_equal(f->from_double(middle), even);
  assert_int_equal(f->from_double(-middle), even | 0x8000);
  assert_int_equal(f->from_double(nextafter(middle, 0)), bits);
  assert_int_equal(f->from_double(nextafter(middle, INFINITY)), bits + 1);
  double rounded = element_round(f->type, middle);
  assert_true(rounded == (even == bits ? a : b) ||
              (isinf(rounded) && even != bits));
}

static void test_every_boundary(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const format *f = &formats[i];
    for (uint16_t bits = 0;; ++bits) {
      double a = decode(f, bits), b = decode(f, (uint16_t)(bits + 1));
      // Overflow rounds as if there were one more number.
      if (isinf(b)) {
        check_boundary(f, bits, a, a + (a - decode(f, (uint16_t)(bits - 1))));
        break;
      }
      check_boundary(f, bits, a, b);
    }
  }
}

static void test_special(void **state) {
  (void)state;
  assert_int_equal(bf16_from_double(INFINITY), 0x7f80);
  assert_int_equal(f16_from_double(-INFINITY), 0xfc00);
  assert_int_equal(f16_from_double(65520), 0x7c00);
  assert_int_equal(f16_from_double(65519.999), 0x7bff);
  assert_int_equal(bf16_from_double(-0.0), 0x8000);
  assert_int_equal(f16_from_double(-1e-300), 0x8000);
  assert_int_equal(bf16_from_double(1e300), 0x7f80);
  assert_true(isnan(bf16_to_float(bf16_from_double(-NAN))));
  assert_true(isnan(f16_to_float(f16_from_double(NAN))));
  assert_true(isnan(element_round(ELEMENT_BF16, NAN)));
  // 0xff in every byte, with which outputs are filled, is NaN in every type.
  const uint8_t ones[4] = {0xff, 0xff, 0xff, 0xff};
  uint32_t aligned;
  __builtin_memcpy(&aligned, ones, sizeof aligned);
  assert_true(isnan(element_load(ELEMENT_BF16, &aligned, 0)));
  assert_true(isnan(element_load(ELEMENT_F16, &aligned, 1)));
  assert_true(isnan(element_load(ELEMENT_F32, &aligned, 0)));
}

/// One rounding: a double just above a tie of bf16 that a float cannot tell
/// from the tie still rounds up.
static void test_no_double_rounding(void **state) {
  (void)state;
  assert_int_equal(bf16_from_double(1 + 0x1p-8 + 0x1p-40), 0x3f81);
  assert_int_equal(bf16_from_double(1 + 0x1p-8), 0x3f80);
  assert_int_equal(f16_from_double(1 + 0x1p-11 + 0x1p-50), 0x3c01);
}

/// Away from powers of two, an ulp is what lies between neighbours; at one, it
/// is that of the numbers above. Subnormals have one spacing.
static void test_ulp(void **state) {
  (void)state;
  static const struct {
    element_type type;
    double value, ulp;
  } cases[] = {
      {ELEMENT_BF16, 1, 0x1p-7},
      {ELEMENT_BF16, 0x1.FEp-1, 0x1p-8},
      {ELEMENT_BF16, -3, 0x1p-6},
      {ELEMENT_BF16, 0x1p-126, 0x1p-133},
      {ELEMENT_BF16, 0x1p-130, 0x1p-133},
      {ELEMENT_BF16, 0, 0x1p-133},
      {ELEMENT_BF16, INFINITY, 0x1p120},
      {ELEMENT_F16, 1, 0x1p-10},
      {ELEMENT_F16, 0x1p-14, 0x1p-24},
      {ELEMENT_F16, -0x1p-13, 0x1p-23},
      {ELEMENT_F16, 1e-30, 0x1p-24},
      {ELEMENT_F16, 65504, 32},
      {ELEMENT_F16, 1e9, 32},
      {ELEMENT_F32, 1, 0x1p-23},
      {ELEMENT_F32, 1e-40, 0x1p-149},
      {ELEMENT_F32, 1e300, 0x1p104},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_true(element_ulp(cases[i].type, cases[i].value) == cases[i].ulp);
  for (int i = 0; i < 2; ++i)
    for (uint16_t bits = 0;; ++bits) {
      double a = decode(&formats[i], bits);
      double b = decode(&formats[i], (uint16_t)(bits + 1));
      if (isinf(b))
        break;
      assert_true(element_ulp(formats[i].type, a) == b - a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_pattern),
      cmocka_unit_test(test_every_boundary),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_no_double_rounding),
      cmocka_unit_test(test_ulp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
