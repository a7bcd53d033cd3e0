// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schedule_text.h"

// Line 1 is a comment that names a key as if it were one.
static const char text[] = "// waves = 3, and more\n"
                           "fmha.schedule @s = #fmha.schedule<\n"
                           "  tile_m = 128, waves = 4,\n"
                           "  qk = <m = 32>, order = [qk],\n"
                           "  rescale = eager,\n"
                           "  <@v_in>>\n";

static void expect_explained(const char *diagnostics, const char *expected) {
  fmhac_str out = {0};
  fmhac_schedule_explain("s.mlir", text, diagnostics, &out);
  assert_string_equal(out.text, expected);
  fmhac_str_deinit(&out);
}

static void expect_located(const char *message, const char *expected) {
  fmhac_str out = {0};
  fmhac_schedule_locate("s.mlir", text, message, &out);
  assert_string_equal(out.text, expected);
  fmhac_str_deinit(&out);
}

static void test_says_what_stands_there(void **state) {
  (void)state;
  expect_explained("s.mlir:5:13: expected ::mlir::fmha::Policy to be one of: a",
                   "s.mlir:5:13: expected Policy to be one of: a, found "
                   "'eager'");
  expect_explained("s.mlir:3:26: expected '='",
                   "s.mlir:3:26: expected '=', found ','");
}

static void test_place_past_the_text(void **state) {
  (void)state;
  expect_explained("s.mlir:7:1: expected '>'",
                   "s.mlir:7:1: expected '>', found the end of the file or a "
                   "byte 0");
  expect_explained("s.mlir:4:99: expected '>'",
                   "s.mlir:4:31: expected '>', found the end of the line");
}

static void test_first_diagnostic_only(void **state) {
  (void)state;
  expect_explained("s.mlir:3:12: found no digit\ns.mlir:3:14: failed to parse",
                   "s.mlir:3:12: found no digit");
}

// What is said of the whole attribute is said at its '<', line 2 column 34.
static void test_moved_to_the_key(void **state) {
  (void)state;
  expect_explained("s.mlir:2:34: expected waves to be even, found 3",
                   "s.mlir:3:17: expected waves to be even, found 3");
  expect_explained("s.mlir:2:34: expected 'qk' in order, found none",
                   "s.mlir:4:18: expected 'qk' in order, found none");
  // Of a check, where the parser stands says nothing.
  expect_explained("s.mlir:2:34: expected waves as many as tile_m has",
                   "s.mlir:3:17: expected waves as many as tile_m has");
  expect_explained("s.mlir:4:8: expected an integer",
                   "s.mlir:4:8: expected an integer, found '<'");
  expect_explained("s.mlir:2:34: expected more, found less",
                   "s.mlir:2:34: expected more, found less");
}

static void test_without_a_place(void **state) {
  (void)state;
  expect_explained("out of memory", "out of memory");
  expect_explained("", "");
  expect_explained("other.mlir:1:1: expected x", "other.mlir:1:1: expected x");
}

static void test_located(void **state) {
  (void)state;
  expect_located("too much; reduce tile_m or waves",
                 "s.mlir:3:3: too much; reduce tile_m or waves");
  expect_located("nothing of it", "nothing of it");
  // A stage comes before the keys: there may be several of those.
  expect_located("load_k in @v_in and waves",
                 "s.mlir:6:4: load_k in @v_in and waves");
  expect_located("load_k in @v and waves",
                 "s.mlir:3:17: load_k in @v and waves");
  expect_located("an unpaired ' and waves",
                 "s.mlir:3:17: an unpaired ' and waves");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_says_what_stands_there),
      cmocka_unit_test(test_place_past_the_text),
      cmocka_unit_test(test_first_diagnostic_only),
      cmocka_unit_test(test_moved_to_the_key),
      cmocka_unit_test(test_without_a_place),
      cmocka_unit_test(test_located),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
