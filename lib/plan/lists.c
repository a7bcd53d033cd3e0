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

/// Sums and products that stay at UINT64_MAX once they reach it.
static uint64_t plus(uint64_t x, uint64_t y) {
  return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}
static uint64_t times(uint64_t x, uint64_t y) {
  return y && x > UINT64_MAX / y ? UINT64_MAX : x * y;
}

/// What bounds the parts of a batch of at most B sequences, whose keys are
/// divided where they are more than C: m_b keys make c_b = ceil(m_b / C) parts
/// at most. No sequence has more than K keys, all together M.
typedef struct part_bounds {
  uint64_t each; ///< parts of one tile of rows: ceil(K / C)
  /// Parts beyond the first of all sequences together, one tile of each: the
  /// sum of c_b - 1 = floor((m_b - 1) / C) is at most floor((M - 1) / C).
  uint64_t further;
  uint64_t divided; ///< sequences that have more than C keys
} part_bounds;

static part_bounds part_bounds_of(const fmhac_work_rules *r,
                                  const fmhac_work_sizes *s) {
  if (r->split == FMHAC_WORK_SPLIT_NONE)
    return (part_bounds){.each = 1};
  // A tile of rows that visits v tiles of keys has ceil(v / least_part) parts
  // at most with `auto`, and one where v is at most least_part.
  const uint64_t chunk = r->split == FMHAC_WORK_SPLIT_FIXED
                             ? r->split_keys
                             : (uint64_t)r->least_part * r->tile_n;
  const uint64_t all = plan_total_kv(s);
  return (part_bounds){.each =
                           most(1, divide_up(least(s->seqlen_kv, all), chunk)),
                       .further = all ? (all - 1) / chunk : 0,
                       .divided = least(s->batch, all / (chunk + 1))};
}

/// Most of the sum of x_b c_b over all sequences, where x_b are their rows or
/// tiles: at most `of_one` of one, `all` together. Each c_b is at most `each`;
/// or c_b is 1 and c_b - 1 more, which no more than `of_one` rows or tiles
/// have.
static uint64_t count_with_parts(const part_bounds *bounds, uint64_t all,
                                 uint64_t of_one) {
  return least(times(all, bounds->each),
               plus(all, times(of_one, bounds->further)));
}

/// The same over the sequences whose keys are divided.
static uint64_t count_divided(const part_bounds *bounds, uint64_t all,
                              uint64_t of_one) {
  return least(times(all, bounds->each),
               plus(least(all, times(of_one, bounds->divided)),
                    times(of_one, bounds->further)));
}

fmhac_list_room fmhac_list_room_of(const fmhac_work_rules *r,
                                   const fmhac_work_sizes *sizes) {
  const fmhac_work_sizes own = plan_own_sizes(r, sizes), *s = &own;
  const uint64_t group = plan_group_of(r, s);
  const uint64_t heads = r->packs_heads ? s->heads_kv : s->heads_q;
  const uint64_t workgroups = s->workgroups;
  const uint64_t lists = plan_lists_of(r, s->workgroups);
  const uint64_t all_rows = plan_total_q(s) * group;
  const uint64_t rows = least(s->seqlen_q * group, all_rows); // of a sequence
  const uint64_t rows_of_tile = least(rows, r->tile_m);
  const uint64_t tiles = plan_scratch_counts_of(r, s).tiles;
  const uint64_t tiles_of_one = least(tiles, divide_up(rows, r->tile_m));
  const part_bounds bounds = part_bounds_of(r, s);
  const bool is_divided = bounds.each > 1;
  // Records, before runs are cut, and units: each of these could be a record.
  uint64_t parts = count_with_parts(&bounds, tiles, tiles_of_one);
  uint64_t units = times(parts, heads);
  uint64_t part_rows = times(count_divided(&bounds, all_rows, rows), heads);
  uint64_t combine_heads = rows ? r->combine_rows / rows_of_tile : 1;
  combine_heads = most(1, least(heads, combine_heads));
  uint64_t combine = times(least(tiles, times(tiles_of_one, bounds.divided)),
                           divide_up(heads, combine_heads));
  if (r->split == FMHAC_WORK_SPLIT_AUTO) {
    // Units of divided tiles, which have two or more of each head; of a problem
    // of one head they are parts.
    const uint64_t divided = (uint64_t)r->most_parts * s->workgroups;
    parts = least(parts, tiles + divided);
    units = least(units, plus(times(tiles, heads), divided));
    part_rows = least(part_rows, divided * rows_of_tile);
    combine = least(combine, divided / 2);
  }
  return (fmhac_list_room){
      // A record for each large unit, and one more for each list whose run ends
      // within a part.
      .items =
          least(units, plus(parts, lists + plan_most_units(r) * workgroups)),
      .combine_items = is_divided ? combine : 0,
      .part_rows = is_divided ? part_rows : 0,
      .scratch_bytes = shared_offset(r, s) + sizeof(plan_shared),
      .lists = lists};
}

void fmhac_list_room_raise(fmhac_list_room *all, const fmhac_list_room *other) {
  all->items = most(all->items, other->items);
  all->combine_items = most(all->combine_items, other->combine_items);
  all->part_rows = most(all->part_rows, other->part_rows);
  all->scratch_bytes = most(all->scratch_bytes, other->scratch_bytes);
  all->lists = most(all->lists, other->lists);
}

/// For one way of dividing keys, which is a constant: where nothing is divided,
/// most of what the planner asks about parts is known.
PLAN_INLINE void fill(plan_problem problem, uint32_t split,
                      const plan_memory *memory, plan_shared *shared) {
  problem.rules.split = split;
  const plan_found found = plan_find_work(&problem, memory, shared, false);
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
