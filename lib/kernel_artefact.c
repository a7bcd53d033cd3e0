// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_artefact.h"

#include <stdlib.h>
#include <string.h>

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

bool fmhac_kernel_from_artefact(const fmhac_artefact *a, fmhac_kernel *kernel) {
  char *code = fmhac_span_copy(a->code), *name = fmhac_span_copy(a->name),
       *schedule = fmhac_span_copy(a->schedule), *log = fmhac_span_copy(a->log);
  if (!code || !name || !schedule || !log) {
    free(code);
    free(name);
    free(schedule);
    free(log);
    return false;
  }
  kernel->code = code;
  kernel->name = name;
  kernel->schedule = schedule;
  kernel->log = log;
  kernel->code_bytes = a->code.bytes;
  kernel->tile_m = a->tile_m;
  kernel->row_rounding = a->row_rounding;
  kernel->block_threads = a->block_threads;
  kernel->lds_bytes = a->lds_bytes;
  kernel->required_args_mask = a->required_args;
  return true;
}
