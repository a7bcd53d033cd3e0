// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the emulator from programs that know fewer of them, and where
// buffers are placed. Source: runtime/public/fmhac_emu.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "fmhac_emu.h"

enum { FIRST_BYTES = offsetof(fmhac_emu_options, alignment) };

static int setup(void **state) {
  fmhac_rt_device *device;
  if (fmhac_rt_device_open("emu", &device) != FMHAC_OK)
    return -1;
  *state = device;
  return 0;
}
static int teardown(void **state) {
  fmhac_rt_device_close(*state);
  return 0;
}

// A program built with the first header has room for no more.
static void first_size(void **state) {
  union {
    fmhac_emu_options options;
    unsigned char bytes[sizeof(fmhac_emu_options)];
  } u;
  memset(&u, 0xa5, sizeof u);
  (fmhac_emu_options_init)(&u.options);
  assert_int_equal(u.options.size, FIRST_BYTES);
  assert_int_equal(u.options.checks, FMHAC_EMU_CHECK_DEFAULT);
  for (size_t i = FIRST_BYTES; i < sizeof u; i++)
    assert_int_equal(u.bytes[i], 0xa5);
  assert_int_equal(fmhac_emu_configure(*state, &u.options), FMHAC_OK);
}

// A later header's struct is longer: what this library does not know must be 0.
static void sizes(void **state) {
  union {
    fmhac_emu_options options;
    unsigned char bytes[sizeof(fmhac_emu_options) + 8];
  } u = {.bytes = {0}};
  fmhac_emu_options_init(&u.options);
  assert_int_equal(u.options.size, sizeof u.options);
  assert_int_equal(fmhac_emu_configure(*state, &u.options), FMHAC_OK);
  u.options.size = FIRST_BYTES - 1;
  assert_int_equal(fmhac_emu_configure(*state, &u.options),
                   FMHAC_INVALID_INPUT);
  assert_non_null(
      strstr(fmhac_rt_last_error(*state), "fmhac_emu_options.size is"));
  u.options.size = sizeof u;
  assert_int_equal(fmhac_emu_configure(*state, &u.options), FMHAC_OK);
  u.bytes[sizeof u - 1] = 1;
  assert_int_equal(fmhac_emu_configure(*state, &u.options), FMHAC_UNSUPPORTED);
}

// What comes out: a later caller's struct is zero after what is known.
static void sizes_out(void **state) {
  union {
    fmhac_emu_stats stats;
    unsigned char bytes[sizeof(fmhac_emu_stats) + 8];
  } u;
  memset(&u, 0xa5, sizeof u);
  u.stats.size = sizeof u;
  assert_int_equal(fmhac_emu_get_stats(*state, &u.stats), FMHAC_OK);
  assert_int_equal(u.stats.size, sizeof u);
  assert_int_equal(u.bytes[sizeof u - 1], 0);
  u.stats.size = offsetof(fmhac_emu_stats, seconds);
  assert_int_equal(fmhac_emu_get_stats(*state, &u.stats), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_emu_get_stats(*state, NULL), FMHAC_INVALID_INPUT);
}

static void values(void **state) {
  fmhac_emu_options good, bad;
  fmhac_emu_options_init(&good);
  good.alignment = FMHAC_EMU_ALIGNMENT_NATURAL;
  good.descriptors = FMHAC_EMU_DESCRIPTORS_CARRY;
  good.placement = FMHAC_EMU_PLACEMENT_ADVERSARIAL;
  good.hazards = FMHAC_EMU_HAZARDS_EFFECT;
  assert_int_equal(fmhac_emu_configure(*state, &good), FMHAC_OK);
  bad = good;
  bad.alignment = (fmhac_emu_alignment)2;
  assert_int_equal(fmhac_emu_configure(*state, &bad), FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_rt_last_error(*state), "alignment 2"));
  bad = good;
  bad.descriptors = (fmhac_emu_descriptors)3;
  assert_int_equal(fmhac_emu_configure(*state, &bad), FMHAC_INVALID_INPUT);
  bad = good;
  bad.placement = (fmhac_emu_placement)2;
  assert_int_equal(fmhac_emu_configure(*state, &bad), FMHAC_INVALID_INPUT);
  bad = good;
  bad.hazards = (fmhac_emu_hazards)2;
  assert_int_equal(fmhac_emu_configure(*state, &bad), FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_rt_last_error(*state), "hazards 2"));
}

// Allocations as well, each across a line of its own; a smaller struct has the
// default again.
static void placement(void **state) {
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.placement = FMHAC_EMU_PLACEMENT_ADVERSARIAL;
  assert_int_equal(fmhac_emu_configure(*state, &options), FMHAC_OK);
  uint64_t last_line = 0;
  for (uint64_t bytes = 1024; bytes <= 1 << 26; bytes = 3 * bytes + 1) {
    uint64_t at;
    assert_int_equal(fmhac_rt_alloc(*state, bytes, &at), FMHAC_OK);
    assert_int_equal(at % 512, 0);
    assert_int_equal((at + bytes - 1) >> 32, (at >> 32) + 1);
    assert_true(at >> 32 > last_line);
    last_line = (at >> 32) + 1;
  }
  options.size = FIRST_BYTES;
  assert_int_equal(fmhac_emu_configure(*state, &options), FMHAC_OK);
  uint64_t at;
  assert_int_equal(fmhac_rt_alloc(*state, 4096, &at), FMHAC_OK);
  assert_int_equal((at + 4095) >> 32, at >> 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(first_size, setup, teardown),
      cmocka_unit_test_setup_teardown(sizes, setup, teardown),
      cmocka_unit_test_setup_teardown(sizes_out, setup, teardown),
      cmocka_unit_test_setup_teardown(values, setup, teardown),
      cmocka_unit_test_setup_teardown(placement, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
