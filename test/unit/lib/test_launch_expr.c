// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of a launch: what each text means, and where a text is wrong.
// Expected values and offsets are counted by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "launch_when.h"

// Different primes: a value says of which name it is.
static const int64_t sizes[FMHAC_LAUNCH_NAMES] = {
    [FMHAC_LAUNCH_SQ] = 3,     [FMHAC_LAUNCH_SK] = 5,  [FMHAC_LAUNCH_B] = 7,
    [FMHAC_LAUNCH_HQ] = 11,    [FMHAC_LAUNCH_HK] = 13, [FMHAC_LAUNCH_CUS] = 17,
    [FMHAC_LAUNCH_SPLITS] = 19};

#define MOST "9223372036854775807" // 2^63 - 1

static fmhac_launch_expr parse(const char *text, bool is_condition) {
  fmhac_launch_expr expr;
  size_t offset;
  if (!fmhac_launch_expr_parse(text, is_condition, &expr, &offset))
    fail_msg("'%s' is refused from byte %zu", text, offset);
  assert_int_equal(offset, strlen(text));
  return expr;
}

static int64_t value_of(const char *text, bool is_condition) {
  const fmhac_launch_expr expr = parse(text, is_condition);
  int64_t value;
  if (!fmhac_launch_expr_evaluate(&expr, sizes, &value))
    fail_msg("'%s' has no value", text);
  return value;
}

typedef struct valued_text {
  const char *text;
  int64_t value;
} valued_text;

static void expect(const valued_text *rows, size_t count, bool is_condition) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t found = value_of(rows[i].text, is_condition);
    if (found != rows[i].value)
      fail_msg("'%s': expected %lld, found %lld", rows[i].text,
               (long long)rows[i].value, (long long)found);
  }
}
#define EXPECT(rows, is_condition)                                             \
  expect(rows, sizeof(rows) / sizeof *(rows), is_condition)

static void test_names_and_numbers(void **state) {
  (void)state;
  static const valued_text rows[] = {
      {"Sq", 3},  {"Sk", 5},   {"B", 7},       {"Hq", 11},
      {"Hk", 13}, {"CUs", 17}, {"splits", 19}, {"0", 0},
      {"1", 1},   {"007", 7},  {"256", 256},   {MOST, INT64_MAX},
  };
  EXPECT(rows, false);
  // All names that there are, in their own spelling.
  for (int name = 0; name < FMHAC_LAUNCH_NAMES; ++name)
    assert_true(value_of(fmhac_launch_name_text((fmhac_launch_name)name),
                         false) == sizes[name]);
}

static void test_operators(void **state) {
  (void)state;
  static const valued_text rows[] = {
      {"2 + 3", 5},
      {"2 - 3", -1},
      {"2 * 3", 6},
      {"ceil(7 / 2)", 4},
      {"ceil(8 / 2)", 4},
      {"ceil(1 / 256)", 1},
      {"ceil(256 / 256)", 1},
      {"ceil(257 / 256)", 2},
      {"ceil(0 / 5)", 0},
      {"min(2, 3)", 2},
      {"min(3, 2)", 2},
      {"min(2, 2)", 2},
      {"max(2, 3)", 3},
      {"max(3, 2)", 3},
      {"max(2 - 9, 2 - 8)", -6},
      {"min(2 - 9, 2 - 8)", -7},
  };
  EXPECT(rows, false);
}

/// Products before sums, and what stands on the left first.
static void test_precedence(void **state) {
  (void)state;
  static const valued_text rows[] = {
      {"2 + 3 * 4", 14},
      {"2 * 3 + 4", 10},
      {"2 * 3 + 4 * 5", 26},
      {"20 - 2 * 3 - 4", 10},
      {"10 - 3 - 2", 5},
      {"10 - (3 - 2)", 9},
      {"10 - 3 + 2", 9},
      {"(2 + 3) * 4", 20},
      {"2 * (3 + 4) * 5", 70},
      {"((((2))))", 2},
      {"ceil(2 + 3 / 1 + 1)", 3}, // (2 + 3) / (1 + 1), up
      {"ceil(2 * 3 / 2 * 2)", 2}, // 6 / 4, up
      {"min(2 + 3, 2 * 3)", 5},
      {"max(min(1, 2), ceil(9 / min(2, 4)))", 5},
      {"ceil(Sq / 2) * Hq + B", 29},
      {"min(CUs, B * Hq * ceil(Sq / 2))", 17},
      {"max(1, Sk - Hk)", 1},
  };
  EXPECT(rows, false);
}

/// Blanks may stand anywhere but within a word, a number or a mark.
static void test_blanks(void **state) {
  (void)state;
  static const valued_text sides[] = {
      {"2+3*4", 14},          {"   2   +   3*   4   ", 14}, {"ceil(Sq/2)", 2},
      {"ceil ( Sq / 2 )", 2}, {"min( Sq ,Sk )", 3},         {" ( Sq )", 3},
  };
  EXPECT(sides, false);
  static const valued_text conditions[] = {
      {"Sq<=3", 1},
      {"  Sq  <=  3  and  B<=7  ", 1},
      // A word ends where its letters do.
      {"Sq<=3and(B)<=6", 0},
      {"3<=Sq and 7<=B", 1},
  };
  EXPECT(conditions, true);
}

static void test_conditions(void **state) {
  (void)state;
  static const valued_text rows[] = {
      {"Sk <= 4", 0},
      {"Sk <= 5", 1},
      {"5 <= Sk", 1},
      {"6 <= Sk", 0},
      {"2 - 3 <= 0 - 1", 1},
      {"B * Hq <= 77", 1},
      {"B * Hq <= 76", 0},
      // Sums before comparisons, comparisons before "and".
      {"Sq + Sk <= 2 * 4", 1},
      {"Sq + Sk <= 2 * 4 - 1", 0},
      {"1 <= Sq and Sq <= 3", 1},
      {"1 <= Sq and Sq <= 2", 0},
      {"4 <= Sq and Sq <= 9", 0},
      {"4 <= Sq and Sq <= 2", 0},
      {"1 <= 1 and 2 <= 2 and 3 <= 3", 1},
      {"2 <= 1 and 2 <= 2 and 3 <= 3", 0},
      {"1 <= 1 and 3 <= 2 and 3 <= 3", 0},
      {"1 <= 1 and 2 <= 2 and 4 <= 3", 0},
  };
  EXPECT(rows, true);
}

/// A text that is refused, and from which byte on.
static void refused(const char *text, bool is_condition, size_t expected) {
  fmhac_launch_expr expr;
  size_t offset;
  if (fmhac_launch_expr_parse(text, is_condition, &expr, &offset))
    fail_msg("'%s' is taken", text);
  if (offset != expected)
    fail_msg("'%s': expected byte %zu, found %zu", text, expected, offset);
}

static void test_malformed_sides(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t offset;
  } rows[] = {
      {"", 0},
      {"   ", 3},
      {"+", 0},
      {"-1", 0}, // no signs
      {"2 +", 3},
      {"2 -", 3},
      {"2 * ", 4},
      {"2 + * 3", 4},
      {"* 2", 0},
      {"2 3", 2},
      {"Sq Sk", 3},
      {"2Sq", 1},
      {"Sq2", 2},
      {"1.5", 1},
      {"0x10", 1},
      {"1e3", 1},
      {"Sq / 2", 3}, // division is in ceil() only
      {"Sq % 2", 3},
      {"sq", 0},
      {"SQ", 0},
      {"Sqq", 0},
      {"S", 0},
      {"D", 0},
      {"CU", 0},
      {"split", 0},
      {"floor(Sq / 2)", 0},
      {"ceiling(Sq / 2)", 0},
      {"minSq", 0},
      {"2 + Sx", 4},
      {"(", 1},
      {"()", 1},
      {"(Sq", 3},
      {"(Sq))", 4},
      {"Sq)", 2},
      {"[Sq]", 0},
      {"ceil", 4},
      {"ceil Sq", 5},
      {"ceil(", 5},
      {"ceil()", 5},
      {"ceil(Sq)", 7},
      {"ceil(Sq /)", 9},
      {"ceil(Sq / 2", 11},
      {"ceil(Sq, 2)", 7},
      {"ceil(Sq / 2 / 2)", 12},
      {"ceil(/ 2)", 5},
      {"min(Sq / 2)", 7},
      {"min(Sq)", 6},
      {"min(Sq,)", 7},
      {"min(Sq, Sk, B)", 10},
      {"max(, Sk)", 4},
      {"max(Sq, Sk", 10},
      {"max", 3},
      {"Sq <= 2", 3}, // a condition
      {"Sq and Sk", 3},
      {"Sq\t+ 2", 2},
      {"Sq\n", 2},
      {"Sq;", 2},
      {"9223372036854775808", 18},  // 2^63
      {"99999999999999999999", 18}, // the 19th digit is too many,
      {"1 + 9223372036854775808", 22},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    refused(rows[i].text, false, rows[i].offset);
}

static void test_malformed_conditions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t offset;
  } rows[] = {
      {"", 0},
      {"Sq", 2},
      {"<= 2", 0},
      {"Sq <=", 5},
      {"Sq < 2", 3},
      {"Sq < = 2", 3},
      {"Sq =< 2", 3},
      {"Sq == 2", 3},
      {"Sq >= 2", 3},
      {"Sq <= 2 <= 3", 8},
      {"(Sq <= 2)", 4},
      {"Sq <= 2 and", 11},
      {"Sq <= 2 and B", 13},
      {"Sq <= 2 and and B <= 1", 12},
      {"and Sq <= 2", 0},
      {"Sq <= 2 or B <= 1", 8},
      {"Sq <= 2, B <= 1", 7},
      {"Sq <= 2 B <= 1", 8},
      {"Sq <= 2 andB <= 1", 8},
      {"Sq <= SkandB <= 1", 6},
      {"Sq <= 2 AND B <= 1", 8},
      {"not Sq <= 2", 0},
      {"Sq <= ceil(Sk)", 13},
      {"Sq <= 2 and B <= 9223372036854775808", 35},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    refused(rows[i].text, true, rows[i].offset);
}

/// The longest text has 127 bytes and a terminator.
static void test_longest(void **state) {
  (void)state;
  char text[FMHAC_LAUNCH_TEXT_BYTES + 2];
  enum { LONGEST = 127 };
  assert_int_equal(FMHAC_LAUNCH_TEXT_BYTES, LONGEST + 1);
  // 64 ones with 63 signs between them.
  for (int i = 0; i <= LONGEST; ++i)
    text[i] = i % 2 ? '+' : '1';
  text[LONGEST] = '\0';
  assert_int_equal(value_of(text, false), 64);
  text[LONGEST] = ' ';
  text[LONGEST + 1] = '\0';
  refused(text, false, LONGEST);
  refused(text, true, LONGEST);
  // Parentheses as deep as there is room.
  enum { DEPTH = 63 };
  memset(text, '(', DEPTH);
  text[DEPTH] = 'B';
  memset(text + DEPTH + 1, ')', DEPTH);
  text[LONGEST] = '\0';
  assert_int_equal(value_of(text, false), 7);
  text[LONGEST - 1] = ' ';
  refused(text, false, LONGEST);
  memset(text, '(', LONGEST);
  refused(text, false, LONGEST);
  // A number of 127 digits.
  memset(text, '0', LONGEST);
  text[LONGEST - 1] = '8';
  assert_int_equal(value_of(text, false), 8);
  // 16 comparisons, which wait for their second side on the stack.
  text[0] = '\0';
  for (int i = 0; i < 16; ++i)
    strcat(text, i ? "and 0<=1" : "0<=1");
  assert_int_equal(strlen(text), 124);
  assert_int_equal(value_of(text, true), 1);
}

/// No value: more than 63 bits, or a division that has no meaning.
static void test_without_a_value(void **state) {
  (void)state;
  static const char *const rows[] = {
      MOST " + 1",
      MOST " * 2",
      "0 - " MOST " - 2",
      "(0 - " MOST ") * 2",
      "4294967296 * 4294967296",
      "ceil(1 / 0)",
      "ceil(0 / 0)",
      "ceil(Sq / (Sk - 5))",
      "ceil(3 / (1 - 2))",
      "ceil((1 - 2) / 3)",
      "min(1, ceil(1 / 0))", // each operand counts
      "0 * ceil(1 / 0)",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const fmhac_launch_expr expr = parse(rows[i], false);
    int64_t value;
    if (fmhac_launch_expr_evaluate(&expr, sizes, &value))
      fail_msg("'%s' is %lld", rows[i], (long long)value);
  }
  static const char *const conditions[] = {
      MOST " + 1 <= 2",
      "1 <= ceil(1 / 0)",
      // The first side does not decide alone.
      "2 <= 1 and ceil(1 / 0) <= 1",
  };
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; ++i) {
    const fmhac_launch_expr expr = parse(conditions[i], true);
    int64_t value;
    assert_false(fmhac_launch_expr_evaluate(&expr, sizes, &value));
  }
  // The ends of what is a value.
  static const valued_text ends[] = {
      {MOST " + 0", INT64_MAX},
      {"0 - " MOST " - 1", INT64_MIN},
      {"4294967296 * 2147483647", INT64_C(0x7fffffff00000000)},
      {"ceil(" MOST " / 1)", INT64_MAX},
      {"ceil(" MOST " / 2)", INT64_C(4611686018427387904)},
      {"ceil(1 / " MOST ")", 1},
      {"ceil(" MOST " / " MOST ")", 1},
  };
  EXPECT(ends, false);
  // What nobody parsed.
  const fmhac_launch_expr empty = {.count = 0};
  int64_t value;
  assert_false(fmhac_launch_expr_evaluate(&empty, sizes, &value));
}

/// Conditions by which the rows of a sequence alone choose its kernel.
static void test_bounds_of_rows(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t most;
    bool of_group;
  } bounds[] = {{"Sq <= 16", 16, false},
                {"Sq <= 0", 0, false},
                {"Sq <= 4294967295", UINT32_MAX, false},
                {"Sq <= 99999999999", UINT32_MAX, false},
                {"Sq * Hq <= 16 * Hk", 16, true},
                {"(Sq*Hq) <= 128*Hk", 128, true}};
  static const char *const others[] = {"Sk <= 16",
                                       "Sq <= Sk",
                                       "16 <= Sq",
                                       "Sq * Hq <= 16 * Hq",
                                       "Sq * Hk <= 16 * Hk",
                                       "Sk * Hq <= 16 * Hk",
                                       "Sq * Hq <= Hk * 16",
                                       "Sq + Hq <= 16 * Hk",
                                       "Sq * Hq <= 16 + Hk",
                                       "Sq * Hq <= 16",
                                       "Sq <= 16 and Sk <= 9"};
  fmhac_row_bound bound;
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; ++i) {
    if (!fmhac_when_bounds_rows(bounds[i].text, &bound))
      fail_msg("'%s' bounds no rows", bounds[i].text);
    assert_int_equal(bound.most, bounds[i].most);
    assert_int_equal(bound.of_group, bounds[i].of_group);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    if (fmhac_when_bounds_rows(others[i], &bound))
      fail_msg("'%s' bounds %u rows", others[i], bound.most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_and_numbers),
      cmocka_unit_test(test_operators),
      cmocka_unit_test(test_precedence),
      cmocka_unit_test(test_blanks),
      cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_malformed_sides),
      cmocka_unit_test(test_malformed_conditions),
      cmocka_unit_test(test_longest),
      cmocka_unit_test(test_without_a_value),
      cmocka_unit_test(test_bounds_of_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
