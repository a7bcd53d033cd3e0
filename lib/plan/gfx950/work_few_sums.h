// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What waves exchange in work_few.h: sums over all tiles of rows, and bins of
/// costs.
#ifndef FMHAC_LIB_WORK_FEW_SUMS_H
#define FMHAC_LIB_WORK_FEW_SUMS_H

#include "work_deal.h"

enum {
  PLAN_FEW_WAVES = 4,      ///< that all find the same
  PLAN_FEW_MOST = 1 << 23, ///< of costs: sums with a share are below 2^24
  PLAN_FEW_OTHERS = 0,     ///< of plan_few.kind: nothing is known but a length
  PLAN_FEW_BIGS,           ///< it is known which parts are dealt unit by unit
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

/// Loops without one: the number is a constant.
#define PLAN_EACH_OF_FOUR(of)                                                  \
  do {                                                                         \
    of(0);                                                                     \
    of(1);                                                                     \
    of(2);                                                                     \
    of(3);                                                                     \
  } while (0)
#define PLAN_EACH_KIND(of, f)                                                  \
  do {                                                                         \
    of(&(f)->first);                                                           \
    of(&(f)->middle);                                                          \
    of(&(f)->last);                                                            \
  } while (0)

//===- What waves share ---------------------------------------------------===//

typedef uint32_t plan_four __attribute__((ext_vector_type(4)));

/// What records say of a tile of rows: words of plan_tile and plan_parts.
typedef struct plan_few_row {
  plan_four tile;  ///< row_end, keys, limit, rows of part_o before it
  plan_four parts; ///< first, origin, length, count
} plan_few_row;

/// Of parts by their cost for one head, as in plan_shared, but the bin of the
/// largest costs first.
typedef struct plan_few_costs {
  plan_four parts[PLAN_BINS / 4], most[PLAN_BINS / 4];
} plan_few_costs;

enum { PLAN_FEW_KINDS = 3, PLAN_FEW_SUMS = 3 };

/// In LDS. Waves that all find the same have a part of each array of PLAN_LANES
/// numbers, from plan_few.table on.
typedef struct plan_few_shared {
  plan_few_row rows[PLAN_LANES];
  uint32_t parts_before[PLAN_LANES];
  /// Of turns, kinds of parts in the order of their units: where these begin,
  /// and whose they are.
  uint32_t begin[PLAN_FEW_KINDS * PLAN_LANES];
  uint32_t whose[PLAN_FEW_KINDS * PLAN_LANES];
  plan_four starts[PLAN_BINS * PLAN_WAVES / 4]; ///< of each wave in each bin
  plan_few_costs costs[2][PLAN_FEW_WAVES]; ///< of undivided tiles, and of parts
  uint32_t found_parts[PLAN_WAVES][PLAN_WAVE],
      found_most[PLAN_WAVES][PLAN_WAVE]; ///< of bins that have any
  plan_four sums[PLAN_FEW_SUMS][PLAN_WAVES];
  uint32_t alike[PLAN_WAVES]; ///< plan_few.cost of each wave
  uint32_t each;              ///< plan_few.each of the first
  uint32_t own[PLAN_WAVES];   ///< records of each wave's lists, of runs
  uint32_t shifts[PLAN_WAVES][PLAN_BINS]; ///< as plan_shared.bin_shift
  uint32_t in[PLAN_WAVES];                ///< tiles that have rows
  uint32_t kind, length, all_costs;
} plan_few_shared;

/// Parts of the own tile that are alike: the first, the last, and those
/// between them.
typedef struct plan_few_kind {
  uint32_t count, cost;
  uint32_t bin;   ///< of the cost, then that by which it is sorted
  uint32_t shift; ///< log2 of the heads of a unit
  uint32_t at;    ///< units before it; kinds before it in bits 16 to 31
} plan_few_kind;

/// Bins of costs that have any: lane i has the ith of them.
typedef struct plan_few_bins {
  uint32_t count;
  uint32_t parts, most;
  uint32_t shift; ///< log2 of the heads of a unit
} plan_few_bins;

/// What a wave finds.
typedef struct plan_few {
  PLAN_NEAR plan_few_shared *near;
  // All lanes alike.
  uint32_t count;  ///< of lanes that may have a tile
  uint32_t tiles;  ///< of these, those of a sequence
  bool is_many;    ///< more than lanes of a wave
  uint32_t waves;  ///< that take part
  uint32_t table;  ///< where the wave's part of LDS begins, in tiles
  plan_span lists; ///< that are the wave's
  uint32_t kind;
  uint32_t length; ///< tiles of keys of the longest part; 0: not known
  uint32_t costs, share;
  uint32_t all_units; ///< of parts, all heads
  uint32_t big;       ///< as plan_shared.big
  uint32_t kinds;     ///< of parts, of turns
  uint32_t cost;      ///< of a part, if all cost the same; or UINT32_MAX
  uint32_t each;      ///< parts of the first tile that has any
  uint32_t combine;   ///< items of the combination
  // The own tile.
  uint32_t number; ///< the lane's
  bool in;         ///< there is one, with rows of this kernel
  plan_tile tile;
  plan_parts parts;      ///< none if it has no rows
  uint32_t rows_before;  ///< of part_o
  uint32_t combine_each; ///< heads of its items of the combination
  uint32_t combine_own, combine_before; ///< these items; and those before them
  plan_few_kind first, middle, last;
  plan_few_bins bins; ///< of its parts' costs
} plan_few;

/// Whose rows a tile has.
typedef struct plan_few_place {
  uint32_t batch, row_begin;
} plan_few_place;

PLAN_INLINE plan_few_place plan_few_place_of(const plan_problem *p,
                                             const plan_few *f,
                                             uint32_t number) {
  if (f->tiles == 1)
    return (plan_few_place){number, 0};
  const uint32_t batch = plan_few_divide(number, f->tiles);
  const uint32_t tile = number - plan_few_times(batch, f->tiles);
  return (plan_few_place){batch, plan_few_times(tile, p->rules.tile_m)};
}

//===- Sums ---------------------------------------------------------------===//

/// Of the first `count` of four numbers of each tile: those of tiles before the
/// own one, and of all. Waves that share LDS meet here: after it each sees what
/// the others have written. `room`: another one each time, so that no wave
/// overwrites sums that another one still reads.
PLAN_INLINE plan_four plan_few_scan(const plan_few *f, uint32_t room,
                                    uint32_t count, plan_four x,
                                    plan_four *sums) {
  plan_four before = {0, 0, 0, 0}, all = before;
#define PLAN_OF_LANE(i) all[i] = i < count ? plan_of_lane(x[i], 0) : 0
#define PLAN_OF_WAVE(i)                                                        \
  if (i < count) {                                                             \
    uint32_t sum;                                                              \
    before[i] = plan_scan_wave_32(x[i], &sum);                                 \
    all[i] = sum;                                                              \
  }
  if (f->count > 1)
    PLAN_EACH_OF_FOUR(PLAN_OF_WAVE);
  else // other lanes have 0
    PLAN_EACH_OF_FOUR(PLAN_OF_LANE);
#undef PLAN_OF_WAVE
#undef PLAN_OF_LANE
  if (f->is_many) {
    const uint32_t lane = plan_in_wave();
    if (lane == 0)
      f->near->sums[room][plan_wave()] = all;
    plan_meet();
    // A row of sixteen lanes for each number, a lane for each wave.
    uint32_t own = 0;
    if (lane % 16 < PLAN_WAVES)
      own = ((PLAN_NEAR uint32_t *)&f->near->sums[room][lane % 16])[lane / 16];
    uint32_t up_to = own;
    PLAN_OVER_WAVES_BY(PLAN_DPP_OF_HALF, up_to, 0, plan_sum_of_32);
#define PLAN_OF_ALL(i)                                                         \
  before[i] += plan_of_lane(up_to - own, 16 * i + plan_wave());                \
  all[i] = plan_of_lane(up_to, 16 * i + PLAN_WAVES - 1)
    PLAN_EACH_OF_FOUR(PLAN_OF_ALL);
#undef PLAN_OF_ALL
  }
  *sums = all;
  return before;
}

//===- Costs --------------------------------------------------------------===//

/// `which`: 0 or 1, of plan_few_shared.costs.
PLAN_INLINE PLAN_NEAR plan_few_costs *plan_few_costs_of(const plan_few *f,
                                                        uint32_t which) {
  return &f->near->costs[which][f->is_many ? 0 : plan_wave()];
}
PLAN_INLINE void plan_few_clear(const plan_few *f, uint32_t which) {
  if (f->is_many && plan_wave())
    return;
  PLAN_NEAR plan_few_costs *c = plan_few_costs_of(f, which);
  c->parts[plan_in_wave()] = c->most[plan_in_wave()] = (plan_four){0, 0, 0, 0};
}
/// Clears a wave's own costs, before it notes any; plan_few_find_work() clears
/// those that all waves share.
PLAN_INLINE void plan_few_open(const plan_few *f, uint32_t which) {
  if (f->is_many)
    return;
  plan_few_clear(f, which);
  plan_meet_wave();
}
PLAN_INLINE void plan_few_note(const plan_few *f, uint32_t which, uint32_t bin,
                               uint32_t cost, uint32_t parts) {
  PLAN_NEAR plan_few_costs *c = plan_few_costs_of(f, which);
  const uint32_t at = PLAN_BINS - 1 - bin;
  if (parts) {
    plan_add((PLAN_NEAR uint32_t *)c->parts + at, parts);
    plan_raise((PLAN_NEAR uint32_t *)c->most + at, cost);
  }
}
PLAN_INLINE void plan_few_meet(const plan_few *f) {
  if (f->is_many)
    plan_meet();
  else
    plan_meet_wave();
}

/// As plan_find_bins(). More than there are lanes: only the count is right.
PLAN_INLINE plan_few_bins plan_few_find_bins(const plan_few *f,
                                             uint32_t which) {
  PLAN_NEAR uint32_t *all_parts = f->near->found_parts[plan_wave()];
  PLAN_NEAR uint32_t *all_most = f->near->found_most[plan_wave()];
  const uint32_t lane = plan_in_wave();
  plan_few_meet(f);
  PLAN_NEAR plan_few_costs *c = plan_few_costs_of(f, which);
  const plan_four parts = c->parts[lane], most = c->most[lane];
  plan_few_bins bins = {0, 0, 0, 0};
  const uint32_t own =
      (parts[0] > 0) + (parts[1] > 0) + (parts[2] > 0) + (parts[3] > 0);
  uint32_t to = plan_scan_wave_32(own, &bins.count);
#define PLAN_NOTE(i)                                                           \
  if (parts[i] && to < PLAN_WAVE) {                                            \
    all_parts[to] = parts[i];                                                  \
    all_most[to++] = most[i];                                                  \
  }
  PLAN_EACH_OF_FOUR(PLAN_NOTE);
#undef PLAN_NOTE
  plan_meet_wave();
  if (lane < bins.count) {
    bins.parts = all_parts[lane];
    bins.most = all_most[lane];
  }
  return bins;
}

#endif // FMHAC_LIB_WORK_FEW_SUMS_H
