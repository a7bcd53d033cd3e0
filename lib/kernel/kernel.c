// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <string.h>

#include "context.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"
#include "require.h"
#include "work.h"

size_t fmhac_kernel_roles(const fmhac_config_values *values,
                          fmhac_role out[FMHAC_ROLES]) {
  size_t count = 0;
  out[count++] = values->role;
  if (values->role != FMHAC_ROLE_ATTENTION)
    return count;
  // Kernels with runs combine their parts themselves.
  if (values->split_kv != FMHAC_SPLIT_KV_NONE &&
      values->work != FMHAC_WORK_RUNS)
    out[count++] = FMHAC_ROLE_COMBINE;
  if (fmhac_config_takes_lists(values))
    out[count++] = FMHAC_ROLE_PLAN;
  return count;
}

uint64_t fmhac_role_groups(const fmhac_config_values *values, fmhac_role role) {
  const bool attends = role == FMHAC_ROLE_ATTENTION;
  const bool combines = role == FMHAC_ROLE_COMBINE;
  const bool merges = role == FMHAC_ROLE_MERGE;
  const bool plans = role == FMHAC_ROLE_PLAN;
  const bool splits = values->split_kv != FMHAC_SPLIT_KV_NONE;
  const bool finds = values->work == FMHAC_WORK_RUNS;
  const struct {
    bool needed;
    int bit;
  } groups[] = {
      {true, FMHAC_ARGS_CORE_BIT},
      {(values->lse && !plans) || merges, FMHAC_ARGS_LSE_BIT},
      {values->cu_seqlens_q, FMHAC_ARGS_VARLEN_Q_BIT},
      {(attends || plans) && values->cu_seqlens_kv, FMHAC_ARGS_VARLEN_KV_BIT},
      {!combines && values->seqlens_q, FMHAC_ARGS_LENGTHS_Q_BIT},
      {(attends || plans) && values->seqlens_kv, FMHAC_ARGS_LENGTHS_KV_BIT},
      {attends && values->page_size != 0, FMHAC_ARGS_PAGED_BIT},
      {attends && values->rope_dim != 0, FMHAC_ARGS_K_ROPE_BIT},
      {(attends || plans) && values->kv_indptr, FMHAC_ARGS_PAGE_LIST_BIT},
      {plans || (attends && fmhac_config_takes_lists(values)),
       FMHAC_ARGS_WORK_BIT},
      {attends && finds, FMHAC_ARGS_RUNS_BIT},
      {attends && finds && splits, FMHAC_ARGS_JOIN_BIT},
      {(attends || plans) && values->work == FMHAC_WORK_QUEUE,
       FMHAC_ARGS_QUEUE_BIT},
      {!merges && !plans && values->sink, FMHAC_ARGS_SINK_BIT},
      {attends && values->alibi, FMHAC_ARGS_ALIBI_BIT},
      {attends && values->bias, FMHAC_ARGS_BIAS_BIT},
      {attends && values->q_scales, FMHAC_ARGS_Q_SCALE_BIT},
      {attends && values->k_scales, FMHAC_ARGS_K_SCALE_BIT},
      {attends && values->v_scales, FMHAC_ARGS_V_SCALE_BIT},
      // What is merged has been divided alike.
      {!merges && !plans && values->out_dtype == FMHAC_OUT_DTYPE_FP8,
       FMHAC_ARGS_O_SCALE_BIT},
      {combines || (attends && splits), FMHAC_ARGS_PARTS_BIT},
      {combines || (plans && splits), FMHAC_ARGS_COMBINE_BIT},
      {plans, FMHAC_ARGS_PLAN_BIT},
      {plans, FMHAC_ARGS_TOTALS_BIT},
      {(plans || combines) && fmhac_config_has_row_lengths(values),
       FMHAC_ARGS_LIST_SETS_BIT},
      {merges, FMHAC_ARGS_MERGE_BIT}};
  uint64_t mask = 0;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (groups[i].needed)
      mask |= UINT64_C(1) << groups[i].bit;
  return mask;
}

uint64_t fmhac_kernel_groups(const fmhac_config_values *values) {
  fmhac_role roles[FMHAC_ROLES];
  const size_t count = fmhac_kernel_roles(values, roles);
  uint64_t mask = 0;
  for (size_t i = 0; i < count; ++i)
    mask |= fmhac_role_groups(values, roles[i]);
  return mask;
}

uint64_t fmhac_schedule_groups(fmhac_role role) {
  return role == FMHAC_ROLE_ATTENTION ? UINT64_C(1) << FMHAC_ARGS_HEAD_GROUP_BIT
                                      : 0;
}

void fmhac_kernel_set_entries(fmhac_kernel *kernel, const fmhac_entry *entries,
                              size_t count) {
  kernel->entry_count = count;
  kernel->required_args_mask = 0;
  for (size_t i = 0; i < count; ++i) {
    kernel->entries[i] = entries[i];
    kernel->required_args_mask |= entries[i].required_args;
  }
}

bool fmhac_kernel_rounds_q(const fmhac_kernel *kernel,
                           const fmhac_entry *entry) {
  const fmhac_config_values *c = &kernel->config;
  return !(c->softcap > 0 || c->alibi || c->bias || c->score_mod[0]) &&
         (strcmp(entry->scale, "q") == 0 || strcmp(entry->scale, "start") == 0);
}

fmhac_kernel *fmhac_kernel_create(fmhac_context *context) {
  const fmhac_allocator a = fmhac_allocator_of(context);
  fmhac_kernel *kernel = fmhac_allocate(a, sizeof *kernel);
  fmhac_kernel_memo *memo = fmhac_allocate(a, sizeof *memo);
  if (!kernel || !memo) {
    fmhac_release(a, kernel);
    fmhac_release(a, memo);
    return NULL;
  }
  fmhac_lock_init_checked(&memo->lock);
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
  const fmhac_allocator a = fmhac_allocator_of(kernel->context);
  fmhac_kernel_memo *memo = kernel->memo;
  pthread_mutex_destroy(&memo->lock);
  void *const owned[] = {kernel->code, kernel->log, kernel->score_mod_text,
                         memo->what,   memo->bytes, memo,
                         kernel};
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    fmhac_release(a, kernel->schedule_texts[i]);
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; ++i)
    fmhac_release(a, owned[i]);
}

fmhac_status fmhac_kernel_get_code(const fmhac_kernel *kernel,
                                   const void **out_bytes,
                                   size_t *out_size_bytes) {
  FMHAC_CLEAR(out_bytes);
  FMHAC_CLEAR(out_size_bytes);
  fmhac_status status =
      FMHAC_REQUIRE(kernel ? kernel->context : NULL, FMHAC_GIVEN(kernel),
                    FMHAC_GIVEN(out_bytes), FMHAC_GIVEN(out_size_bytes));
  if (status != FMHAC_OK)
    return status;
  *out_bytes = kernel->code;
  *out_size_bytes = kernel->code_bytes;
  return FMHAC_OK;
}

const char *fmhac_kernel_get_name(const fmhac_kernel *kernel) {
  return kernel ? kernel->entries[0].kernel : "";
}

const char *fmhac_kernel_get_schedule(const fmhac_kernel *kernel) {
  return kernel ? kernel->entries[0].schedule : "";
}
