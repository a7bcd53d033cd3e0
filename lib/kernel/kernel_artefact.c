// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_artefact.h"

#include <string.h>

#include "context.h"

static fmhac_span span_of(const char *text) {
  return (fmhac_span){text, strlen(text)};
}

void *fmhac_kernel_to_artefact(const fmhac_kernel *kernel, fmhac_span key,
                               size_t *out_bytes) {
  const fmhac_artefact artefact = {.key = key,
                                   .code = {kernel->code, kernel->code_bytes},
                                   .name = span_of(kernel->name),
                                   .schedule = span_of(kernel->schedule),
                                   .log = span_of(kernel->log),
                                   .tile_m = kernel->tile_m,
                                   .row_rounding = kernel->row_rounding,
                                   .block_threads = kernel->block_threads,
                                   .lds_bytes = kernel->lds_bytes,
                                   .required_args = kernel->required_args_mask};
  return fmhac_artefact_write(&artefact, out_bytes);
}

static void *duplicate(fmhac_allocator a, fmhac_span span) {
  return fmhac_duplicate(a, span.text, span.bytes);
}

bool fmhac_kernel_from_artefact(const fmhac_artefact *a, fmhac_kernel *kernel) {
  const fmhac_allocator from = fmhac_allocator_of(kernel->context);
  void *const copies[] = {duplicate(from, a->code), duplicate(from, a->name),
                          duplicate(from, a->schedule),
                          duplicate(from, a->log)};
  enum { COPIES = sizeof copies / sizeof copies[0] };
  bool ok = true;
  for (size_t i = 0; i < COPIES; ++i)
    ok &= copies[i] != NULL;
  for (size_t i = 0; !ok && i < COPIES; ++i)
    fmhac_release(from, copies[i]);
  if (!ok)
    return false;
  kernel->code = copies[0];
  kernel->name = copies[1];
  kernel->schedule = copies[2];
  kernel->log = copies[3];
  kernel->code_bytes = a->code.bytes;
  kernel->tile_m = a->tile_m;
  kernel->row_rounding = a->row_rounding;
  kernel->block_threads = a->block_threads;
  kernel->lds_bytes = a->lds_bytes;
  kernel->required_args_mask = a->required_args;
  return true;
}
