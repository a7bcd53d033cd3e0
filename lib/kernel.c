// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <stdlib.h>

fmhac_kernel *fmhac_kernel_create(fmhac_context *context) {
  fmhac_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel) {
    kernel->context = context;
    atomic_init(&kernel->references, 1);
  }
  return kernel;
}

fmhac_kernel *fmhac_kernel_retain(fmhac_kernel *kernel) {
  atomic_fetch_add_explicit(&kernel->references, 1, memory_order_relaxed);
  return kernel;
}

void fmhac_kernel_destroy(fmhac_kernel *kernel) {
  if (!kernel || atomic_fetch_sub_explicit(&kernel->references, 1,
                                           memory_order_acq_rel) != 1)
    return;
  free(kernel->code);
  free(kernel->name);
  free(kernel->schedule);
  free(kernel->log);
  free(kernel);
}

fmhac_status fmhac_kernel_get_code(const fmhac_kernel *kernel,
                                   const void **out_bytes,
                                   size_t *out_size_bytes) {
  *out_bytes = kernel->code;
  *out_size_bytes = kernel->code_bytes;
  return FMHAC_OK;
}

const char *fmhac_kernel_get_name(const fmhac_kernel *kernel) {
  return kernel->name ? kernel->name : "";
}

const char *fmhac_kernel_get_schedule(const fmhac_kernel *kernel) {
  return kernel->schedule ? kernel->schedule : "";
}
