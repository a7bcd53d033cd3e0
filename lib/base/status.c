// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fmhac.h"

const char *fmhac_status_name(fmhac_status status) {
  switch (status) {
#define NAME(word)                                                             \
  case FMHAC_##word:                                                           \
    return #word;
    NAME(OK)
    NAME(INVALID_INPUT)
    NAME(UNSUPPORTED)
    NAME(PASS_FAILED)
    NAME(CODEGEN_FAILED)
    NAME(DEVICE_UNAVAILABLE)
    NAME(LAUNCH_FAILED)
    NAME(CHECK_FAILED)
    NAME(OUT_OF_MEMORY)
    NAME(IO_ERROR)
    NAME(INTERNAL)
    NAME(CANCELLED)
    NAME(TIMED_OUT)
    NAME(COMPILER_DIED)
    NAME(COMPILE_TIMED_OUT)
#undef NAME
  }
  return "UNKNOWN";
}
