// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_artefact.h"

#include <string.h>

#include "context.h"

void *fmhac_kernel_to_artefact(const fmhac_kernel *kernel, fmhac_span key,
                               size_t *out_bytes) {
  fmhac_artefact artefact = {.key = key,
                             .code = {kernel->code, kernel->code_bytes},
                             .log = {kernel->log, strlen(kernel->log)},
                             .entry_count = kernel->entry_count};
  memcpy(artefact.entries, kernel->entries, sizeof artefact.entries);
  return fmhac_artefact_write(&artefact, out_bytes);
}

bool fmhac_kernel_from_artefact(const fmhac_artefact *a, fmhac_kernel *kernel) {
  const fmhac_allocator from = fmhac_allocator_of(kernel->context);
  void *code = fmhac_duplicate(from, a->code.text, a->code.bytes);
  void *log = fmhac_duplicate(from, a->log.text, a->log.bytes);
  if (!code || !log) {
    fmhac_release(from, code);
    fmhac_release(from, log);
    return false;
  }
  kernel->code = code;
  kernel->code_bytes = a->code.bytes;
  kernel->log = log;
  fmhac_kernel_set_entries(kernel, a->entries, a->entry_count);
  return true;
}
