// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches of few tiles of rows, as those of a step of generation: the lists of
/// work_deal.h, bit by bit, in a third to a fifth of the time. A lane has a
/// tile, and each sequence as many lanes as the one with the most rows may
/// need; so a wave finds in registers, by exchanges between its lanes, what
/// work_deal.h writes to memory and meets for. If a wave has lanes for all,
/// four waves, one on each SIMD, all find the same, and meet once. If not, the
/// lanes are those of all eight waves, which meet for each sum. Then each wave
/// writes its share of the lists; what records say of a tile lies in LDS by
/// then.
///
/// Two kinds of lists are made here:
///
///   runs   all parts cost the same, c. The middle of unit k, in the order of
///          memory, is at k c + c / 2. So the first unit whose middle is not
///          before a point is number (point - c / 2) / c, rounded up.
///
///   turn   all parts are dealt unit by unit, and there are no more units than
///          lists: list u has the uth of them.
///
/// work_deal.h makes all others. Where it has been decided which parts are
/// dealt unit by unit, tiles and that are handed over, so that it has half as
/// much to do.
#ifndef FMHAC_LIB_WORK_FEW_H
#define FMHAC_LIB_WORK_FEW_H

#include "work_few_sums.h"

/// Tiles of rows that a sequence may have.
PLAN_INLINE uint32_t plan_few_tiles(const plan_problem *p) {
  const fmhac_work_sizes s = plan_own_sizes(&p->rules, &p->sizes);
  const uint64_t rows = (uint64_t)s.seqlen_q * p->group.value;
  return rows <= p->rules.tile_m ? 1
         : rows > p->rules.tile_m * PLAN_LANES
             ? PLAN_LANES + 1
             : plan_divide_up((uint32_t)rows, p->tile_m);
}

/// Whether batches of such sizes are looked at here. A tile of rows visits no
/// more tiles of keys than `tiles`, nor has more parts than `parts`.
PLAN_INLINE bool plan_is_few(const plan_problem *p) {
  const fmhac_work_sizes s = plan_own_sizes(&p->rules, &p->sizes);
  const uint64_t all = (uint64_t)s.batch * plan_few_tiles(p);
  const uint32_t tiles = plan_divide_up(s.seqlen_kv, p->tile_n);
  uint32_t parts = 1;
  if (p->rules.split == FMHAC_WORK_SPLIT_AUTO)
    parts = tiles / p->rules.least_part + 1;
  else if (p->rules.split == FMHAC_WORK_SPLIT_FIXED)
    parts = plan_divide(tiles, p->chunk) + 2;
  const uint64_t each =
      tiles + (uint64_t)parts * (p->rules.item_cost + p->rules.part_cost);
  const bool has_cost = p->rules.item_cost > 0;
  // Sums of rows and of keys have 32 bits, with those of other kernels.
  const uint64_t rows = (uint64_t)p->sizes.batch * p->sizes.seqlen_q;
  const uint64_t keys = (uint64_t)p->sizes.batch * p->sizes.seqlen_kv;
  return !p->rules.queue && has_cost && all <= PLAN_LANES &&
         rows <= UINT32_MAX && keys <= UINT32_MAX &&
         each * all * p->heads < PLAN_FEW_MOST;
}

//===- What each tile has -------------------------------------------------===//

/// As plan_count_tiles() and plan_visit_tiles().
PLAN_INLINE void plan_few_visit(const plan_problem *p, plan_few *f) {
  const plan_few_place at = plan_few_place_of(p, f, f->number);
  const uint32_t b = at.batch;
  plan_sequence own = {0, 0};
  if (b < p->sizes.batch)
    own = plan_sequence_of(p, b);
  f->in = plan_own_rows(p, own.rows) > 0;
  if (plan_is_bounded(&p->sizes)) {
    // Of a sequence its first tile counts.
    const uint32_t first_rows = at.row_begin ? 0 : own.rows;
    const uint32_t first_keys = at.row_begin ? 0 : own.keys;
    plan_four sums;
    const plan_four before = plan_few_scan(
        f, 0, 2, (plan_four){first_rows, first_keys, 0, 0}, &sums);
    // Sums only grow: those from the first one on have no room.
    f->in = f->in && before[0] + first_rows <= plan_total_q(&p->sizes) &&
            before[1] + first_keys <= plan_total_kv(&p->sizes);
  }
  const uint32_t rows = plan_max(1, own.rows), all = rows * p->group.value;
  f->in = f->in && at.row_begin < all;
  const uint32_t begin = at.row_begin < all ? at.row_begin : 0;
  const uint32_t end = begin + plan_min(all - begin, p->rules.tile_m);
  const plan_visit visit = plan_visit_of(p, begin, end, rows, own.keys);
  f->tile = (plan_tile){b,           begin,       end,         own.keys,
                        visit.first, visit.count, visit.limit, 0};
}

//===- How long parts are -------------------------------------------------===//

/// As plan_estimate(), of a length that each lane has.
PLAN_INLINE uint32_t plan_few_estimate(const plan_problem *p,
                                       const plan_few_bins *bins,
                                       uint32_t length) {
  const uint32_t heads = p->heads, w = p->sizes.workgroups;
  uint32_t estimate = 0, units = 0, divided = 0, costs = 0;
  for (uint32_t i = 0; i < bins->count; ++i) {
    uint32_t cost = plan_of_lane(bins->most, i);
    const uint32_t most = cost - p->rules.item_cost;
    const uint32_t tiles = plan_of_lane(bins->parts, i);
    // No branches, as lanes differ.
    const bool is_divided = most > length;
    const uint32_t each = plan_max(1, plan_few_divide_up(most, length));
    const uint32_t parts = plan_few_times(tiles, each);
    if (is_divided)
      cost = length + p->rules.item_cost + p->rules.part_cost;
    divided += is_divided ? parts : 0;
    costs += tiles * most + plan_few_times(parts, p->rules.item_cost) +
             (is_divided ? plan_few_times(parts, p->rules.part_cost) : 0);
    units += plan_few_times(parts, heads);
    // Of the turns that begin here the last one says the most; if none does,
    // the bin says no more than one before it, as costs fall.
    _Static_assert(PLAN_TURNS == 4, "as many terms");
    const uint32_t turns =
        (units > 0) + (units > w) + (units > 2 * w) + (units > 3 * w);
    estimate = plan_max(estimate, turns * cost);
  }
  const uint32_t share = plan_few_divide_up(plan_few_times(costs, heads), w);
  estimate = plan_max(estimate, share);
  if (divided)
    estimate += p->rules.combine_cost;
  return plan_few_times(divided, heads) > p->rules.most_parts * w ? UINT32_MAX
                                                                  : estimate;
}

/// As plan_candidate().
PLAN_INLINE uint32_t plan_few_candidate(const plan_problem *p, uint32_t i,
                                        uint32_t alike) {
  const uint32_t turn = i - PLAN_ONE_BY_ONE;
  if (turn >= PLAN_TURNS)
    return plan_candidate(p, i, 1);
  const uint32_t units = plan_few_times(turn + 1, p->sizes.workgroups);
  return plan_max(1, plan_few_divide(units, alike));
}

/// Of all bins.
PLAN_INLINE uint32_t plan_few_sum(const plan_few_bins *bins, uint32_t x) {
  uint32_t sum = plan_of_lane(x, 0);
  if (bins->count > 1)
    plan_scan_wave_32(x, &sum);
  return sum;
}

/// As plan_find_bins(), of undivided tiles.
PLAN_INLINE plan_few_bins plan_few_whole_bins(const plan_problem *p,
                                              const plan_few *f) {
  const uint32_t cost = f->tile.count + p->rules.item_cost;
  const uint64_t in = plan_lanes_of(f->in);
  plan_few_bins one = {0, 0, 0, 0};
  if (in) {
    one.most = plan_of_lane(cost, (uint32_t)__builtin_ctzll(in));
    one.parts = (uint32_t)__builtin_popcountll(in);
    one.count = 1;
  }
  // Often all lanes have the same: then one notes it.
  const bool is_one = plan_lanes_of(f->in && cost != one.most) == 0;
  if (is_one && !f->is_many)
    return one;
  plan_few_open(f, 0);
  if (is_one)
    plan_few_note(f, 0, plan_bin_of(one.most), one.most,
                  plan_in_wave() ? 0 : one.parts);
  else
    plan_few_note(f, 0, plan_bin_of(cost), cost, f->in);
  return plan_few_find_bins(f, 0);
}

/// As plan_choose_length(); 0: there are more bins than lanes.
PLAN_INLINE uint32_t plan_few_length_of(const plan_problem *p,
                                        plan_few_bins bins) {
  if (bins.count > PLAN_WAVE)
    return 0;
  const uint32_t most = plan_of_lane(bins.most, 0) - p->rules.item_cost;
  if (!bins.count || most <= p->rules.least_part)
    return PLAN_WHOLE;
  const uint32_t costs = plan_few_sum(&bins, bins.parts * bins.most);
  const uint32_t alike =
      plan_few_sum(&bins, 2 * bins.most > most ? bins.parts : 0);
  const uint32_t count =
      plan_few_candidate(p, plan_in_wave(), alike * p->heads);
  const uint32_t length = plan_few_divide_up(most, count);
  uint32_t estimate = plan_few_estimate(p, &bins, length);
  // The first candidate is the whole.
  const uint32_t whole = plan_of_lane(estimate, 0);
  const uint32_t share = plan_few_divide(costs * p->heads, p->sizes.workgroups);
  if (whole <= share + share / 16 + p->rules.combine_cost)
    return PLAN_WHOLE;
  if (count > 1 && length < p->rules.least_part)
    estimate = UINT32_MAX;
  // The least, and of equal ones the longest.
  const uint32_t best = ~plan_most_of_wave_32(~estimate);
  const uint32_t longest = plan_most_of_wave_32(estimate == best ? length : 0);
  return best == UINT32_MAX || longest >= most ? PLAN_WHOLE : longest;
}

/// The same, of all waves: one decides where they have the same bins.
PLAN_INLINE uint32_t plan_few_length(const plan_problem *p, const plan_few *f) {
  const plan_few_bins bins = plan_few_whole_bins(p, f);
  if (!f->is_many)
    return plan_few_length_of(p, bins);
  if (plan_wave() == 0) {
    const uint32_t length = plan_few_length_of(p, bins);
    if (plan_in_wave() == 0)
      f->near->length = length;
  }
  plan_meet();
  return plan_of_lane(f->near->length, 0);
}

/// As plan_parts_of().
PLAN_INLINE plan_parts plan_few_parts_of(const plan_problem *p, uint32_t first,
                                         uint32_t count, uint32_t length) {
  if (p->rules.split != FMHAC_WORK_SPLIT_AUTO)
    return plan_parts_of(p, first, count, length);
  plan_parts parts = {first, first + count, first, length, 1};
  if (count > length) {
    parts.count = plan_few_divide_up(count, length);
    parts.length = plan_few_divide_up(count, parts.count);
    parts.count = plan_few_divide_up(count, parts.length);
  }
  return parts;
}

//===- Units dealt one by one ---------------------------------------------===//

PLAN_INLINE plan_few_kind plan_few_kind_of(const plan_problem *p,
                                           const plan_parts *parts, uint32_t c,
                                           uint32_t count) {
  return (plan_few_kind){count, count ? plan_cost(p, parts, c) : 0, 0, 0, 0};
}

/// As plan_unit_shift().
PLAN_INLINE uint32_t plan_few_unit_shift(const plan_problem *p, uint32_t cost,
                                         uint32_t target) {
  const uint32_t heads = p->heads;
  const uint32_t all = heads > 1 ? plan_log2(heads - 1) + 1 : 0;
  const uint32_t most = plan_min(all, 30 - plan_log2(cost));
  if (target < cost)
    return 0;
  const uint32_t shift =
      plan_min(most, plan_log2(target) - plan_log2(cost)); // or one less
  return shift - (cost << shift > target);
}

/// As plan_choose_bigs() where costs differ, of bins that are no more than
/// lanes: each lane decides for its bin. Finds f->big, and f->kind.
PLAN_INLINE void plan_few_choose(const plan_problem *p, plan_few *f,
                                 uint32_t all_parts) {
  const uint32_t w = p->sizes.workgroups;
  const uint32_t small = f->share / p->rules.small_share;
  const uint32_t half = plan_log2(p->lists) + 1;
  plan_few_bins *bins = &f->bins;
  const uint32_t cost = plan_max(1, bins->most); // lanes without a bin have 0
  const uint32_t of_bin = bins->parts * p->heads * bins->most;
  uint32_t sum;
  const uint32_t so_far = plan_scan_wave_32(of_bin, &sum) + of_bin;
  const uint32_t rest = f->costs > so_far ? f->costs - so_far : 0;
  bins->shift = plan_few_unit_shift(p, cost, plan_max(rest >> half, small));
  bool is_big = bins->most > small;
  plan_scan_wave_32(is_big ? bins->parts * plan_units_of(p, bins->shift) : 0,
                    &f->all_units);
  uint64_t bigs = plan_lanes_of(is_big);
  const bool all_big = (uint32_t)__builtin_popcountll(bigs) == bins->count;
  f->kind = all_big && f->all_units <= p->lists ? PLAN_FEW_TURN : PLAN_FEW_BIGS;
  const uint32_t least = plan_bin_least(plan_bin_of(cost));
  if (f->all_units > plan_few_units(&p->rules) * w ||
      all_parts > p->rules.few_parts * w) {
    f->kind = PLAN_FEW_BIGS;
    is_big = bins->parts && least > f->share / p->rules.large_share;
    bigs = plan_lanes_of(is_big);
    bins->shift = 0;
  }
  // The costliest are first.
  f->big = bigs ? plan_of_lane(least, 63 - (uint32_t)__builtin_clzll(bigs))
                : UINT32_MAX;
}

/// The same from the beginning; and by which bin kinds are sorted.
PLAN_INLINE void plan_few_choose_bigs(const plan_problem *p, plan_few *f,
                                      uint32_t all_parts) {
  PLAN_NEAR plan_few_shared *near = f->near;
  PLAN_NEAR uint32_t *shifts = near->shifts[plan_wave()];
  plan_few_open(f, 1);
#define PLAN_NOTE(kind)                                                        \
  (kind)->bin = (kind)->count ? plan_bin_of((kind)->cost) : UINT32_MAX;        \
  plan_few_note(f, 1, (kind)->bin, (kind)->cost, (kind)->count)
  PLAN_EACH_KIND(PLAN_NOTE, f);
#undef PLAN_NOTE
  const uint64_t in = plan_lanes_of(f->in);
  if (plan_in_wave() == 0) // before waves meet
    near->in[plan_wave()] = (uint32_t)__builtin_popcountll(in);
  f->bins = plan_few_find_bins(f, 1);
  if (f->bins.count > PLAN_WAVE)
    return;
  plan_few_choose(p, f, all_parts);
  if (f->kind != PLAN_FEW_TURN)
    return;
  if (f->bins.parts)
    shifts[plan_bin_of(f->bins.most)] = f->bins.shift;
  plan_meet_wave();
#define PLAN_SORT(kind)                                                        \
  if ((kind)->count) {                                                         \
    (kind)->shift = shifts[(kind)->bin];                                       \
    (kind)->bin = plan_sort_bin(                                               \
        &(plan_big){0, 0, (kind)->cost, (kind)->shift, 0}, f->big);            \
  }
  PLAN_EACH_KIND(PLAN_SORT, f);
#undef PLAN_SORT
}

/// Units of the own parts of a kind, and 1 for the kind in bits 16 to 31, if it
/// is in the bin; sums of both fit, as units are no more than lists.
PLAN_INLINE uint32_t plan_few_in(const plan_problem *p,
                                 const plan_few_kind *kind, uint32_t bin) {
  return kind->bin == bin
             ? kind->count * plan_units_of(p, kind->shift) + (1 << 16)
             : 0;
}

/// As plan_sort_bigs(): finds what comes before each kind, and notes it there.
PLAN_INLINE void plan_few_sort(const plan_problem *p, plan_few *f) {
  PLAN_NEAR plan_few_shared *near = f->near;
  uint32_t before = 0, bin = 0;
  while (true) {
#define PLAN_NEXT(kind)                                                        \
  if ((kind)->bin >= bin)                                                      \
  next = plan_min(next, (kind)->bin)
    uint32_t next = UINT32_MAX;
    PLAN_EACH_KIND(PLAN_NEXT, f);
#undef PLAN_NEXT
    bin = ~plan_most_of_wave_32(~next);
    if (bin == UINT32_MAX)
      break;
    uint32_t sum;
    uint32_t at =
        before + plan_scan_wave_32(plan_few_in(p, &f->first, bin) +
                                       plan_few_in(p, &f->middle, bin) +
                                       plan_few_in(p, &f->last, bin),
                                   &sum);
#define PLAN_PUT(kind)                                                         \
  (kind)->at = (kind)->bin == bin ? at : (kind)->at;                           \
  at += plan_few_in(p, kind, bin)
    PLAN_EACH_KIND(PLAN_PUT, f);
#undef PLAN_PUT
    if (!f->is_many)
      before += sum;
    else if (plan_in_wave() == 0)
      ((PLAN_NEAR uint32_t *)near->starts)[bin * PLAN_WAVES + plan_wave()] =
          sum;
    ++bin;
  }
  f->kinds = before >> 16;
  if (f->is_many) {
    plan_meet();
    plan_four sums, own = near->starts[plan_lane()];
    const uint32_t all = own[0] + own[1] + own[2] + own[3];
    const plan_four to =
        plan_few_scan(f, 2, 1, (plan_four){all, 0, 0, 0}, &sums);
    own[3] = to[0] + own[0] + own[1] + own[2];
    own[2] = own[1] + own[0];
    near->starts[plan_lane()] =
        (plan_four){to[0], to[0] + own[0], to[0] + own[2], own[3]};
    f->kinds = sums[0] >> 16;
    plan_meet();
#define PLAN_MOVE(kind)                                                        \
  if ((kind)->count)                                                           \
  (kind)->at += ((PLAN_NEAR uint32_t *)                                        \
                     near->starts)[(kind)->bin * PLAN_WAVES + plan_wave()]
    PLAN_EACH_KIND(PLAN_MOVE, f);
#undef PLAN_MOVE
  }
  uint32_t which = 0;
#define PLAN_WRITE(kind)                                                       \
  if ((kind)->count) {                                                         \
    const uint32_t to = PLAN_FEW_KINDS * f->table + ((kind)->at >> 16);        \
    near->begin[to] = (kind)->at & UINT16_MAX;                                 \
    near->whose[to] = f->number | which << 16 | (kind)->shift << 24;           \
  }                                                                            \
  ++which
  PLAN_EACH_KIND(PLAN_WRITE, f);
#undef PLAN_WRITE
}

//===- Runs ---------------------------------------------------------------===//

/// The run of a list: units [begin, past) in the order of memory, as parts of
/// the batch and heads of these.
typedef struct plan_few_run {
  uint32_t part, head;           ///< of the first
  uint32_t past_part, past_head; ///< of the one after the last
  uint32_t records;
} plan_few_run;

/// The first unit whose middle is not before the point where the run of a place
/// begins; the last run goes on to the end.
PLAN_INLINE uint32_t plan_few_unit(const plan_problem *p, const plan_few *f,
                                   uint32_t place) {
  const uint32_t point = plan_few_times(place, f->share), middle = f->cost / 2;
  if (place >= p->lists)
    return f->all_units;
  const uint32_t offset = point > middle ? point - middle : 0;
  return plan_min(f->all_units, plan_few_divide_up(offset, f->cost));
}

PLAN_INLINE plan_few_run plan_few_run_of(const plan_problem *p,
                                         const plan_few *f, uint32_t list) {
  const uint32_t place = plan_place_of(p, list);
  const uint32_t begin = plan_few_unit(p, f, place);
  const uint32_t past = plan_few_unit(p, f, place + 1);
  plan_few_run run;
  run.part = plan_few_divide(begin, p->heads);
  run.head = begin - plan_few_times(run.part, p->heads);
  run.past_part = plan_few_divide(past, p->heads);
  run.past_head = past - plan_few_times(run.past_part, p->heads);
  run.records =
      past > begin ? run.past_part - run.part + (run.past_head > 0) : 0;
  return run;
}

PLAN_INLINE uint32_t plan_few_count_records(const plan_problem *p,
                                            const plan_few *f) {
  const plan_span span = f->lists;
  if (f->cost == f->share && f->all_units == p->lists)
    return span.end - span.begin; // a unit each
  uint32_t records = 0, sum;
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t list = at + plan_in_wave();
    records += list < span.end ? plan_few_run_of(p, f, list).records : 0;
  }
  plan_scan_wave_32(records, &sum);
  return sum;
}

//===- Writing ------------------------------------------------------------===//

/// Of shares that lie one after the other, each from its `begin` on: the number
/// of the one that has x, which is some share's. Those that have none do no
/// harm.
PLAN_INLINE uint32_t plan_few_find(PLAN_NEAR const uint32_t *begin,
                                   uint32_t count, uint32_t x) {
  uint32_t at = 0;
  for (uint32_t step = count > 1 ? 1u << plan_log2(count - 1) : 0; step;
       step >>= 1) {
    const uint32_t next = at + step;
    const uint32_t of_next = begin[plan_min(next, count - 1)];
    if (next < count && of_next <= x)
      at = next;
  }
  return at;
}

/// Writes a record of part c of a tile; UINT32_MAX: of the last one.
PLAN_INLINE void plan_few_write(const plan_problem *p, const plan_memory *m,
                                const plan_few *f, uint32_t number, uint32_t c,
                                plan_heads heads, uint32_t to) {
  const plan_few_row row = f->near->rows[f->table + number];
  const plan_few_place at = plan_few_place_of(p, f, number);
  const plan_tile tile = {.batch = at.batch,
                          .row_begin = at.row_begin,
                          .row_end = row.tile[0],
                          .keys = row.tile[1],
                          .limit = row.tile[2]};
  const plan_parts parts = {.first = row.parts[0],
                            .past = 0,
                            .origin = row.parts[1],
                            .length = row.parts[2],
                            .count = row.parts[3]};
  plan_write(p, m, &tile, row.tile[3], &parts,
             c == UINT32_MAX ? parts.count - 1 : c, heads.begin, heads.end, to);
}

PLAN_INLINE void plan_few_write_runs(const plan_problem *p,
                                     const plan_memory *m, const plan_few *f,
                                     uint32_t before) {
  PLAN_NEAR const plan_few_row *rows = f->near->rows + f->table;
  PLAN_NEAR const uint32_t *parts_before = f->near->parts_before + f->table;
  const plan_span span = f->lists;
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t list = at + plan_in_wave();
    plan_few_run run = {0, 0, 0, 0, 0};
    if (list < span.end)
      run = plan_few_run_of(p, f, list);
    uint32_t sum;
    const uint32_t to = before + plan_scan_wave_32(run.records, &sum);
    before += sum;
    if (list < span.end)
      m->work_indptr[list] = (int32_t)to;
    for (uint32_t i = 0; i < run.records; ++i) {
      const uint32_t part = run.part + i;
      const bool is_cut = i + 1 == run.records && run.past_head > 0;
      const plan_heads heads = {i ? 0 : run.head,
                                is_cut ? run.past_head : p->heads};
      uint32_t own = 0;
      if (f->count > 1) {
        // Often all tiles have as many parts.
        own = plan_min(f->count - 1, plan_few_divide(part, f->each));
        if (plan_lanes_of(part - parts_before[own] >= rows[own].parts[3]))
          own = plan_few_find(parts_before, f->count, part);
      }
      plan_few_write(p, m, f, own, part - parts_before[own], heads, to + i);
    }
  }
  if (span.end == p->lists && span.begin < span.end && plan_in_wave() == 0)
    m->work_indptr[p->lists] = (int32_t)before;
}

PLAN_INLINE void plan_few_write_turn(const plan_problem *p,
                                     const plan_memory *m, const plan_few *f) {
  PLAN_NEAR const uint32_t *begin = f->near->begin + PLAN_FEW_KINDS * f->table;
  PLAN_NEAR const uint32_t *whose = f->near->whose + PLAN_FEW_KINDS * f->table;
  const plan_groups groups = plan_groups_of(p);
  const plan_span span = f->lists;
  const uint32_t past = // with the entry after the last
      span.end + (span.end == p->lists && span.begin < span.end);
  for (uint32_t list = span.begin + plan_in_wave(); list < past;
       list += PLAN_WAVE) {
    m->work_indptr[list] = (int32_t)plan_min(list, f->all_units);
    if (list >= f->all_units)
      continue;
    const uint32_t kind = plan_few_find(begin, f->kinds, list);
    const uint32_t code = whose[kind], shift = code >> 24;
    const uint32_t which = code >> 16 & UINT8_MAX;
    uint32_t unit = list - begin[kind], part = 0;
    if (which == 1) {
      const uint32_t of_part = plan_units_of(p, shift);
      part = plan_few_divide(unit, of_part);
      unit -= part * of_part;
      ++part;
    }
    plan_few_write(p, m, f, code & UINT16_MAX, which == 2 ? UINT32_MAX : part,
                   plan_heads_of(&groups, shift, unit), list);
  }
}

/// As plan_combine_heads().
PLAN_INLINE uint32_t plan_few_combine_heads(const plan_problem *p,
                                            uint32_t rows) {
  const uint32_t heads = plan_few_divide(p->rules.combine_rows, rows);
  return plan_max(1, plan_min(p->heads, heads));
}

/// As plan_lay_out() writes them: each lane those of its own tile.
PLAN_INLINE void plan_few_write_combine(const plan_problem *p,
                                        const plan_memory *m,
                                        const plan_few *f) {
  const uint32_t rows = f->tile.row_end - f->tile.row_begin;
  const uint32_t each = f->combine_each;
  for (uint32_t i = f->is_many ? 0 : plan_wave(); i < f->combine_own;
       i += f->is_many ? 1 : PLAN_FEW_WAVES) {
    const uint32_t head = i * each, past = plan_min(p->heads, head + each);
    m->combine_items[f->combine_before + i] = (fmhac_combine_item){
        .batch = (int32_t)f->tile.batch,
        .part = (int32_t)(f->rows_before + head * rows),
        .row_begin = (int32_t)f->tile.row_begin,
        .row_end = (int32_t)f->tile.row_end,
        .chunks = (int32_t)f->parts.count,
        .group = p->rules.packs_heads ? (int32_t)p->group.value : 0,
        .heads = (int32_t)(head | past << 16)};
  }
}

//===- Whole --------------------------------------------------------------===//

PLAN_INLINE plan_few plan_few_of(const plan_problem *p,
                                 PLAN_NEAR plan_few_shared *near) {
  const uint32_t tiles = plan_few_tiles(p);
  const uint32_t count = plan_few_times(p->sizes.batch, tiles);
  const bool is_many = count > PLAN_WAVE;
  const uint32_t waves = is_many ? PLAN_WAVES : PLAN_FEW_WAVES;
  const uint32_t lists =
      plan_few_divide_up(p->lists, waves * PLAN_WAVE) * PLAN_WAVE;
  const uint32_t begin = plan_min(p->lists, plan_wave() * lists);
  return (plan_few){.near = near,
                    .count = count,
                    .tiles = tiles,
                    .is_many = is_many,
                    .waves = waves,
                    .table = is_many ? 0 : plan_wave() * PLAN_WAVE,
                    .lists = {begin, plan_min(p->lists, begin + lists)},
                    .kind = PLAN_FEW_OTHERS,
                    .number = is_many ? plan_lane() : plan_in_wave()};
}

/// Of all lanes' tiles, whether all parts cost the same, `f->cost`. Waves
/// write it before they meet.
PLAN_INLINE void plan_few_note_alike(plan_few *f) {
  const uint64_t in = plan_lanes_of(f->parts.count > 0);
  const uint32_t cost =
      in ? plan_of_lane(f->first.cost, (uint32_t)__builtin_ctzll(in)) : 0;
#define PLAN_DIFFERS(kind) differs |= (kind)->count && (kind)->cost != cost
  bool differs = false;
  PLAN_EACH_KIND(PLAN_DIFFERS, f);
#undef PLAN_DIFFERS
  f->cost = plan_lanes_of(differs) ? UINT32_MAX : cost;
  f->each =
      in ? plan_of_lane(f->parts.count, (uint32_t)__builtin_ctzll(in)) : 1;
  if (f->is_many && plan_in_wave() == 0)
    f->near->alike[plan_wave()] = f->cost;
  if (f->is_many && plan_lane() == 0)
    f->near->each = f->each;
}
PLAN_INLINE bool plan_few_is_alike(plan_few *f) {
  if (f->is_many) {
    const uint32_t cost = f->near->alike[plan_in_wave() % PLAN_WAVES];
    const uint32_t most = plan_most_of_wave_32(cost);
    f->cost = plan_lanes_of(cost && cost != most) ? UINT32_MAX : most;
    f->each = plan_of_lane(f->near->each, 0);
  }
  if (f->cost == UINT32_MAX)
    return false;
  f->cost = plan_max(1, f->cost); // 0: no tile has rows
  return true;
}

/// What comes before the own tile, and how all are dealt.
PLAN_INLINE void plan_few_find_work(const plan_problem *p, plan_few *f) {
  const uint32_t heads = p->heads, w = p->sizes.workgroups;
  const bool is_divided = p->rules.split != FMHAC_WORK_SPLIT_NONE;
  if (f->is_many) {
    plan_few_clear(f, 0);
    plan_few_clear(f, 1);
    f->near->starts[plan_lane()] = (plan_four){0, 0, 0, 0};
  }
  plan_few_visit(p, f);
  f->length = is_divided ? p->chunk.value : PLAN_WHOLE;
  if (f->is_many)
    plan_meet();
  if (p->rules.split == FMHAC_WORK_SPLIT_AUTO)
    f->length = plan_few_length(p, f);
  if (!f->length)
    return;
  f->parts = plan_few_parts_of(p, f->tile.first, f->tile.count, f->length);
  f->parts.count = f->in ? f->parts.count : 0;
  const uint32_t count = f->parts.count;
  f->first = plan_few_kind_of(p, &f->parts, 0, count > 0);
  f->middle = plan_few_kind_of(p, &f->parts, 1, count > 2 ? count - 2 : 0);
  f->last = plan_few_kind_of(p, &f->parts, count - 1, count > 1);
  plan_few_note_alike(f);
  uint32_t rows = 0;
  if (is_divided && count > 1) {
    const uint32_t own = f->tile.row_end - f->tile.row_begin;
    rows = plan_few_times(count, own) * heads;
    f->combine_each = plan_few_combine_heads(p, own);
    f->combine_own = plan_few_divide_up(heads, f->combine_each);
  }
  const uint32_t cost = f->first.cost +
                        plan_few_times(f->middle.count, f->middle.cost) +
                        f->last.cost;
  plan_four sums;
  const plan_four before =
      plan_few_scan(f, 1, is_divided ? 4 : 2,
                    (plan_four){count, cost, rows, f->combine_own}, &sums);
  f->rows_before = p->sizes.part_begin + before[2];
  f->combine_before = before[3];
  f->combine = sums[3];
  f->near->rows[plan_lane()] = (plan_few_row){
      {f->tile.row_end, f->tile.keys, f->tile.limit, f->rows_before},
      {f->parts.first, f->parts.origin, f->parts.length, count}};
  f->near->parts_before[plan_lane()] = before[0];
  f->costs = sums[1] * heads;
  f->share = plan_few_divide_up(f->costs, w);
  if (plan_few_is_alike(f)) {
    f->kind = PLAN_FEW_RUNS;
    f->all_units = sums[0] * heads;
    const uint32_t own = plan_few_count_records(p, f);
    if (plan_in_wave() == 0)
      f->near->own[plan_wave()] = own;
  } else {
    plan_few_choose_bigs(p, f, sums[0]);
    if (f->kind == PLAN_FEW_TURN)
      plan_few_sort(p, f);
  }
}

/// Of the waves before the own one.
PLAN_INLINE uint32_t plan_few_before(const plan_few *f,
                                     PLAN_NEAR const uint32_t *of_waves,
                                     uint32_t *sum) {
  const uint32_t lane = plan_in_wave();
  const uint32_t own = lane < f->waves ? of_waves[lane] : 0;
  uint32_t up_to = own;
  PLAN_OVER_WAVES_BY(PLAN_DPP_OF_HALF, up_to, 0, plan_sum_of_32);
  *sum = plan_of_lane(up_to, PLAN_WAVES - 1);
  return plan_of_lane(up_to - own, plan_wave());
}

/// Of work_deal.h what is left to do if `kind` is PLAN_FEW_BIGS,
/// plan_deal_parts(), or PLAN_FEW_OTHERS: all, but for a length that is not 0.
typedef struct plan_few_made {
  uint32_t kind, length;
  plan_work work;
} plan_few_made;

/// Writes tiles as plan_visit_tiles() does, and what plan_choose_bigs() would.
/// `scratch`: its address. Where tiles lie in it is known here alone, as that
/// takes as long as a list.
PLAN_INLINE void plan_few_hand_over(const plan_problem *p, uint64_t scratch,
                                    PLAN_NEAR plan_shared *s, const plan_few *f,
                                    uint32_t before) {
  const plan_scratch_counts counts =
      plan_scratch_counts_of(&p->rules, &p->sizes);
  PLAN_FAR plan_tile *const tiles =
      (PLAN_FAR plan_tile *)(uintptr_t)(scratch +
                                        plan_scratch_of(&counts).tiles);
  const uint32_t tile = before + plan_below(plan_lanes_of(f->in));
  if (f->in && (f->is_many || plan_wave() == 0))
    tiles[tile] = f->tile;
  if (plan_lane() < f->bins.count)
    s->bin_shift[plan_bin_of(f->bins.most)] = f->bins.shift;
  if (plan_lane() == 0)
    s->big = f->big;
}

PLAN_INLINE plan_few_made plan_deal_few(const plan_problem *p,
                                        const plan_memory *m,
                                        PLAN_NEAR plan_few_shared *near,
                                        PLAN_NEAR plan_shared *s,
                                        uint64_t scratch) {
  const uint32_t wave = plan_wave();
  plan_few f = plan_few_of(p, near);
  if (wave >= f.waves) {
    plan_meet();
    const plan_few_made made = {
        plan_of_lane(near->kind, 0),
        plan_of_lane(near->length, 0),
        {plan_of_lane(near->in[0], 0), plan_of_lane(near->all_costs, 0)}};
    if (made.kind <= PLAN_FEW_BIGS)
      plan_meet();
    return made;
  }
  plan_few_find_work(p, &f);
  if (!f.is_many && plan_lane() == 0) { // for the other waves
    near->kind = f.kind;
    near->length = f.length;
    near->all_costs = f.costs;
  }
  plan_meet();
  if (f.kind <= PLAN_FEW_BIGS) {
    uint32_t before = 0, tiles = 0;
    if (f.kind == PLAN_FEW_BIGS) {
      tiles = plan_of_lane(near->in[0], 0);
      if (f.is_many)
        before = plan_few_before(&f, near->in, &tiles);
    }
    plan_meet();
    if (f.kind == PLAN_FEW_BIGS)
      plan_few_hand_over(p, scratch, s, &f, before);
    return (plan_few_made){f.kind, f.length, {tiles, f.costs}};
  }
  if (p->rules.split != FMHAC_WORK_SPLIT_NONE) {
    if (f.combine)
      plan_few_write_combine(p, m, &f);
    if (plan_lane() == 0)
      *m->combine_count = (int32_t)f.combine;
  }
  uint32_t sum;
  if (f.kind == PLAN_FEW_RUNS)
    plan_few_write_runs(p, m, &f, plan_few_before(&f, near->own, &sum));
  else
    plan_few_write_turn(p, m, &f);
  return (plan_few_made){f.kind, f.length, {0, 0}};
}

#endif // FMHAC_LIB_WORK_FEW_H
