// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of the key `schedule`: several schedules, each with a condition.
#include "schedule_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "context.h"
#include "doubles.h"

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

enum { MOST_ITEMS = 8 };

/// Names and conditions by turns, as many as there are.
typedef struct expectation {
  const char *value;
  const char *texts[2 * MOST_ITEMS];
} expectation;

static void expect(const expectation *e) {
  fmhac_schedule_list list;
  fmhac_str error = {0};
  if (!fmhac_schedule_list_read(e->value, &list, &error))
    fail_msg("'%s': %s", e->value, error.text);
  assert_null(error.text);
  size_t count = 0;
  while (count < MOST_ITEMS && e->texts[2 * count])
    ++count;
  assert_int_equal(list.count, count);
  for (size_t i = 0; i < count; ++i) {
    assert_string_equal(list.items[i].name, e->texts[2 * i]);
    assert_string_equal(list.items[i].when, e->texts[2 * i + 1]);
  }
}

static void test_read(void **state) {
  (void)state;
  static const expectation rows[] = {
      {"auto", {"auto", ""}},
      {"generic", {"generic", ""}},
      {"  generic  ", {"generic", ""}},
      {"generic if Sk <= 256; dualwave",
       {"generic", "Sk <= 256", "dualwave", ""}},
      {"generic if Sk <= 256; auto", {"generic", "Sk <= 256", "auto", ""}},
      {"generic if Sk<=256;dualwave", {"generic", "Sk<=256", "dualwave", ""}},
      {" generic   if   Sk <= 256  ;   dualwave ",
       {"generic", "Sk <= 256", "dualwave", ""}},
      {"\tgeneric if Sk <= 256;\n dualwave\r\n",
       {"generic", "Sk <= 256", "dualwave", ""}},
      // The last may have a condition: other problems are refused.
      {"generic if Sk <= 256", {"generic", "Sk <= 256"}},
      {"generic if B * Hq <= 8 and Sk <= 256; a if Sq <= 1; b",
       {"generic", "B * Hq <= 8 and Sk <= 256", "a", "Sq <= 1", "b", ""}},
      // Whether there is such a schedule is not asked here, nor whether two
      // are one.
      {"none if Sk <= 1; none", {"none", "Sk <= 1", "none", ""}},
      // Words that begin like "if", or end so.
      {"iffy if Sk <= 1; gif", {"iffy", "Sk <= 1", "gif", ""}},
      {"if", {"if", ""}},
      {"x", {"x", ""}},
      {"autos if Sk <= 1; auto", {"autos", "Sk <= 1", "auto", ""}},
      {"generic if if Sk <= 1", {"generic if", "Sk <= 1"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    expect(&rows[i]);
}

/// A path may have blanks and the word; what follows the last " if " is the
/// condition, unless the whole ends in .mlir.
static void test_paths(void **state) {
  (void)state;
  static const expectation rows[] = {
      {"./a.mlir", {"./a.mlir", ""}},
      {".mlir", {".mlir", ""}},
      {"my file.mlir", {"my file.mlir", ""}},
      {"use if small.mlir", {"use if small.mlir", ""}},
      {"use if Sk <= 256.mlir", {"use if Sk <= 256.mlir", ""}},
      {"use if small.mlir if Sk <= 256; a if b if c.mlir",
       {"use if small.mlir", "Sk <= 256", "a if b if c.mlir", ""}},
      {"/what/if/x if Sk <= 256; dualwave",
       {"/what/if/x", "Sk <= 256", "dualwave", ""}},
      {"/a if b/x if Sk <= 256", {"/a if b/x", "Sk <= 256"}},
      {"a.mlir if Sk <= 1; auto", {"a.mlir", "Sk <= 1", "auto", ""}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    expect(&rows[i]);
}

static void test_most(void **state) {
  fmhac_str value = {0}, error = {0};
  fmhac_schedule_list list;
  for (int i = 0; i < MOST_ITEMS; ++i) {
    char name[8], when[16];
    snprintf(name, sizeof name, "s%d", i);
    snprintf(when, sizeof when, "Sk <= %d", i + 1);
    fmhac_schedule_list_append(name, i + 1 < MOST_ITEMS ? when : "", &value);
  }
  assert_string_equal(value.text,
                      "s0 if Sk <= 1; s1 if Sk <= 2; s2 if Sk <= 3; s3 if Sk "
                      "<= 4; s4 if Sk <= 5; s5 if Sk <= 6; s6 if Sk <= 7; s7");
  assert_true(fmhac_schedule_list_read(value.text, &list, &error));
  assert_int_equal(list.count, MOST_ITEMS);
  assert_string_equal(list.items[7].name, "s7");
  assert_string_equal(list.items[6].when, "Sk <= 7");
  fmhac_str_append(&value, " if Sk <= 8; auto");
  assert_int_equal(fmhac_schedule_list_get(*state, value.text, &list),
                   FMHAC_INVALID_INPUT);
  assert_string_equal(fmhac_last_error(*state),
                      "configuration: key \"schedule\": expected at most 8 "
                      "schedules, found more");
  fmhac_str_deinit(&value);
}

/// Every refusal, with what was expected and what was found.
static void test_refused(void **state) {
#define CONDITION                                                              \
  "a condition such as Sk <= 256, of Sq, Sk, B, Hq, Hk, CUs and splits, "      \
  "after 'if', found "
#define AUTO "auto without a condition and as the last, found "
#define EACH "a condition of each but the last, found "
  static const struct {
    const char *value, *words;
  } rows[] = {
      {"", "a schedule, found ''"},
      {"   ", "a schedule, found ''"},
      {";", "a schedule, found ''"},
      {"; generic", "a schedule, found ''"},
      {"generic if Sk <= 1;", "a schedule, found ''"},
      {"generic if Sk <= 1;;dualwave", "a schedule, found ''"},
      {"generic; dualwave", EACH "'generic'"},
      {"generic if Sk <= 1; dualwave; generic_wide", EACH "'dualwave'"},
      {"my if file.mlir; generic", EACH "'my if file.mlir'"},
      {"auto; generic", AUTO "'auto'"},
      {"auto if Sk <= 1", AUTO "'auto if Sk <= 1'"},
      {"auto if Sk <= 1; generic", AUTO "'auto if Sk <= 1'"},
      {"generic if Sk <= 1; auto; dualwave", AUTO "'auto'"},
      {"generic if Sk", CONDITION "'Sk'"},
      {"generic if Sk < 256; auto", CONDITION "'Sk < 256'"},
      {"generic if D <= 256; auto", CONDITION "'D <= 256'"},
      {"generic if Sk <= 256 or B <= 1", CONDITION "'Sk <= 256 or B <= 1'"},
      {"generic if small.mlir if", CONDITION "'small.mlir if'"},
  };
#undef EACH
#undef AUTO
#undef CONDITION
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fmhac_schedule_list list;
    char expected[300];
    snprintf(expected, sizeof expected,
             "configuration: key \"schedule\": expected %s", rows[i].words);
    if (fmhac_schedule_list_get(*state, rows[i].value, &list) !=
        FMHAC_INVALID_INPUT)
      fail_msg("'%s' is taken", rows[i].value);
    assert_string_equal(fmhac_last_error(*state), expected);
    // The same where a configuration is read.
    fmhac_config *config;
    char json[300];
    snprintf(json, sizeof json, "{\"schedule\":\"%s\"}", rows[i].value);
    assert_int_equal(fmhac_config_create_json(*state, json, &config),
                     FMHAC_INVALID_INPUT);
    assert_contains(fmhac_last_error(*state), expected);
  }
}

/// Names and conditions are not cut: as much as there is room, and a byte more.
static void test_long_texts(void **state) {
  static char value[2 * FMHAC_TEXT_BYTES];
  fmhac_schedule_list list;
  memset(value, 'n', FMHAC_TEXT_BYTES - 1);
  assert_int_equal(fmhac_schedule_list_get(*state, value, &list), FMHAC_OK);
  assert_int_equal(strlen(list.items[0].name), FMHAC_TEXT_BYTES - 1);
  strcat(value, "n");
  assert_int_equal(fmhac_schedule_list_get(*state, value, &list),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "expected a schedule, found 'nnn");
  // "1 <= Sq" in 127 bytes, and in 128.
  char when[FMHAC_LAUNCH_TEXT_BYTES + 1];
  memset(when, '0', sizeof when - 1);
  when[sizeof when - 1] = '\0';
  memcpy(when + sizeof when - 8, "1 <= Sq", 7);
  snprintf(value, sizeof value, "a if %s; b", when + 1);
  assert_int_equal(fmhac_schedule_list_get(*state, value, &list), FMHAC_OK);
  assert_string_equal(list.items[0].when, when + 1);
  snprintf(value, sizeof value, "a if %s; b", when);
  assert_int_equal(fmhac_schedule_list_get(*state, value, &list),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "after 'if', found '000");
}

static void test_append(void **state) {
  (void)state;
  fmhac_str list = {0};
  fmhac_schedule_list_append("generic", "", &list);
  assert_string_equal(list.text, "generic");
  fmhac_schedule_list_append("a b.mlir", "Sk <= 1", &list);
  assert_string_equal(list.text, "generic; a b.mlir if Sk <= 1");
  fmhac_str_deinit(&list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_read),    TEST(test_paths),  TEST(test_most),
      TEST(test_refused), TEST(test_append), TEST(test_long_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
