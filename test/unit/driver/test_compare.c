// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass rule on numbers small enough to be judged by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

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
  assert_near(c.tolerance, 1e-5);
}

static void test_figures(void **state) {
  (void)state;
  const float x[] = {3, 4.5f, 5, 12};
  const double r[] = {3, 4, 5, 12}, f[] = {3, 4, 5.25, 12};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 2, 2, &c);
  assert_near(c.max_abs_err, 0.5);
  assert_int_equal(c.worst_index, 1);
  assert_near(c.rel_rms_err, sqrt(0.25 / (9 + 16 + 25 + 144)));
  assert_near(c.cosine, (9 + 18) / (5 * sqrt(9 + 20.25)));
  assert_near(c.floor, 0.25);
  assert_near(c.tolerance, 0.75001);
  assert_false(c.pass); // 3.6 % rms
  assert_non_null(strstr(c.reason, "rms"));
}

/// A row that the floor's own roundings turn is not judged by its cosine, and
/// still by its error. cos(0.03) lacks 4.5e-4 to 1, cos(0.02) 2e-4; the bound
/// is 0.002 / 9 = 2.2e-4.
static void test_unjudged_rows(void **state) {
  (void)state;
  const double angles[] = {0.02, 0.03};
  const double small = 1e-6;
  for (int i = 0; i < 2; ++i) {
    const double r[] = {1, 0, small, 0};
    const double f[] = {1, 0, small * cos(angles[i]), small * sin(angles[i])};
    const float x[] = {1, 0, 0, 0};
    comparison c;
    compare_rows(ELEMENT_F16, ELEMENT_F32, x, r, f, 2, 2, &c);
    assert_true(c.pass == (i == 1));
    assert_int_equal(c.unjudged_rows, i);
    assert_near(c.cosine, i);
    // Too large an error fails whichever row it is in.
    const float bad[] = {1, 0, 2e-5f, 0};
    compare_rows(ELEMENT_F16, ELEMENT_F32, bad, r, f, 2, 2, &c);
    assert_false(c.pass);
    assert_non_null(strstr(c.reason, "max abs"));
  }
}

/// Where no row is in use there is nothing to differ.
static void test_no_rows(void **state) {
  (void)state;
  comparison c;
  compare_rows(ELEMENT_BF16, ELEMENT_BF16, NULL, NULL, NULL, 0, 128, &c);
  assert_true(c.pass);
  assert_near(c.max_abs_err, 0);
  compare_lse(NULL, NULL, NULL, 0, &c);
  assert_true(c.pass);
}

/// The coarser of the two types bounds the rms: 0.2 % passes as bf16 only.
static void test_types(void **state) {
  (void)state;
  const float x[] = {1.002f, 1.002f};
  const double r[] = {1, 1}, f[] = {1.002, 1.002};
  comparison c;
  compare_rows(ELEMENT_BF16, ELEMENT_F32, x, r, f, 1, 2, &c);
  assert_true(c.pass);
  compare_rows(ELEMENT_F16, ELEMENT_F32, x, r, f, 1, 2, &c);
  assert_false(c.pass);
  assert_non_null(strstr(c.reason, "rms"));
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

static void test_rms_bound_of_types(void **state) {
  (void)state;
  // Relative error 0.3 % in each element, floor large.
  const double r[] = {2, 2}, f[] = {3, 3};
  const uint16_t bf16[] = {0x4000, 0x4000};
  comparison c;
  const double near_two[] = {2.006, 2.006};
  compare_rows(ELEMENT_BF16, ELEMENT_BF16, bf16, near_two, f, 1, 2, &c);
  assert_near(c.rel_rms_err, 0.006 / 2.006);
  assert_true(c.pass);
  const uint16_t f16[] = {0x4000, 0x4000}; // 2.0 too
  compare_rows(ELEMENT_F16, ELEMENT_F16, f16, near_two, f, 1, 2, &c);
  assert_false(c.pass);
  const double nearer[] = {2.001, 2.001};
  compare_rows(ELEMENT_F16, ELEMENT_F16, f16, nearer, f, 1, 2, &c);
  assert_true(c.pass);
  compare_rows(ELEMENT_BF16, ELEMENT_BF16, bf16, r, f, 1, 2, &c);
  assert_true(c.pass);
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

static void test_infinity(void **state) {
  (void)state;
  const float x[] = {INFINITY, 1};
  const double r[] = {1, 1}, f[] = {2, 2};
  comparison c;
  compare_rows(ELEMENT_F32, ELEMENT_F32, x, r, f, 1, 2, &c);
  assert_true(isinf(c.max_abs_err));
  assert_int_equal(c.nan_count, 0);
  assert_false(c.pass);
}

static void test_lse(void **state) {
  (void)state;
  const double r[] = {-INFINITY, 10, 20}, f[] = {-INFINITY, 10.001, 20};
  const float good[] = {-INFINITY, 10.004f, 20};
  comparison c;
  compare_lse(good, r, f, 3, &c);
  assert_true(c.pass);
  assert_near(c.floor, 10.001 - 10);
  assert_near(c.tolerance, 3 * (10.001 - 10) + 2e-3);
  const float far[] = {-INFINITY, 10.006f, 20};
  compare_lse(far, r, f, 3, &c);
  assert_false(c.pass);
  const float number[] = {-100, 10, 20};
  compare_lse(number, r, f, 3, &c);
  assert_false(c.pass);
  assert_non_null(strstr(c.reason, "-inf"));
  const float infinite[] = {-INFINITY, 10, -INFINITY};
  compare_lse(infinite, r, f, 3, &c);
  assert_false(c.pass);
  const float plus[] = {INFINITY, 10, 20};
  compare_lse(plus, r, f, 3, &c);
  assert_false(c.pass);
  const float nan[] = {NAN, 10, 20};
  compare_lse(nan, r, f, 3, &c);
  assert_int_equal(c.nan_count, 1);
  assert_false(c.pass);
  const float none[] = {-INFINITY};
  compare_lse(none, r, f, 1, &c);
  assert_true(c.pass);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_no_rows),
      cmocka_unit_test(test_unjudged_rows),
      cmocka_unit_test(test_abs_bound),
      cmocka_unit_test(test_rms_bound_of_types),
      cmocka_unit_test(test_cosine),
      cmocka_unit_test(test_nan),
      cmocka_unit_test(test_unwritten),
      cmocka_unit_test(test_infinity),
      cmocka_unit_test(test_lse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
