// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the "emu" device keeps of a timed launch: an event for each instruction
// of the first workgroup, and where an instruction stands in its source.
// test_events FOLDER.
#include "device_test.h"
#include "fmhac_timing.h"

/// What `linear` executes, in linear.s from this line on.
static const char *const instructions[] = {
    "s_load_dwordx4", "s_load_dwordx2", "v_lshlrev_b32_e32",  "s_lshl_b32",
    "v_add_u32_e32",  "s_waitcnt",      "global_load_dword",  "s_waitcnt",
    "v_mul_lo_u32",   "v_add_u32_e32",  "global_store_dword", "s_endpgm"};
enum {
  FIRST_LINE = 11,
  INSTRUCTIONS = sizeof instructions / sizeof instructions[0]
};

static const char *g_folder;
static blob g_code;

/// Runs seven workgroups; the device keeps up to `events`.
static fmhac_rt_device *run(uint32_t timing, uint64_t events) {
  fmhac_rt_device *d;
  fmhac_rt_module *module;
  uint64_t o;
  assert_int_equal(fmhac_rt_device_open("emu", &d), FMHAC_OK);
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.timing = timing;
  options.timing_events = events;
  assert_int_equal(fmhac_emu_configure(d, &options), FMHAC_OK);
  assert_int_equal(fmhac_rt_module_load(d, g_code.bytes, g_code.size, &module),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(d, 7 * 4 * LANES, &o), FMHAC_OK);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 7, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_OK);
  return d;
}

static void test_every_instruction(void **state) {
  (void)state;
  fmhac_rt_device *d = run(1, UINT64_MAX);
  assert_int_equal(fmhac_timing_event_count(d), INSTRUCTIONS);
  uint64_t last = 0;
  for (size_t i = 0; i < INSTRUCTIONS; i++) {
    fmhac_timing_event e = {.size = sizeof e};
    uint64_t pc;
    const char *text;
    assert_int_equal(fmhac_timing_get_event(d, i, &e), FMHAC_OK);
    assert_int_equal(fmhac_emu_get_listing(d, e.pc, 0, &pc, &text), FMHAC_OK);
    assert_memory_equal(text, instructions[i], strlen(instructions[i]));
    assert_true(e.ready <= e.issue && e.issue <= e.start && e.start <= e.end);
    assert_true(e.issue >= last);
    assert_true(e.wave == 0 && e.simd == 0 && e.lds_cycles == 0);
    last = e.issue;
  }
  fmhac_rt_device_close(d);
}

static void test_limit(void **state) {
  (void)state;
  fmhac_rt_device *d = run(1, 5);
  assert_int_equal(fmhac_timing_event_count(d), 5);
  fmhac_timing_event e = {.size = sizeof e};
  assert_int_equal(fmhac_timing_get_event(d, 4, &e), FMHAC_OK);
  assert_int_equal(fmhac_timing_get_event(d, 5, &e), FMHAC_INVALID_INPUT);
  e.size = offsetof(fmhac_timing_event, start); // before `start` was added
  assert_int_equal(fmhac_timing_get_event(d, 4, &e), FMHAC_OK);
  e.size = offsetof(fmhac_timing_event, lds_words);
  assert_int_equal(fmhac_timing_get_event(d, 4, &e), FMHAC_INVALID_INPUT);
  e.size = sizeof e;
  assert_int_equal(fmhac_timing_get_event(d, 4, NULL), FMHAC_INVALID_INPUT);
  fmhac_rt_device_close(d);
  d = run(1, 0);
  assert_int_equal(fmhac_timing_event_count(d), 0);
  fmhac_rt_device_close(d);
  d = run(0, 5);
  assert_int_equal(fmhac_timing_event_count(d), 0);
  fmhac_rt_device_close(d);
}

static void test_places(void **state) {
  (void)state;
  fmhac_rt_device *d = run(0, 0);
  fmhac_emu_source_location place = {.size = sizeof place};
  uint64_t pc = 0;
  for (int i = 0; i < INSTRUCTIONS; i++) {
    const char *text;
    char line[40];
    assert_int_equal(fmhac_emu_get_listing(d, 0, i, &pc, &text), FMHAC_OK);
    assert_int_equal(fmhac_emu_get_source_location(d, pc, &place), FMHAC_OK);
    snprintf(line, sizeof line, "linear.s:%d", FIRST_LINE + i);
    const size_t length = strlen(line), all = strlen(place.location);
    assert_true(all >= length);
    assert_string_equal(place.location + all - length, line);
    assert_string_equal(place.step, "");
  }
  // Inside an instruction of 8 bytes, after the code, of another size.
  assert_int_equal(fmhac_emu_get_source_location(d, 4, &place),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_emu_get_source_location(d, 1 << 20, &place),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_emu_get_source_location(d, 0, NULL),
                   FMHAC_INVALID_INPUT);
  place.size--;
  assert_int_equal(fmhac_emu_get_source_location(d, 0, &place),
                   FMHAC_INVALID_INPUT);
  fmhac_rt_device_close(d);
  // Nothing has run.
  place.size = sizeof place;
  assert_int_equal(fmhac_rt_device_open("emu", &d), FMHAC_OK);
  assert_int_equal(fmhac_emu_get_source_location(d, 0, &place),
                   FMHAC_INVALID_INPUT);
  fmhac_rt_device_close(d);
}

static void test_no_lines(void **state) {
  (void)state;
  const blob with_lines = g_code;
  g_code = read_blob(g_folder, "linear.hsaco");
  fmhac_rt_device *d = run(0, 0);
  fmhac_emu_source_location place = {.size = sizeof place};
  assert_int_equal(fmhac_emu_get_source_location(d, 0, &place), FMHAC_OK);
  assert_string_equal(place.location, "");
  fmhac_rt_device_close(d);
  free(g_code.bytes);
  g_code = with_lines;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_events FOLDER\n");
    return 2;
  }
  g_folder = argv[1];
  g_code = read_blob(g_folder, "linear_lines.hsaco");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_instruction), cmocka_unit_test(test_limit),
      cmocka_unit_test(test_places), cmocka_unit_test(test_no_lines)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(g_code.bytes);
  return failed;
}
