// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "doubles.h"
#include "fmhac_options.h"
#include "nearest.h"

static void test_distance(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    size_t distance;
  } pairs[] = {
      {"", "", 0},       {"", "abc", 3},           {"abc", "", 3},
      {"abc", "abc", 0}, {"abc", "abd", 1},        {"abc", "ab", 1},
      {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2},
      {"a-b", "a_b", 0}, {"causal", "cuasal", 1},  {"bf16", "bf61", 1},
      {"ca", "abc", 3}, // a swapped pair is not edited again
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    assert_int_equal(fmhac_edit_distance(pairs[i].a, pairs[i].b),
                     pairs[i].distance);
    assert_int_equal(fmhac_edit_distance(pairs[i].b, pairs[i].a),
                     pairs[i].distance);
  }
}

static void test_long_words(void **state) {
  (void)state;
  char a[201], b[201];
  memset(a, 'x', 200);
  memset(b, 'x', 200);
  a[200] = b[200] = '\0';
  b[100] = 'y';
  assert_int_equal(fmhac_edit_distance(a, b), 0);
  b[10] = 'y';
  assert_int_equal(fmhac_edit_distance(a, b), 1);
}

static void test_nearest(void **state) {
  (void)state;
  static const char *const words[] = {"head_dim", "head_dim_qk", "heads",
                                      "mask", "q"};
  const size_t count = sizeof words / sizeof words[0];
  assert_string_equal(fmhac_nearest_spelling("headdim", words, count),
                      "head_dim");
  assert_string_equal(fmhac_nearest_spelling("head-dim-kq", words, count),
                      "head_dim_qk");
  assert_string_equal(fmhac_nearest_spelling("maks", words, count), "mask");
  assert_string_equal(fmhac_nearest_spelling("mask", words, count), "mask");
  assert_null(fmhac_nearest_spelling("softmax", words, count));
  // A word of one letter is no typo of another.
  assert_null(fmhac_nearest_spelling("x", words, count));
  assert_null(fmhac_nearest_spelling("", words, count));
  assert_null(fmhac_nearest_spelling("mask", words, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_long_words),
      cmocka_unit_test(test_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
