// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the whole bytes of a code object, through the reader of
// `fmhac inspect`, and the code of its kernels through the finder of loops.
#include "fuzz.h"
#include "loops.h"
#include "occupancy.h"

static void check_kernel(const code_kernel *kernel) {
  FUZZ_CHECK(kernel->facts.name, "a kernel without a name");
  static const uint32_t threads[] = {1, 64, 256, 1024};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
    occupancy o = occupancy_of(kernel, threads[i]);
    FUZZ_CHECK(o.limit && o.waves_per_simd <= 8, "%s: %u waves a SIMD",
               kernel->facts.name, o.waves_per_simd);
  }
}

static void check_code(const uint8_t *data, size_t size, const char *name) {
  char error[ERROR_BYTES] = "";
  kernel_code code;
  if (!kernel_code_read(data, size, name, &code, error)) {
    FUZZ_CHECK(error[0], "no reason is given");
    return;
  }
  FUZZ_CHECK(code.mix.instructions <= size / 4 + 1, "%llu instructions",
             (unsigned long long)code.mix.instructions);
  for (size_t i = 0; i < code.loop_count; ++i) {
    const kernel_loop *loop = &code.loops[i];
    FUZZ_CHECK(loop->first_pc <= loop->header_pc &&
                   loop->header_pc <= loop->last_pc && loop->depth >= 1 &&
                   loop->back_edges >= 1 &&
                   loop->mix.instructions <= code.mix.instructions &&
                   loop->least.instructions <= loop->mix.instructions &&
                   loop->least.instructions > 0,
               "loop at pc %llu", (unsigned long long)loop->first_pc);
    FUZZ_CHECK(kernel_code_loop_at(&code, loop->header_pc) == loop,
               "loop at pc %llu is not found again",
               (unsigned long long)loop->header_pc);
  }
  kernel_code_deinit(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[ERROR_BYTES] = "";
  code_object object;
  bool ok = code_object_read(data, size, &object, error);
  FUZZ_CHECK(ok == (object.kernel_count > 0), "%zu kernels",
             object.kernel_count);
  FUZZ_CHECK(ok || error[0], "no reason is given");
  for (size_t i = 0; i < object.kernel_count; ++i) {
    check_kernel(&object.kernels[i]);
    check_code(data, size, object.kernels[i].facts.name);
  }
  code_object_deinit(&object);
  return 0;
}
