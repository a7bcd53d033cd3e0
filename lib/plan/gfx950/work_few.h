// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches of few sequences, each of one tile of rows at most, as those of a
/// step of generation: the lists of work_deal.h, bit by bit, in a fifth of the
/// time. A lane of a wave has a sequence, so that a wave finds in registers, by
/// exchanges between its lanes, what work_deal.h writes to memory and meets
/// for. Four waves, one on each SIMD, all find the same; then each writes a
/// quarter of the lists.
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
/// work_deal.h makes all others.
#ifndef FMHAC_LIB_WORK_FEW_H
#define FMHAC_LIB_WORK_FEW_H

#include "work_deal.h"

enum {
  PLAN_FEW_WAVES = 4,
  PLAN_FEW_MOST = 1 << 23, ///< of costs: sums with a share are below 2^24
  PLAN_FEW_OTHERS = 0,     ///< of plan_few.kind
  PLAN_FEW_RUNS,
  PLAN_FEW_TURN
};

/// Numbers here are below 2^24, where a product takes a fourth of the time, and
/// a quotient a third.
PLAN_INLINE uint32_t plan_24(uint32_t x) { return x & 0xffffff; }
PLAN_INLINE uint32_t plan_few_times(uint32_t x, uint32_t y) {
  return plan_24(x) * plan_24(y);
}
PLAN_INLINE uint32_t plan_few_divide(uint32_t x, uint32_t by) {
  return plan_24(x) / plan_24(by);
}
PLAN_INLINE uint32_t plan_few_divide_up(uint32_t x, uint32_t by) {
  return plan_few_divide(x + by - 1, by);
}

/// Parts of the own sequence that are alike: the first, the last, and those
/// between them.
typedef struct plan_few_kind {
  uint32_t count, cost;
  uint32_t left;  ///< the cost, until a bin has it
  uint32_t shift; ///< log2 of the heads of a unit
  uint32_t bin;   ///< by which it is sorted
} plan_few_kind;

/// What a wave finds. Its lane b has sequence b, whose rows are one tile.
typedef struct plan_few {
  // All lanes alike.
  uint32_t kind;
  uint32_t length; ///< tiles of keys of the longest part
  uint32_t costs, share;
  uint32_t all_units; ///< of parts, all heads
  uint32_t cost;      ///< of a part, of runs
  uint32_t combine;   ///< items of the combination
  uint32_t own;       ///< records of the wave's lists, of runs
  // The own sequence.
  bool in; ///< it has rows of this kernel
  plan_tile tile;
  plan_parts parts;     ///< none if it has no rows
  uint32_t rows_before; ///< of part_o
  uint32_t parts_before;
  uint32_t combine_before;
  plan_few_kind first, middle, last;
} plan_few;

/// Whether batches of such sizes are looked at here. A sequence has no more
/// tiles of keys than `tiles`, nor more parts than `parts`.
PLAN_INLINE bool plan_is_few(const plan_problem *p) {
  const fmhac_work_sizes s = plan_own_sizes(&p->rules, &p->sizes);
  const uint32_t tiles = plan_divide_up(s.seqlen_kv, p->tile_n);
  uint32_t parts = 1;
  if (p->rules.split == FMHAC_WORK_SPLIT_AUTO)
    parts = tiles / p->rules.least_part + 1;
  else if (p->rules.split == FMHAC_WORK_SPLIT_FIXED)
    parts = plan_divide(tiles, p->chunk) + 2;
  const uint64_t each =
      tiles + (uint64_t)parts * (p->rules.item_cost + p->rules.part_cost);
  const bool has_cost = p->rules.item_cost > 0;
  return !p->rules.queue && has_cost && s.batch <= PLAN_WAVE &&
         (uint64_t)s.seqlen_q * p->group.value <= p->rules.tile_m &&
         each * s.batch * p->heads < PLAN_FEW_MOST;
}

/// Shares of sequences before the own one, and of all.
PLAN_INLINE uint32_t plan_few_scan(const plan_problem *p, uint32_t x,
                                   uint32_t *sum) {
  if (p->sizes.batch > 1)
    return plan_scan_wave_32(x, sum);
  *sum = plan_of_lane(x, 0); // others are 0
  return 0;
}

/// The largest of some lanes: often all have the same.
PLAN_INLINE uint32_t plan_few_most(uint32_t x, uint64_t lanes) {
  const uint32_t one = plan_of_lane(x, (uint32_t)__builtin_ctzll(lanes));
  if ((plan_lanes_of(x == one) & lanes) == lanes)
    return one;
  const bool in = lanes >> plan_in_wave() & 1;
  return plan_most_of_wave_32(in ? x : 0);
}

//===- What each sequence has ---------------------------------------------===//

/// As plan_count_tiles() and plan_visit_tiles().
PLAN_INLINE void plan_few_visit(const plan_problem *p, plan_few *f) {
  const uint32_t b = plan_in_wave();
  plan_sequence own = {0, 0};
  if (b < p->sizes.batch)
    own = plan_sequence_of(p, b);
  f->in = plan_own_rows(p, own.rows) > 0;
  if (plan_is_bounded(&p->sizes)) {
    // Both before anything is compared: all lanes take part in a sum.
    uint64_t sum;
    const uint64_t rows = plan_scan_wave(own.rows, &sum) + own.rows;
    const uint64_t keys = plan_scan_wave(own.keys, &sum) + own.keys;
    const bool is_past =
        rows > plan_total_q(&p->sizes) || keys > plan_total_kv(&p->sizes);
    // Sums only grow: those from the first one on have no room.
    f->in = f->in && !is_past;
  }
  const uint32_t rows = plan_max(1, own.rows), end = rows * p->group.value;
  const plan_visit visit = plan_visit_of(p, 0, end, rows, own.keys);
  f->tile = (plan_tile){b,           0,           end,         own.keys,
                        visit.first, visit.count, visit.limit, 0};
}

//===- How long parts are -------------------------------------------------===//

/// Bins of costs that have any: lane i has the ith of them.
typedef struct plan_few_bins {
  uint32_t count;
  uint32_t parts, most;
} plan_few_bins;

/// As plan_estimate(), of a length that each lane has.
PLAN_INLINE uint32_t plan_few_estimate(const plan_problem *p,
                                       const plan_few_bins *bins,
                                       uint32_t length) {
  const uint32_t heads = p->heads, w = p->sizes.workgroups;
  uint32_t estimate = 0, units = 0, divided = 0, costs = 0, turn = 0;
  for (uint32_t i = 0; i < bins->count; ++i) {
    uint32_t cost = plan_of_lane(bins->most, i);
    const uint32_t most = cost - p->rules.item_cost;
    const uint32_t tiles = plan_of_lane(bins->parts, i);
    uint32_t parts = tiles;
    if (most > length) {
      parts = plan_few_times(parts, plan_few_divide_up(most, length));
      cost = length + p->rules.item_cost + p->rules.part_cost;
      divided += parts;
      costs += plan_few_times(parts, p->rules.part_cost);
    }
    costs += tiles * most + plan_few_times(parts, p->rules.item_cost);
    units += plan_few_times(parts, heads);
    // Of the turns that begin here the last one says the most.
    _Static_assert(PLAN_TURNS == 4, "as many terms");
    const uint32_t turns =
        (units > 0) + (units > w) + (units > 2 * w) + (units > 3 * w);
    if (turns > turn)
      estimate = plan_max(estimate, turns * cost);
    turn = turns;
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

/// As plan_choose_length(), of sequences some of which have rows.
PLAN_INLINE uint32_t plan_few_length(const plan_problem *p, const plan_few *f) {
  const uint32_t lane = plan_in_wave();
  const uint32_t cost = f->tile.count + p->rules.item_cost;
  const uint32_t own_bin = plan_bin_of(cost);
  plan_few_bins bins = {0, 0, 0};
  uint32_t costs = 0, alike = 0, most = 0;
  for (uint64_t left = plan_lanes_of(f->in); left; ++bins.count) {
    const uint32_t of_bin = plan_few_most(cost, left);
    const uint64_t lanes = left & plan_lanes_of(own_bin == plan_bin_of(of_bin));
    const uint32_t parts = (uint32_t)__builtin_popcountll(lanes);
    if (bins.count == 0)
      most = of_bin - p->rules.item_cost;
    if (lane == bins.count) {
      bins.parts = parts;
      bins.most = of_bin;
    }
    costs += parts * of_bin;
    alike += 2 * of_bin > most ? parts : 0;
    left &= ~lanes;
  }
  if (most <= p->rules.least_part)
    return PLAN_WHOLE;
  const uint32_t count = plan_few_candidate(p, lane, alike * p->heads);
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
  plan_few_kind kind = {count, count ? plan_cost(p, parts, c) : 0, 0, 0, 0};
  kind.left = kind.cost;
  return kind;
}

/// Parts of a kind in a bin.
PLAN_INLINE uint32_t plan_few_in(const plan_few_kind *kind, uint32_t bin) {
  return kind->left && plan_bin_of(kind->left) == bin ? kind->count : 0;
}
PLAN_INLINE void plan_few_take(plan_few_kind *kind, uint32_t bin,
                               uint32_t shift) {
  if (plan_few_in(kind, bin)) {
    kind->shift = shift;
    kind->left = 0;
  }
}

PLAN_INLINE void plan_few_sort(plan_few_kind *kind, uint32_t big) {
  const plan_big part = {0, 0, plan_max(1, kind->cost), kind->shift, 0};
  kind->bin = kind->count ? plan_sort_bin(&part, big) : UINT32_MAX;
}

/// As plan_choose_bigs() decides where costs differ, if all parts are dealt by
/// themselves. False: some are not, or there are more units than lists.
PLAN_INLINE bool plan_few_turn(const plan_problem *p, plan_few *f,
                               uint32_t all_parts) {
  const uint32_t heads = p->heads;
  const uint32_t small = f->share / p->rules.small_share;
  const uint32_t half = plan_log2(p->lists) + 1;
  uint32_t rest = f->costs, units = 0, big = 0;
  if (all_parts > p->rules.few_parts * p->sizes.workgroups)
    return false;
  while (true) {
    const uint32_t most = plan_most_of_wave_32(
        plan_max(f->first.left, plan_max(f->middle.left, f->last.left)));
    if (!most)
      break;
    if (most <= small)
      return false;
    const uint32_t bin = plan_bin_of(most);
    const uint32_t own = plan_few_in(&f->first, bin) +
                         plan_few_in(&f->middle, bin) +
                         plan_few_in(&f->last, bin);
    uint32_t parts;
    plan_few_scan(p, own, &parts);
    const uint32_t of_bin = parts * heads * most;
    rest = rest > of_bin ? rest - of_bin : 0;
    const uint32_t target = plan_max(rest >> half, small);
    const uint32_t shift = plan_unit_shift(p, most, target);
    units += parts * plan_units_of(p, shift);
    if (units > p->lists)
      return false;
    plan_few_take(&f->first, bin, shift);
    plan_few_take(&f->middle, bin, shift);
    plan_few_take(&f->last, bin, shift);
    big = plan_bin_least(bin);
  }
  plan_few_sort(&f->first, big);
  plan_few_sort(&f->middle, big);
  plan_few_sort(&f->last, big);
  f->all_units = units;
  return units <= plan_few_units(&p->rules) * p->sizes.workgroups;
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

/// The lists [begin, past) are the wave's.
PLAN_INLINE plan_span plan_few_lists(const plan_problem *p) {
  const uint32_t each = (p->lists + PLAN_FEW_WAVES * PLAN_WAVE - 1) /
                        (PLAN_FEW_WAVES * PLAN_WAVE) * PLAN_WAVE;
  const uint32_t begin = plan_min(p->lists, plan_wave() * each);
  return (plan_span){begin, plan_min(p->lists, begin + each)};
}

PLAN_INLINE uint32_t plan_few_count_records(const plan_problem *p,
                                            const plan_few *f) {
  const plan_span span = plan_few_lists(p);
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

/// Of lanes whose shares lie one after the other, from `begin` of each on: the
/// one that has x, which is some lane's. Those that have none do no harm.
PLAN_INLINE uint32_t plan_few_find(const plan_problem *p, uint32_t begin,
                                   uint32_t x) {
  const uint32_t batch = p->sizes.batch;
  uint32_t lane = 0;
  for (uint32_t step = batch > 1 ? 1u << plan_log2(batch - 1) : 0; step;
       step >>= 1) {
    const uint32_t next = lane + step;
    // Past the last of the wave it is lane `next` mod 64, which is not asked.
    const uint32_t at = plan_of_any_lane(begin, next);
    if (next < batch && at <= x)
      lane = next;
  }
  return lane;
}

#define PLAN_THEIR(field) plan_of_any_lane(f->field, lane)

/// Writes a record where `does`. All lanes take part.
PLAN_INLINE void plan_few_write(const plan_problem *p, const plan_memory *m,
                                const plan_few *f, uint32_t lane, uint32_t part,
                                plan_heads heads, uint32_t to, bool does) {
  const plan_tile tile = {.batch = lane,
                          .row_begin = 0,
                          .row_end = PLAN_THEIR(tile.row_end),
                          .keys = PLAN_THEIR(tile.keys),
                          .limit = PLAN_THEIR(tile.limit)};
  const plan_parts parts = {.first = PLAN_THEIR(parts.first),
                            .past = 0,
                            .origin = PLAN_THEIR(parts.origin),
                            .length = PLAN_THEIR(parts.length),
                            .count = PLAN_THEIR(parts.count)};
  const uint32_t rows_before = PLAN_THEIR(rows_before);
  if (does)
    plan_write(p, m, &tile, rows_before, &parts, part, heads.begin, heads.end,
               to);
}

PLAN_INLINE void plan_few_write_runs(const plan_problem *p,
                                     const plan_memory *m, const plan_few *f,
                                     uint32_t before) {
  const plan_span span = plan_few_lists(p);
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
    for (uint32_t i = 0; plan_lanes_of(i < run.records); ++i) {
      const bool does = i < run.records;
      const uint32_t part = does ? run.part + i : 0;
      const bool is_cut = i + 1 == run.records && run.past_head > 0;
      const plan_heads heads = {i ? 0 : run.head,
                                is_cut ? run.past_head : p->heads};
      const uint32_t lane = plan_few_find(p, f->parts_before, part);
      plan_few_write(p, m, f, lane,
                     part - plan_of_any_lane(f->parts_before, lane), heads,
                     to + i, does);
    }
  }
  if (span.end == p->lists && span.begin < span.end && plan_in_wave() == 0)
    m->work_indptr[p->lists] = (int32_t)before;
}

/// Units of the own parts of a kind that are in the bin; 0 from then on.
PLAN_INLINE uint32_t plan_few_units_in(const plan_problem *p,
                                       plan_few_kind *kind, uint32_t bin) {
  if (kind->bin != bin)
    return 0;
  kind->bin = UINT32_MAX;
  return kind->count * plan_units_of(p, kind->shift);
}

PLAN_INLINE void plan_few_write_turn(const plan_problem *p,
                                     const plan_memory *m, plan_few *f) {
  const plan_groups groups = plan_groups_of(p);
  const plan_span span = plan_few_lists(p);
  const uint32_t past = // with the entry after the last
      span.end + (span.end == p->lists && span.begin < span.end);
  for (uint32_t at = span.begin; at < past; at += PLAN_WAVE) {
    const uint32_t list = at + plan_in_wave();
    if (list < past)
      m->work_indptr[list] = (int32_t)plan_min(list, f->all_units);
  }
  for (uint32_t before = 0, sum; before < f->all_units; before += sum) {
    const uint32_t bin = ~plan_most_of_wave_32(
        ~plan_min(f->first.bin, plan_min(f->middle.bin, f->last.bin)));
    const uint32_t first = plan_few_units_in(p, &f->first, bin);
    const uint32_t middle = plan_few_units_in(p, &f->middle, bin);
    const uint32_t last = plan_few_units_in(p, &f->last, bin);
    const uint32_t begin = plan_few_scan(p, first + middle + last, &sum);
    for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
      if (before >= at + PLAN_WAVE || before + sum <= at)
        continue;
      const uint32_t list = at + plan_in_wave();
      const bool does =
          list < span.end && list >= before && list - before < sum;
      uint32_t unit = does ? list - before : 0, part = 0;
      const uint32_t lane = plan_few_find(p, begin, unit);
      unit -= plan_of_any_lane(begin, lane);
      const uint32_t of_first = plan_of_any_lane(first, lane);
      const uint32_t to_last = plan_of_any_lane(first + middle, lane);
      const uint32_t shift_first = PLAN_THEIR(first.shift);
      const uint32_t shift_middle = PLAN_THEIR(middle.shift);
      const uint32_t shift_last = PLAN_THEIR(last.shift);
      const uint32_t count = PLAN_THEIR(parts.count);
      uint32_t shift = shift_first;
      if (unit >= to_last) {
        unit -= to_last;
        part = count - 1;
        shift = shift_last;
      } else if (unit >= of_first) {
        const uint32_t of_part = plan_units_of(p, shift_middle);
        unit -= of_first;
        part = 1 + plan_few_divide(unit, of_part);
        unit -= (part - 1) * of_part;
        shift = shift_middle;
      }
      plan_few_write(p, m, f, lane, part, plan_heads_of(&groups, shift, unit),
                     list, does);
    }
  }
}

/// As plan_combine_heads().
PLAN_INLINE uint32_t plan_few_combine_heads(const plan_problem *p,
                                            uint32_t rows) {
  const uint32_t heads = plan_few_divide(p->rules.combine_rows, rows);
  return plan_max(1, plan_min(p->heads, heads));
}

/// As plan_lay_out() writes them.
PLAN_INLINE void plan_few_write_combine(const plan_problem *p,
                                        const plan_memory *m,
                                        const plan_few *f) {
  const uint32_t heads = p->heads;
  for (uint32_t at = 0; at < f->combine; at += PLAN_WAVE) {
    const uint32_t item = at + plan_in_wave();
    const bool does = item < f->combine;
    const uint32_t x = does ? item : 0;
    const uint32_t lane = plan_few_find(p, f->combine_before, x);
    const uint32_t which = x - PLAN_THEIR(combine_before);
    const uint32_t rows = PLAN_THEIR(tile.row_end);
    const uint32_t chunks = PLAN_THEIR(parts.count);
    const uint32_t rows_before = PLAN_THEIR(rows_before);
    const uint32_t each = plan_few_combine_heads(p, rows);
    const uint32_t head = which * each, past = plan_min(heads, head + each);
    if (does)
      m->combine_items[item] = (fmhac_combine_item){
          .batch = (int32_t)lane,
          .part = (int32_t)(rows_before + head * rows),
          .row_begin = 0,
          .row_end = (int32_t)rows,
          .chunks = (int32_t)chunks,
          .group = p->rules.packs_heads ? (int32_t)p->group.value : 0,
          .heads = (int32_t)(head | past << 16)};
  }
  if (plan_in_wave() == 0)
    *m->combine_count = (int32_t)f->combine;
}

//===- Whole --------------------------------------------------------------===//

/// What comes before the own sequence, and how all are dealt.
PLAN_INLINE plan_few plan_few_find_work(const plan_problem *p) {
  const uint32_t heads = p->heads, w = p->sizes.workgroups;
  const bool is_divided = p->rules.split != FMHAC_WORK_SPLIT_NONE;
  plan_few f = {.kind = PLAN_FEW_OTHERS};
  plan_few_visit(p, &f);
  const uint64_t in = plan_lanes_of(f.in);
  uint32_t length = is_divided ? p->chunk.value : PLAN_WHOLE;
  if (p->rules.split == FMHAC_WORK_SPLIT_AUTO)
    length = in ? plan_few_length(p, &f) : PLAN_WHOLE;
  f.length = length;
  f.parts = plan_few_parts_of(p, f.tile.first, f.tile.count, length);
  f.parts.count = f.in ? f.parts.count : 0;
  const uint32_t count = f.parts.count;
  f.first = plan_few_kind_of(p, &f.parts, 0, count > 0);
  f.middle = plan_few_kind_of(p, &f.parts, 1, count > 2 ? count - 2 : 0);
  f.last = plan_few_kind_of(p, &f.parts, count - 1, count > 1);
  uint32_t all_parts, rows = 0, combine = 0, sum;
  f.parts_before = plan_few_scan(p, count, &all_parts);
  if (is_divided) {
    if (count > 1) {
      const uint32_t each = plan_few_combine_heads(p, f.tile.row_end);
      rows = plan_few_times(count, f.tile.row_end) * heads;
      combine = plan_few_divide_up(heads, each);
    }
    f.rows_before = p->sizes.part_begin + plan_few_scan(p, rows, &sum);
    f.combine_before = plan_few_scan(p, combine, &f.combine);
  }
  const uint32_t own = f.first.cost +
                       plan_few_times(f.middle.count, f.middle.cost) +
                       f.last.cost;
  plan_few_scan(p, own, &sum);
  f.costs = sum * heads;
  f.share = plan_few_divide_up(f.costs, w);
  f.cost = in ? plan_of_lane(f.first.cost, (uint32_t)__builtin_ctzll(in)) : 1;
  const bool is_even = (!count || f.first.cost == f.cost) &&
                       (count < 2 || f.last.cost == f.cost) &&
                       (count < 3 || f.middle.cost == f.cost);
  if (plan_lanes_of(is_even) == UINT64_MAX) {
    f.kind = PLAN_FEW_RUNS;
    f.all_units = all_parts * heads;
    f.own = plan_few_count_records(p, &f);
  } else if (plan_few_turn(p, &f, all_parts)) {
    f.kind = PLAN_FEW_TURN;
  }
  return f;
}

/// False: nothing but s->length is written, and plan_find_work() and
/// plan_deal_work() have to be called.
PLAN_INLINE bool plan_deal_few(const plan_problem *p, const plan_memory *m,
                               PLAN_NEAR plan_shared *s) {
  const uint32_t wave = plan_wave();
  plan_few f = {.kind = PLAN_FEW_OTHERS};
  if (wave < PLAN_FEW_WAVES) {
    f = plan_few_find_work(p);
    if (plan_in_wave() == 0)
      s->bins[wave] = f.own;
    if (plan_lane() == 0) {
      s->found = f.kind;
      s->length = f.length;
    }
  }
  plan_meet();
  const uint32_t kind = s->found;
  uint32_t before = 0;
  for (uint32_t i = 0; i + 1 < PLAN_FEW_WAVES; ++i)
    before += i < wave ? s->bins[i] : 0;
  if (kind == PLAN_FEW_OTHERS) {
    plan_meet();
    return false;
  }
  if (wave >= PLAN_FEW_WAVES)
    return true;
  if (p->rules.split != FMHAC_WORK_SPLIT_NONE && wave == PLAN_FEW_WAVES - 1)
    plan_few_write_combine(p, m, &f);
  if (kind == PLAN_FEW_RUNS)
    plan_few_write_runs(p, m, &f, before);
  else
    plan_few_write_turn(p, m, &f);
  return true;
}
#undef PLAN_THEIR

#endif // FMHAC_LIB_WORK_FEW_H
