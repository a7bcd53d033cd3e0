// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races between launches on the emulator: work on two streams that no event
// orders and between which the host has not waited.
// test_stream_races FOLDER.
#include "device_test.h"
#include "fmhac_emu.h"

static const char *g_folder;

typedef struct bench {
  fmhac_rt_device *d;
  fmhac_rt_module *module;
  void *streams[2];
  fmhac_rt_event *event;
  uint64_t a, b, c;
} bench;

#define OK(call) assert_int_equal(call, FMHAC_OK)

static void open_all(bench *t) {
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  OK(fmhac_rt_device_open("emu", &t->d));
  OK(fmhac_emu_configure(t->d, &options));
  blob code = read_blob(g_folder, "linear.hsaco");
  OK(fmhac_rt_module_load(t->d, code.bytes, code.size, &t->module));
  free(code.bytes);
  for (int i = 0; i < 2; i++)
    OK(fmhac_rt_stream_create(t->d, &t->streams[i]));
  OK(fmhac_rt_event_create(t->d, &t->event));
  const uint32_t data[LANES] = {0};
  uint64_t *buffers[] = {&t->a, &t->b, &t->c};
  for (int i = 0; i < 3; i++) {
    OK(fmhac_rt_alloc(t->d, sizeof data, buffers[i]));
    OK(fmhac_rt_copy_in(t->d, *buffers[i], data, sizeof data));
  }
}

static void close_all(bench *t) {
  OK(fmhac_rt_event_destroy(t->d, t->event));
  for (int i = 0; i < 2; i++)
    OK(fmhac_rt_stream_destroy(t->d, t->streams[i]));
  fmhac_rt_module_unload(t->d, t->module);
  fmhac_rt_device_close(t->d);
}

static fmhac_status run(bench *t, uint64_t to, uint64_t from, void *stream) {
  const linear_args args = {.o = to, .i = from, .a = 1, .b = 1};
  fmhac_rt_launch l = launch_of(&args, sizeof args, 1, stream);
  l.kernel = "linear";
  return fmhac_rt_launch_kernel(t->d, t->module, &l);
}

/// The only finding has these texts.
static void expect_race(bench *t, fmhac_status found, const char *mine,
                        const char *its) {
  assert_int_equal(found, FMHAC_CHECK_FAILED);
  assert_int_equal(fmhac_emu_finding_count(t->d), 1);
  fmhac_emu_finding f = {.size = sizeof f};
  OK(fmhac_emu_get_finding(t->d, 0, &f));
  assert_string_equal(f.check, "race");
  if (!strstr(f.message, mine) || !strstr(f.message, its))
    fail_msg("expected \"%s\" and \"%s\" in \"%s\"", mine, its, f.message);
}

static void test_one_stream(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  for (int i = 0; i < 3; i++) {
    OK(run(&t, t.b, t.a, t.streams[i % 2]));
    OK(run(&t, t.a, t.b, t.streams[i % 2]));
    OK(fmhac_rt_stream_synchronize(t.d, t.streams[i % 2]));
  }
  close_all(&t);
}

static void test_reads_what_another_writes(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  OK(run(&t, t.b, t.a, t.streams[0]));
  expect_race(&t, run(&t, t.c, t.b, t.streams[1]),
              "`global_load_dword v2, v1, s[6:7]` at pc 0x20 reads byte 0 of "
              "buffer",
              "which linear, put on another stream before, writes at pc 0x38");
  // The default stream is one of its own.
  expect_race(&t, run(&t, t.c, t.a, NULL), "writes byte 0",
              "which linear, put on another stream before, writes");
  close_all(&t);
}

static void test_writes_what_another_reads(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  OK(run(&t, t.b, t.a, t.streams[0]));
  expect_race(&t, run(&t, t.a, t.c, t.streams[1]), "writes byte 0 of buffer",
              "which linear, put on another stream before, reads");
  close_all(&t);
}

/// Two launches that read the same do not race.
static void test_both_read(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  OK(run(&t, t.b, t.a, t.streams[0]));
  OK(run(&t, t.c, t.a, t.streams[1]));
  close_all(&t);
}

static void test_event(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  OK(run(&t, t.b, t.a, t.streams[0]));
  OK(fmhac_rt_event_record(t.d, t.event, t.streams[0]));
  OK(fmhac_rt_stream_wait_event(t.d, t.streams[1], t.event));
  OK(run(&t, t.c, t.b, t.streams[1]));
  // Not the other way round, and not for what comes after the event.
  OK(run(&t, t.b, t.a, t.streams[1]));
  expect_race(&t, run(&t, t.a, t.a, t.streams[0]), "writes byte 0 of buffer",
              "which linear, put on another stream before, reads");
  close_all(&t);
}

/// The host has waited: for an event, a stream, the device, or by a copy.
static void test_host(void **state) {
  (void)state;
  uint32_t data[LANES];
  for (int how = 0; how < 5; how++) {
    bench t = {0};
    open_all(&t);
    OK(run(&t, t.b, t.a, t.streams[0]));
    OK(fmhac_rt_event_record(t.d, t.event, t.streams[0]));
    if (how == 0)
      OK(fmhac_rt_event_synchronize(t.d, t.event));
    else if (how == 1)
      OK(fmhac_rt_stream_synchronize(t.d, t.streams[0]));
    else if (how == 2)
      OK(fmhac_rt_synchronize(t.d));
    else if (how == 3)
      OK(fmhac_rt_copy_out(t.d, t.c, data, sizeof data));
    else
      OK(fmhac_rt_stream_synchronize(t.d, t.streams[1])); // the wrong one
    const fmhac_status status = run(&t, t.c, t.b, t.streams[1]);
    assert_int_equal(status, how < 4 ? FMHAC_OK : FMHAC_CHECK_FAILED);
    close_all(&t);
  }
}

static void test_copy(void **state) {
  (void)state;
  bench t = {0};
  const uint32_t data[LANES] = {0};
  open_all(&t);
  OK(fmhac_rt_copy_in_async(t.d, t.b, data, sizeof data, t.streams[0]));
  OK(run(&t, t.c, t.b, t.streams[0]));
  expect_race(&t, run(&t, t.a, t.b, t.streams[1]), "reads byte 0 of buffer",
              "which a copy, put on another stream before, writes");
  OK(fmhac_rt_fill_async(t.d, t.c, 1, sizeof data, t.streams[0]));
  expect_race(&t, run(&t, t.a, t.c, t.streams[1]), "reads byte 0 of buffer",
              "which a fill, put on another stream before, writes");
  close_all(&t);
}

/// Another buffer at the address of one that is gone.
static void test_freed(void **state) {
  (void)state;
  bench t = {0};
  open_all(&t);
  OK(run(&t, t.b, t.a, t.streams[0]));
  OK(fmhac_rt_free(t.d, t.b));
  fmhac_emu_buffer b = {.size = sizeof b,
                        .name = "again",
                        .bytes = 4 * LANES,
                        .base = t.b,
                        .contents = FMHAC_EMU_CONTENTS_FILL};
  uint64_t again;
  OK(fmhac_emu_map(t.d, &b, &again));
  assert_int_equal(again, t.b);
  OK(run(&t, t.c, again, t.streams[1]));
  close_all(&t);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_stream_races FOLDER\n");
    return 2;
  }
  g_folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_stream),
      cmocka_unit_test(test_reads_what_another_writes),
      cmocka_unit_test(test_writes_what_another_reads),
      cmocka_unit_test(test_both_read),
      cmocka_unit_test(test_event),
      cmocka_unit_test(test_host),
      cmocka_unit_test(test_copy),
      cmocka_unit_test(test_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
