// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <stdlib.h>

#include "fmhac_abi.h"

uint64_t fmhac_kernel_groups(const fmhac_config_values *values) {
  const struct {
    bool needed;
    int bit;
  } groups[] = {{true, FMHAC_ARGS_CORE_BIT},
                {values->lse, FMHAC_ARGS_LSE_BIT},
                {values->cu_seqlens_q, FMHAC_ARGS_VARLEN_Q_BIT},
                {values->cu_seqlens_kv, FMHAC_ARGS_VARLEN_KV_BIT},
                {values->seqlens_q, FMHAC_ARGS_LENGTHS_Q_BIT},
                {values->seqlens_kv, FMHAC_ARGS_LENGTHS_KV_BIT},
                {values->sink, FMHAC_ARGS_SINK_BIT},
                {values->alibi, FMHAC_ARGS_ALIBI_BIT},
                {values->bias, FMHAC_ARGS_BIAS_BIT}};
  uint64_t mask = 0;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (groups[i].needed)
      mask |= UINT64_C(1) << groups[i].bit;
  return mask;
}

fmhac_kernel *fmhac_kernel_create(fmhac_context *context) {
  fmhac_kernel *kernel = calloc(1, sizeof *kernel);
  fmhac_kernel_memo *memo = calloc(1, sizeof *memo);
  if (!kernel || !memo) {
    free(kernel);
    free(memo);
    return NULL;
  }
  pthread_mutex_init(&memo->lock, NULL);
  kernel->memo = memo;
  kernel->context = context;
  atomic_init(&kernel->references, 1);
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
  fmhac_sources_deinit(&kernel->sources);
  pthread_mutex_destroy(&kernel->memo->lock);
  free(kernel->memo->what);
  free(kernel->memo->bytes);
  free(kernel->memo);
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
