// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work_rules.h"

#include "lists.h"

static uint32_t mask_of(fmhac_mask_kind kind) {
  switch (kind) {
  case FMHAC_MASK_NONE:
    return FMHAC_WORK_MASK_NONE;
  case FMHAC_MASK_CAUSAL:
    return FMHAC_WORK_MASK_CAUSAL;
  case FMHAC_MASK_CAUSAL_TOP_LEFT:
    return FMHAC_WORK_MASK_CAUSAL_TOP_LEFT;
  case FMHAC_MASK_WINDOW:
    return FMHAC_WORK_MASK_WINDOW;
  case FMHAC_MASK_CHUNKED:
    return FMHAC_WORK_MASK_CHUNKED;
  }
  return FMHAC_WORK_MASK_NONE;
}

static uint32_t split_of(fmhac_split_kv split) {
  switch (split) {
  case FMHAC_SPLIT_KV_NONE:
    return FMHAC_WORK_SPLIT_NONE;
  case FMHAC_SPLIT_KV_AUTO:
    return FMHAC_WORK_SPLIT_AUTO;
  case FMHAC_SPLIT_KV_FIXED:
    return FMHAC_WORK_SPLIT_FIXED;
  }
  return FMHAC_WORK_SPLIT_NONE;
}

static uint32_t lengths_of(const fmhac_config_values *v) {
  const bool is_cached = v->kv_lengths == FMHAC_KV_LENGTHS_CACHED;
  return (v->cu_seqlens_q ? FMHAC_WORK_CU_Q : 0) |
         (v->cu_seqlens_kv ? FMHAC_WORK_CU_KV : 0) |
         (v->seqlens_q ? FMHAC_WORK_LENGTHS_Q : 0) |
         (v->seqlens_kv ? FMHAC_WORK_LENGTHS_KV : 0) |
         (v->seqlens_kv && is_cached ? FMHAC_WORK_CACHED_KV : 0) |
         (v->kv_indptr ? FMHAC_WORK_PAGE_LIST : 0);
}

fmhac_work_rules fmhac_work_rules_of(const fmhac_config_values *values,
                                     const fmhac_work_tile *tile) {
  fmhac_work_rules rules = fmhac_work_rules_default();
  rules.tile_m = tile->rows;
  rules.tile_n = tile->keys;
  rules.packs_heads = tile->packs_heads;
  if (tile->rows <= rules.few_rows) {
    rules.item_cost = rules.few_item_cost;
    rules.part_cost = rules.few_part_cost;
    rules.combine_cost = rules.few_combine_cost;
    rules.least_part = rules.few_least_part;
  }
  rules.mask = mask_of(values->mask.kind);
  rules.window_left = (int32_t)values->mask.window_left;
  rules.window_right = (int32_t)values->mask.window_right;
  rules.mask_chunk = (uint32_t)values->mask.chunk;
  rules.page_size = (uint32_t)values->page_size;
  rules.lengths = lengths_of(values);
  rules.split = split_of(values->split_kv);
  rules.split_keys = (uint32_t)values->split_chunk;
  rules.queue = values->work == FMHAC_WORK_QUEUE;
  return rules;
}
