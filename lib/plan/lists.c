// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lists.h"

#include "work_deal.h"

fmhac_work_rules fmhac_work_rules_default(void) {
  return (fmhac_work_rules){
#define FMHAC_WORK_POLICY(name, value, doc) .name = (value),
#include "work_policy.def"
#undef FMHAC_WORK_POLICY
  };
}

static uint64_t divide_up(uint64_t x, uint64_t by) { return (x + by - 1) / by; }
static uint64_t least(uint64_t x, uint64_t y) { return x < y ? x : y; }
static uint64_t most(uint64_t x, uint64_t y) { return x > y ? x : y; }

/// Bytes before the part of the scratch that a kernel has in LDS.
static uint64_t shared_offset(const fmhac_work_rules *rules,
                              const fmhac_work_sizes *sizes) {
  enum { ALIGN = 16 };
  const plan_scratch_counts counts = plan_scratch_counts_of(rules, sizes);
  return divide_up(plan_scratch_of(&counts).all, ALIGN) * ALIGN;
}

/// Most of the tiles of rows of a batch.
static uint64_t tiles_of(const fmhac_work_rules *r, const fmhac_work_sizes *s) {
  return plan_scratch_counts_of(r, s).tiles;
}

/// Most parts of the keys of one tile of rows.
static uint64_t parts_of_tile(const fmhac_work_rules *r,
                              const fmhac_work_sizes *s) {
  const uint64_t visits = divide_up(s->seqlen_kv, r->tile_n);
  switch (r->split) {
  case FMHAC_WORK_SPLIT_FIXED:
    return most(1, divide_up(visits, r->split_keys / r->tile_n));
  case FMHAC_WORK_SPLIT_AUTO:
    return most(1, divide_up(visits, r->least_part));
  default:
    return 1;
  }
}

fmhac_list_room fmhac_list_room_of(const fmhac_work_rules *r,
                                   const fmhac_work_sizes *s) {
  const uint64_t tiles = tiles_of(r, s), heads = s->heads_q;
  const uint64_t rows = least(s->seqlen_q, r->tile_m);
  const uint64_t each = parts_of_tile(r, s);
  const uint64_t lists = plan_lists_of(r, s->workgroups);
  const bool is_divided = each > 1;
  uint64_t parts = tiles * each;  // records, before runs are cut
  uint64_t units = parts * heads; // of which each could be a record
  uint64_t part_rows = (uint64_t)s->batch * s->seqlen_q * heads * each;
  uint64_t combine_heads = rows ? r->combine_rows / rows : 1;
  combine_heads = most(1, least(heads, combine_heads));
  uint64_t combine = tiles * divide_up(heads, combine_heads);
  if (r->split == FMHAC_WORK_SPLIT_AUTO) {
    // Units of divided tiles, which have two or more of each head; of a problem
    // of one head they are parts.
    const uint64_t divided = (uint64_t)r->most_parts * s->workgroups;
    parts = least(parts, tiles + divided);
    units = least(units, tiles * heads + divided);
    part_rows = least(part_rows, divided * rows);
    combine = least(combine, divided / 2);
  }
  return (fmhac_list_room){
      // A record for each large unit, and one more for each list whose run ends
      // within a part.
      .items = least(units, parts + lists +
                                (uint64_t)plan_most_units(r) * s->workgroups),
      .combine_items = is_divided ? combine : 0,
      .part_rows = is_divided ? part_rows : 0,
      .scratch_bytes = shared_offset(r, s) + sizeof(plan_shared),
      .lists = lists};
}

/// For one way of dividing keys, which is a constant: where nothing is divided,
/// most of what the planner asks about parts is known.
PLAN_INLINE void fill(plan_problem problem, uint32_t split,
                      const plan_memory *memory, plan_shared *shared) {
  problem.rules.split = split;
  const plan_found found = plan_find_work(&problem, memory, shared);
  if (split == FMHAC_WORK_SPLIT_AUTO && shared->length == PLAN_WHOLE) {
    problem.rules.split = FMHAC_WORK_SPLIT_NONE;
    *memory->combine_count = 0;
  }
  if (problem.rules.split == FMHAC_WORK_SPLIT_NONE) {
    problem.rules.split = FMHAC_WORK_SPLIT_NONE; // a constant from here on
    plan_deal_work(&problem, memory, shared, &found);
  } else {
    problem.rules.split = split;
    plan_deal_work(&problem, memory, shared, &found);
  }
}

void fmhac_lists_fill(const fmhac_work_rules *rules,
                      const fmhac_work_sizes *sizes,
                      const fmhac_list_lengths *lengths,
                      const fmhac_lists *lists, void *scratch) {
  const plan_lengths from = {lengths->cu_seqlens_q, lengths->cu_seqlens_kv,
                             lengths->seqlens_q,    lengths->seqlens_kv,
                             lengths->kv_indptr,    lengths->kv_last_page_len};
  const plan_problem problem = plan_problem_of(rules, sizes, &from);
  const plan_scratch_counts counts = plan_scratch_counts_of(rules, sizes);
  const plan_scratch at = plan_scratch_of(&counts);
  char *bytes = scratch;
  const plan_memory memory = {.work_indptr = lists->work_indptr,
                              .work_items = lists->work_items,
                              .combine_items = lists->combine_items,
                              .combine_count = lists->combine_count,
                              .tile_begin = (void *)(bytes + at.tile_begin),
                              .tiles = (void *)(bytes + at.tiles),
                              .before = (void *)(bytes + at.before),
                              .bigs = (void *)(bytes + at.bigs),
                              .sorted = (void *)(bytes + at.sorted),
                              .unit_parts = (void *)(bytes + at.unit_parts),
                              .places = (void *)(bytes + at.places)};
  plan_shared *shared = (void *)(bytes + shared_offset(rules, sizes));
  switch (rules->split) {
  case FMHAC_WORK_SPLIT_AUTO:
    fill(problem, FMHAC_WORK_SPLIT_AUTO, &memory, shared);
    break;
  case FMHAC_WORK_SPLIT_FIXED:
    fill(problem, FMHAC_WORK_SPLIT_FIXED, &memory, shared);
    break;
  default:
    fill(problem, FMHAC_WORK_SPLIT_NONE, &memory, shared);
  }
}
