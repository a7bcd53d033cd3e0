// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers and events of fmhac_rt.h, on any device: test_transfers URI FOLDER.
#include <math.h>

#include "device_test.h"
#include "fmhac_timing.h"

static const char *g_uri;
static bool g_is_hip;
static blob g_linear;

static int set_up(void **state) {
  fmhac_rt_device *device;
  assert_int_equal(fmhac_rt_device_open(g_uri, &device), FMHAC_OK);
  *state = device;
  return 0;
}
static int tear_down(void **state) {
  fmhac_rt_device_close(*state);
  return 0;
}

static void assert_ok(fmhac_rt_device *device, fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("status %d: %s", (int)status, fmhac_rt_last_error(device));
}

static void assert_refused(fmhac_rt_device *device, fmhac_status found,
                           fmhac_status status, const char *part) {
  assert_int_equal(found, status);
  if (!strstr(fmhac_rt_last_error(device), part))
    fail_msg("expected \"%s\" in \"%s\"", part, fmhac_rt_last_error(device));
}

/// Device memory of LANES dwords; uninitialised.
static fmhac_device_ptr make_memory(fmhac_rt_device *d) {
  fmhac_device_ptr address = 0;
  assert_ok(d, fmhac_rt_alloc(d, 4 * LANES, &address));
  return address;
}

/// o = i * a + b on a stream.
static fmhac_status launch(fmhac_rt_device *d, fmhac_device_ptr o,
                           fmhac_device_ptr i, uint32_t a, uint32_t b,
                           void *stream) {
  fmhac_rt_module *module; // unloaded with the device
  assert_ok(d, fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module));
  const linear_args args = {.o = o, .i = i, .a = a, .b = b};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, stream);
  return fmhac_rt_launch_kernel(d, module, &l);
}

/// Fails unless all LANES dwords are `value`.
static void assert_all(fmhac_rt_device *d, fmhac_device_ptr address,
                       uint32_t value) {
  uint32_t host[LANES];
  assert_ok(d, fmhac_rt_copy_out(d, address, host, sizeof host));
  for (int i = 0; i < LANES; i++)
    if (host[i] != value)
      fail_msg("dword %d is 0x%x, expected 0x%x", i, host[i], value);
}

static void test_fill_and_copy(void **state) {
  fmhac_rt_device *d = *state;
  unsigned char host[4 * LANES], expected[4 * LANES];
  const fmhac_device_ptr a = make_memory(d), b = make_memory(d);
  for (size_t i = 0; i < sizeof host; i++)
    host[i] = (unsigned char)(3 * i + 1);
  assert_ok(d, fmhac_rt_copy_in(d, a, host, sizeof host));
  assert_ok(d, fmhac_rt_fill(d, b, 0xa5, sizeof host));
  assert_all(d, b, 0xa5a5a5a5);
  // Places and sizes that are no multiple of anything.
  memset(expected, 0xa5, sizeof expected);
  assert_ok(d, fmhac_rt_copy(d, b + 3, a + 10, 77));
  memcpy(expected + 3, host + 10, 77);
  assert_ok(d, fmhac_rt_fill(d, b + 9, 0, 5));
  memset(expected + 9, 0, 5);
  // Within one allocation, one part right after the other.
  assert_ok(d, fmhac_rt_copy(d, b + 100, b, 100));
  memcpy(expected + 100, expected, 100);
  assert_ok(d, fmhac_rt_copy_out(d, b, host, sizeof host));
  assert_memory_equal(host, expected, sizeof host);
}

static void test_refused(void **state) {
  fmhac_rt_device *d = *state;
  unsigned char host[4 * LANES] = {0};
  const fmhac_device_ptr a = make_memory(d), b = make_memory(d);
  const size_t all = sizeof host;
  assert_ok(d, fmhac_rt_fill(d, a, 1, all));
  assert_ok(d, fmhac_rt_fill(d, b, 2, all));
  assert_refused(d, fmhac_rt_copy(d, a + 63, a, 64), FMHAC_INVALID_INPUT,
                 "overlap");
  assert_refused(d, fmhac_rt_copy_async(d, a, a + 63, 64, NULL),
                 FMHAC_INVALID_INPUT, "overlap");
  // One byte too far, on either side.
  assert_int_equal(fmhac_rt_copy(d, a + 1, b, all), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_copy(d, a, b + 1, all), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_fill(d, a + 1, 9, all), FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_fill_async(d, a + 1, 9, all, NULL),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_copy_in_async(d, a + 1, host, all, NULL),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_rt_copy_out_async(d, a + 1, host, all, NULL),
                   FMHAC_INVALID_INPUT);
  assert_true(fmhac_rt_last_error(d)[0] != 0);
  assert_all(d, a, 0x01010101);
  // Of 0 bytes no address is looked at.
  assert_ok(d, fmhac_rt_copy(d, 1, 1, 0));
  assert_ok(d, fmhac_rt_fill(d, 1, 0, 0));
  assert_ok(d, fmhac_rt_copy_in_async(d, 1, NULL, 0, NULL));
  assert_ok(d, fmhac_rt_copy_out_async(d, 1, NULL, 0, NULL));
  assert_ok(d, fmhac_rt_copy_async(d, 1, 1, 0, NULL));
  assert_ok(d, fmhac_rt_fill_async(d, 1, 0, 0, NULL));
}

/// Everything in the order of the stream, and done when the stream is.
static void test_stream_order(void **state) {
  fmhac_rt_device *d = *state;
  uint32_t in[LANES], out[LANES] = {0};
  const fmhac_device_ptr a = make_memory(d), b = make_memory(d);
  void *stream;
  for (uint32_t i = 0; i < LANES; i++)
    in[i] = i;
  assert_ok(d, fmhac_rt_stream_create(d, &stream));
  assert_ok(d, fmhac_rt_fill_async(d, a, 0xff, sizeof in, stream));
  assert_ok(d, fmhac_rt_copy_in_async(d, a, in, sizeof in, stream));
  assert_ok(d, launch(d, a, a, 3, 1, stream));
  assert_ok(d, fmhac_rt_copy_async(d, b, a, sizeof in, stream));
  assert_ok(d, launch(d, b, b, 10, 0, stream));
  assert_ok(d, fmhac_rt_fill_async(d, a, 7, sizeof in, stream));
  assert_ok(d, fmhac_rt_copy_out_async(d, b, out, sizeof out, stream));
  assert_ok(d, fmhac_rt_stream_synchronize(d, stream));
  for (uint32_t i = 0; i < LANES; i++)
    assert_int_equal(out[i], 10 * (3 * i + 1));
  assert_all(d, a, 0x07070707);
  assert_ok(d, fmhac_rt_stream_destroy(d, stream));
}

/// The forms without `_async` wait before and after, whatever the streams.
static void test_waits(void **state) {
  fmhac_rt_device *d = *state;
  const fmhac_device_ptr a = make_memory(d), b = make_memory(d);
  uint32_t out[LANES] = {0};
  void *stream;
  assert_ok(d, fmhac_rt_stream_create(d, &stream));
  assert_ok(d, fmhac_rt_fill(d, a, 1, 4 * LANES));
  assert_ok(d, launch(d, a, a, 2, 0, stream)); // 0x02020202
  assert_ok(d, fmhac_rt_copy(d, b, a, 4 * LANES));
  assert_ok(d, launch(d, b, b, 2, 0, stream)); // 0x04040404
  assert_ok(d, fmhac_rt_fill(d, a, 3, 4 * LANES));
  assert_ok(d, launch(d, a, a, 2, 0, stream)); // 0x06060606
  assert_ok(d, fmhac_rt_copy_out_async(d, a, out, sizeof out, stream));
  assert_ok(d, fmhac_rt_stream_synchronize(d, stream));
  assert_int_equal(out[5], 0x06060606);
  assert_all(d, b, 0x04040404);
}

/// One stream waits for what another was given before an event, and only that.
static void test_wait_event(void **state) {
  fmhac_rt_device *d = *state;
  const fmhac_device_ptr a = make_memory(d);
  void *first, *second;
  fmhac_rt_event *event;
  assert_ok(d, fmhac_rt_stream_create(d, &first));
  assert_ok(d, fmhac_rt_stream_create(d, &second));
  assert_ok(d, fmhac_rt_event_create(d, &event));
  // Never recorded: nothing to wait for.
  assert_ok(d, fmhac_rt_stream_wait_event(d, second, event));
  assert_ok(d, fmhac_rt_event_synchronize(d, event));
  assert_ok(d, fmhac_rt_fill(d, a, 1, 4 * LANES));
  assert_ok(d, launch(d, a, a, 2, 0, first));
  assert_ok(d, fmhac_rt_event_record(d, event, first));
  assert_ok(d, fmhac_rt_stream_wait_event(d, second, event));
  assert_ok(d, launch(d, a, a, 1, 0x01010101, second));
  assert_ok(d, fmhac_rt_stream_synchronize(d, second));
  assert_all(d, a, 0x03030303);
  // The default stream, too.
  assert_ok(d, launch(d, a, a, 1, 0x01010101, first));
  assert_ok(d, fmhac_rt_event_record(d, event, first));
  assert_ok(d, fmhac_rt_stream_wait_event(d, NULL, event));
  assert_ok(d, launch(d, a, a, 2, 0, NULL));
  assert_ok(d, fmhac_rt_event_record(d, event, NULL));
  assert_ok(d, fmhac_rt_event_synchronize(d, event));
  assert_all(d, a, 0x08080808);
  assert_ok(d, fmhac_rt_event_destroy(d, event));
  // Closing the device destroys what is left.
  assert_ok(d, fmhac_rt_event_create(d, &event));
}

static void test_event_errors(void **state) {
  fmhac_rt_device *d = *state, *other;
  fmhac_rt_event *event, *recorded, *theirs, *bogus = (void *)&other;
  double seconds = 1;
  assert_int_equal(fmhac_rt_device_open(g_uri, &other), FMHAC_OK);
  assert_ok(d, fmhac_rt_event_create(d, &event));
  assert_ok(d, fmhac_rt_event_create(d, &recorded));
  assert_ok(other, fmhac_rt_event_create(other, &theirs));
  assert_ok(d, fmhac_rt_event_record(d, recorded, NULL));
  assert_refused(d, fmhac_rt_event_elapsed(d, recorded, event, &seconds),
                 FMHAC_INVALID_INPUT, "recorded");
  assert_refused(d, fmhac_rt_event_elapsed(d, event, recorded, &seconds),
                 FMHAC_INVALID_INPUT, "recorded");
  assert_true(seconds == 0);
  assert_ok(d, fmhac_rt_event_destroy(d, NULL));
  assert_ok(d, fmhac_rt_event_destroy(d, event));
  fmhac_rt_event *const foreign[] = {event, theirs, bogus};
  const char *text = "is not an event of this device";
  for (int i = 0; i < 3; i++) {
    fmhac_rt_event *e = foreign[i];
#define REFUSED(call) assert_refused(d, call, FMHAC_INVALID_INPUT, text)
    REFUSED(fmhac_rt_event_destroy(d, e));
    REFUSED(fmhac_rt_event_record(d, e, NULL));
    REFUSED(fmhac_rt_stream_wait_event(d, NULL, e));
    REFUSED(fmhac_rt_event_synchronize(d, e));
    REFUSED(fmhac_rt_event_elapsed(d, e, recorded, &seconds));
    REFUSED(fmhac_rt_event_elapsed(d, recorded, e, &seconds));
#undef REFUSED
  }
  assert_ok(other, fmhac_rt_event_record(other, theirs, NULL));
  fmhac_rt_device_close(other);
}

/// The seconds of the last launch by the cycle model.
static double model_seconds(fmhac_rt_device *d) {
  fmhac_timing_grid grid = {.size = sizeof grid};
  assert_ok(d, fmhac_timing_extrapolate(d, &grid));
  assert_true(grid.seconds > 0);
  return grid.seconds;
}

static void set_timing(fmhac_rt_device *d, uint32_t timing) {
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.timing = timing;
  if (!g_is_hip)
    assert_ok(d, fmhac_emu_configure(d, &options));
}

/// On hip the GPU's clock, of which no more is known here than that it does not
/// go backward; on the emulator what fmhac_timing.h says of the launches.
static void test_elapsed(void **state) {
  fmhac_rt_device *d = *state;
  const fmhac_device_ptr a = make_memory(d);
  fmhac_rt_event *events[3];
  double seconds[3], expected[3] = {0};
  for (int i = 0; i < 3; i++)
    assert_ok(d, fmhac_rt_event_create(d, &events[i]));
  set_timing(d, 1);
  assert_ok(d, fmhac_rt_fill(d, a, 1, 4 * LANES));
  assert_ok(d, launch(d, a, a, 1, 0, NULL)); // before the first event
  assert_ok(d, fmhac_rt_event_record(d, events[0], NULL));
  assert_ok(d, launch(d, a, a, 1, 0, NULL));
  expected[0] = g_is_hip ? 0 : model_seconds(d);
  assert_ok(d, fmhac_rt_event_record(d, events[1], NULL));
  for (int i = 0; i < 2; i++) {
    assert_ok(d, launch(d, a, a, 1, 0, NULL));
    expected[1] += g_is_hip ? 0 : model_seconds(d);
  }
  assert_ok(d, fmhac_rt_fill_async(d, a, 2, 4 * LANES, NULL));
  assert_ok(d, fmhac_rt_event_record(d, events[2], NULL));
  assert_ok(d, fmhac_rt_event_elapsed(d, events[0], events[1], &seconds[0]));
  assert_ok(d, fmhac_rt_event_elapsed(d, events[1], events[2], &seconds[1]));
  assert_ok(d, fmhac_rt_event_elapsed(d, events[2], events[0], &seconds[2]));
  assert_true(seconds[0] >= 0 && seconds[1] >= 0 && seconds[2] <= 0);
  expected[2] = -expected[0] - expected[1];
  for (int i = 0; i < 3 && !g_is_hip; i++)
    assert_true(fabs(seconds[i] - expected[i]) <= 1e-15);
  if (g_is_hip)
    return;
  // The emulator has no other clock that says anything about a GPU.
  set_timing(d, 0);
  assert_ok(d, launch(d, a, a, 1, 0, NULL));
  assert_ok(d, fmhac_rt_event_record(d, events[2], NULL));
  assert_refused(d,
                 fmhac_rt_event_elapsed(d, events[0], events[2], &seconds[0]),
                 FMHAC_UNSUPPORTED, "1 of the 4 launches");
}

/// On the emulator: copies of what nobody has written are not written either.
static void test_copies_of_nothing(void **state) {
  fmhac_rt_device *d = *state;
  if (g_is_hip)
    skip();
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  assert_ok(d, fmhac_emu_configure(d, &options));
  const fmhac_device_ptr empty = make_memory(d), a = make_memory(d),
                         o = make_memory(d);
  assert_ok(d, fmhac_rt_fill(d, a, 1, 4 * LANES));
  assert_ok(d, launch(d, o, a, 1, 0, NULL));
  assert_ok(d, fmhac_rt_copy(d, a + 5, empty + 5, 1)); // byte 5 of a
  assert_refused(d, launch(d, o, a, 1, 0, NULL), FMHAC_CHECK_FAILED,
                 "nothing has written byte 5 of buffer");
  assert_ok(d, fmhac_rt_fill(d, a + 5, 0, 1));
  assert_ok(d, launch(d, o, a, 1, 0, NULL));
  assert_ok(d, fmhac_rt_copy(d, a, empty, 4 * LANES));
  assert_int_equal(launch(d, o, a, 1, 0, NULL), FMHAC_CHECK_FAILED);
  assert_ok(d, fmhac_rt_copy(d, a, o, 4 * LANES));
  assert_ok(d, launch(d, o, a, 1, 0, NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s URI FOLDER\n", argv[0]);
    return 2;
  }
  g_uri = argv[1];
  g_is_hip = strncmp(g_uri, "hip", 3) == 0;
  g_linear = read_blob(argv[2], "linear.hsaco");
  const struct CMUnitTest tests[] = {
      TEST(test_fill_and_copy), TEST(test_refused),
      TEST(test_stream_order),  TEST(test_waits),
      TEST(test_wait_event),    TEST(test_event_errors),
      TEST(test_elapsed),       TEST(test_copies_of_nothing),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(g_linear.bytes);
  return failed;
}
