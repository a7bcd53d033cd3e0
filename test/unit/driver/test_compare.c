// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass rule on numbers small enough to be judged by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "caller_environment.h"
#include "compare.h"

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_exact(void **state) {
  (void)state;
  const float x[] = {3, 4, 0, 0};
  const double r[] = {3, 4, 0, 0};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, r, 2, 2, &c);
  assert_true(c.pass && c.reason[0] == '\0');
  assert_near(c.max_abs_err, 0);
  assert_near(c.rel_rms_err, 0);
  assert_near(c.cosine, 1); // the row of zeros on both sides counts as equal
  assert_near(c.floor, 0);
  // f32 has 24 bits: at 4 its numbers lie 2^-21 apart.
  assert_near(c.tolerance, 3 * 0x1p-22 + 1e-5);
  assert_string_equal(c.bound, "3 half ulps + 1e-5");
}

static void test_figures(void **state) {
  (void)state;
  const float x[] = {3, 4.3125f, 5, 12};
  const double r[] = {3, 4, 5, 12}, f[] = {3, 4, 5.125, 12};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 2, 2, &c);
  assert_near(c.max_abs_err, 0.3125);
  assert_int_equal(c.worst_index, 1);
  assert_near(c.rel_rms_err, 0.3125 / sqrt(9 + 16 + 25 + 144));
  assert_near(c.cosine, (9 + 4 * 4.3125) / (5 * sqrt(9 + 4.3125 * 4.3125)));
  assert_near(c.cosine_bound, 0.998);
  assert_near(c.floor, 0.125);
  assert_near(c.floor_rms, sqrt(0.015625 / (9 + 16 + 25 + 144)));
  assert_near(c.tolerance, 0.37501);
  assert_string_equal(c.bound, "3 floor + 1e-5");
  // Twice the floor's rms, 1.8 %, is more than what the types allow.
  assert_near(c.rms_bound, 2 * sqrt(0.015625 / (9 + 16 + 25 + 144)));
  assert_false(c.pass); // 2.2 % rms
  assert_non_null(strstr(c.reason, "rms"));
}

/// The cosine of a row may lack nine times of what the floor's lacks to 1, or
/// 0.002 if that is more. cos(0.02) lacks 2e-4, cos(0.03) 4.5e-4.
static void test_cosine_of_the_floor(void **state) {
  (void)state;
  static const struct {
    double floor_angle, angle;
    bool pass;
  } cases[] = {
      // acos(0.998) is 0.06325.
      {0, 0.0632, true},
      {0, 0.0633, false},
      {0.02, 0.0632, true},
      {0.02, 0.0633, false},
      // 1 - 9 (1 - cos 0.03) = 0.99595, whose angle is 0.09003.
      {0.03, 0.0899, true},
      {0.03, 0.0902, false},
      // Beyond a right angle of the floor's lack any row will do.
      {0.7, 3.1, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const double small = 1e-6, f = cases[i].floor_angle;
    const double reference[] = {1, 0, small, 0};
    const double floor[] = {1, 0, small * cos(f), small * sin(f)};
    const float x[] = {1, 0, (float)(small * cos(cases[i].angle)),
                       (float)(small * sin(cases[i].angle))};
    comparison c;
    compare_rows(ELEMENT_F16, ELEMENT_F32, x, reference, floor, 2, 2, &c);
    if (f > 0.5) { // the other row is nearer to its bound
      assert_near(c.cosine_bound, 0.998);
      assert_true(c.pass);
      continue;
    }
    assert_near(c.cosine_bound, fmin(0.998, 1 - 9 * (1 - cos(f))));
    assert_true(fabs(c.cosine - cos(cases[i].angle)) < 1e-7);
    assert_true(c.pass == cases[i].pass);
    if (!c.pass)
      assert_non_null(strstr(c.reason, "cosine"));
  }
}

/// Ones whose first floor is off by `first` in one element, the second by
/// `second` in ten: the errors that the rule of 8-bit weights allows.
static comparison compare_8_bit(bool quantizes_q, double error, double first,
                                double second) {
  enum { ONES = 100 };
  float x[ONES];
  double reference[ONES], floors[2][ONES];
  for (size_t i = 0; i < ONES; ++i) {
    x[i] = (float)(1 + (i % 2 ? error : -error));
    reference[i] = 1;
    floors[0][i] = i ? 1 : 1 + first;
    floors[1][i] = i % 10 ? 1 : 1 + second;
  }
  const attention p = {.q_type = quantizes_q ? ELEMENT_BF16 : ELEMENT_FP8,
                       .k_type = ELEMENT_FP8,
                       .v_type = ELEMENT_FP8,
                       .out_type = ELEMENT_F32,
                       .head_dim_v = ONES,
                       .quantize_q = quantizes_q};
  comparison c;
  compare_o(&p, x, reference,
            (const double *const[ATTENTION_FLOORS]){floors[0], floors[1]}, 1,
            &c);
  return c;
}

/// Each measure has the worse floor: the first has the largest error, 0.2, the
/// second the larger rms, 0.1 / sqrt(10).
static void test_8_bit_weights(void **state) {
  (void)state;
  const double rms = 1.25 * 0.1 / sqrt(10) + 1e-3;
  comparison c = compare_8_bit(false, 0.99 * rms, 0.2, 0.1);
  assert_true(fabs(c.floor - 0.2) < 1e-12);
  assert_true(fabs(c.floor_rms - 0.1 / sqrt(10)) < 1e-12);
  assert_true(fabs(c.tolerance - (3 * 0.2 + 1e-5)) < 1e-12);
  assert_true(fabs(c.rms_bound - rms) < 1e-12);
  assert_string_equal(c.bound, "3 floor + 1e-5");
  assert_true(c.pass);
  assert_false(compare_8_bit(false, 1.01 * rms, 0.2, 0.1).pass);
  // quantize_q doubles both.
  c = compare_8_bit(true, 1.99 * rms, 0.2, 0.1);
  assert_true(fabs(c.tolerance - 2 * (3 * 0.2 + 1e-5)) < 1e-12);
  assert_true(fabs(c.rms_bound - 2 * rms) < 1e-12);
  assert_string_equal(c.bound, "2 (3 floor + 1e-5)");
  assert_true(c.pass);
  assert_false(compare_8_bit(true, 2.01 * rms, 0.2, 0.1).pass);
  // The largest error counts by itself.
  c = compare_8_bit(false, 0.0007, 0.0002, 0.0001);
  assert_true(!c.pass && strstr(c.reason, "max abs error"));
  // The cosine's bound follows the floor that is further from the reference.
  const double lacks = 1 - sqrt(0.9); // 10 in 100 are 0
  c = compare_8_bit(false, 1.6, 0.001, -1);
  assert_true(fabs(c.cosine_bound - (1 - 9 * lacks)) < 1e-9);
}

/// With weights of 16 bits it is the rule of Q's type.
static void test_16_bit_weights(void **state) {
  (void)state;
  const float x[] = {1.0019f, 1};
  const double reference[] = {1, 1}, floor[] = {1.001, 1};
  attention p = {.q_type = ELEMENT_F16,
                 .k_type = ELEMENT_FP8,
                 .v_type = ELEMENT_BF8,
                 .out_type = ELEMENT_F32,
                 .head_dim_v = 2};
  for (int i = 0; i < 2; ++i) {
    p.q_type = i ? ELEMENT_BF16 : ELEMENT_F16;
    comparison found, expected;
    compare_o(&p, x, reference, (const double *const[ATTENTION_FLOORS]){floor},
              1, &found);
    compare_rows(p.q_type, ELEMENT_F32, x, reference, floor, 1, 2, &expected);
    assert_true(found.pass == expected.pass &&
                found.rms_bound == expected.rms_bound &&
                found.tolerance == expected.tolerance);
  }
}

/// What is reported is the row that fails, not the row of the least cosine.
static void test_worst_row(void **state) {
  (void)state;
  const double reference[] = {1, 0, 1e-6, 0}, floor[] = {1, 0, 0, 0};
  const float x[] = {0.9974f, 0.072f, 0, 0};
  comparison c;
  compare_rows(ELEMENT_BF16, ELEMENT_F32, x, reference, floor, 2, 2, &c);
  assert_true(fabs(c.cosine - 0.9974 / sqrt(0.9974 * 0.9974 + 0.072 * 0.072)) <
              1e-7);
  assert_near(c.cosine_bound, 0.998);
  assert_false(c.pass);
}

/// Where no row is in use there is nothing to differ.
static void test_no_rows(void **state) {
  (void)state;
  comparison c;
  compare_rows(ELEMENT_BF16, ELEMENT_BF16, NULL, NULL, NULL, 0, 128, &c);
  assert_true(c.pass);
  assert_near(c.max_abs_err, 0);
  compare_lse(NULL, NULL, NULL, NULL, 0, false, 0, &c);
  assert_true(c.pass);
}

enum { MANY = 100 };

/// A row of ones, the first of whose floor is off by `floor_error` (its rms is
/// a tenth of that) and all of which are off by `error`.
static comparison compare_ones(element_type input_type, double error,
                               double floor_error) {
  float x[MANY];
  double reference[MANY], floor[MANY];
  for (size_t i = 0; i < MANY; ++i) {
    x[i] = (float)(1 + error);
    reference[i] = floor[i] = 1;
  }
  floor[0] += floor_error;
  comparison c;
  compare_rows(input_type, ELEMENT_F32, x, reference, floor, 1, MANY, &c);
  return c;
}

/// The coarser of the two types bounds the rms: both sides of 6e-3 and 8e-4.
static void test_types(void **state) {
  (void)state;
  const double floor_error = 2.5e-3; // 7.5e-3 may be any element off
  assert_near(compare_ones(ELEMENT_BF16, 0, floor_error).rms_bound, 6e-3);
  assert_near(compare_ones(ELEMENT_F16, 0, floor_error).rms_bound, 8e-4);
  assert_true(compare_ones(ELEMENT_BF16, 5.99e-3, floor_error).pass);
  assert_true(compare_ones(ELEMENT_F16, 7.99e-4, floor_error).pass);
  comparison c = compare_ones(ELEMENT_BF16, 6.01e-3, floor_error);
  assert_true(!c.pass && strstr(c.reason, "rms"));
  c = compare_ones(ELEMENT_F16, 8.01e-4, floor_error);
  assert_true(!c.pass && strstr(c.reason, "rms"));
}

/// Or twice the floor's rms, where that is more: of 0.02 in one of 100, 4e-3.
static void test_rms_of_the_floor(void **state) {
  (void)state;
  const double floor_error = 0.02;
  comparison c = compare_ones(ELEMENT_F16, 3.99e-3, floor_error);
  assert_near(c.floor_rms, 2e-3);
  assert_near(c.rms_bound, 4e-3);
  assert_true(c.pass);
  c = compare_ones(ELEMENT_F16, 4.01e-3, floor_error);
  assert_true(!c.pass && strstr(c.reason, "rms"));
  // Of bf16 6e-3 is more.
  assert_true(compare_ones(ELEMENT_BF16, 5.99e-3, floor_error).pass);
}

/// The floor is half an ulp of the largest |O| at least: of O up to 1, 2^-8 of
/// bf16, 2^-11 of f16, 2^-24 of f32. An element of 0.25 is off by `good` and by
/// `bad`, on both sides of three of them and 1e-5.
static void test_half_ulp(void **state) {
  (void)state;
  static const struct {
    element_type type;
    double half_ulp, good, bad;
  } cases[] = {
      {ELEMENT_BF16, 0x1p-8, 6 * 0x1p-9, 7 * 0x1p-9},
      {ELEMENT_F16, 0x1p-11, 6 * 0x1p-12, 7 * 0x1p-12},
      {ELEMENT_F32, 0x1p-24, 341 * 0x1p-25, 342 * 0x1p-25},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    float x[MANY];
    double reference[MANY];
    for (size_t e = 0; e < MANY; ++e)
      element_store(cases[i].type, x, e, reference[e] = e ? -1 : 0.25);
    const double errors[] = {cases[i].good, cases[i].bad};
    for (int bad = 0; bad < 2; ++bad) {
      element_store(cases[i].type, x, 0, 0.25 + errors[bad]);
      comparison c;
      compare_rows(cases[i].type, cases[i].type, x, reference, reference, 1,
                   MANY, &c);
      assert_near(c.floor, 0);
      assert_near(c.tolerance, 3 * cases[i].half_ulp + 1e-5);
      assert_near(c.max_abs_err, errors[bad]);
      assert_true(c.pass == !bad);
      if (bad)
        assert_non_null(strstr(c.reason, "half ulps"));
    }
  }
}

static void test_abs_bound(void **state) {
  (void)state;
  // 1000 with a floor of 0.01: the bound is 0.03001, and floats lie 6e-5 apart.
  const double r[] = {1000}, f[] = {1000.01};
  const float good[] = {1000.0299f}, bad[] = {1000.0302f};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, good, r, f, 1, 1, &c);
  assert_true(c.pass);
  compare_rows(ELEMENT_F32, ELEMENT_F32, bad, r, f, 1, 1, &c);
  assert_false(c.pass);
  assert_non_null(strstr(c.reason, "max abs"));
}

/// A small row that points elsewhere hides from every sum but its cosine.
static void test_cosine(void **state) {
  (void)state;
  const float x[] = {1000, 1000, 0.1f, 0};
  const double r[] = {1000, 1000, 0, 0.1}, f[] = {1001, 1000, 0, 0.1};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 2, 2, &c);
  assert_near(c.cosine, 0);
  assert_false(c.pass);
  assert_non_null(strstr(c.reason, "cosine"));
  // Zeros where the reference is not zero have no direction: 0.
  const float zeros[] = {1000, 1000, 0, 0};
  compare_rows(ELEMENT_F32, ELEMENT_F32, zeros, r, f, 2, 2, &c);
  assert_near(c.cosine, 0);
  // And the other way about.
  const double r_zeros[] = {1000, 1000, 0, 0}, f_zeros[] = {1001, 1000, 0, 0};
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r_zeros, f_zeros, 2, 2, &c);
  assert_near(c.cosine, 0);
}

static void test_nan(void **state) {
  (void)state;
  const float x[] = {1, NAN, 2.5f, NAN};
  const double r[] = {1, 2, 2, 2}, f[] = {9, 9, 9, 9};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 2, 2, &c);
  assert_int_equal(c.nan_count, 2);
  assert_int_equal(c.worst_index, 1);
  assert_near(c.max_abs_err, 0.5); // of the elements that are numbers
  assert_false(c.pass);
  const float all[] = {NAN};
  compare_rows(ELEMENT_F32, ELEMENT_F32, all, r, f, 1, 1, &c);
  assert_true(isnan(c.max_abs_err));
  assert_false(c.pass);
}

/// What a kernel leaves where it does not write.
static void test_unwritten(void **state) {
  (void)state;
  const uint16_t x[] = {0x3f80, 0xffff};
  const double r[] = {1, 1};
  comparison c;
  compare_rows(ELEMENT_BF16, ELEMENT_BF16, x, r, r, 1, 2, &c);
  assert_int_equal(c.nan_count, 1);
  assert_false(c.pass);
}

/// Where the reference is NaN the element has to be, and takes part in nothing
/// else.
static void test_nan_of_the_reference(void **state) {
  (void)state;
  const double r[] = {1, NAN, 2, 2}, f[] = {1, NAN, 2, 2};
  const float same[] = {1, NAN, 2, 2}, lost[] = {1, 7, 2, 2};
  const float both[] = {NAN, 7, 2, 2}, all[] = {NAN, NAN};
  const double r_all[] = {NAN, NAN};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, same, r, f, 2, 2, &c);
  assert_true(c.pass);
  assert_near(c.max_abs_err, 0);
  assert_near(c.rel_rms_err, 0);
  assert_near(c.cosine, 1);
  assert_int_equal(c.nan_count, 0);
  assert_int_equal(c.missing_nan_count, 0);
  compare_rows(ELEMENT_F32, ELEMENT_F32, lost, r, f, 2, 2, &c);
  assert_false(c.pass);
  assert_int_equal(c.nan_count, 0);
  assert_int_equal(c.missing_nan_count, 1);
  assert_int_equal(c.worst_index, 1);
  assert_non_null(strstr(c.reason, "should be NaN and are not"));
  compare_rows(ELEMENT_F32, ELEMENT_F32, both, r, f, 2, 2, &c);
  assert_false(c.pass);
  assert_int_equal(c.nan_count, 1);
  assert_int_equal(c.missing_nan_count, 1);
  assert_int_equal(c.worst_index, 0);
  compare_rows(ELEMENT_F32, ELEMENT_F32, all, r_all, r_all, 1, 2, &c);
  assert_true(c.pass);
  assert_near(c.max_abs_err, 0);
  // Its own row has no cosine; another is judged all the same.
  const float turned[] = {1, NAN, 2, -2};
  const double f_far[] = {9, NAN, 2, 2};
  compare_rows(ELEMENT_F32, ELEMENT_F32, turned, r, f_far, 2, 2, &c);
  assert_false(c.pass);
  assert_near(c.cosine, 0);
}

static void test_infinity(void **state) {
  (void)state;
  const float x[] = {INFINITY, 1};
  const double r[] = {1, 1}, f[] = {2, 2};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 1, 2, &c);
  assert_true(isinf(c.max_abs_err));
  assert_int_equal(c.nan_count, 0);
  assert_false(c.pass);
  // The reference's own.
  const double r_inf[] = {INFINITY, 1};
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r_inf, r_inf, 1, 2, &c);
  assert_true(c.pass);
  assert_near(c.max_abs_err, 0);
  assert_near(c.tolerance, 3 * 0x1p-24 + 1e-5); // of the 1
  const float others[] = {-INFINITY, 3e38f, NAN};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    const float wrong[] = {others[i], 1};
    compare_rows(ELEMENT_F32, ELEMENT_F32, wrong, r_inf, r_inf, 1, 2, &c);
    assert_false(c.pass);
  }
}

/// 65504 is the largest f16: what is far above it can only be infinity.
static void test_beyond_the_type(void **state) {
  (void)state;
  const double r[] = {70000, 65504}, f[] = {INFINITY, 65504};
  const uint16_t infinite[] = {0x7c00, 0x7bff}, largest[] = {0x7bff, 0x7bff};
  const uint16_t negative[] = {0xfc00, 0x7bff};
  comparison c;
  compare_rows(ELEMENT_F16, ELEMENT_F16, infinite, r, f, 1, 2, &c);
  assert_true(c.pass);
  assert_near(c.tolerance, 3 * 16 + 1e-5); // half of 32
  compare_rows(ELEMENT_F16, ELEMENT_F16, largest, r, f, 1, 2, &c);
  assert_false(c.pass);
  compare_rows(ELEMENT_F16, ELEMENT_F16, negative, r, f, 1, 2, &c);
  assert_false(c.pass);
}

/// Of a kernel that rounds Q.
static void test_lse_of_rounded_q(void **state) {
  (void)state;
  const double r[] = {-INFINITY, 10, 20}, f[] = {-INFINITY, 10.001, 20};
  const float good[] = {-INFINITY, 10.00499f, 20};
  comparison c;
  compare_lse(good, r, f, NULL, 3, true, 1000, &c);
  assert_true(c.pass);
  assert_near(c.floor, 10.001 - 10);
  assert_near(c.tolerance, 3 * (10.001 - 10) + 2e-3);
  assert_string_equal(c.bound, "3 floor + 2e-3");
  const float far[] = {-INFINITY, 10.00501f, 20};
  compare_lse(far, r, f, NULL, 3, true, 1000, &c);
  assert_false(c.pass);
  assert_non_null(strstr(c.reason, "3 floor + 2e-3"));
}

/// Of one that does not, whatever the floor: 1e-4, and a millionth of the
/// largest score.
static void test_lse(void **state) {
  (void)state;
  const double r[] = {-INFINITY, 0.5, 1}, f[] = {-INFINITY, 0.6, 1};
  comparison c;
  static const struct {
    double largest, error;
    bool pass;
  } cases[] = {{0, 0.999e-4, true},
               {0, 1.001e-4, false},
               {1000, 1.0999e-3, true},
               {1000, 1.1001e-3, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const float x[] = {-INFINITY, (float)(0.5 + cases[i].error), 1};
    compare_lse(x, r, f, NULL, 3, false, cases[i].largest, &c);
    assert_near(c.tolerance, 1e-4 + 1e-6 * cases[i].largest);
    assert_string_equal(c.bound, "1e-6 largest score + 1e-4");
    assert_true(c.pass == cases[i].pass);
  }
}

/// -inf exactly where the reference is, and NaN likewise.
static void test_lse_of_empty_rows(void **state) {
  (void)state;
  const double r[] = {-INFINITY, 10, NAN};
  static const struct {
    float x[3];
    uint64_t nan_count, missing_nan_count;
    bool pass;
  } cases[] = {
      {{-INFINITY, 10, NAN}, 0, 0, true},
      {{-100, 10, NAN}, 0, 0, false},
      {{-INFINITY, -INFINITY, NAN}, 0, 0, false},
      {{INFINITY, 10, NAN}, 0, 0, false},
      {{-INFINITY, INFINITY, NAN}, 0, 0, false},
      {{NAN, 10, NAN}, 1, 0, false},
      {{-INFINITY, NAN, NAN}, 1, 0, false},
      {{-INFINITY, 10, 10}, 0, 1, false},
      {{-INFINITY, 10, -INFINITY}, 0, 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    comparison c;
    compare_lse(cases[i].x, r, r, NULL, 3, false, 10, &c);
    assert_int_equal(c.nan_count, cases[i].nan_count);
    assert_int_equal(c.missing_nan_count, cases[i].missing_nan_count);
    assert_true(c.pass == cases[i].pass);
  }
  comparison c;
  compare_lse((const float[]){-INFINITY}, r, r, NULL, 1, false, 0, &c);
  assert_true(c.pass);
  compare_lse((const float[]){-100}, r, r, NULL, 1, false, 0, &c);
  assert_non_null(strstr(c.reason, "-inf"));
  const double plus[] = {INFINITY};
  compare_lse((const float[]){-INFINITY}, plus, plus, NULL, 1, false, 0, &c);
  assert_false(c.pass);
}

/// Every figure of a comparison of O and of one of LSE, in the caller's
/// environment `e`.
static void compare_in(caller_environment e, double out[8]) {
  const float x[] = {0.1f, 0.2f, 0.3f, 0x1p-149f}, l[] = {0.1f, 0.7f};
  const double r[] = {0.1, 0.2, 0.3, 0}, f[] = {0.1001, 0.2, 0.3, 0x1p-140};
  comparison o, lse;
  caller_environment_set(e);
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 2, 2, &o);
  compare_lse(l, r, f, NULL, 2, false, 1.0 / 3, &lse);
  const bool is_kept = caller_environment_is(e);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  caller_environment_set(k_ordinary_environment);
  assert_true(is_kept && !flags);
  const double figures[] = {o.max_abs_err, o.rel_rms_err,  o.cosine,
                            o.floor_rms,   o.tolerance,    o.rms_bound,
                            lse.tolerance, lse.max_abs_err};
  memcpy(out, figures, sizeof figures);
}

static void test_caller_environment(void **state) {
  (void)state;
  double expected[8], found[8];
  compare_in(k_ordinary_environment, expected);
  for (int i = 0; i < CALLER_ENVIRONMENTS; ++i) {
    compare_in(k_caller_environments[i], found);
    assert_memory_equal(found, expected, sizeof found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_no_rows),
      cmocka_unit_test(test_rms_of_the_floor),
      cmocka_unit_test(test_half_ulp),
      cmocka_unit_test(test_abs_bound),
      cmocka_unit_test(test_cosine_of_the_floor),
      cmocka_unit_test(test_worst_row),
      cmocka_unit_test(test_8_bit_weights),
      cmocka_unit_test(test_16_bit_weights),
      cmocka_unit_test(test_cosine),
      cmocka_unit_test(test_nan),
      cmocka_unit_test(test_unwritten),
      cmocka_unit_test(test_infinity),
      cmocka_unit_test(test_nan_of_the_reference),
      cmocka_unit_test(test_beyond_the_type),
      cmocka_unit_test(test_lse),
      cmocka_unit_test(test_lse_of_rounded_q),
      cmocka_unit_test(test_lse_of_empty_rows),
      cmocka_unit_test(test_caller_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
