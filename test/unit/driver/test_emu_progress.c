// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The estimate of a launch on the emulator, by arithmetic.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emu_progress.h"

static void assert_text(uint64_t done, uint64_t all, double seconds,
                        const char *expected) {
  char text[EMU_PROGRESS_BYTES];
  emu_progress_text(done, all, seconds, text);
  assert_string_equal(text, expected);
}

static void test_text(void **state) {
  (void)state;
  assert_text(10, 40, 5,
              "10 of 40 workgroups in 5 s, 2 a second, about 15 s left");
  // 990 at 2 a second are 495 s.
  assert_text(10, 1000, 5,
              "10 of 1000 workgroups in 5 s, 2 a second, about 8 minutes left");
  assert_text(
      10, 100000, 5,
      "10 of 100000 workgroups in 5 s, 2 a second, about 14 hours left");
  // 2^26 at 2 a second are 388 days.
  assert_text(10, 1 << 26, 5,
              "10 of 67108864 workgroups in 5 s, 2 a second, about 388 days "
              "left");
  assert_text(7, 7, 3,
              "7 of 7 workgroups in 3 s, 2.33 a second, about 0 s left");
}

static void test_is_long(void **state) {
  (void)state;
  assert_false(emu_progress_is_long(10, 1 << 20, 4.9)); // too early to say
  assert_true(emu_progress_is_long(10, 1 << 20, 5));
  assert_false(emu_progress_is_long(10, 130, 5)); // 60 s
  assert_true(emu_progress_is_long(10, 131, 5));
  assert_false(emu_progress_is_long(10, 10, 1000));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                     cmocka_unit_test(test_is_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
