// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_work.h"

/// What a list says of masks and lengths follows from the configuration, what
/// it says of tiles from the kernel.
static fmhac_work_rules rules_of(const fmhac_config_values *c,
                                 const fmhac_entry *entry) {
  static const uint32_t masks[] = {
      [FMHAC_MASK_NONE] = FMHAC_WORK_MASK_NONE,
      [FMHAC_MASK_CAUSAL] = FMHAC_WORK_MASK_CAUSAL,
      [FMHAC_MASK_CAUSAL_TOP_LEFT] = FMHAC_WORK_MASK_CAUSAL_TOP_LEFT,
      [FMHAC_MASK_WINDOW] = FMHAC_WORK_MASK_WINDOW,
      [FMHAC_MASK_CHUNKED] = FMHAC_WORK_MASK_CHUNKED};
  static const uint32_t splits[] = {
      [FMHAC_SPLIT_KV_NONE] = FMHAC_WORK_SPLIT_NONE,
      [FMHAC_SPLIT_KV_AUTO] = FMHAC_WORK_SPLIT_AUTO,
      [FMHAC_SPLIT_KV_FIXED] = FMHAC_WORK_SPLIT_FIXED};
  fmhac_work_rules rules = fmhac_work_rules_default();
  rules.tile_m = entry->tile_m;
  rules.tile_n = entry->tile_n;
  rules.mask = masks[c->mask.kind];
  rules.window_left = (int32_t)c->mask.window_left;
  rules.window_right = (int32_t)c->mask.window_right;
  rules.mask_chunk = (uint32_t)c->mask.chunk;
  rules.page_size = (uint32_t)c->page_size;
  rules.lengths =
      (c->cu_seqlens_q ? FMHAC_WORK_CU_Q : 0) |
      (c->cu_seqlens_kv ? FMHAC_WORK_CU_KV : 0) |
      (c->seqlens_q ? FMHAC_WORK_LENGTHS_Q : 0) |
      (c->seqlens_kv ? FMHAC_WORK_LENGTHS_KV : 0) |
      (c->kv_lengths == FMHAC_KV_LENGTHS_CACHED ? FMHAC_WORK_CACHED_KV : 0) |
      (c->kv_indptr ? FMHAC_WORK_PAGE_LIST : 0);
  rules.split = splits[c->split_kv];
  rules.split_keys = (uint32_t)c->split_chunk;
  return rules;
}

/// Room for `count` records after what there is; where they begin.
static size_t reserve(fmhac_plan_work *work, uint64_t count, size_t bytes) {
  const size_t at = work->bytes;
  const uint64_t all = count * bytes;
  const uint64_t rest = all % FMHAC_WORKSPACE_ALIGNMENT_BYTES;
  work->bytes += all + (rest ? FMHAC_WORKSPACE_ALIGNMENT_BYTES - rest : 0);
  return at;
}
