// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of the emulator: elements are named for what they are, by the plain
// formula offset = sum of coordinate times stride over all coordinates; what is
// in use is what lengths and starts say; what makes no tensor is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensor.h"

enum { BUFFER_BYTES = 1 << 16 };

typedef struct fixture {
  emu_space space;
  uint64_t base;
  char text[512];
} fixture;

static fixture open_space(void) {
  fixture f = {.base = 0};
  assert_int_equal(emu_space_map(&f.space, "x", 0, BUFFER_BYTES, f.text,
                                 sizeof f.text, &f.base),
                   FMHAC_OK);
  return f;
}

/// [2,3,4,5] of two bytes after `offset` bytes, with strides in elements.
static fmhac_emu_tensor tensor(const fixture *f, uint64_t offset, uint64_t b,
                               uint64_t s, uint64_t h, uint64_t d) {
  return (fmhac_emu_tensor){.size = sizeof(fmhac_emu_tensor),
                            .name = "k",
                            .base = f->base + offset,
                            .element_bytes = 2,
                            .axes = 4,
                            .axis = {"b", "s", "h", "d"},
                            .shape = {2, 3, 4, 5},
                            .strides_bytes = {2 * b, 2 * s, 2 * h, 2 * d}};
}

static void declare(fixture *f, const fmhac_emu_tensor *t) {
  fmhac_status status =
      emu_tensor_declare(&f->space, t, f->text, sizeof f->text);
  if (status != FMHAC_OK)
    fail_msg("%s", f->text);
}

static void refused(fixture *f, const fmhac_emu_tensor *t, const char *words) {
  f->text[0] = '\0';
  assert_int_equal(emu_tensor_declare(&f->space, t, f->text, sizeof f->text),
                   FMHAC_INVALID_INPUT);
  if (!strstr(f->text, words))
    fail_msg("expected \"%s\" in: %s", words, f->text);
}

//===-- Names -------------------------------------------------------------===//

static void check_names(uint64_t offset, uint64_t b, uint64_t s, uint64_t h,
                        uint64_t d) {
  fixture f = open_space();
  fmhac_emu_tensor t = tensor(&f, offset, b, s, h, d);
  declare(&f, &t);
  const emu_segment *segment = &f.space.segments[0];
  static char expected[BUFFER_BYTES][40];
  memset(expected, 0, sizeof expected);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned j = 0; j < 3; j++)
      for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < 5; l++)
          for (unsigned byte = 0; byte < 2; byte++)
            snprintf(
                expected[offset + 2 * (i * b + j * s + k * h + l * d) + byte],
                40, ", k[b=%u,s=%u,h=%u,d=%u]", i, j, k, l);
  for (unsigned at = 0; at < 4096; at++) {
    char text[EMU_ADDRESS_TEXT];
    emu_tensors_name(segment, at, text, sizeof text);
    assert_string_equal(text, expected[at]);
  }
  emu_space_free(&f.space);
}

static void test_names_elements_of_every_layout(void **state) {
  (void)state;
  check_names(0, 60, 20, 5, 1);     // BSHD
  check_names(6, 60, 5, 15, 1);     // BHSD, after something
  check_names(40, 210, 70, 5, 1);   // a part of a packed QKV
  check_names(0, 1, 2, 6, 24);      // all the other way round
  check_names(100, 300, 91, 22, 4); // gaps everywhere
}

static void expect_name(const fixture *f, uint64_t offset, bool beyond,
                        const char *expected) {
  char text[EMU_ADDRESS_TEXT];
  (beyond ? emu_tensors_name_beyond
          : emu_tensors_name)(&f->space.segments[0], offset, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_names_what_would_lie_past_the_end(void **state) {
  (void)state;
  fixture f = open_space();
  fmhac_emu_tensor t = tensor(&f, 0, 60, 20, 5, 1);
  t.shape[0] = 1;
  declare(&f, &t);
  expect_name(&f, 119, false, ", k[b=0,s=2,h=3,d=4]");
  expect_name(&f, 120, false, "");
  // With one batch the rows go on; row 3, head 1, element 2.
  expect_name(&f, 120, true, ", where k[b=0,s=3,h=0,d=0] would be");
  expect_name(&f, 134, true, ", where k[b=0,s=3,h=1,d=2] would be");
  expect_name(&f, 0, true, "");
  emu_space_free(&f.space);
}

static void test_the_first_of_several_tensors_gives_the_name(void **state) {
  (void)state;
  fixture f = open_space();
  fmhac_emu_tensor t = tensor(&f, 0, 60, 20, 5, 1);
  declare(&f, &t);
  t.name = "second";
  declare(&f, &t);
  t.name = "behind";
  t.base += 240;
  declare(&f, &t);
  expect_name(&f, 238, false, ", k[b=1,s=2,h=3,d=4]");
  expect_name(&f, 240, false, ", behind[b=0,s=0,h=0,d=0]");
  emu_space_free(&f.space);
}

static void test_packed_rows_are_named_by_sequence(void **state) {
  (void)state;
  fixture f = open_space();
  const uint64_t starts[] = {1, 3, 3, 7};
  const fmhac_emu_tensor t = {.size = sizeof t,
                              .name = "v",
                              .base = f.base,
                              .element_bytes = 4,
                              .axes = 2,
                              .axis = {"s", "d"},
                              .shape = {8, 2},
                              .strides_bytes = {8, 4},
                              .ragged = FMHAC_EMU_RAGGED_STARTS,
                              .ragged_axis = 0,
                              .ragged_rows = starts,
                              .ragged_count = 4};
  declare(&f, &t);
  expect_name(&f, 0, false, ", v[s=0,d=0]"); // of no sequence
  expect_name(&f, 8, false, ", v[b=0,s=0,d=0]");
  expect_name(&f, 20, false, ", v[b=0,s=1,d=1]");
  expect_name(&f, 24, false, ", v[b=2,s=0,d=0]");
  expect_name(&f, 52, false, ", v[b=2,s=3,d=1]");
  expect_name(&f, 56, false, ", v[s=7,d=0]");
  emu_space_free(&f.space);
}

//===-- Elements in use ---------------------------------------------------===//

static void expect_steps(fixture *f, const fmhac_emu_tensor *t,
                         const uint8_t *used) {
  declare(f, t);
  const emu_segment *segment = &f->space.segments[0];
  const emu_tensor *declared = &segment->tensors[segment->tensor_count - 1];
  uint8_t found[512] = {0};
  uint64_t at[FMHAC_EMU_TENSOR_AXES] = {0}, offset, run;
  for (bool first = true; emu_tensor_step(declared, first, at, &offset, &run);
       first = false)
    for (uint64_t i = 0; i < run; i++) {
      assert_true(offset / 2 + i < sizeof found);
      assert_int_equal(found[offset / 2 + i]++, 0);
    }
  assert_memory_equal(found, used, sizeof found);
}

/// Which elements of [2,3,4,5] are in use, with `rows` of each batch.
static void mark(uint8_t *used, const uint64_t *rows, uint64_t b, uint64_t s,
                 uint64_t h, uint64_t d) {
  memset(used, 0, 512);
  for (unsigned i = 0; i < 2; i++)
    for (unsigned j = 0; j < rows[i]; j++)
      for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < 5; l++)
          used[i * b + j * s + k * h + l * d] = 1;
}

static void test_steps_through_what_is_in_use(void **state) {
  (void)state;
  static const uint64_t lengths[][2] = {{3, 3}, {0, 3}, {2, 0}, {0, 0}, {1, 2}};
  static const uint64_t strides[][4] = {
      {60, 20, 5, 1}, {60, 5, 15, 1}, {100, 25, 6, 1}, {1, 2, 6, 24}};
  uint8_t used[512];
  for (unsigned l = 0; l < 5; l++)
    for (unsigned k = 0; k < 4; k++) {
      const uint64_t *x = strides[k];
      fixture f = open_space();
      fmhac_emu_tensor t = tensor(&f, 0, x[0], x[1], x[2], x[3]);
      mark(used, lengths[l], x[0], x[1], x[2], x[3]);
      t.is_output = 1;
      t.ragged = FMHAC_EMU_RAGGED_LENGTHS;
      t.ragged_axis = 1;
      t.ragged_rows = lengths[l];
      t.ragged_count = 2;
      expect_steps(&f, &t, used);
      emu_space_free(&f.space);
    }
}

static void test_steps_through_packed_rows_of_the_last_axis(void **state) {
  (void)state;
  fixture f = open_space();
  const uint64_t starts[] = {2, 3, 6};
  const fmhac_emu_tensor t = {.size = sizeof t,
                              .name = "lse",
                              .base = f.base,
                              .element_bytes = 2,
                              .axes = 2,
                              .axis = {"h", "s"},
                              .shape = {3, 8},
                              .strides_bytes = {16, 2},
                              .ragged = FMHAC_EMU_RAGGED_STARTS,
                              .ragged_axis = 1,
                              .ragged_rows = starts,
                              .ragged_count = 3};
  uint8_t used[512] = {0};
  for (unsigned h = 0; h < 3; h++)
    memset(used + 8 * h + 2, 1, 4);
  expect_steps(&f, &t, used);
  emu_space_free(&f.space);
}

//===-- Refusals ----------------------------------------------------------===//

static void test_refuses_what_is_no_tensor(void **state) {
  (void)state;
  fixture f = open_space();
  const fmhac_emu_tensor good = tensor(&f, 0, 60, 20, 5, 1);
  const uint64_t rows[] = {4, 1, 2};
#define REFUSED(words, ...)                                                    \
  do {                                                                         \
    fmhac_emu_tensor t = good;                                                 \
    __VA_ARGS__;                                                               \
    refused(&f, &t, words);                                                    \
  } while (0)
  REFUSED("expected a name of 1 to 31 bytes", t.name = "");
  REFUSED("expected a name of 1 to 31 bytes, found 32",
          t.name = "12345678901234567890123456789012");
  REFUSED("expected 1 to 8 axes", t.axes = 0);
  REFUSED("expected 1 to 8 axes", t.axes = 9);
  REFUSED("elements of 1 to 16 bytes, found 4 and 0", t.element_bytes = 0);
  REFUSED("elements of 1 to 16 bytes", t.element_bytes = 17);
  REFUSED("axis 2: expected a name", t.axis[2] = NULL);
  REFUSED("axis 2: expected a name", t.axis[2] = "1234567890123456");
  REFUSED("axes 1 and 3 are both named \"s\"", t.axis[3] = "s");
  REFUSED("past 2^64", t.strides_bytes[0] = UINT64_MAX);
  REFUSED("past 2^64", t.shape[0] = UINT64_MAX; t.shape[1] = UINT64_MAX);
  REFUSED("in one buffer", t.base += BUFFER_BYTES - 239);
  REFUSED("in one buffer", t.base -= 1);
  REFUSED("overlap", t.is_output = 1; t.strides_bytes[0] = 0);
  REFUSED("ragged axis 4", t.ragged = FMHAC_EMU_RAGGED_STARTS;
          t.ragged_axis = 4; t.ragged_rows = rows; t.ragged_count = 3);
  REFUSED("rows of its sequences", t.ragged = FMHAC_EMU_RAGGED_STARTS);
  REFUSED("lengths: expected one for each of the 2 \"b\"",
          t.ragged = FMHAC_EMU_RAGGED_LENGTHS;
          t.ragged_axis = 1; t.ragged_rows = rows; t.ragged_count = 3);
  REFUSED("along another axis", t.ragged = FMHAC_EMU_RAGGED_LENGTHS;
          t.ragged_rows = rows; t.ragged_count = 2);
  REFUSED("lengths[0]: expected a number from 0 to 3, found 4",
          t.ragged = FMHAC_EMU_RAGGED_LENGTHS;
          t.ragged_axis = 1; t.ragged_rows = rows; t.ragged_count = 2);
  REFUSED("starts[1]: expected a number from 4 to 5, found 1",
          t.ragged = FMHAC_EMU_RAGGED_STARTS;
          t.ragged_axis = 3; t.ragged_rows = rows; t.ragged_count = 3);
  REFUSED("starts: expected at least one", t.ragged = FMHAC_EMU_RAGGED_STARTS;
          t.ragged_rows = rows);
#undef REFUSED
  assert_int_equal(f.space.segments[0].tensor_count, 0);
  // The last byte that fits; and nothing, which lies nowhere.
  fmhac_emu_tensor t = good;
  t.base += BUFFER_BYTES - 240;
  declare(&f, &t);
  t.shape[1] = 0;
  t.base = 1;
  declare(&f, &t);
  assert_int_equal(f.space.segments[0].tensor_count, 1);
  emu_space_free(&f.space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_elements_of_every_layout),
      cmocka_unit_test(test_names_what_would_lie_past_the_end),
      cmocka_unit_test(test_the_first_of_several_tensors_gives_the_name),
      cmocka_unit_test(test_packed_rows_are_named_by_sequence),
      cmocka_unit_test(test_steps_through_what_is_in_use),
      cmocka_unit_test(test_steps_through_packed_rows_of_the_last_axis),
      cmocka_unit_test(test_refuses_what_is_no_tensor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
