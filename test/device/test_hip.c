// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hip backend where HIP fails, or has other devices too: test_hip FOLDER,
// linked with the libamdhip64 of test/hip, which has three devices: a gfx942
// and two gfx950.
#include "device_test.h"
#include "hip_test.h"

static const char *g_folder;
static blob g_linear;

static void refuse_open(const char *uri, const char *part) {
  char why[1024] = "";
  fmhac_rt_device *device;
  assert_int_equal(
      fmhac_rt_device_open_with_text(uri, why, sizeof why, &device),
      FMHAC_DEVICE_UNAVAILABLE);
  assert_null(device);
  if (!strstr(why, part))
    fail_msg("expected \"%s\" in \"%s\"", part, why);
}

static fmhac_rt_device *open_device(void) {
  fmhac_rt_device *device;
  assert_int_equal(fmhac_rt_device_open("hip:1", &device), FMHAC_OK);
  return device;
}

static void test_open(void **state) {
  (void)state;
  refuse_open("hip:0", "expected a gfx950 (MI350, MI355X), found a gfx94x, "
                       "emulated gfx942 number 0 (");
  refuse_open("hip:3", "finds 3 devices, the last is hip:2");
  static const struct {
    const char *fails, *text;
  } rows[] = {
      {"hipInit=101", "finds no device (hipInit: HIP error 101"},
      {"hipInit=100", "finds no device (hipInit: HIP error 100"},
      {"hipInit=999", "hipInit failed: HIP error 999 (unknown error)"},
      {"hipGetDeviceCount=100", "finds no device (hipGetDeviceCount"},
      {"hipGetDeviceCount=35", "hipGetDeviceCount failed: HIP error 35"},
      {"hipDeviceComputeCapability=1",
       "hipDeviceComputeCapability failed: HIP error 1 (invalid argument)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(hipTestFail(rows[i].fails));
    refuse_open("hip:1", rows[i].text);
    assert_true(hipTestFail(NULL));
  }
  // A name is not worth failing for.
  assert_true(hipTestFail("hipDeviceGetName=1,hipDeviceGetAttribute=1,"
                          "hipDeviceTotalMem=1"));
  fmhac_rt_device *d = open_device();
  fmhac_rt_device_info info = {.size = sizeof info};
  assert_int_equal(fmhac_rt_device_get_info(d, &info), FMHAC_OK);
  assert_string_equal(info.name, "unnamed GPU");
  assert_int_equal(info.compute_units, 0);
  assert_true(info.memory_bytes == 0);
  fmhac_rt_device_close(d);
  assert_true(hipTestFail(NULL));
}

/// What one test does with a device; the first failure ends it.
static fmhac_status use(fmhac_rt_device *d) {
  uint64_t o = 0;
  uint32_t host[LANES] = {1};
  void *stream = NULL;
  bool capturing;
  double seconds = -1;
  static uint32_t landed; // when a call has failed, it may be later
  fmhac_rt_event *start = NULL, *end = NULL;
  fmhac_rt_module *module = NULL;
  fmhac_status status =
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module);
  if (status == FMHAC_OK)
    status = fmhac_rt_alloc(d, sizeof host, &o);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(d, o, host, sizeof host);
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_create(d, &stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_is_capturing(d, stream, &capturing);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_create(d, &start);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_create(d, &end);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_record(d, start, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_fill_async(d, o + 4, 0, 4, stream);
  const linear_args args = {.o = o, .i = o, .a = 2, .b = 3};
  const fmhac_rt_launch l = launch_of(&args, sizeof args, 1, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_launch_kernel(d, module, &l);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_record(d, end, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_wait_event(d, NULL, end);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_out_async(d, o, &landed, 4, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_synchronize(d, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_elapsed(d, start, end, &seconds);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_destroy(d, start);
  if (status == FMHAC_OK)
    status = fmhac_rt_event_destroy(d, end);
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_destroy(d, stream);
  if (status == FMHAC_OK)
    status = fmhac_rt_synchronize(d);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_out(d, o, host, sizeof host);
  if (status == FMHAC_OK)
    status = fmhac_rt_free(d, o);
  if (status == FMHAC_OK &&
      (host[0] != 5 || host[1] != 3 || landed != 5 || seconds < 0))
    return FMHAC_INTERNAL;
  return status;
}

static void test_failing_calls(void **state) {
  (void)state;
  static const struct {
    const char *call;
    int error;
    fmhac_status status;
  } rows[] = {
      {"hipGetDevice", 999, FMHAC_LAUNCH_FAILED},
      {"hipSetDevice", 101, FMHAC_DEVICE_UNAVAILABLE},
      {"hipModuleLoadData", 209, FMHAC_INVALID_INPUT},
      {"hipModuleLoadData", 2, FMHAC_OUT_OF_MEMORY},
      {"hipModuleGetFunction", 500, FMHAC_INVALID_INPUT},
      {"hipMalloc", 2, FMHAC_OUT_OF_MEMORY},
      {"hipMemcpy", 719, FMHAC_LAUNCH_FAILED},
      {"hipStreamCreateWithFlags", 2, FMHAC_OUT_OF_MEMORY},
      {"hipStreamIsCapturing", 709, FMHAC_INVALID_INPUT},
      {"hipModuleLaunchKernel", 701, FMHAC_LAUNCH_FAILED},
      {"hipModuleLaunchKernel", 9, FMHAC_INVALID_INPUT},
      {"hipModuleLaunchKernel", 901, FMHAC_INVALID_INPUT},
      {"hipStreamSynchronize", 700, FMHAC_LAUNCH_FAILED},
      {"hipStreamDestroy", 400, FMHAC_INVALID_INPUT},
      {"hipDeviceSynchronize", 719, FMHAC_LAUNCH_FAILED},
      {"hipFree", 1, FMHAC_INVALID_INPUT},
      {"hipMemcpyAsync", 1, FMHAC_INVALID_INPUT},
      {"hipMemsetAsync", 1, FMHAC_INVALID_INPUT},
      {"hipStreamWaitEvent", 400, FMHAC_INVALID_INPUT},
      {"hipEventCreateWithFlags", 2, FMHAC_OUT_OF_MEMORY},
      {"hipEventRecord", 400, FMHAC_INVALID_INPUT},
      {"hipEventSynchronize", 719, FMHAC_LAUNCH_FAILED},
      {"hipEventElapsedTime", 400, FMHAC_INVALID_INPUT},
      {"hipEventDestroy", 400, FMHAC_INVALID_INPUT},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(hipSetDevice(2), 0); // so that hipSetDevice is called
    fmhac_rt_device *d = open_device();
    char spec[64], text[128];
    // Once: what follows must be able to clear up.
    snprintf(spec, sizeof spec, "%s=%d@1", rows[i].call, rows[i].error);
    snprintf(text, sizeof text, "failed: HIP error %d (", rows[i].error);
    assert_true(hipTestFail(spec));
    assert_int_equal(use(d), rows[i].status);
    const char *found = fmhac_rt_last_error(d);
    if (!strstr(found, rows[i].call) || !strstr(found, text))
      fail_msg("expected \"%s ... %s\" in \"%s\"", rows[i].call, text, found);
    // It was but one call: the device serves on.
    assert_int_equal(use(d), FMHAC_OK);
    fmhac_rt_device_close(d);
    assert_int_equal(hipTestHeld(), 0);
  }
}

static void test_close_gives_back(void **state) {
  (void)state;
  int before = hipTestHeld();
  fmhac_rt_device *d = open_device();
  fmhac_rt_module *module;
  uint64_t address;
  void *stream;
  for (int i = 0; i < 40; i++) {
    assert_int_equal(fmhac_rt_alloc(d, 100, &address), FMHAC_OK);
    assert_int_equal(fmhac_rt_stream_create(d, &stream), FMHAC_OK);
  }
  assert_int_equal(
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
      FMHAC_OK);
  assert_int_equal(hipTestHeld(), before + 81);
  fmhac_rt_device_close(d);
  assert_int_equal(hipTestHeld(), before);
}

/// The current device is the caller's: used where it is the right one, else put
/// back.
static void test_current_device(void **state) {
  (void)state;
  int current = -1;
  assert_int_equal(hipSetDevice(2), 0);
  fmhac_rt_device *d = open_device();
  assert_int_equal(use(d), FMHAC_OK);
  assert_int_equal(hipGetDevice(&current), 0);
  assert_int_equal(current, 2);
  assert_true(hipTestFail("hipMemcpy=719@1"));
  assert_int_equal(use(d), FMHAC_LAUNCH_FAILED);
  assert_int_equal(hipGetDevice(&current), 0);
  assert_int_equal(current, 2);
  assert_int_equal(hipSetDevice(1), 0);
  uint64_t before = hipTestCalls("hipSetDevice");
  assert_int_equal(use(d), FMHAC_OK);
  assert_true(hipTestCalls("hipSetDevice") == before);
  fmhac_rt_device_close(d);
  assert_true(hipTestCalls("hipSetDevice") == before);
}

/// What a failed load takes back belongs to the device that it was loaded on.
static void test_failed_load(void **state) {
  (void)state;
  int current = -1;
  fmhac_rt_module *module;
  assert_int_equal(hipSetDevice(2), 0);
  fmhac_rt_device *d = open_device();
  int before = hipTestHeld();
  assert_true(hipTestFail("hipModuleGetFunction=500@1"));
  assert_int_equal(
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
      FMHAC_INVALID_INPUT);
  assert_non_null(strstr(fmhac_rt_last_error(d), "hipModuleGetFunction"));
  assert_null(module);
  assert_int_equal(hipTestHeld(), before);
  assert_int_equal(hipTestDevice("hipModuleUnload"), 1);
  assert_int_equal(hipGetDevice(&current), 0);
  assert_int_equal(current, 2);
  fmhac_rt_device_close(d);
}

/// Code objects of two devices do not meet.
static void test_two_devices(void **state) {
  (void)state;
  fmhac_rt_device *one = open_device(), *two;
  assert_int_equal(fmhac_rt_device_open("hip:2", &two), FMHAC_OK);
  for (int round = 0; round < 3; round++) {
    assert_int_equal(use(one), FMHAC_OK);
    assert_int_equal(use(two), FMHAC_OK);
  }
  fmhac_rt_device_close(one);
  assert_int_equal(use(two), FMHAC_OK);
  fmhac_rt_device_close(two);
}

/// What a runtime that is too old for a code object is told apart by. ROCm 7.0
/// is AMD's first for gfx950, 6.3 the first for code object version 6.
static void test_refused_code(void **state) {
  (void)state;
  enum { ABI_VERSION_AT = 8, V5 = 3, V6 = 4 }; // of e_ident (LLVM's guide)
  static const struct {
    int error;
    unsigned char abi;
    const char *parts[6];
  } rows[] = {
      {200,
       V6,
       {"HIP error 200", "gfx950, which needs ROCm 7.0 or later",
        "code object version 6, which needs ROCm 6.3 or later",
        "the runtime is HIP 7.0.51831 (", "/libamdhip64.so.7)",
        "LD_LIBRARY_PATH"}},
      {209,
       V5,
       {"HIP error 209", "ROCm 7.0 or later",
        "code object version 5; the runtime is", "HIP 7.0.51831",
        "/libamdhip64.so.7", "--device=emu"}},
      {218,
       V6,
       {"HIP error 218", "ROCm 7.0", "ROCm 6.3", "HIP 7.0.51831",
        "/libamdhip64.so.7", "--device=emu"}},
  };
  fmhac_rt_device *d = open_device();
  fmhac_rt_module *module;
  unsigned char abi = g_linear.bytes[ABI_VERSION_AT];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char spec[64];
    g_linear.bytes[ABI_VERSION_AT] = rows[i].abi;
    snprintf(spec, sizeof spec, "hipModuleLoadData=%d@1", rows[i].error);
    assert_true(hipTestFail(spec));
    assert_int_equal(
        fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
        FMHAC_INVALID_INPUT);
    const char *found = fmhac_rt_last_error(d);
    for (size_t k = 0; k < 6; k++)
      if (!strstr(found, rows[i].parts[k]))
        fail_msg("expected \"%s\" in \"%s\"", rows[i].parts[k], found);
  }
  g_linear.bytes[ABI_VERSION_AT] = abi;
  // Not the code object's fault; and a runtime that does not tell its version.
  assert_true(hipTestFail("hipModuleLoadData=2@1"));
  assert_int_equal(
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
      FMHAC_OUT_OF_MEMORY);
  assert_null(strstr(fmhac_rt_last_error(d), "ROCm"));
  assert_true(hipTestFail("hipModuleLoadData=200@1,hipRuntimeGetVersion=1"));
  assert_int_equal(
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
      FMHAC_INVALID_INPUT);
  assert_non_null(
      strstr(fmhac_rt_last_error(d), "which does not tell its version"));
  assert_true(hipTestFail(NULL));
  fmhac_rt_device_close(d);
}

/// 2^32 work-items reach HIP, which the test lets refuse them; one block more
/// does not.
static void test_work_items(void **state) {
  (void)state;
  static const struct {
    uint32_t grid[3];
    fmhac_status status;
    const char *part; ///< by hand: blocks of 64
  } rows[] = {
      {{1u << 26, 1, 1}, FMHAC_INVALID_INPUT, "hipModuleLaunchKernel failed"},
      {{1u << 12, 1u << 7, 1u << 7}, FMHAC_INVALID_INPUT, "HIP error 9"},
      {{(1u << 26) + 1, 1, 1}, FMHAC_UNSUPPORTED, "has 4294967360 work-items"},
      {{1u << 12, 1u << 7, 129}, FMHAC_UNSUPPORTED, "at most 4294967296"},
      {{UINT32_MAX, UINT32_MAX, UINT32_MAX},
       FMHAC_UNSUPPORTED,
       "at least 18446744073709551615 work-items"},
  };
  fmhac_rt_device *d = open_device();
  fmhac_rt_module *module;
  assert_int_equal(
      fmhac_rt_module_load(d, g_linear.bytes, g_linear.size, &module),
      FMHAC_OK);
  const linear_args args = {.a = 1};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fmhac_rt_launch l = launch_of(&args, sizeof args, 1, NULL);
    memcpy(l.grid, rows[i].grid, sizeof l.grid);
    assert_int_equal(l.block[0] * l.block[1] * l.block[2], 64);
    assert_true(hipTestFail("hipModuleLaunchKernel=9@1"));
    uint64_t before = hipTestCalls("hipModuleLaunchKernel");
    assert_int_equal(fmhac_rt_launch_kernel(d, module, &l), rows[i].status);
    assert_int_equal(hipTestCalls("hipModuleLaunchKernel") - before,
                     rows[i].status == FMHAC_INVALID_INPUT);
    if (!strstr(fmhac_rt_last_error(d), rows[i].part))
      fail_msg("expected \"%s\" in \"%s\"", rows[i].part,
               fmhac_rt_last_error(d));
  }
  assert_true(hipTestFail(NULL));
  fmhac_rt_device_close(d);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  g_folder = argv[1];
  g_linear = read_blob(g_folder, "linear.hsaco");
  setenv("FMHAC_TEST_HIP_DEVICES", "3", 1);
  setenv("FMHAC_TEST_HIP_ARCH", "gfx942,gfx950", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open),
      cmocka_unit_test(test_close_gives_back),
      cmocka_unit_test(test_current_device),
      cmocka_unit_test(test_failed_load),
      cmocka_unit_test(test_two_devices),
      cmocka_unit_test(test_failing_calls),
      cmocka_unit_test(test_refused_code),
      cmocka_unit_test(test_work_items),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(g_linear.bytes);
  return failed;
}
