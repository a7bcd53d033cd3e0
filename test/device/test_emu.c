// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the "emu" device promises beyond fmhac_rt.h: what a launch leaves stays
// when its module goes, modules of others are refused, memory and grids are no
// larger than a GPU's, and the caller's floating-point environment neither
// changes results nor is changed.
// test_emu FOLDER.
#include <malloc.h>
#include <math.h>

#include "caller_environment.h"
#include "device_test.h"
#include "fmhac_timing.h"

static const char *g_folder;

static fmhac_rt_device *open_emulator(const fmhac_emu_options *options) {
  fmhac_rt_device *d;
  assert_int_equal(fmhac_rt_device_open("emu", &d), FMHAC_OK);
  assert_int_equal(fmhac_emu_configure(d, options), FMHAC_OK);
  return d;
}

static fmhac_rt_module *load(fmhac_rt_device *d, const char *name) {
  blob code = read_blob(g_folder, name);
  fmhac_rt_module *module;
  assert_int_equal(fmhac_rt_module_load(d, code.bytes, code.size, &module),
                   FMHAC_OK);
  free(code.bytes);
  return module;
}

static void assert_refused(fmhac_rt_device *d, fmhac_status found,
                           fmhac_status status, const char *part) {
  assert_int_equal(found, status);
  if (!strstr(fmhac_rt_last_error(d), part))
    fail_msg("expected \"%s\" in \"%s\"", part, fmhac_rt_last_error(d));
}

//===- What a launch leaves -----------------------------------------------===//

/// All of it, as text.
static void describe_result(const fmhac_rt_device *d, char *text,
                            size_t bytes) {
  size_t n = 0;
  for (size_t i = 0; i < fmhac_emu_finding_count(d); i++) {
    fmhac_emu_finding f = {.size = sizeof f};
    assert_int_equal(fmhac_emu_get_finding(d, i, &f), FMHAC_OK);
    n += (size_t)snprintf(text + n, bytes - n, "%s|%s|%s|%s|%s\n", f.check,
                          f.message, f.instruction, f.location,
                          f.step ? f.step : "");
    assert_true(n < bytes);
  }
  uint64_t pc;
  const char *line;
  for (int i = 0; fmhac_emu_get_listing(d, 0, i, &pc, &line) == FMHAC_OK; i++) {
    fmhac_emu_source_location place = {.size = sizeof place};
    assert_int_equal(fmhac_emu_get_source_location(
                         (fmhac_rt_device *)(uintptr_t)d, pc, &place),
                     FMHAC_OK);
    n += (size_t)snprintf(text + n, bytes - n, "%s|%s|%s\n", line,
                          place.location, place.step);
    assert_true(n < bytes);
  }
  for (size_t i = 0; i < fmhac_timing_event_count(d); i++) {
    fmhac_timing_event e = {.size = sizeof e};
    assert_int_equal(fmhac_timing_get_event(d, i, &e), FMHAC_OK);
    n +=
        (size_t)snprintf(text + n, bytes - n, "%llu at %llu\n",
                         (unsigned long long)e.pc, (unsigned long long)e.issue);
    assert_true(n < bytes);
  }
  fmhac_timing_workgroup w = {.size = sizeof w};
  assert_int_equal(fmhac_timing_get_workgroup(d, 0, &w), FMHAC_OK);
  fmhac_emu_stats stats = {.size = sizeof stats};
  assert_int_equal(fmhac_emu_get_stats(d, &stats), FMHAC_OK);
  snprintf(text + n, bytes - n, "%llu cycles, %llu instructions\n",
           (unsigned long long)w.cycles,
           (unsigned long long)stats.instructions);
}

/// What is asked for and not there, and sizes that no release had: each call
/// says so itself, also after a launch that left a text.
static void test_texts(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  fmhac_rt_device *d = open_emulator(&options);
  fmhac_emu_finding finding = {.size = sizeof finding};
  fmhac_timing_workgroup workgroup = {.size = sizeof workgroup};
  fmhac_timing_event event = {.size = sizeof event};
  fmhac_emu_stats stats = {.size = 1};
  fmhac_timing_grid grid = {.size = 1};
  assert_refused(d, fmhac_emu_get_finding(d, 0, &finding), FMHAC_INVALID_INPUT,
                 "finding: the last launch left 0, none of number 0");
  assert_refused(d, fmhac_timing_get_workgroup(d, 7, &workgroup),
                 FMHAC_INVALID_INPUT,
                 "timing of a workgroup: the last launch "
                 "left 0, none of number 7");
  assert_refused(d, fmhac_timing_get_event(d, 0, &event), FMHAC_INVALID_INPUT,
                 "timing event: the last launch left 0");
  assert_refused(d, fmhac_emu_get_stats(d, &stats), FMHAC_INVALID_INPUT,
                 "stats: fmhac_emu_stats.size is 1");
  assert_refused(d, fmhac_timing_extrapolate(d, &grid), FMHAC_INVALID_INPUT,
                 "time of the grid: fmhac_timing_grid.size is 1");
  // 8 bytes more than 2^64.
  const uint32_t id[1][3] = {{0, 0, 0}};
  assert_refused(d, fmhac_emu_select_workgroups(d, id, SIZE_MAX / 12 + 1),
                 FMHAC_OUT_OF_MEMORY, "selecting 1537228672809129302");
  fmhac_rt_module *module = load(d, "linear_lines.hsaco");
  const linear_args wild = {.o = 0x1000, .i = 0x2000, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&wild, sizeof wild, 1, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_CHECK_FAILED);
  const size_t count = fmhac_emu_finding_count(d);
  assert_true(count > 0);
  assert_int_equal(fmhac_emu_get_finding(d, 0, &finding), FMHAC_OK);
  // The launch's text stays, also where a listing ends.
  uint64_t pc;
  const char *line;
  assert_int_equal(fmhac_emu_get_listing(d, 0, -1, &pc, &line),
                   FMHAC_INVALID_INPUT);
  assert_refused(d, FMHAC_CHECK_FAILED, FMHAC_CHECK_FAILED, "findings");
  finding.size = 1;
  assert_refused(d, fmhac_emu_get_finding(d, 0, &finding), FMHAC_INVALID_INPUT,
                 "finding: fmhac_emu_finding.size is 1");
  fmhac_rt_device_close(d);
}

static void test_unload_keeps_result(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.timing = 1;
  options.timing_events = UINT64_MAX;
  fmhac_rt_device *d = open_emulator(&options);
  fmhac_rt_module *module = load(d, "linear_lines.hsaco");
  const linear_args wild = {.o = 0x1000, .i = 0x2000, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&wild, sizeof wild, 1, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_CHECK_FAILED);
  assert_int_equal(fmhac_emu_finding_count(d), 2);
  static char before[16384], after[16384];
  describe_result(d, before, sizeof before);
  assert_non_null(strstr(before, "global_store_dword"));
  assert_non_null(strstr(before, "linear.s:22"));
  fmhac_rt_module_unload(d, module);
  describe_result(d, after, sizeof after);
  assert_string_equal(after, before);
  // Gone for launches, and its place is free.
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l), FMHAC_INVALID_INPUT,
                 "not a module of this device");
  assert_int_equal(fmhac_emu_finding_count(d), 0);
  uint64_t pc;
  const char *line;
  assert_int_equal(fmhac_emu_get_listing(d, 0, 0, &pc, &line),
                   FMHAC_INVALID_INPUT);
  assert_null(line);
  fmhac_emu_source_location place = {.size = sizeof place};
  assert_int_equal(fmhac_emu_get_source_location(d, 0, &place),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_timing_workgroup_count(d), 0);
  fmhac_rt_device_close(d);
}

static void test_unload_before_close(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  fmhac_rt_device *d = open_emulator(&options);
  fmhac_rt_module *first = load(d, "linear.hsaco");
  fmhac_rt_module *second = load(d, "linear.hsaco");
  uint64_t o;
  assert_int_equal(fmhac_rt_alloc(d, 4 * LANES, &o), FMHAC_OK);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, first, &l), FMHAC_OK);
  fmhac_rt_module_unload(d, second);
  fmhac_rt_module_unload(d, first);
  fmhac_rt_module_unload(d, first); // a second time: nothing
  uint64_t pc;
  const char *line;
  assert_int_equal(fmhac_emu_get_listing(d, 0, 0, &pc, &line), FMHAC_OK);
  fmhac_rt_device_close(d);
}

//===- Modules of others --------------------------------------------------===//

static void test_module_of_another_device(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  fmhac_rt_device *mine = open_emulator(&options);
  fmhac_rt_device *other = open_emulator(&options);
  fmhac_rt_module *module = load(other, "linear.hsaco");
  uint64_t o;
  assert_int_equal(fmhac_rt_alloc(mine, 4 * LANES, &o), FMHAC_OK);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  assert_refused(mine, fmhac_rt_launch_kernel(mine, module, &l),
                 FMHAC_INVALID_INPUT, "not a module of this device");
  fmhac_rt_module_unload(mine, module);
  assert_refused(mine, FMHAC_OK, FMHAC_OK, "not a module of this device");
  // It is still there, where it is.
  assert_int_equal(fmhac_rt_alloc(other, 4 * LANES, &o), FMHAC_OK);
  const linear_args there = {.o = o, .i = o, .a = 1, .b = 1};
  const fmhac_rt_launch again = launch_of(&there, sizeof there, 1, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(other, module, &again), FMHAC_OK);
  fmhac_rt_device_close(mine);
  fmhac_rt_device_close(other);
}

//===- Memory -------------------------------------------------------------===//

/// ROCm's "AMD GPU specifications": VRAM of MI355X is 288 GiB.
static const uint64_t k_memory_bytes = UINT64_C(288) << 30;

static fmhac_status map(fmhac_rt_device *d, uint64_t bytes, uint64_t *out) {
  const fmhac_emu_buffer buffer = {.size = sizeof buffer,
                                   .name = "huge",
                                   .bytes = bytes,
                                   .base = UINT64_C(1) << 46};
  return fmhac_emu_map(d, &buffer, out);
}

static void test_memory_limit(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  fmhac_rt_device *d = open_emulator(&options);
  uint64_t half, rest, none = 1;
  fmhac_rt_device_info info = {.size = sizeof info};
  assert_int_equal(fmhac_rt_device_get_info(d, &info), FMHAC_OK);
  assert_true(info.memory_bytes == k_memory_bytes);
  assert_int_equal(fmhac_rt_alloc(d, k_memory_bytes / 2, &half), FMHAC_OK);
  assert_refused(d, fmhac_rt_alloc(d, k_memory_bytes / 2 + 1, &none),
                 FMHAC_OUT_OF_MEMORY,
                 "154618822657 bytes do not fit: the device has 309237645312 "
                 "bytes (288 GiB, as MI355X), of which 154618822656 are in "
                 "use");
  assert_true(none == 0);
  assert_refused(d, map(d, UINT64_C(1) << 46, &none), FMHAC_OUT_OF_MEMORY,
                 "\"huge\": 70368744177664 bytes do not fit");
  assert_int_equal(fmhac_rt_alloc(d, k_memory_bytes / 2, &rest), FMHAC_OK);
  assert_refused(d, fmhac_rt_alloc(d, 1, &none), FMHAC_OUT_OF_MEMORY,
                 "of which 309237645312 are in use");
  // What is freed can be had again, under a name too.
  assert_int_equal(fmhac_rt_free(d, half), FMHAC_OK);
  assert_int_equal(map(d, k_memory_bytes / 2, &half), FMHAC_OK);
  fmhac_rt_device_close(d);
}

// From buffer to buffer it is as far as the longer one is long, up to 4 GiB,
// and 1 MiB at least; also where one is put between two.
static void test_distance(void **state) {
  (void)state;
  static const uint64_t bytes[] = {
      1, 1 << 20, UINT64_C(3) << 30, 0, (1 << 24) + 1, UINT64_C(20) << 30, 64};
  enum { BUFFERS = sizeof bytes / sizeof *bytes };
  const uint64_t least = 1 << 20, most = UINT64_C(1) << 32;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  fmhac_rt_device *d = open_emulator(&options);
  uint64_t at[BUFFERS];
  for (int i = 0; i < BUFFERS; i++)
    assert_int_equal(fmhac_rt_alloc(d, bytes[i], &at[i]), FMHAC_OK);
  assert_int_equal(fmhac_rt_free(d, at[2]), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(d, bytes[2], &at[2]), FMHAC_OK);
  for (int i = 0; i < BUFFERS; i++)
    for (int k = 0; k < BUFFERS; k++) {
      uint64_t gap = bytes[i] > bytes[k] ? bytes[i] : bytes[k];
      gap = gap < least ? least : gap > most ? most : gap;
      if (i != k && at[i] <= at[k])
        assert_true(at[k] - at[i] >= bytes[i] + gap);
    }
  fmhac_rt_device_close(d);
}

// Lines of caches are numbered through all buffers: with all of the memory in
// two of them, the second one's end takes the time that it takes in small ones.
static void test_times_of_huge_buffers(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.timing = 1;
  uint64_t cycles[2];
  for (int huge = 0; huge < 2; huge++) {
    fmhac_rt_device *d = open_emulator(&options);
    fmhac_rt_module *module = load(d, "linear.hsaco");
    const uint64_t bytes = huge ? k_memory_bytes / 2 - (1 << 24) : 1 << 20;
    uint64_t i, o;
    assert_int_equal(fmhac_rt_alloc(d, bytes, &o), FMHAC_OK);
    assert_int_equal(fmhac_rt_alloc(d, bytes, &i), FMHAC_OK);
    const linear_args args = {
        .o = o, .i = i + bytes - 4 * LANES, .a = 1, .b = 1};
    const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
    assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_OK);
    fmhac_timing_workgroup w = {.size = sizeof w};
    assert_int_equal(fmhac_timing_get_workgroup(d, 0, &w), FMHAC_OK);
    cycles[huge] = w.cycles;
    fmhac_rt_device_close(d);
  }
  assert_int_equal(cycles[0], cycles[1]);
}

//===- Grids --------------------------------------------------------------===//

// 2^31 workgroups of 64 would run for days; HIP takes 2^32 work-items. Of any
// grid some workgroups can be selected.
static void test_huge_grid(void **state) {
  (void)state;
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.max_instructions = 1; // of what is not refused, little is done
  fmhac_rt_device *d = open_emulator(&options);
  fmhac_rt_module *module = load(d, "linear.hsaco");
  const linear_args args = {0};
  fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  l.grid[1] = UINT32_C(1) << 31;
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l), FMHAC_UNSUPPORTED,
                 "work-items, at most 4294967296 are allowed");
  l.grid[1] = (1 << 26) + 1;
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l), FMHAC_UNSUPPORTED,
                 "work-items, at most 4294967296 are allowed");
  l.grid[1] = 1 << 26;
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l), FMHAC_LAUNCH_FAILED,
                 "the budget of 1 instructions");
  l.grid[1] = UINT32_C(1) << 31;
  const uint32_t last[3] = {0, l.grid[1] - 1, 0};
  assert_int_equal(fmhac_emu_select_workgroups(d, &last, 1), FMHAC_OK);
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l), FMHAC_LAUNCH_FAILED,
                 "workgroup (0,2147483647,0)");
  fmhac_rt_device_close(d);
}

//===- Floating point -----------------------------------------------------===//

enum { GROUPS = 6, FLOATS = 8 * LANES * GROUPS };

typedef struct progress {
  caller_environment expected;
  int calls;
  bool other; ///< was called in another one
} progress;

static void on_progress(void *user, uint64_t done, uint64_t all) {
  (void)done, (void)all;
  progress *p = user;
  p->calls++;
  p->other |= !caller_environment_is(p->expected);
}

/// What the kernel writes, and the time that the model gives it, computed in
/// the caller's environment `e` from the device's opening to its close. With
/// one thread that is the caller's.
static void compute(caller_environment e, uint32_t threads, uint32_t *out,
                    double *out_seconds) {
  static float inputs[LANES * GROUPS];
  for (int i = 0; i < LANES * GROUPS; i++)
    inputs[i] = (float)(i + 1) / 7 - 20;
  progress p = {.expected = e};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.threads = threads;
  options.timing = 1;
  options.timing_constants = "launch_overhead_ns=1234.1";
  options.progress = on_progress;
  options.progress_user = &p;
  caller_environment_set(e);
  fmhac_rt_device *d = open_emulator(&options);
  fmhac_rt_module *module = load(d, "floats.hsaco");
  uint64_t args[2];
  assert_int_equal(fmhac_rt_alloc(d, 4 * FLOATS, &args[0]), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(d, sizeof inputs, &args[1]), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(d, args[1], inputs, sizeof inputs),
                   FMHAC_OK);
  const fmhac_rt_launch l = launch_of(args, sizeof args, GROUPS, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_out(d, args[0], out, 4 * FLOATS), FMHAC_OK);
  fmhac_timing_grid grid = {.size = sizeof grid};
  assert_int_equal(fmhac_timing_extrapolate(d, &grid), FMHAC_OK);
  *out_seconds = grid.seconds;
  const bool is_kept = caller_environment_is(e);
  const int flags = fetestexcept(FE_ALL_EXCEPT);
  caller_environment_set(k_ordinary_environment);
  assert_true(is_kept);
  assert_int_equal(flags, 0); // of the kernel nothing is left in the caller's
  assert_true(p.calls > 0 || threads > 1);
  assert_false(p.other);
  fmhac_rt_device_close(d);
}

static void test_float_environment(void **state) {
  (void)state;
  static uint32_t expected[FLOATS], found[FLOATS];
  double expected_seconds, seconds;
  compute(k_ordinary_environment, 1, expected, &expected_seconds);
  // The first input, -139/7: 1/3 of it and 1, once; subnormal, not flushed.
  const float x = 1.0f / 7 - 20;
  uint32_t bits;
  const float third = fmaf(x, 0x1.555556p-2f, 1);
  memcpy(&bits, &third, sizeof bits);
  assert_int_equal(expected[0], bits);
  assert_int_not_equal(expected[1] & 0x7fffff, 0);
  assert_int_equal(expected[1] & 0x7f800000, 0);
  for (int i = 0; i < CALLER_ENVIRONMENTS; i++)
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
      compute(k_caller_environments[i], threads, found, &seconds);
      assert_memory_equal(found, expected, sizeof found);
      assert_memory_equal(&seconds, &expected_seconds, sizeof seconds);
    }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_emu FOLDER\n");
    return 2;
  }
  g_folder = argv[1];
  mallopt(M_PERTURB, 0x5a); // what is freed no longer reads as it did
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_unload_keeps_result),
      cmocka_unit_test(test_unload_before_close),
      cmocka_unit_test(test_module_of_another_device),
      cmocka_unit_test(test_memory_limit),
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_times_of_huge_buffers),
      cmocka_unit_test(test_huge_grid),
      cmocka_unit_test(test_float_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
