// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of callers that were built with an earlier and a later header.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sized_struct.h"

/// As three releases had it; the library's is the second.
typedef struct first {
  size_t size;
  uint64_t a;
} first;
typedef struct known {
  size_t size;
  uint64_t a, b;
} known;
typedef struct later {
  size_t size;
  uint64_t a, b;
  char c[24];
} later;

static const size_t least = FMHAC_SIZE_THROUGH(first, a);
static char text[256];

static fmhac_status in(known *to, const void *from) {
  memset(to, 0xee, sizeof *to);
  strcpy(text, "untouched");
  return fmhac_struct_in(to, sizeof *to, least, from, "thing", text,
                         sizeof text);
}

static fmhac_status out(void *to, const known *from) {
  strcpy(text, "untouched");
  return fmhac_struct_out(to, from, sizeof *from, least, "thing", text,
                          sizeof text);
}

static void test_least_size(void **state) {
  (void)state;
  assert_int_equal(least, 16);
  // A field that is followed by padding ends where it ends.
  typedef struct padded {
    size_t size;
    char a;
    uint64_t b;
  } padded;
  assert_int_equal(FMHAC_SIZE_THROUGH(padded, a), 9);
}

static void test_in(void **state) {
  (void)state;
  known to;
  first *early = malloc(sizeof *early); // so that a checker sees what is read
  *early = (first){sizeof *early, 7};
  assert_int_equal(in(&to, early), FMHAC_OK);
  assert_int_equal(to.size, sizeof to);
  assert_int_equal(to.a, 7);
  assert_int_equal(to.b, 0);
  free(early);
  const known same = {sizeof same, 7, 8};
  assert_int_equal(in(&to, &same), FMHAC_OK);
  assert_memory_equal(&to, &same, sizeof to);
  later late = {.size = sizeof late, .a = 7, .b = 8};
  assert_int_equal(in(&to, &late), FMHAC_OK);
  assert_int_equal(to.size, sizeof to);
  assert_int_equal(to.b, 8);
  assert_string_equal(text, "untouched");
}

static void test_in_knows_what_it_does_not_know(void **state) {
  (void)state;
  later late = {.size = sizeof late};
  for (size_t i = 0; i < sizeof late.c; ++i) {
    char words[128];
    known to;
    memset(late.c, 0, sizeof late.c);
    late.c[i] = 1;
    assert_int_equal(in(&to, &late), FMHAC_UNSUPPORTED);
    snprintf(words, sizeof words,
             "byte %zu of thing is set, this library knows 24 bytes", 24 + i);
    assert_non_null(strstr(text, words));
    static const known none;
    assert_memory_equal(&to, &none, sizeof to);
  }
}

static void test_sizes_that_no_release_had(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 8, 15, 65537, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    known to, from = {sizes[i], 1, 2}, before = from;
    char words[128];
    snprintf(words, sizeof words, "thing.size is %zu, expected 24; ", sizes[i]);
    assert_int_equal(in(&to, &from), FMHAC_INVALID_INPUT);
    assert_non_null(strstr(text, words));
    assert_int_equal(to.a, 0);
    assert_int_equal(out(&from, &(known){sizeof to, 5, 6}),
                     FMHAC_INVALID_INPUT);
    assert_non_null(strstr(text, words));
    assert_memory_equal(&from, &before, sizeof from);
  }
  known to;
  assert_int_equal(in(&to, NULL), FMHAC_INVALID_INPUT);
  assert_non_null(strstr(text, "thing"));
  assert_int_equal(out(NULL, &to), FMHAC_INVALID_INPUT);
  assert_non_null(strstr(text, "thing"));
}

static void test_out(void **state) {
  (void)state;
  const known from = {999, 7, 8};
  first *early = malloc(sizeof *early);
  *early = (first){sizeof *early, 1};
  assert_int_equal(out(early, &from), FMHAC_OK);
  assert_int_equal(early->size, sizeof *early);
  assert_int_equal(early->a, 7);
  free(early);
  known same = {sizeof same, 1, 2};
  assert_int_equal(out(&same, &from), FMHAC_OK);
  assert_int_equal(same.size, sizeof same);
  assert_int_equal(same.b, 8);
  later late;
  memset(&late, 0xee, sizeof late);
  late.size = sizeof late;
  assert_int_equal(out(&late, &from), FMHAC_OK);
  assert_int_equal(late.size, sizeof late);
  assert_int_equal(late.b, 8);
  for (size_t i = 0; i < sizeof late.c; ++i)
    assert_int_equal(late.c[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_least_size),
      cmocka_unit_test(test_in),
      cmocka_unit_test(test_in_knows_what_it_does_not_know),
      cmocka_unit_test(test_sizes_that_no_release_had),
      cmocka_unit_test(test_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
