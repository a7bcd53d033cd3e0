// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels find that nobody makes lists for, on the host.
#include "lists.h"
#include "work_runs.h"

fmhac_list_room fmhac_run_room_of(const fmhac_work_rules *r,
                                  const fmhac_work_sizes *s) {
  const uint64_t heads = r->packs_heads ? s->heads_kv : s->heads_q;
  const uint64_t rows = (uint64_t)s->seqlen_q * plan_group_of(r, s);
  const uint64_t tiles = (rows + r->tile_m - 1) / r->tile_m;
  // A batch and heads of 16 bits, rows of 31.
  const uint64_t units = s->batch * heads * tiles;
  const uint64_t most_cost =
      ((uint64_t)s->seqlen_kv + r->tile_n - 1) / r->tile_n + r->item_cost;
  const bool is_divided = r->split != FMHAC_WORK_SPLIT_NONE;
  if (units >= PLAN_RUN_MOST / most_cost)
    return (fmhac_list_room){.items = UINT64_MAX};
  return (fmhac_list_room){
      .items = units + s->workgroups,
      .combine_items = is_divided ? units : 0,
      .part_rows = is_divided ? 2 * (uint64_t)s->workgroups * r->tile_m : 0,
      .lists = s->workgroups};
}

void fmhac_runs_fill(const fmhac_work_rules *rules,
                     const fmhac_work_sizes *sizes,
                     const fmhac_list_lengths *lengths,
                     const fmhac_lists *lists) {
  const plan_lengths from = {lengths->cu_seqlens_q, lengths->cu_seqlens_kv,
                             lengths->seqlens_q,    lengths->seqlens_kv,
                             lengths->kv_indptr,    lengths->kv_last_page_len};
  const plan_problem problem = plan_problem_of(rules, sizes, &from);
  const bool is_divided = rules->split != FMHAC_WORK_SPLIT_NONE;
  uint32_t items = 0;
  for (uint32_t w = 0; w < sizes->workgroups; ++w) {
    plan_run run = plan_find_run(&problem, w);
    lists->work_indptr[w] = (int32_t)items;
    if (is_divided)
      *lists->combine_count = (int32_t)run.line.units;
    for (;;) {
      const plan_item item = plan_next_item(&problem, &run);
      if (!item.is_there)
        break;
      lists->work_items[items++] = plan_item_record(&problem, &run, &item);
      if (is_divided && !item.begin)
        lists->combine_items[run.unit] =
            plan_is_part(&item)
                ? plan_combine_record(&problem, &run, &item.unit)
                : plan_no_record();
      plan_pass_item(&item, &run);
    }
  }
  lists->work_indptr[sizes->workgroups] = (int32_t)items;
}
