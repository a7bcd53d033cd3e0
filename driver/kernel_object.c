// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_object.h"

#include <stdio.h>

bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]) {
  const void *bytes;
  size_t size;
  if (fmhac_kernel_get_code(kernel, &bytes, &size) == FMHAC_OK)
    return code_object_read(bytes, size, out_object, error);
  snprintf(error, ERROR_BYTES, "the kernel has no code");
  return false;
}
