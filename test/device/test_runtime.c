// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The libamdhip64 of test/hip itself, as far as other tests rely on it: order
// of streams, events, what begins when, launches and captures that HIP refuses.
// test_runtime FOLDER.
#include "device_test.h"
#include "hip_test.h"

enum { TO_DEVICE = 1, TO_HOST = 2, IN_DEVICE = 3 };
enum { GLOBAL = 0, RELAXED = 2 };

static blob g_linear;
static void *g_module, *g_function;

static void *make_stream(unsigned flags) {
  void *stream;
  assert_int_equal(hipStreamCreateWithFlags(&stream, flags), 0);
  return stream;
}

/// Device memory of 64 dwords, all `value`.
static void *make_memory(uint32_t value) {
  uint32_t host[LANES];
  void *address;
  for (int i = 0; i < LANES; i++)
    host[i] = value;
  assert_int_equal(hipMalloc(&address, sizeof host), 0);
  assert_int_equal(hipMemcpy(address, host, sizeof host, TO_DEVICE), 0);
  return address;
}

/// o = i * a + b on a stream, with arguments that are gone afterwards.
static int launch(void *o, void *i, uint32_t a, uint32_t b, void *stream) {
  linear_args args = {.o = (uintptr_t)o, .i = (uintptr_t)i, .a = a, .b = b};
  size_t bytes = sizeof args;
  void *extra[] = {(void *)(uintptr_t)1, &args, (void *)(uintptr_t)2, &bytes,
                   (void *)(uintptr_t)3};
  int error = hipModuleLaunchKernel(g_function, 1, 1, 1, LANES, 1, 1, 0, stream,
                                    NULL, extra);
  memset(&args, 0xff, sizeof args);
  return error;
}

static uint32_t first_of(void *address) {
  uint32_t value = 0;
  assert_int_equal(hipMemcpy(&value, address, sizeof value, TO_HOST), 0);
  return value;
}

static void test_streams_begin_late(void **state) {
  (void)state;
  void *stream = make_stream(1), *m = make_memory(1);
  assert_int_equal(launch(m, m, 5, 0, stream), 0);
  // hipMemcpy() does not wait for a stream that is not blocking.
  assert_int_equal(first_of(m), 1);
  assert_int_equal(hipStreamQuery(stream), 600);
  assert_int_equal(hipStreamSynchronize(stream), 0);
  assert_int_equal(hipStreamQuery(stream), 0);
  assert_int_equal(first_of(m), 5);
  // But for one that is; and destroying and freeing wait for either.
  void *blocking = make_stream(0);
  assert_int_equal(launch(m, m, 2, 1, blocking), 0);
  assert_int_equal(first_of(m), 11);
  assert_int_equal(launch(m, m, 1, 1, stream), 0);
  assert_int_equal(hipStreamDestroy(stream), 0);
  assert_int_equal(first_of(m), 12);
  assert_int_equal(hipStreamDestroy(blocking), 0);
  assert_int_equal(hipStreamDestroy(blocking), 709);
  assert_int_equal(hipFree(m), 0);
  assert_int_equal(hipFree(m), 1);
}

/// The default stream waits for blocking streams, and they for it.
static void test_default_stream(void **state) {
  (void)state;
  void *blocking = make_stream(0), *m = make_memory(1);
  assert_int_equal(launch(m, m, 2, 0, blocking), 0);
  assert_int_equal(launch(m, m, 1, 3, NULL), 0);
  assert_int_equal(launch(m, m, 10, 0, blocking), 0);
  assert_int_equal(hipStreamSynchronize(blocking), 0);
  assert_int_equal(first_of(m), 50);
  assert_int_equal(hipStreamDestroy(blocking), 0);
  assert_int_equal(hipFree(m), 0);
}

static void test_copies(void **state) {
  (void)state;
  void *stream = make_stream(1), *a = make_memory(3), *b = make_memory(0);
  uint32_t host[LANES] = {0};
  assert_int_equal(launch(a, a, 7, 0, stream), 0);
  assert_int_equal(hipMemcpyAsync(b, a, sizeof host, IN_DEVICE, stream), 0);
  assert_int_equal(hipMemcpyAsync(host, b, sizeof host, TO_HOST, stream), 0);
  assert_int_equal(host[5], 0);
  assert_int_equal(hipDeviceSynchronize(), 0);
  assert_int_equal(host[5], 21);
  assert_int_equal(hipMemcpy(b, a, sizeof host + 1, IN_DEVICE), 1);
  assert_int_equal(hipMemcpy(b, a, 4, 9), 21);
  assert_int_equal(hipMemcpy(host, host, 4, TO_DEVICE), 1);
  assert_int_equal(hipStreamDestroy(stream), 0);
  assert_int_equal(hipFree(a) | hipFree(b), 0);
}

static void test_events(void **state) {
  (void)state;
  void *stream = make_stream(1), *m = make_memory(1), *start, *stop, *untimed;
  float milliseconds = -1;
  assert_int_equal(hipEventCreate(&start), 0);
  assert_int_equal(hipEventCreate(&stop), 0);
  assert_int_equal(hipEventCreateWithFlags(&untimed, 2), 0);
  assert_int_equal(hipEventElapsedTime(&milliseconds, start, stop), 400);
  assert_int_equal(hipEventRecord(start, stream), 0);
  assert_int_equal(launch(m, m, 4, 0, stream), 0);
  assert_int_equal(hipEventRecord(stop, stream), 0);
  assert_int_equal(launch(m, m, 1, 1, stream), 0);
  assert_int_equal(hipEventElapsedTime(&milliseconds, start, stop), 600);
  assert_int_equal(hipEventQuery(stop), 600);
  assert_int_equal(hipEventSynchronize(stop), 0);
  assert_int_equal(hipEventQuery(stop), 0);
  assert_int_equal(hipEventElapsedTime(&milliseconds, start, stop), 0);
  assert_true(milliseconds >= 0);
  // Work after the event has not begun.
  assert_int_equal(hipStreamQuery(stream), 600);
  assert_int_equal(hipEventRecord(untimed, stream), 0);
  assert_int_equal(hipStreamSynchronize(stream), 0);
  assert_int_equal(hipEventElapsedTime(&milliseconds, start, untimed), 400);
  assert_int_equal(first_of(m), 5);
  assert_int_equal(hipEventDestroy(start) | hipEventDestroy(stop), 0);
  assert_int_equal(hipEventDestroy(untimed), 0);
  assert_int_equal(hipEventDestroy(untimed), 400);
  assert_int_equal(hipStreamDestroy(stream) | hipFree(m), 0);
}

static void test_refused_launches(void **state) {
  (void)state;
  void *m = make_memory(1), *parameters[1] = {&m}, *other;
  linear_args args = {.o = (uintptr_t)m, .i = (uintptr_t)m};
  size_t bytes = sizeof args;
  void *extra[] = {(void *)(uintptr_t)1, &args, (void *)(uintptr_t)2, &bytes,
                   (void *)(uintptr_t)3};
#define LAUNCH(f, gx, gy, bx, lds, stream, parameters, extra)                  \
  hipModuleLaunchKernel(f, gx, gy, 1, bx, 1, 1, lds, stream, parameters, extra)
  assert_int_equal(LAUNCH(NULL, 1, 1, 64, 0, NULL, NULL, extra), 400);
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, &m, NULL, extra), 1);
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, NULL, parameters, NULL),
                   801);
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, NULL, parameters, extra), 1);
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, NULL, NULL, NULL), 1);
  assert_int_equal(LAUNCH(g_function, 0, 1, 64, 0, NULL, NULL, extra), 1);
  assert_int_equal(LAUNCH(g_function, 1, 65537, 64, 0, NULL, NULL, extra), 1);
  assert_int_equal(LAUNCH(g_function, 1u << 27, 1, 64, 0, NULL, NULL, extra),
                   9);
  assert_int_equal(LAUNCH(g_function, 1, 1, 0, 0, NULL, NULL, extra), 9);
  assert_int_equal(LAUNCH(g_function, 1, 1, 1025, 0, NULL, NULL, extra), 1);
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 163841, NULL, NULL, extra), 1);
  bytes = 8; // the runtime would read what lies beyond
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, NULL, NULL, extra), 1);
  extra[4] = NULL;
  assert_int_equal(LAUNCH(g_function, 1, 1, 64, 0, NULL, NULL, extra), 1);
#undef LAUNCH
  assert_int_equal(hipGetLastError(), 1);
  assert_int_equal(hipGetLastError(), 0);
  assert_int_equal(hipModuleGetFunction(&other, g_module, "no"), 500);
  assert_int_equal(hipModuleUnload(&other), 500);
  assert_string_equal(hipGetErrorName(209), "hipErrorNoBinaryForGpu");
  assert_int_equal(first_of(m), 1);
  assert_int_equal(hipFree(m), 0);
}

static void test_faults(void **state) {
  (void)state;
  void *stream = make_stream(1), *m = make_memory(1);
  assert_int_equal(launch((char *)m + 4, m, 1, 0, stream), 0);
  assert_int_equal(hipStreamSynchronize(stream), 700);
  assert_non_null(strstr(hipTestFault(), "global_store_dword"));
  assert_int_equal(hipStreamSynchronize(stream), 0);
  assert_int_equal(hipStreamDestroy(stream) | hipFree(m), 0);
}

static void test_captures(void **state) {
  (void)state;
  void *stream = make_stream(1), *m = make_memory(1), *graph, *exec, *other;
  int status = -1, mode = RELAXED;
  assert_int_equal(hipStreamBeginCapture(NULL, GLOBAL), 900);
  assert_int_equal(hipStreamEndCapture(stream, &graph), 401);
  assert_int_equal(hipStreamBeginCapture(stream, GLOBAL), 0);
  assert_int_equal(hipStreamBeginCapture(stream, GLOBAL), 401);
  assert_int_equal(hipStreamIsCapturing(stream, &status), 0);
  assert_int_equal(status, 1);
  assert_int_equal(launch(m, m, 3, 0, stream), 0);
  assert_int_equal(launch(m, m, 1, 2, stream), 0);
  // A thread may ask for what is unsafe, if it says so.
  assert_int_equal(hipThreadExchangeStreamCaptureMode(&mode), 0);
  assert_int_equal(mode, GLOBAL);
  assert_int_equal(hipMalloc(&other, 16), 0);
  assert_int_equal(hipFree(other), 0);
  assert_int_equal(hipThreadExchangeStreamCaptureMode(&mode), 0);
  assert_int_equal(hipStreamEndCapture(stream, &graph), 0);
  assert_int_equal(hipGraphInstantiate(&exec, graph, NULL, NULL, 0), 0);
  assert_int_equal(hipGraphLaunch(graph, stream), 1); // not instantiated
  assert_int_equal(first_of(m), 1);
  assert_int_equal(hipGraphLaunch(exec, stream), 0);
  assert_int_equal(hipGraphLaunch(exec, stream), 0);
  assert_int_equal(hipStreamSynchronize(stream), 0);
  assert_int_equal(first_of(m), (1 * 3 + 2) * 3 + 2);
  // hipMemcpy() ends every capture; what is launched then is refused, too.
  assert_int_equal(hipStreamBeginCapture(stream, RELAXED), 0);
  assert_int_equal(hipMemcpy(&status, m, 4, TO_HOST), 906);
  assert_int_equal(launch(m, m, 1, 0, stream), 901);
  assert_int_equal(hipStreamIsCapturing(stream, &status), 0);
  assert_int_equal(status, 2);
  assert_int_equal(hipStreamEndCapture(stream, &other), 901);
  assert_null(other);
  assert_int_equal(hipGraphDestroy(graph) | hipGraphExecDestroy(exec), 0);
  assert_int_equal(hipGraphDestroy(graph), 1);
  assert_int_equal(hipStreamDestroy(stream) | hipFree(m), 0);
}

static int set_up(void **state) {
  (void)state;
  assert_int_equal(hipModuleLoadData(&g_module, g_linear.bytes), 0);
  assert_int_equal(hipModuleGetFunction(&g_function, g_module, "linear"), 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  assert_int_equal(hipModuleUnload(g_module), 0);
  return hipTestHeld();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  g_linear = read_blob(argv[1], "linear.hsaco");
  const struct CMUnitTest tests[] = {
      TEST(test_streams_begin_late),
      TEST(test_default_stream),
      TEST(test_copies),
      TEST(test_events),
      TEST(test_refused_launches),
      TEST(test_faults),
      TEST(test_captures),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(g_linear.bytes);
  return failed;
}
