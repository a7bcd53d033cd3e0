// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Work that nobody lists: each workgroup finds its own. All units, a tile of
/// rows of one sequence for one head each, lie one after the other on a line,
/// in the order of memory; a unit is as long as it costs, its tiles of keys
/// after the overhead of an item. The line is cut into runs of one length, one
/// for each workgroup. Where a cut leaves few tiles on one side it goes to that
/// end of the unit; where keys may not be divided, to the nearer end.
///
/// Of unit u, whose first part is that of run f, the part of run r has tile u +
/// r of the rows of parts, or, if there are more units than workgroups, f + r:
/// its parts follow one another. A later unit that is divided begins in run f'
/// >= f + k, for k + 1 parts of this one, so that no two parts have one place,
/// and two for each workgroup suffice.
///
/// One source for the host and for gfx950, where each wave of a workgroup of
/// attention finds the same (gfx950/work_find.c).
#ifndef FMHAC_LIB_WORK_RUNS_H
#define FMHAC_LIB_WORK_RUNS_H

#include "work_keys.h"

/// Numbers on a line are below 2^24, where a quotient takes a third of the
/// time.
enum { PLAN_RUN_MOST = 1 << 24 };
PLAN_INLINE uint32_t plan_divide_24(uint32_t x, uint32_t by) {
  return (x & (PLAN_RUN_MOST - 1)) / (by & (PLAN_RUN_MOST - 1));
}

/// All of the line.
typedef struct plan_line {
  uint32_t cost, units;
} plan_line;

/// What a run has left to do.
typedef struct plan_run {
  uint32_t batch, row_begin, head; ///< of the next unit; head may be one past
                                   ///< the last: then it is the next tile's
  uint32_t unit;                   ///< its number
  uint32_t start;                  ///< where it begins on the line
  uint32_t end;                    ///< where the run ends
  uint32_t done;                   ///< tiles of keys that other runs have
  uint32_t number;                 ///< of the run
  plan_line line;
} plan_run;

/// What is known of the units of a tile of rows.
typedef struct plan_unit {
  uint32_t rows;    ///< of the tile; 0: there is none
  uint32_t row_end; ///< of the tile
  uint32_t keys;    ///< of the sequence
  plan_visit visit;
  uint32_t cost;
} plan_unit;

/// Without branches, which lanes would take apart.
PLAN_INLINE plan_unit plan_unit_of(const plan_problem *p, uint32_t batch,
                                   uint32_t row_begin) {
  const plan_sequence own = plan_sequence_of(p, batch);
  const uint32_t rows = plan_max(1, own.rows), all = rows * p->group.value;
  const bool in = (own.rows > 0) & (row_begin < all);
  const uint32_t begin = in ? row_begin : 0;
  const uint32_t end = begin + plan_min(all - begin, p->rules.tile_m);
  const plan_visit visit = plan_visit_of(p, begin, end, rows, own.keys);
  return (plan_unit){in ? end - begin : 0, end, own.keys, visit,
                     visit.count + p->rules.item_cost};
}

/// Rows that tiles may have of any sequence; those of 2^32 are all.
PLAN_INLINE uint32_t plan_most_rows(const plan_problem *p) {
  const uint64_t rows = (uint64_t)p->sizes.seqlen_q * p->group.value;
  return rows > UINT32_MAX ? UINT32_MAX : (uint32_t)rows;
}

/// Of all units of a sequence. No lane leaves a loop before another, as a
/// kernel has no scalar registers for that (passes/c/keep_scalars.cpp).
PLAN_INLINE plan_line plan_line_of_sequence(const plan_problem *p,
                                            uint32_t batch) {
  plan_line line = {0, 0};
  const uint32_t tiles = plan_divide_up(plan_most_rows(p), p->tile_m);
  for (uint32_t i = 0; i < tiles; ++i) {
    const plan_unit unit = plan_unit_of(p, batch, i * p->rules.tile_m);
    line.cost += unit.rows ? p->heads * unit.cost : 0;
    line.units += unit.rows ? p->heads : 0;
  }
  return line;
}

/// Fewest tiles of keys of a part.
PLAN_INLINE uint32_t plan_run_least(const plan_problem *p) {
  return plan_max(1, p->rules.least_part);
}

/// How many tiles of keys of a unit of `count` are before a cut that lies `at`
/// after its beginning, and before its end. 0: it belongs to the run that
/// begins there.
PLAN_INLINE uint32_t plan_cut(const plan_problem *p, uint32_t at,
                              uint32_t count) {
  const uint32_t overhead = p->rules.item_cost;
  // Below 1 for an overhead of 1.
  const uint32_t before =
      overhead == 1 ? 0 : at * overhead / (count + overhead);
  const uint32_t tiles = at - before;
  if (p->rules.split == FMHAC_WORK_SPLIT_NONE)
    return 2 * tiles < count ? 0 : count;
  const uint32_t least = plan_run_least(p);
  return tiles < least ? 0 : count - tiles < least ? count : tiles;
}

/// All cuts of a line, those at its ends too: runs, and the whole part and the
/// rest of its length over these.
typedef struct plan_cuts {
  uint32_t runs, whole, rest;
} plan_cuts;

/// As many runs as there are workgroups; where keys may be divided none shorter
/// than a part that is worth it, unless there are more units. If there are
/// fewer, units that are alike have as many each.
PLAN_INLINE plan_cuts plan_cuts_of(const plan_problem *p,
                                   const plan_line *line) {
  const uint32_t least = p->rules.split == FMHAC_WORK_SPLIT_NONE
                             ? 1
                             : plan_run_least(p) + p->rules.item_cost;
  const uint32_t most = p->sizes.workgroups;
  uint32_t runs = most;
  if (line->cost < most * least) {
    runs = plan_max(1, line->cost / least);
    if (runs < line->units)
      runs = plan_min(line->units, most);
    else if (line->units)
      runs -= runs % line->units;
  }
  const uint32_t whole = plan_divide_24(line->cost, runs);
  return (plan_cuts){runs, whole, line->cost - whole * runs};
}

/// The run of a workgroup. Those of one XCD stand side by side, so that
/// neighbours in memory, as the heads of one sequence, meet in its cache; all
/// XCDs have as many, or one more. UINT32_MAX: it has none.
PLAN_INLINE uint32_t plan_run_of(const plan_problem *p, const plan_cuts *cuts,
                                 uint32_t workgroup) {
  const uint32_t xcds = p->rules.xcds;
  const uint32_t xcd = workgroup % xcds, own = workgroup / xcds;
  const uint32_t each = cuts->runs / xcds, more = cuts->runs % xcds;
  return own < each + (xcd < more) ? xcd * each + plan_min(xcd, more) + own
                                   : UINT32_MAX;
}

PLAN_INLINE uint32_t plan_cut_at(const plan_cuts *cuts, uint32_t number) {
  return number * cuts->whole + plan_divide_24(number * cuts->rest, cuts->runs);
}

/// The last cut that is at `at` or before it.
PLAN_INLINE uint32_t plan_last_cut(const plan_cuts *cuts, const plan_line *line,
                                   uint32_t at) {
  uint32_t number = (uint32_t)((float)at * (float)cuts->runs *
                               plan_about_one_over((float)line->cost));
  while (plan_cut_at(cuts, number) > at)
    --number;
  while (plan_cut_at(cuts, number + 1) <= at)
    ++number;
  return number;
}

/// Where the run of a workgroup begins. Without a unit, it ends where it
/// begins.
PLAN_INLINE plan_run plan_find_run(const plan_problem *p, uint32_t workgroup) {
  const uint32_t batch = p->sizes.batch;
  // A lane has neighbours in memory.
  const uint32_t each = (batch + PLAN_WAVE - 1) / PLAN_WAVE;
  const uint32_t first = plan_in_wave() * each;
  plan_line own = {0, 0}, line;
  for (uint32_t i = 0; i < each; ++i) {
    const bool in = first + i < batch;
    const plan_line of_sequence = plan_line_of_sequence(p, in ? first + i : 0);
    own.cost += in ? of_sequence.cost : 0;
    own.units += in ? of_sequence.units : 0;
  }
  const uint32_t before = plan_scan_wave_32(own.cost, &line.cost);
  const uint32_t units_before = plan_scan_wave_32(own.units, &line.units);
  plan_run run = {.line = line};
  const plan_cuts cuts = plan_cuts_of(p, &line);
  run.number = plan_run_of(p, &cuts, workgroup);
  if (run.number == UINT32_MAX || !line.cost)
    return run;
  const uint32_t at = plan_cut_at(&cuts, run.number);
  run.end = plan_cut_at(&cuts, run.number + 1);
  const uint32_t lane = (uint32_t)__builtin_ctzll(
      plan_lanes_of(before <= at && at - before < own.cost));
  run.batch = lane * each;
  run.unit = plan_of_lane(units_before, lane);
  run.start = plan_of_lane(before, lane);
  plan_unit unit = plan_unit_of(p, run.batch, 0);
  while (!unit.rows || at - run.start >= p->heads * unit.cost) {
    if (unit.rows) {
      run.start += p->heads * unit.cost;
      run.unit += p->heads;
      run.row_begin += p->rules.tile_m;
    }
    if (!unit.rows || run.row_begin >= plan_most_rows(p)) {
      run.row_begin = 0;
      ++run.batch;
    }
    unit = plan_unit_of(p, run.batch, run.row_begin);
  }
  run.head = plan_divide_24(at - run.start, unit.cost);
  run.start += run.head * unit.cost;
  run.unit += run.head;
  run.done = plan_cut(p, at - run.start, unit.visit.count);
  if (run.done && run.done == unit.visit.count) {
    run.start += unit.cost;
    run.unit += 1;
    run.head += 1;
    run.done = 0;
  }
  return run;
}

/// A part of a unit, or all of it: of it [begin, end) of the tiles of keys that
/// it visits.
typedef struct plan_item {
  plan_unit unit;
  uint32_t begin, end;
  bool is_there;
} plan_item;

/// The next item of a run, whose batch, row_begin, head and number become the
/// item's; and after it `run` is at the unit after that (plan_pass_item()).
PLAN_INLINE plan_item plan_next_item(const plan_problem *p, plan_run *run) {
  plan_item none = {{0, 0, 0, {0, 0, 0}, 0}, 0, 0, false};
  if (run->start >= run->end)
    return none;
  if (run->head >= p->heads) {
    run->head = 0;
    run->row_begin += p->rules.tile_m;
  }
  plan_unit unit = plan_unit_of(p, run->batch, run->row_begin);
  while (!unit.rows) { // some sequence after it has a unit
    run->row_begin = 0;
    unit = plan_unit_of(p, ++run->batch, 0);
  }
  const uint32_t at = run->end - run->start;
  const uint32_t count = unit.visit.count;
  const bool is_whole = at >= unit.cost;
  const uint32_t end = is_whole ? count : plan_cut(p, at, count);
  if (!is_whole && end <= run->done)
    return none;
  return (plan_item){unit, run->done, end, true};
}

PLAN_INLINE void plan_pass_item(const plan_item *item, plan_run *run) {
  // A run ends with a part that is not its unit's last.
  run->start = item->end < item->unit.visit.count
                   ? run->end
                   : run->start + item->unit.cost;
  run->unit += 1;
  run->head += 1;
  run->done = 0;
}

/// Whether others have parts of the unit, too.
PLAN_INLINE bool plan_is_part(const plan_item *item) {
  return item->begin || item->end < item->unit.visit.count;
}

/// The run that has the first part of a unit of which `run` has a later one.
/// Cuts that stay where they are lie side by side.
PLAN_INLINE uint32_t plan_first_sharer(const plan_problem *p,
                                       const plan_run *run,
                                       const plan_unit *unit) {
  const plan_cuts cuts = plan_cuts_of(p, &run->line);
  uint32_t first = plan_last_cut(&cuts, &run->line, run->start);
  while (plan_cut(p, plan_cut_at(&cuts, first + 1) - run->start,
                  unit->visit.count) == 0)
    ++first;
  return first;
}

/// The runs that have parts of a unit which is not one's alone.
typedef struct plan_sharers {
  uint32_t first, count;
} plan_sharers;

/// Of a unit of which `run` has the first part, or another.
PLAN_INLINE plan_sharers plan_sharers_of(const plan_problem *p,
                                         const plan_run *run,
                                         const plan_unit *unit, bool is_first) {
  const plan_cuts cuts = plan_cuts_of(p, &run->line);
  const uint32_t count = unit->visit.count;
  const uint32_t first =
      is_first ? run->number : plan_first_sharer(p, run, unit);
  uint32_t last = plan_last_cut(&cuts, &run->line, run->start + unit->cost - 1);
  while (plan_cut(p, plan_cut_at(&cuts, last) - run->start, count) == count)
    --last;
  return (plan_sharers){first, last - first + 1};
}

/// The tile of the rows of parts where those of a unit begin.
PLAN_INLINE uint32_t plan_first_tile(const plan_problem *p, const plan_run *run,
                                     uint32_t first) {
  const bool is_few = run->line.units <= p->sizes.workgroups;
  return (is_few ? run->unit : first) + first;
}

/// The row of the parts where an item's go, which is not all of its unit.
PLAN_INLINE uint32_t plan_part_row(const plan_problem *p, const plan_run *run,
                                   const plan_item *item) {
  // Where there are few units nobody needs to know who has the first part.
  const bool is_few = run->line.units <= p->sizes.workgroups;
  const uint32_t first = is_few || !item->begin
                             ? run->number
                             : plan_first_sharer(p, run, &item->unit);
  return (plan_first_tile(p, run, first) + run->number - first) *
         p->rules.tile_m;
}

/// The record of an item (work_list.h).
PLAN_INLINE fmhac_work_item plan_item_record(const plan_problem *p,
                                             const plan_run *run,
                                             const plan_item *item) {
  const plan_visit visit = item->unit.visit;
  const uint32_t tile_n = p->rules.tile_n;
  const uint32_t past = item->end < visit.count
                            ? (visit.first + item->end) * tile_n
                            : visit.limit;
  return (fmhac_work_item){
      .batch = (int32_t)run->batch,
      .part = plan_is_part(item) ? (int32_t)plan_part_row(p, run, item) : -1,
      .row_begin = (int32_t)run->row_begin,
      .row_end = (int32_t)item->unit.row_end,
      .key_begin = (int32_t)((visit.first + item->begin) * tile_n),
      .key_end = (int32_t)past,
      .keys_after = (int32_t)(item->unit.keys - past),
      .heads = (int32_t)(run->head | (run->head + 1) << 16)};
}

/// What is to be combined of a unit that is not divided: no rows.
PLAN_INLINE fmhac_combine_item plan_no_record(void) {
  return (fmhac_combine_item){.chunks = 2};
}

/// Of a unit whose first part is the run's.
PLAN_INLINE fmhac_combine_item plan_combine_record(const plan_problem *p,
                                                   const plan_run *run,
                                                   const plan_unit *unit) {
  return (fmhac_combine_item){
      .batch = (int32_t)run->batch,
      .part = (int32_t)(plan_first_tile(p, run, run->number) * p->rules.tile_m),
      .row_begin = (int32_t)run->row_begin,
      .row_end = (int32_t)unit->row_end,
      .chunks = (int32_t)plan_sharers_of(p, run, unit, true).count,
      .group = (int32_t)(p->rules.packs_heads ? p->group.value : 0),
      .heads = (int32_t)(run->head | (run->head + 1) << 16)};
}

#endif // FMHAC_LIB_WORK_RUNS_H
