// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the whole bytes of a code object, through the reader of
// `fmhac inspect`.
#include "code_object.h"
#include "fuzz.h"

static void check_kernel(const code_kernel *kernel) {
  FUZZ_CHECK(kernel->name, "a kernel without a name");
  static const uint32_t threads[] = {1, 64, 256, 1024};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
    occupancy o = occupancy_of(kernel, threads[i]);
    FUZZ_CHECK(o.limit && o.waves_per_simd <= 8, "%s: %u waves a SIMD",
               kernel->name, o.waves_per_simd);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[ERROR_BYTES] = "";
  code_object object;
  bool ok = code_object_read(data, size, &object, error);
  FUZZ_CHECK(ok == (object.kernel_count > 0), "%zu kernels",
             object.kernel_count);
  FUZZ_CHECK(ok || error[0], "no reason is given");
  for (size_t i = 0; i < object.kernel_count; ++i)
    check_kernel(&object.kernels[i]);
  code_object_deinit(&object);
  return 0;
}
