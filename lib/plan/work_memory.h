// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the planner works in: arrays of the device's memory, a scratch that the
/// caller has, and what one workgroup shares, in LDS.
#ifndef FMHAC_LIB_WORK_MEMORY_H
#define FMHAC_LIB_WORK_MEMORY_H

#include "work_keys.h"

/// Bins of eight bits.
enum { PLAN_BINS = 256 };

/// What the lanes of the workgroup share.
typedef struct plan_shared {
  uint64_t load[FMHAC_WORK_MOST_WORKGROUPS]; ///< cost of each workgroup's items
  /// Where the run of each place begins, places being workgroups in the order
  /// of XCDs.
  uint64_t bound[FMHAC_WORK_MOST_WORKGROUPS + 1];
  uint64_t room[64]; ///< of plan_scan() and plan_least()
  uint32_t dealt[FMHAC_WORK_MOST_WORKGROUPS]; ///< items dealt to each
  /// Where the run of each place begins: tile, part, head, and which small part
  /// of the batch that is.
  uint32_t run_tile[FMHAC_WORK_MOST_WORKGROUPS + 1];
  uint32_t run_part[FMHAC_WORK_MOST_WORKGROUPS + 1];
  uint32_t run_head[FMHAC_WORK_MOST_WORKGROUPS + 1];
  uint32_t run_small[FMHAC_WORK_MOST_WORKGROUPS + 1];
  uint32_t order[FMHAC_WORK_MOST_WORKGROUPS]; ///< of workgroups by load
  uint32_t begin[FMHAC_WORK_MOST_WORKGROUPS]; ///< of items of each place's run
  uint32_t bins[PLAN_BINS * PLAN_WAVES];
  /// Of parts by their cost for one head: how many, and the largest. Then those
  /// bins that have any, from the largest.
  uint32_t bin_parts[PLAN_BINS], bin_most[PLAN_BINS];
  uint32_t found_parts[PLAN_BINS], found_most[PLAN_BINS];
  uint32_t found;
  uint32_t bin_shift[PLAN_BINS]; ///< log2 of the heads of a unit
  uint32_t big;    ///< least cost of a part whose units are dealt one by one
  uint32_t length; ///< tiles of keys of the longest part
  uint32_t fit;    ///< sequences that have room, if not all
  uint32_t items;  ///< of all lists
} plan_shared;

/// Of one tile of rows.
typedef struct plan_tile {
  uint32_t batch, row_begin, row_end;
  uint32_t keys;         ///< of the sequence
  uint32_t first, count; ///< tiles of keys that it visits
  uint32_t limit;        ///< one past the last of these keys
  uint32_t unused;       ///< two loads of 16 bytes
} plan_tile;

/// What comes before a tile of rows in the order of memory.
typedef struct plan_before {
  uint64_t costs;   ///< of small parts, all heads
  uint32_t smalls;  ///< small parts
  uint32_t bigs;    ///< parts that are dealt by themselves
  uint32_t rows;    ///< of part_o
  uint32_t combine; ///< items of the combination
} plan_before;

/// A part whose units are dealt one by one, some heads each.
typedef struct plan_big {
  uint32_t tile, part;
  uint32_t cost;  ///< for one head
  uint32_t shift; ///< log2 of the heads of a unit
  uint32_t begin; ///< units of those before it
} plan_big;

typedef struct plan_memory {
  PLAN_FAR int32_t *work_indptr;
  PLAN_FAR fmhac_work_item *work_items;
  PLAN_FAR fmhac_combine_item *combine_items;
  PLAN_FAR int32_t *combine_count;
  // Scratch.
  PLAN_FAR uint32_t *tile_begin; ///< [batch + 1]
  PLAN_FAR plan_tile *tiles;
  PLAN_FAR plan_before *before;
  PLAN_FAR plan_big *bigs;       ///< in the order of memory
  PLAN_FAR plan_big *sorted;     ///< most costly first
  PLAN_FAR uint32_t *unit_parts; ///< of each big unit: its part in `sorted`
  PLAN_FAR uint32_t *places; ///< its workgroup, and which of that one's items
                             ///< it is in bits 16 to 31
} plan_memory;

/// Counts for which the scratch has room.
typedef struct plan_scratch_counts {
  uint64_t sequences, tiles, bigs, units;
} plan_scratch_counts;

/// Bytes before each array of the scratch, and in all. The two widest come
/// first, so that each is aligned if the scratch is to 16.
typedef struct plan_scratch {
  uint64_t before, tiles, bigs, sorted, unit_parts, places, tile_begin, all;
} plan_scratch;

PLAN_INLINE plan_scratch plan_scratch_of(const plan_scratch_counts *n) {
  plan_scratch s;
  s.before = 0;
  s.tiles = s.before + n->tiles * sizeof(plan_before);
  s.bigs = s.tiles + n->tiles * sizeof(plan_tile);
  s.sorted = s.bigs + n->bigs * sizeof(plan_big);
  s.unit_parts = s.sorted + n->bigs * sizeof(plan_big);
  s.places = s.unit_parts + n->units * sizeof(uint32_t);
  s.tile_begin = s.places + n->units * sizeof(uint32_t);
  s.all = s.tile_begin + (n->sequences + 1) * sizeof(uint32_t);
  return s;
}

/// For batches up to these sizes.
PLAN_INLINE plan_scratch_counts
plan_scratch_counts_of(const fmhac_work_rules *r, const fmhac_work_sizes *all) {
  const fmhac_work_sizes own = plan_own_sizes(r, all), *s = &own;
  plan_scratch_counts n;
  n.sequences = s->batch;
  const uint64_t group = plan_group_of(r, s);
  n.tiles =
      (uint64_t)s->batch * ((s->seqlen_q * group + r->tile_m - 1) / r->tile_m);
  // Each sequence with rows has at most tile_m - 1 rows of a tile to itself
  // beyond them.
  const uint64_t rows = plan_total_q(s) * group, beyond = r->tile_m - 1;
  n.tiles = plan_lesser(n.tiles, (rows + plan_lesser(s->batch, rows) * beyond) /
                                     r->tile_m);
  // Few, or each above 1 / large_share of the share of a workgroup. A part has
  // a unit at least.
  n.units = n.bigs = (uint64_t)plan_most_units(r) * s->workgroups;
  return n;
}

#endif // FMHAC_LIB_WORK_MEMORY_H
