// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "hip" on a machine without any HIP runtime: this program's dlopen() finds
// none, whatever is installed.
#include <dlfcn.h>

#include "device_test.h"

static int g_asked;

__attribute__((visibility("default"))) void *dlopen(const char *name,
                                                    int flags) {
  if (name && strstr(name, "amdhip64")) {
    g_asked++;
    name = "/nonexistent/libamdhip64.so";
  }
  void *symbol = dlsym(RTLD_NEXT, "dlopen");
  void *(*real)(const char *, int);
  memcpy(&real, &symbol, sizeof real);
  return real(name, flags);
}

static void test_no_library(void **state) {
  (void)state;
  char why[4096] = "";
  fmhac_rt_device *device = (fmhac_rt_device *)(void *)&state;
  assert_int_equal(
      fmhac_rt_device_open_with_text("hip", why, sizeof why, &device),
      FMHAC_DEVICE_UNAVAILABLE);
  assert_null(device);
  assert_true(g_asked > 0);
  static const char *const parts[] = {
      "opening hip:0: no usable HIP runtime",
      "libamdhip64.so.8",
      "libamdhip64.so.7",
      "/opt/rocm/core*",
      "/opt/rocm/lib/libamdhip64.so.8",
      "/opt/rocm/lib/libamdhip64.so.7",
      "libamdhip64.so.6",
      "/opt/rocm/lib/libamdhip64.so",
      "libamdhip64.so.5",
      "libamdhip64.so",
      "install the ROCm runtime (libamdhip64) or use --device=emu"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strstr(why, parts[i]))
      fail_msg("expected \"%s\" in \"%s\"", parts[i], why);
  // A short buffer cuts the text, and no more.
  char cut[16];
  memset(cut, 'x', sizeof cut);
  assert_int_equal(fmhac_rt_device_open_with_text("hip", cut, 8, &device),
                   FMHAC_DEVICE_UNAVAILABLE);
  assert_string_equal(cut, "opening");
  assert_int_equal(cut[8], 'x');
  assert_int_equal(fmhac_rt_device_open("hip", &device),
                   FMHAC_DEVICE_UNAVAILABLE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_library)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
