// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fmhac_rt.h promises, on any device: test_device URI FOLDER [UNITS],
// where FOLDER holds the code objects and UNITS is how many compute units the
// device says that it has (256). Where the kinds of device differ,
// k_differences says so.
#include <pthread.h>

#include "device_test.h"

static const char *g_uri, *g_folder;
static bool g_is_hip;
static uint32_t g_units = 256;
static blob g_linear, g_pair;

typedef enum difference {
  LAUNCH_OUT_OF_BOUNDS,
  WAIT_AFTER_OUT_OF_BOUNDS,
  USE_OF_UNKNOWN_STREAM,
  LAUNCH_HIGH_GRID,
} difference;

/// All that the same calls are answered differently.
static const struct {
  fmhac_status emu, hip;
  const char *why;
} k_differences[] = {
    [LAUNCH_OUT_OF_BOUNDS] = {FMHAC_CHECK_FAILED, FMHAC_OK,
                              "the emulator has run the kernel when the launch "
                              "returns, a GPU has queued it"},
    [WAIT_AFTER_OUT_OF_BOUNDS] = {FMHAC_OK, FMHAC_LAUNCH_FAILED,
                                  "so there the fault comes with the wait"},
    [USE_OF_UNKNOWN_STREAM] = {FMHAC_OK, FMHAC_INVALID_INPUT,
                               "the emulator takes the streams of whatever "
                               "runtime the caller has"},
    [LAUNCH_HIGH_GRID] = {FMHAC_OK, FMHAC_INVALID_INPUT,
                          "HIP takes at most 65536 workgroups in y and z"},
};

static fmhac_status expected(difference what) {
  return g_is_hip ? k_differences[what].hip : k_differences[what].emu;
}

static fmhac_rt_device *open_device(void) {
  char why[1024];
  fmhac_rt_device *device;
  if (fmhac_rt_device_open_with_text(g_uri, why, sizeof why, &device) !=
      FMHAC_OK)
    fail_msg("%s", why);
  return device;
}

static int set_up(void **state) {
  *state = open_device();
  return 0;
}
static int tear_down(void **state) {
  fmhac_rt_device_close(*state);
  return 0;
}

static void assert_ok(fmhac_rt_device *device, fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("status %d: %s", (int)status, fmhac_rt_last_error(device));
  assert_string_equal(fmhac_rt_last_error(device), "");
}

/// The call failed with `status`, and its text contains `part`.
static void assert_refused(fmhac_rt_device *device, fmhac_status found,
                           fmhac_status status, const char *part) {
  assert_int_equal(found, status);
  if (!strstr(fmhac_rt_last_error(device), part))
    fail_msg("expected \"%s\" in \"%s\"", part, fmhac_rt_last_error(device));
}

static fmhac_rt_module *load(fmhac_rt_device *d, const blob *code) {
  fmhac_rt_module *module = NULL;
  assert_ok(d, fmhac_rt_module_load(d, code->bytes, code->size, &module));
  assert_non_null(module);
  return module;
}

/// Device memory that holds 0, 1, 2, ...
static uint64_t counting(fmhac_rt_device *d, uint32_t count) {
  uint64_t address = 0;
  uint32_t *host = malloc(count * sizeof *host);
  assert_non_null(host);
  for (uint32_t i = 0; i < count; i++)
    host[i] = i;
  assert_ok(d, fmhac_rt_alloc(d, count * sizeof *host, &address));
  assert_true(address != 0 && address % 16 == 0);
  assert_ok(d, fmhac_rt_copy_in(d, address, host, count * sizeof *host));
  free(host);
  return address;
}

/// Fails unless o[i] = i * a + b.
static void assert_linear(fmhac_rt_device *d, uint64_t address, uint32_t count,
                          uint32_t a, uint32_t b) {
  uint32_t *host = malloc(count * sizeof *host);
  assert_non_null(host);
  assert_ok(d, fmhac_rt_copy_out(d, address, host, count * sizeof *host));
  for (uint32_t i = 0; i < count; i++)
    if (host[i] != i * a + b)
      fail_msg("o[%u] is %u, expected %u", i, host[i], i * a + b);
  free(host);
}

//===- Device and memory --------------------------------------------------===//

static void test_info(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_device_info info = {.size = sizeof info};
  assert_ok(d, fmhac_rt_device_get_info(d, &info));
  assert_string_equal(info.kind, g_is_hip ? "hip" : "emu");
  assert_string_equal(info.architecture, "gfx950");
  assert_true(info.name[0] != 0);
  assert_int_equal(info.compute_units, g_units);
  assert_int_equal(info.lds_bytes_per_workgroup, 160 * 1024);
  // MI355X; a runtime that does not say one thing does not say the other.
  assert_true(info.memory_bytes == (g_units ? (uint64_t)288 << 30 : 0));
  assert_int_equal(strstr(info.driver, "libamdhip64.so") != NULL, g_is_hip);
  // An earlier caller's struct ends before `driver`.
  fmhac_rt_device_info old = {.size = offsetof(fmhac_rt_device_info, driver)};
  memset(old.driver, 7, sizeof old.driver);
  assert_ok(d, fmhac_rt_device_get_info(d, &old));
  assert_string_equal(old.name, info.name);
  assert_int_equal(old.driver[0], 7);
  old.size = 16;
  assert_refused(d, fmhac_rt_device_get_info(d, &old), FMHAC_INVALID_INPUT,
                 "fmhac_rt_device_info.size is 16, expected");
  // What a later caller's struct has besides becomes 0.
  struct {
    fmhac_rt_device_info known;
    uint64_t more;
  } later = {.known = {.size = sizeof later}, .more = 7};
  assert_ok(d, fmhac_rt_device_get_info(d, &later.known));
  assert_int_equal(later.known.size, sizeof later);
  assert_string_equal(later.known.driver, info.driver);
  assert_int_equal(later.more, 0);
}

static void test_memory(void **state) {
  fmhac_rt_device *d = *state;
  unsigned char in[1000], out[1000];
  uint64_t a, b;
  for (size_t i = 0; i < sizeof in; i++)
    in[i] = (unsigned char)(i * 7 + i / 256);
  assert_ok(d, fmhac_rt_alloc(d, sizeof in, &a));
  assert_ok(d, fmhac_rt_alloc(d, sizeof in, &b));
  assert_true(a != b);
  assert_ok(d, fmhac_rt_copy_in(d, a, in, sizeof in));
  assert_ok(d, fmhac_rt_copy_in(d, b, in + 500, 500));
  assert_ok(d, fmhac_rt_copy_in(d, b + 500, in, 500));
  assert_ok(d, fmhac_rt_copy_out(d, a, out, sizeof out));
  assert_memory_equal(in, out, sizeof in);
  assert_ok(d, fmhac_rt_copy_out(d, b + 250, out, 500));
  assert_memory_equal(out, in + 750, 250);
  assert_memory_equal(out + 250, in, 250);
  assert_ok(d, fmhac_rt_copy_in(d, a, NULL, 0));
  assert_ok(d, fmhac_rt_copy_out(d, a, NULL, 0));
  assert_ok(d, fmhac_rt_free(d, a));
  assert_ok(d, fmhac_rt_free(d, b));
  // Of no bytes there is an address too, and it can be freed.
  assert_ok(d, fmhac_rt_alloc(d, 0, &a));
  assert_ok(d, fmhac_rt_free(d, a));
}

static void test_memory_errors(void **state) {
  fmhac_rt_device *d = *state;
  unsigned char bytes[64] = {1}, kept[64];
  uint64_t a, none = 1;
  memset(kept, 0x5a, sizeof kept);
  assert_ok(d, fmhac_rt_alloc(d, sizeof bytes, &a));
  assert_ok(d, fmhac_rt_copy_in(d, a, kept, sizeof kept));
  assert_int_equal(fmhac_rt_alloc(d, (size_t)1 << 62, &none),
                   FMHAC_OUT_OF_MEMORY);
  assert_true(none == 0);
  assert_true(fmhac_rt_last_error(d)[0] != 0);
  // One byte too far: nothing is copied.
  assert_int_equal(fmhac_rt_copy_in(d, a + 1, bytes, sizeof bytes),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_copy_out(d, a + 1, bytes, sizeof bytes),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(bytes[0], 1);
  assert_ok(d, fmhac_rt_copy_out(d, a, bytes, sizeof bytes));
  assert_memory_equal(bytes, kept, sizeof kept);
  assert_int_equal(fmhac_rt_copy_in(d, 0x1000, bytes, 4), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_copy_in(d, a, NULL, 4), FMHAC_INVALID_INPUT);
  assert_refused(d, fmhac_rt_free(d, a + 16), FMHAC_INVALID_INPUT,
                 "no allocation begins at");
  assert_refused(d, fmhac_rt_free(d, 0), FMHAC_INVALID_INPUT,
                 "no allocation begins at");
  assert_ok(d, fmhac_rt_free(d, a));
  assert_refused(d, fmhac_rt_free(d, a), FMHAC_INVALID_INPUT,
                 "no allocation begins at");
  assert_int_equal(fmhac_rt_copy_in(d, a, bytes, 4), FMHAC_INVALID_INPUT);
}

//===- Modules ------------------------------------------------------------===//

static void refuse_code(fmhac_rt_device *d, const void *code, size_t bytes,
                        const char *part) {
  fmhac_rt_module *module = (fmhac_rt_module *)(void *)d;
  assert_refused(d, fmhac_rt_module_load(d, code, bytes, &module),
                 FMHAC_INVALID_INPUT, part);
  assert_null(module);
}

static void test_module_errors(void **state) {
  fmhac_rt_device *d = *state;
  blob other = read_blob(g_folder, "gfx942.hsaco");
  blob object = read_blob(g_folder, "linear.o");
  refuse_code(d, NULL, 100, "no bytes");
  refuse_code(d, "", 0, "an empty file");
  refuse_code(d,
              "This is no code object, but long enough to be taken for one "
              "if nobody looks.",
              70, "ELF");
  refuse_code(d, other.bytes, other.size, "gfx942");
  refuse_code(d, object.bytes, object.size, "object file");
  // However much is missing; in memory of its own, so that reading beyond it
  // shows in a sanitized build.
  for (size_t n = 1; n < g_linear.size; n += 1 + n / 16) {
    unsigned char *part = malloc(n);
    assert_non_null(part);
    memcpy(part, g_linear.bytes, n);
    refuse_code(d, part, n, "loading the code object");
    free(part);
  }
  fmhac_rt_module_unload(d, load(d, &g_linear));
  fmhac_rt_module_unload(d, NULL);
  free(other.bytes);
  free(object.bytes);
}

static void run_fill(fmhac_rt_device *d, fmhac_rt_module *module, uint64_t o,
                     uint32_t value) {
  const struct {
    uint64_t o;
    uint32_t value, unused;
  } args = {.o = o, .value = value};
  fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  l.kernel = "fill";
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
}

static void test_several_modules(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *first = load(d, &g_linear), *second = load(d, &g_linear);
  fmhac_rt_module *pair = load(d, &g_pair);
  assert_true(first != second);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 5, .b = 2};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  assert_ok(d, fmhac_rt_launch_kernel(d, first, &l)); // 5 i + 2
  fmhac_rt_module_unload(d, first);
  assert_ok(d, fmhac_rt_launch_kernel(d, second, &l)); // 25 i + 12
  assert_linear(d, o, LANES, 25, 12);
  run_fill(d, pair, o, 77);
  assert_linear(d, o, LANES, 0, 77);
}

/// The bytes are the caller's again when they are loaded.
static void test_code_is_copied(void **state) {
  fmhac_rt_device *d = *state;
  const blob copy = {malloc(g_linear.size), g_linear.size};
  assert_non_null(copy.bytes);
  memcpy(copy.bytes, g_linear.bytes, copy.size);
  fmhac_rt_module *module = load(d, &copy);
  memset(copy.bytes, 0xff, copy.size);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 8, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  assert_linear(d, o, LANES, 8, 1);
  free(copy.bytes);
}

//===- Launches -----------------------------------------------------------===//

static void test_launch(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  const uint32_t groups = 7, count = groups * LANES;
  uint64_t i = counting(d, count), o = counting(d, count);
  linear_args args = {.o = o, .i = i, .a = 3, .b = 1000};
  fmhac_rt_launch l = launch_of(&args, sizeof args, groups, NULL);
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  // The arguments are the caller's again.
  memset(&args, 0xff, sizeof args);
  assert_ok(d, fmhac_rt_synchronize(d));
  assert_linear(d, o, count, 3, 1000);
  assert_linear(d, i, count, 1, 0);
  args = (linear_args){.o = o, .i = i, .a = 1, .b = 9};
  l.kernel = "linear";
  l.grid[0] = 2;
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  assert_linear(d, o, 2 * LANES, 1, 9);
}

static void test_short_and_long_arguments(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear), *pair = load(d, &g_pair);
  uint64_t o = counting(d, LANES);
  // After 20 bytes, `b` is 0.
  const linear_args args = {.o = o, .i = o, .a = 2, .b = 99};
  fmhac_rt_launch l = launch_of(&args, 20, 1, NULL);
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  assert_linear(d, o, LANES, 2, 0);
  uint64_t many[256] = {[0] = o, [255] = UINT64_C(12345) << 32};
  l = launch_of(many, sizeof many, 1, NULL);
  l.kernel = "tail";
  assert_ok(d, fmhac_rt_launch_kernel(d, pair, &l));
  assert_linear(d, o, LANES, 0, 12345);
  l.kernarg_bytes = 8;
  assert_ok(d, fmhac_rt_launch_kernel(d, pair, &l));
  assert_linear(d, o, LANES, 0, 0);
}

static void test_launch_errors(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear), *pair = load(d, &g_pair);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 2, .b = 3};
  const fmhac_rt_launch good = launch_of(&args, sizeof args, 1, NULL);
  fmhac_rt_launch l = good;
#define REFUSED(module, part)                                                  \
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &l),                     \
                 FMHAC_INVALID_INPUT, part);                                   \
  l = good
  l.size = 8;
  REFUSED(module, "fmhac_rt_launch.size is 8, expected 72");
  l.grid[1] = 0;
  REFUSED(module, "at least 1");
  l.block[2] = 0;
  REFUSED(module, "at least 1");
  l.kernarg = NULL;
  REFUSED(module, "none given");
  l.kernel = "nonsense";
  REFUSED(pair, "it has: fill tail");
  REFUSED(pair, "no kernel named, and the code object has several: fill tail");
  l.kernel = "fill";
  l.block[0] = 65;
  REFUSED(pair, "at most 64 are allowed");
  l.block[0] = 1025;
  REFUSED(module, "at most 1024 are allowed");
  l.kernel = "fill";
  l.dynamic_lds_bytes = 163840 - 1023;
  REFUSED(pair, "163841 bytes of LDS (1024 fixed");
  l.dynamic_lds_bytes = UINT32_MAX;
  REFUSED(module, "of LDS");
  l.kernarg_bytes = ((size_t)1 << 20) + 1;
  REFUSED(module, "1048577 bytes of kernel arguments are too many");
#undef REFUSED
  assert_int_equal(fmhac_rt_launch_kernel(d, NULL, &l), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_launch_kernel(NULL, module, &l),
                   FMHAC_INVALID_INPUT);
  // None of them ran.
  assert_linear(d, o, LANES, 1, 0);
}

/// A launch of a later caller is taken if what is not known here is 0.
static void test_later_launch(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 2, .b = 3};
  struct {
    fmhac_rt_launch known;
    uint64_t more;
  } later = {.known = launch_of(&args, sizeof args, 1, NULL)};
  later.known.size = sizeof later;
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &later.known));
  later.more = 1;
  assert_refused(d, fmhac_rt_launch_kernel(d, module, &later.known),
                 FMHAC_UNSUPPORTED, "is older than its caller");
  assert_linear(d, o, LANES, 2, 3);
}

/// Modules of another device, though of the same GPU, and what is no module.
static void test_foreign_module(void **state) {
  fmhac_rt_device *d = *state, *other = open_device();
  fmhac_rt_module *theirs = load(other, &g_linear);
  uint64_t o = counting(d, LANES), theirs_o = counting(other, LANES);
  linear_args args = {.o = o, .i = o, .a = 2, .b = 3};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  const char *text = "is not a module of this device";
  assert_refused(d, fmhac_rt_launch_kernel(d, theirs, &l), FMHAC_INVALID_INPUT,
                 text);
  fmhac_rt_module *ours = load(d, &g_linear), *bogus = (void *)&args;
  fmhac_rt_module_unload(d, ours);
  assert_refused(d, fmhac_rt_launch_kernel(d, ours, &l), FMHAC_INVALID_INPUT,
                 text);
  assert_refused(d, fmhac_rt_launch_kernel(d, bogus, &l), FMHAC_INVALID_INPUT,
                 text);
  assert_linear(d, o, LANES, 1, 0);
  // The other device's is left alone.
  fmhac_rt_module_unload(d, theirs);
  fmhac_rt_module_unload(d, bogus);
  args.o = args.i = theirs_o;
  assert_ok(other, fmhac_rt_launch_kernel(other, theirs, &l));
  assert_linear(other, theirs_o, LANES, 2, 3);
  fmhac_rt_device_close(other);
}

static void test_high_grid(void **state) {
#if defined(__SANITIZE_THREAD__)
  skip(); // one thread's work, and half a minute of it
#endif
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 0};
  fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  l.grid[1] = 65537;
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l),
                   expected(LAUNCH_HIGH_GRID));
  l.grid[1] = 65536;
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  assert_linear(d, o, LANES, 1, 0);
}

static void test_out_of_bounds(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o + 4, .i = o, .a = 1, .b = 0};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l),
                   expected(LAUNCH_OUT_OF_BOUNDS));
  if (!g_is_hip)
    assert_refused(d, FMHAC_OK, FMHAC_OK, "global_store_dword");
  assert_int_equal(fmhac_rt_synchronize(d), expected(WAIT_AFTER_OUT_OF_BOUNDS));
  if (g_is_hip)
    assert_refused(d, FMHAC_OK, FMHAC_OK,
                   "hipDeviceSynchronize failed: HIP error 700");
  // The device goes on.
  const linear_args right = {.o = o, .i = o, .a = 0, .b = 4};
  const fmhac_rt_launch again = launch_of(&right, sizeof right, 1, NULL);
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &again));
  assert_linear(d, o, LANES, 0, 4);
}

//===- Streams ------------------------------------------------------------===//

static void test_streams(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  void *streams[2];
  uint64_t o[2];
  for (int s = 0; s < 2; s++) {
    assert_ok(d, fmhac_rt_stream_create(d, &streams[s]));
    assert_non_null(streams[s]);
    o[s] = counting(d, LANES);
  }
  assert_true(streams[0] != streams[1]);
  // In place, so that only the order of each stream gives the right values:
  // x -> x * k + s for k = 2, 3, 4.
  for (uint32_t k = 2; k <= 4; k++)
    for (int s = 0; s < 2; s++) {
      const linear_args args = {.o = o[s], .i = o[s], .a = k, .b = (uint32_t)s};
      const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, streams[s]);
      assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
    }
  bool capturing = true;
  assert_ok(d, fmhac_rt_stream_is_capturing(d, streams[0], &capturing));
  assert_false(capturing);
  assert_ok(d, fmhac_rt_stream_synchronize(d, streams[1]));
  assert_ok(d, fmhac_rt_stream_synchronize(d, NULL));
  // Copies wait for streams that nobody has waited for.
  assert_linear(d, o[0], LANES, 24, 0);
  assert_linear(d, o[1], LANES, 24, (1 * 3 + 1) * 4 + 1);
  for (int s = 0; s < 2; s++)
    assert_ok(d, fmhac_rt_stream_destroy(d, streams[s]));
}

static void test_copy_in_waits(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  void *stream;
  assert_ok(d, fmhac_rt_stream_create(d, &stream));
  uint64_t i = counting(d, LANES), o = counting(d, LANES);
  const linear_args args = {.o = o, .i = i, .a = 6, .b = 1};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, stream);
  const uint32_t zeros[LANES] = {0};
  assert_ok(d, fmhac_rt_launch_kernel(d, module, &l));
  assert_ok(d, fmhac_rt_copy_in(d, i, zeros, sizeof zeros));
  assert_linear(d, o, LANES, 6, 1); // of what was there at the launch
  assert_linear(d, i, LANES, 0, 0);
}

static void test_stream_errors(void **state) {
  fmhac_rt_device *d = *state;
  fmhac_rt_module *module = load(d, &g_linear);
  void *stream, *bogus = &stream;
  bool capturing;
  assert_ok(d, fmhac_rt_stream_destroy(d, NULL));
  assert_ok(d, fmhac_rt_stream_create(d, &stream));
  assert_ok(d, fmhac_rt_stream_destroy(d, stream));
  assert_refused(d, fmhac_rt_stream_destroy(d, stream), FMHAC_INVALID_INPUT,
                 "not a stream of this device");
  assert_int_equal(fmhac_rt_stream_synchronize(d, bogus), FMHAC_INVALID_INPUT);
  // A runtime that says no number of units captures nothing either, and is not
  // asked.
  assert_int_equal(fmhac_rt_stream_is_capturing(d, bogus, &capturing),
                   g_units ? expected(USE_OF_UNKNOWN_STREAM) : FMHAC_OK);
  assert_int_equal(fmhac_rt_stream_create(d, NULL), FMHAC_INVALID_INPUT);
  uint64_t o = counting(d, LANES);
  const linear_args args = {.o = o, .i = o, .a = 1, .b = 0};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, bogus);
  assert_int_equal(fmhac_rt_launch_kernel(d, module, &l),
                   expected(USE_OF_UNKNOWN_STREAM));
}

//===- Threads ------------------------------------------------------------===//

typedef struct worker {
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  uint32_t number;
  char wrong[256];
} worker;

/// Without assertions of cmocka, which jump: they are for the main thread.
static void *work(void *argument) {
  worker *w = argument;
  fmhac_rt_device *d = w->device;
  enum { ROUNDS = 12, COUNT = 3 * LANES };
  for (uint32_t round = 0; round < ROUNDS && !w->wrong[0]; round++) {
    uint32_t host[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
      host[i] = i + w->number;
    uint64_t at = 0;
    void *stream = NULL;
    fmhac_status status = fmhac_rt_alloc(d, sizeof host, &at);
    if (status == FMHAC_OK)
      status = fmhac_rt_copy_in(d, at, host, sizeof host);
    if (status == FMHAC_OK)
      status = fmhac_rt_stream_create(d, &stream);
    const linear_args args = {.o = at, .i = at, .a = w->number + 2, .b = round};
    const fmhac_rt_launch l = launch_of(&args, sizeof args, 3, stream);
    if (status == FMHAC_OK)
      status = fmhac_rt_launch_kernel(d, w->module, &l);
    if (status == FMHAC_OK)
      status = fmhac_rt_stream_synchronize(d, stream);
    if (status == FMHAC_OK)
      status = fmhac_rt_copy_out(d, at, host, sizeof host);
    if (status == FMHAC_OK)
      status = fmhac_rt_stream_destroy(d, stream);
    if (status == FMHAC_OK)
      status = fmhac_rt_free(d, at);
    if (status != FMHAC_OK)
      snprintf(w->wrong, sizeof w->wrong, "status %d: %.200s", (int)status,
               fmhac_rt_last_error(d));
    for (uint32_t i = 0; i < COUNT && !w->wrong[0]; i++)
      if (host[i] != (i + w->number) * (w->number + 2) + round)
        snprintf(w->wrong, sizeof w->wrong, "round %u: o[%u] is %u", round, i,
                 host[i]);
    // Each thread has its own text.
    if (w->wrong[0] ||
        fmhac_rt_free(d, 1000 + w->number) != FMHAC_INVALID_INPUT)
      continue;
    char text[64];
    snprintf(text, sizeof text, "begins at 0x%x", 1000 + w->number);
    if (!strstr(fmhac_rt_last_error(d), text))
      snprintf(w->wrong, sizeof w->wrong, "another's text: %.200s",
               fmhac_rt_last_error(d));
  }
  return NULL;
}

static void test_threads(void **state) {
  fmhac_rt_device *d = *state;
  enum { THREADS = 8 };
  fmhac_rt_module *module = load(d, &g_linear);
  static worker workers[THREADS];
  pthread_t threads[THREADS];
  memset(workers, 0, sizeof workers);
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (worker){.device = d, .module = module, .number = t};
    assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; t++)
    if (workers[t].wrong[0])
      fail_msg("thread %d: %s", t, workers[t].wrong);
}

static void *fail_elsewhere(void *device) {
  (void)!fmhac_rt_free(device, 0x777);
  return NULL;
}

static void test_last_error(void **state) {
  fmhac_rt_device *d = *state;
  assert_string_equal(fmhac_rt_last_error(d), "");
  assert_string_equal(fmhac_rt_last_error(NULL), "");
  assert_refused(d, fmhac_rt_free(d, 0x555), FMHAC_INVALID_INPUT, "0x555");
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, d), 0);
  pthread_join(thread, NULL);
  assert_refused(d, FMHAC_OK, FMHAC_OK, "0x555");
  assert_ok(d, fmhac_rt_synchronize(d));
}

static void test_open_errors(void **state) {
  (void)state;
  static const char *const uris[] = {
      "", "gpu", "emu:1", "hip:", "hip:x", "hip:-1", "hip:99999999", "hipx"};
  for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
    fmhac_rt_device *d = (fmhac_rt_device *)(void *)&i;
    char why[256] = "";
    assert_int_equal(
        fmhac_rt_device_open_with_text(uris[i], why, sizeof why, &d),
        FMHAC_INVALID_INPUT);
    assert_null(d);
    assert_non_null(strstr(why, "expected \"emu\", \"hip\" or \"hip:N\""));
  }
  fmhac_rt_device_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: %s URI FOLDER [UNITS]\n", argv[0]);
    return 2;
  }
  if (argc == 4)
    g_units = (uint32_t)atoi(argv[3]);
  g_uri = argv[1];
  g_folder = argv[2];
  g_is_hip = strncmp(g_uri, "hip", 3) == 0;
  g_linear = read_blob(g_folder, "linear.hsaco");
  g_pair = read_blob(g_folder, "pair.hsaco");
  for (size_t i = 0; i < sizeof k_differences / sizeof *k_differences; i++)
    print_message("emu %d, hip %d: %s\n", (int)k_differences[i].emu,
                  (int)k_differences[i].hip, k_differences[i].why);
  const struct CMUnitTest tests[] = {
      TEST(test_info),
      TEST(test_memory),
      TEST(test_memory_errors),
      TEST(test_module_errors),
      TEST(test_several_modules),
      TEST(test_code_is_copied),
      TEST(test_launch),
      TEST(test_short_and_long_arguments),
      TEST(test_launch_errors),
      TEST(test_later_launch),
      TEST(test_foreign_module),
      TEST(test_high_grid),
      TEST(test_out_of_bounds),
      TEST(test_streams),
      TEST(test_copy_in_waits),
      TEST(test_stream_errors),
      TEST(test_threads),
      TEST(test_last_error),
      cmocka_unit_test(test_open_errors),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(g_linear.bytes);
  free(g_pair.bytes);
  return failed;
}
