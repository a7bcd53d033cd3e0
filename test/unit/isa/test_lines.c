// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where instructions come from, in words, and files that do not say it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"

static const isa_source_location unknown,
    plain = {.location = "k.c:7"},
    inlined = {.location = "k.c:9", .step = "pv"},
    ours = {.location = "a.synced.mlir:5", .is_ours = true};

static void expect_text(const isa_source_location *place,
                        const isa_source_location *other,
                        const char *expected) {
  char text[128] = "read";
  isa_locations_text(place, other, "0x10", text, sizeof text);
  assert_string_equal(text, expected);
}

static void words(void **state) {
  (void)state;
  expect_text(&plain, NULL, "read; from k.c:7");
  expect_text(&inlined, &plain, "read; from k.c:9 (pv), pc 0x10 from k.c:7");
  expect_text(&unknown, &inlined, "read; pc 0x10 from k.c:9 (pv)");
  expect_text(&ours, &unknown, "read; from a.synced.mlir:5 (no step)");
  expect_text(&unknown, &unknown, "read");
}

// A text that has no room is cut, never overrun, and one that is full stays.
static void room(void **state) {
  (void)state;
  char whole[64] = "read";
  isa_locations_text(&inlined, &plain, "0x10", whole, sizeof whole);
  for (size_t bytes = 5; bytes <= strlen(whole); bytes++) {
    char text[64] = "read", fence = 0x5a;
    memset(text + bytes, fence, sizeof text - bytes);
    isa_locations_text(&inlined, &plain, "0x10", text, bytes);
    assert_int_equal(strlen(text), bytes - 1);
    assert_memory_equal(text, whole, bytes - 1);
    for (size_t i = bytes; i < sizeof text; i++)
      assert_int_equal(text[i], fence);
  }
}

static void no_tables(void **state) {
  (void)state;
  assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
  char rubbish[64] = "rubbish";
  assert_null(isa_lines_open(rubbish, sizeof rubbish));
  isa_source_location place;
  memset(&place, 0x5a, sizeof place);
  isa_lines_find(NULL, 0, &place);
  assert_string_equal(place.location, "");
  assert_string_equal(place.step, "");
  isa_lines_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words),
                                     cmocka_unit_test(room),
                                     cmocka_unit_test(no_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
