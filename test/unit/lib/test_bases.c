// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in texts that the key of a cached kernel has beside its schedule's:
// with other ones in the place of the built-in ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "choose.h"
#include "fmhac_schedule.h"

static const char *texts[] = {
    "fmha.recipe @first_d64 = 1\nfmha.schedule @first = 1\n",
    "fmha.schedule @second = @first with <1>\n",
    "fmha.schedule @second_more = @second with <2>\n",
    "fmha.schedule @other = 1\n",
};
enum { COUNT = sizeof texts / sizeof texts[0] };

static const char *const names[] = {"first", "second", "second_more", "other"};

const char *fmhac_schedule_name(size_t index) {
  return index < COUNT ? names[index] : NULL;
}

const char *fmhac_schedule_text(const char *name) {
  for (size_t i = 0; i < COUNT; ++i)
    if (strcmp(names[i], name) == 0)
      return texts[i];
  return NULL;
}

/// The bases are those of `indices`, in this order.
static void expect_bases(const char *text, size_t count,
                         const size_t *indices) {
  fmhac_str bases = {0}, expected = {0};
  fmhac_schedule_append_bases(text, &bases);
  for (size_t i = 0; i < count; ++i)
    fmhac_str_append(&expected, texts[indices[i]]);
  assert_string_equal(bases.text ? bases.text : "",
                      expected.text ? expected.text : "");
  fmhac_str_deinit(&bases);
  fmhac_str_deinit(&expected);
}

static void test_bases(void **state) {
  (void)state;
  expect_bases(NULL, 0, NULL);
  expect_bases("fmha.schedule @mine = 1", 0, NULL);
  // A base, and its base.
  expect_bases("fmha.schedule @mine = @second_more with <3>", 3,
               (size_t[]){2, 1, 0});
  // A recipe is in the file of a schedule. Names are whole words.
  expect_bases("pipeline = <recipe = @first_d64>", 1, (size_t[]){0});
  expect_bases("@firs @first_d @second_mor @othe", 0, NULL);
  // Each once. Of a built-in, its own text is not among them.
  expect_bases("@other @first @second", 3, (size_t[]){3, 0, 1});
  expect_bases(texts[0], 0, NULL);
  expect_bases(texts[1], 1, (size_t[]){0});
}

static void test_changed_base(void **state) {
  (void)state;
  const char *const before = texts[0];
  fmhac_str a = {0}, b = {0};
  fmhac_schedule_append_bases("@second_more", &a);
  texts[0] = "fmha.schedule @first = 2\n";
  fmhac_schedule_append_bases("@second_more", &b);
  texts[0] = before;
  assert_string_not_equal(a.text, b.text);
  fmhac_str_deinit(&a);
  fmhac_str_deinit(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bases),
      cmocka_unit_test(test_changed_base),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
