// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// e4m3 and e5m2: all codes, all boundaries between neighbours, and what lies
// beyond the largest number. Expected values are those of the format's
// definition (OFP8 specification 1.0, tables 1 to 3), in double precision:
// the nearest of all numbers, found by looking at each of them.
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "float8.h"
#include "half.h"

typedef struct format {
  const char *name;
  element_type type;
  float (*to_float)(uint8_t);
  uint8_t (*from_double)(double, float8_overflow);
  int exponent_bits, fraction_bits, bias;
  int numbers; ///< codes without sign that are numbers
  bool has_infinity;
  double largest, least_normal, least;
} format;

// The last three columns are the specification's table of values.
static const format formats[] = {
    {"e4m3", ELEMENT_FP8, e4m3_to_float, e4m3_from_double, 4, 3, 7, 0x7f, false,
     448, 0x1p-6, 0x1p-9},
    {"e5m2", ELEMENT_BF8, e5m2_to_float, e5m2_from_double, 5, 2, 15, 0x7c, true,
     57344, 0x1p-14, 0x1p-16},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/// The value of a code without sign that is a number.
static double value_of(const format *f, int code) {
  const double fraction =
      (double)(code % (1 << f->fraction_bits)) / (1 << f->fraction_bits);
  const int exponent = code >> f->fraction_bits;
  return exponent ? (1 + fraction) * pow(2, exponent - f->bias)
                  : fraction * pow(2, 1 - f->bias);
}

/// The code of the number nearest to a magnitude, the even one of two;
/// `numbers` if the first that is none would be nearer.
static int nearest(const format *f, double magnitude) {
  // Beyond the largest number the next one decides, as if it were there.
  int best = 0;
  double least = INFINITY;
  for (int code = 0; code <= f->numbers; ++code) {
    const double distance = fabs(value_of(f, code) - magnitude);
    if (distance < least || (distance == least && code % 2 == 0)) {
      best = code;
      least = distance;
    }
  }
  return best;
}

static void check(const format *f, double value) {
  const int code = nearest(f, fabs(value));
  const int sign = signbit(value) ? 0x80 : 0;
  const bool fits = code < f->numbers;
  const int saturated = fits ? code : f->numbers - 1;
  // What follows the largest number is e4m3's NaN and e5m2's infinity.
  const int overflowed = fits ? code : f->numbers;
  const int found = f->from_double(value, FLOAT8_SATURATES);
  const int found_overflow = f->from_double(value, FLOAT8_OVERFLOWS);
  if (found != (sign | saturated) || found_overflow != (sign | overflowed))
    fail_msg("%s(%a): 0x%x and 0x%x, expected 0x%x and 0x%x", f->name, value,
             (unsigned)found, (unsigned)found_overflow,
             (unsigned)(sign | saturated), (unsigned)(sign | overflowed));
  const double rounded = element_round(f->type, value);
  const double expected = value_of(f, saturated);
  assert_true(fabs(rounded) == expected && signbit(rounded) == signbit(value));
}

static void test_every_code(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format *f = &formats[i];
    assert_true(value_of(f, f->numbers - 1) == f->largest);
    assert_true(value_of(f, 1 << f->fraction_bits) == f->least_normal);
    assert_true(value_of(f, 1) == f->least);
    for (int code = 0; code < 256; ++code) {
      const int magnitude = code & 0x7f;
      const double found = f->to_float((uint8_t)code);
      assert_true((signbit(found) != 0) == (code >= 0x80));
      uint8_t stored = (uint8_t)code;
      const double loaded = element_load(f->type, &stored, 0);
      if (f->has_infinity && magnitude == f->numbers) {
        assert_true(isinf(found) && isinf(loaded));
        assert_int_equal(f->from_double(found, FLOAT8_OVERFLOWS), code);
        continue;
      }
      if (magnitude >= f->numbers) {
        assert_true(isnan(found) && isnan(loaded));
        // A NaN stays one, whichever form; its sign too.
        assert_int_equal(f->from_double(found, FLOAT8_SATURATES) | 0x7f,
                         (code & 0x80) | 0x7f);
        assert_true(
            isnan(f->to_float(f->from_double(found, FLOAT8_OVERFLOWS))));
        continue;
      }
      assert_true(fabs(found) == value_of(f, magnitude) && loaded == found);
      assert_int_equal(f->from_double(found, FLOAT8_SATURATES), code);
      assert_int_equal(f->from_double(found, FLOAT8_OVERFLOWS), code);
      element_store(f->type, &stored, 0, found);
      assert_int_equal(stored, code);
    }
  }
}

/// Middles of neighbours, the doubles and the floats beside them, both signs;
/// the middle of the largest number and what would follow it is one of them.
static void test_every_boundary(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format *f = &formats[i];
    for (int code = 0; code < f->numbers; ++code) {
      const double middle = (value_of(f, code) + value_of(f, code + 1)) / 2;
      const double all[] = {
          middle, nextafter(middle, 0), nextafter(middle, INFINITY),
          nextafterf((float)middle, 0), nextafterf((float)middle, INFINITY)};
      for (size_t n = 0; n < sizeof all / sizeof all[0]; ++n) {
        check(f, all[n]);
        check(f, -all[n]);
      }
    }
  }
}

/// Ratios of neighbouring trials are small against a step of either format.
static void test_sweep(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i)
    for (double value = 0x1p-20; value < 0x1p17; value *= 1.00371) {
      check(&formats[i], value);
      check(&formats[i], -value);
    }
}

static void test_special(void **state) {
  (void)state;
  static const struct {
    double value;
    int e4m3[2], e5m2[2]; ///< saturating, overflowing
  } cases[] = {
      {0.0, {0, 0}, {0, 0}},
      {-0.0, {0x80, 0x80}, {0x80, 0x80}},
      {1, {0x38, 0x38}, {0x3c, 0x3c}},
      {448, {0x7e, 0x7e}, {0x5f, 0x5f}},
      // The tie between 448 and 480 goes to the even one, 448.
      {464, {0x7e, 0x7e}, {0x5f, 0x5f}},
      {464.001, {0x7e, 0x7f}, {0x5f, 0x5f}},
      // Between 57344 and 65536 the even one is what e5m2 has not.
      {61439.99, {0x7e, 0x7f}, {0x7b, 0x7b}},
      {61440, {0x7e, 0x7f}, {0x7b, 0x7c}},
      {-1e300, {0xfe, 0xff}, {0xfb, 0xfc}},
      {INFINITY, {0x7e, 0x7f}, {0x7b, 0x7c}},
      {-INFINITY, {0xfe, 0xff}, {0xfb, 0xfc}},
      // Half of the least number is a tie with zero, which is even.
      {0x1p-10, {0, 0}, {0x14, 0x14}},
      {0x1.8p-9, {2, 2}, {0x1a, 0x1a}},
      {0x1p-17, {0, 0}, {0, 0}},
      {-0x1.0000000000001p-17, {0x80, 0x80}, {0x81, 0x81}},
      {5e-324, {0, 0}, {0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    for (int form = 0; form < 2; ++form) {
      const float8_overflow overflow =
          form ? FLOAT8_OVERFLOWS : FLOAT8_SATURATES;
      assert_int_equal(e4m3_from_double(cases[i].value, overflow),
                       cases[i].e4m3[form]);
      assert_int_equal(e5m2_from_double(cases[i].value, overflow),
                       cases[i].e5m2[form]);
    }
  for (int form = 0; form < 2; ++form) {
    const float8_overflow overflow = form ? FLOAT8_OVERFLOWS : FLOAT8_SATURATES;
    assert_int_equal(e4m3_from_double(NAN, overflow), 0x7f);
    assert_int_equal(e5m2_from_double(-NAN, overflow), 0xff);
  }
  // 0xff, with which outputs are filled, is NaN in both.
  assert_true(isnan(e4m3_to_float(0xff)) && isnan(e5m2_to_float(0xff)));
}

/// Rounding does not depend on the host's mode.
static void test_rounding_mode(void **state) {
  (void)state;
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
    assert_int_equal(fesetround(modes[i]), 0);
    const int tie = e4m3_from_double(1.0625, FLOAT8_SATURATES);
    const int above = e4m3_from_double(1.0626, FLOAT8_SATURATES);
    const int small = e5m2_from_double(0x1.7p-16, FLOAT8_SATURATES);
    fesetround(FE_TONEAREST);
    assert_int_equal(tie, 0x38);
    assert_int_equal(above, 0x39);
    assert_int_equal(small, 1);
  }
}

/// An ulp is the distance of neighbours, also where O is compared.
static void test_ulp(void **state) {
  (void)state;
  for (int i = 0; i < FORMATS; ++i) {
    const format *f = &formats[i];
    for (int code = 0; code + 1 < f->numbers; ++code)
      assert_true(element_ulp(f->type, value_of(f, code)) ==
                  value_of(f, code + 1) - value_of(f, code));
    assert_true(element_ulp(f->type, 1e9) ==
                f->largest - value_of(f, f->numbers - 2));
    assert_int_equal(element_bytes(f->type), 1);
    assert_true(element_is_8_bit(f->type));
  }
  assert_false(element_is_8_bit(ELEMENT_F16) || element_is_8_bit(ELEMENT_I32));
  assert_string_equal(element_name(ELEMENT_FP8), "fp8");
  assert_string_equal(element_name(ELEMENT_BF8), "bf8");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_code), cmocka_unit_test(test_every_boundary),
      cmocka_unit_test(test_sweep),      cmocka_unit_test(test_special),
      cmocka_unit_test(test_ulp),        cmocka_unit_test(test_rounding_mode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
