// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The planner, whole: work_plan.h says what it does.
#ifndef FMHAC_LIB_WORK_DEAL_H
#define FMHAC_LIB_WORK_DEAL_H

#include "work_even.h"
#include "work_record.h"
#include "work_split.h"

//===- Tiles --------------------------------------------------------------===//

/// Whether a sequence is the first that makes the rows, or keys, of all more
/// than there is room for.
PLAN_INLINE bool plan_is_past(uint64_t before, uint32_t own, uint64_t most) {
  return before <= most && before + own > most;
}

/// Writes where the tiles of each sequence begin. Returns how many there are.
/// Sequences from the first one on that has no room have none, whichever
/// kernel's they are; batches for which the sizes leave no such are not looked
/// at.
PLAN_INLINE uint32_t plan_count_tiles(const plan_problem *p,
                                      const plan_memory *m,
                                      PLAN_NEAR plan_shared *s) {
  const uint32_t batch = p->sizes.batch;
  const uint64_t most_rows = plan_total_q(&p->sizes),
                 most_keys = plan_total_kv(&p->sizes);
  const bool is_bounded = plan_is_bounded(&p->sizes);
  uint64_t before = 0, rows = 0, keys = 0;
  for (uint32_t at = 0; at < batch; at += PLAN_LANES) {
    const uint32_t b = at + plan_lane();
    plan_sequence own = {0, 0};
    if (b < batch)
      own = plan_sequence_of(p, b);
    uint64_t sum;
    const uint32_t own_rows = plan_own_rows(p, own.rows);
    const uint64_t to =
        before + plan_scan(plan_divide_up(own_rows * p->group.value, p->tile_m),
                           &sum, s->room);
    if (b < batch)
      m->tile_begin[b] = (uint32_t)to;
    before += sum;
    if (!is_bounded)
      continue;
    const uint64_t rows_before = rows + plan_scan(own.rows, &sum, s->room);
    rows += sum;
    const uint64_t keys_before = keys + plan_scan(own.keys, &sum, s->room);
    keys += sum;
    // Sums only grow: of all sequences one is the first.
    if ((plan_is_past(rows_before, own.rows, most_rows) &&
         keys_before <= most_keys) ||
        (plan_is_past(keys_before, own.keys, most_keys) &&
         rows_before <= most_rows))
      s->fit = b;
  }
  if (plan_lane() == 0)
    m->tile_begin[batch] = (uint32_t)before;
  plan_meet();
  if (!is_bounded || (rows <= most_rows && keys <= most_keys))
    return (uint32_t)before;
  const uint32_t fit = s->fit, tiles = m->tile_begin[fit];
  plan_meet();
  for (uint32_t b = fit + 1 + plan_lane(); b <= batch; b += PLAN_LANES)
    m->tile_begin[b] = tiles;
  plan_meet();
  return tiles;
}

/// The sequence of a tile, from `from` on, whose first tile is not after it.
PLAN_INLINE uint32_t plan_find_sequence(const plan_problem *p,
                                        const plan_memory *m, uint32_t tile,
                                        uint32_t from) {
  uint32_t stride = 1, past = from + 1;
  while (past < p->sizes.batch && m->tile_begin[past] <= tile) {
    from = past;
    past = plan_min(p->sizes.batch, past + (stride *= 2));
  }
  while (past - from > 1) {
    const uint32_t middle = (from + past) / 2;
    if (m->tile_begin[middle] <= tile)
      from = middle;
    else
      past = middle;
  }
  return from;
}

/// Finds what each tile visits, and notes its cost. Returns the own lanes'
/// tiles of keys.
PLAN_INLINE uint64_t plan_visit_tiles(const plan_problem *p,
                                      const plan_memory *m,
                                      PLAN_NEAR plan_shared *s,
                                      uint32_t tiles) {
  uint64_t costs = 0;
  uint32_t b = 0, of = UINT32_MAX, rows = 0, keys = 0;
  for (uint32_t g = plan_lane(); g < tiles; g += PLAN_LANES) {
    b = plan_find_sequence(p, m, g, b);
    if (b != of) {
      of = b;
      const plan_sequence sequence = plan_sequence_of(p, b);
      rows = sequence.rows;
      keys = sequence.keys;
    }
    const uint32_t begin = (g - m->tile_begin[b]) * p->rules.tile_m;
    const uint32_t end =
        begin + plan_min(rows * p->group.value - begin, p->rules.tile_m);
    const plan_visit visit = plan_visit_of(p, begin, end, rows, keys);
    m->tiles[g] = (plan_tile){b,           begin,       end,         keys,
                              visit.first, visit.count, visit.limit, 0};
    costs += visit.count;
    plan_note_cost(s, visit.count + p->rules.item_cost, 1);
  }
  return costs;
}

/// Tiles of keys of the longest part; a constant where nothing is divided.
PLAN_INLINE uint32_t plan_length(const plan_problem *p,
                                 PLAN_NEAR const plan_shared *s) {
  return p->rules.split == FMHAC_WORK_SPLIT_NONE ? PLAN_WHOLE : s->length;
}

PLAN_INLINE plan_parts plan_parts_of_tile(const plan_problem *p,
                                          PLAN_FAR const plan_tile *tile,
                                          uint32_t length) {
  return plan_parts_of(p, tile->first, tile->count, length);
}

/// Whether the units of parts of this cost are dealt one by one.
PLAN_INLINE bool plan_is_big(uint32_t cost, uint32_t big) {
  return cost >= big;
}

/// Of the parts of a tile before part c: the cost for one head, and parts, that
/// are small. All but the first and the last are as long as part 1.
typedef struct plan_smalls {
  uint64_t costs;
  uint32_t parts;
} plan_smalls;

PLAN_INLINE plan_smalls plan_smalls_before(const plan_problem *p,
                                           const plan_parts *parts, uint32_t c,
                                           uint32_t big) {
  plan_smalls smalls = {0, 0};
  if (!c)
    return smalls;
  const uint32_t cost = plan_cost(p, parts, 0);
  if (!plan_is_big(cost, big))
    smalls = (plan_smalls){cost, 1};
  if (c > 1) {
    const uint32_t middle = plan_cost(p, parts, 1);
    if (!plan_is_big(middle, big)) {
      smalls.costs += (uint64_t)(c - 1) * middle;
      smalls.parts += c - 1;
    }
  }
  return smalls;
}

PLAN_INLINE plan_smalls plan_smalls_of(const plan_problem *p,
                                       const plan_parts *parts, uint32_t big) {
  const uint32_t last = parts->count - 1, cost = plan_cost(p, parts, last);
  plan_smalls smalls = plan_smalls_before(p, parts, last, big);
  if (!plan_is_big(cost, big)) {
    smalls.costs += cost;
    smalls.parts += 1;
  }
  return smalls;
}

/// Heads of an item of the combination of a tile of `rows` rows.
PLAN_INLINE uint32_t plan_combine_heads(const plan_problem *p, uint32_t rows) {
  return plan_max(1, plan_min(p->heads, p->rules.combine_rows / rows));
}

/// The cost of the batch, all heads. Where keys are divided, notes the costs of
/// parts instead of those of tiles.
PLAN_INLINE uint64_t plan_count_cost(const plan_problem *p,
                                     const plan_memory *m,
                                     PLAN_NEAR plan_shared *s, uint32_t tiles,
                                     uint64_t visits) {
  const uint64_t heads = p->heads;
  const uint32_t length = plan_length(p, s);
  uint64_t own = visits, all;
  if (length == PLAN_WHOLE) {
    plan_scan(own, &all, s->room);
    return (all + (uint64_t)tiles * p->rules.item_cost) * heads;
  }
  plan_clear_bins(s);
  plan_meet();
  for (uint32_t g = plan_lane(); g < tiles; g += PLAN_LANES) {
    const plan_parts parts = plan_parts_of_tile(p, &m->tiles[g], length);
    const uint32_t count = parts.count;
    own += (uint64_t)count *
           (p->rules.item_cost + (count > 1 ? p->rules.part_cost : 0));
    plan_note_cost(s, plan_cost(p, &parts, 0), 1);
    if (count > 1)
      plan_note_cost(s, plan_cost(p, &parts, count - 1), 1);
    if (count > 2)
      plan_note_cost(s, plan_cost(p, &parts, 1), count - 2);
  }
  plan_scan(own, &all, s->room);
  return all * heads;
}

/// Writes what comes before each tile, the big parts, and the items of the
/// combination. Returns what comes before the end.
PLAN_INLINE plan_before plan_lay_out(const plan_problem *p,
                                     const plan_memory *m,
                                     PLAN_NEAR plan_shared *s, uint32_t tiles,
                                     uint32_t big) {
  const uint32_t heads = p->heads, length = plan_length(p, s);
  plan_before before = {0, 0, 0, p->sizes.part_begin, 0};
  for (uint32_t at = 0; at < tiles; at += PLAN_LANES) {
    const uint32_t g = at + plan_lane();
    const bool in = g < tiles;
    plan_parts parts = {0, 0, 0, 0, 0};
    plan_smalls smalls = {0, 0};
    uint32_t rows = 0, each = 1, combine = 0;
    if (in) {
      parts = plan_parts_of_tile(p, &m->tiles[g], length);
      smalls = plan_smalls_of(p, &parts, big);
      if (parts.count > 1) {
        rows = m->tiles[g].row_end - m->tiles[g].row_begin;
        each = plan_combine_heads(p, rows);
        combine = (heads + each - 1) / each;
      }
    }
    const uint32_t bigs = parts.count - smalls.parts;
    plan_before own = before;
    uint64_t sum;
    own.costs += plan_scan(smalls.costs * heads, &sum, s->room);
    before.costs += sum;
    // Both fit: a part has an item or a few.
    const uint64_t both =
        plan_scan((uint64_t)smalls.parts << 32 | bigs, &sum, s->room);
    own.smalls += (uint32_t)(both >> 32);
    own.bigs += (uint32_t)both;
    before.smalls += (uint32_t)(sum >> 32);
    before.bigs += (uint32_t)sum;
    if (length != PLAN_WHOLE) {
      own.rows += (uint32_t)plan_scan(
          (uint64_t)(rows ? parts.count : 0) * rows * heads, &sum, s->room);
      before.rows += (uint32_t)sum;
      own.combine += (uint32_t)plan_scan(combine, &sum, s->room);
      before.combine += (uint32_t)sum;
    }
    if (!in)
      continue;
    m->before[g] = own;
    for (uint32_t c = 0, count = 0; count < bigs; ++c) {
      const uint32_t cost = plan_cost(p, &parts, c);
      if (plan_is_big(cost, big))
        m->bigs[own.bigs + count++] =
            (plan_big){g, c, cost, s->bin_shift[plan_bin_of(cost)], 0};
    }
    for (uint32_t i = 0; i < combine; ++i) {
      const uint32_t head = i * each, past = plan_min(heads, head + each);
      m->combine_items[own.combine + i] = (fmhac_combine_item){
          .batch = (int32_t)m->tiles[g].batch,
          .part = (int32_t)(own.rows + head * rows),
          .row_begin = (int32_t)m->tiles[g].row_begin,
          .row_end = (int32_t)m->tiles[g].row_end,
          .chunks = (int32_t)parts.count,
          .group = p->rules.packs_heads ? (int32_t)p->group.value : 0,
          .heads = (int32_t)(head | past << 16)};
    }
  }
  if (plan_lane() == 0 && p->rules.split != FMHAC_WORK_SPLIT_NONE)
    *m->combine_count = (int32_t)before.combine;
  return before;
}

//===- Runs ---------------------------------------------------------------===//
//
// All units of small parts lie end to end, by their costs. The run of a place
// has those whose middle is in [bound[place], bound[place + 1]).

/// Where a run begins.
typedef struct plan_cursor {
  uint32_t tile, part, head;
  uint32_t small; ///< which small part of the batch this is
} plan_cursor;

/// The last tile that begins at a point or before it, from `from` on, which
/// does: tiles without small parts end where they begin.
PLAN_INLINE uint32_t plan_find_tile(const plan_memory *m, uint64_t point,
                                    uint32_t tiles, uint32_t from) {
  // One lane finds the next one near; many have no one before them.
  uint32_t stride = PLAN_LANES > 1 ? tiles : 1;
  uint32_t past = plan_min(tiles, from + stride);
  while (past < tiles && m->before[past].costs <= point) {
    from = past;
    past = plan_min(tiles, past + (stride *= 2));
  }
  while (past - from > 1) {
    const uint32_t middle = from + (past - from) / 2;
    if (m->before[middle].costs <= point)
      from = middle;
    else
      past = middle;
  }
  return from;
}

/// The first unit of a tile's small parts whose middle is not before `offset`
/// from the tile's begin. False: none is.
PLAN_INLINE bool plan_find_in_tile(const plan_problem *p,
                                   const plan_parts *parts, uint32_t big,
                                   uint64_t offset, plan_cursor *out) {
  const uint64_t heads = p->heads;
  uint32_t c = 0;
  if (parts->count > 2) {
    // The middle ones are of one length.
    const uint64_t first = plan_smalls_before(p, parts, 1, big).costs * heads;
    const uint32_t middle = plan_cost(p, parts, 1);
    if (offset >= first)
      c = plan_is_big(middle, big)
              ? parts->count - 1
              : 1 + (uint32_t)plan_lesser((offset - first) / (middle * heads),
                                          parts->count - 2);
  }
  for (; c < parts->count; ++c) {
    const uint32_t cost = plan_cost(p, parts, c);
    const plan_smalls before = plan_smalls_before(p, parts, c, big);
    const uint64_t at = before.costs * heads + cost / 2; // of the first middle
    if (plan_is_big(cost, big) || offset > at + (heads - 1) * cost)
      continue;
    out->part = c;
    out->head = offset > at ? (uint32_t)((offset - at + cost - 1) / cost) : 0;
    out->small = before.parts;
    return true;
  }
  return false;
}

/// The first unit whose middle is not before `point`, which is in tile `at`;
/// the end if there is none.
PLAN_INLINE plan_cursor plan_find_cursor(const plan_problem *p,
                                         const plan_memory *m,
                                         PLAN_NEAR const plan_shared *s,
                                         const plan_before *all, uint32_t tiles,
                                         uint64_t point, uint32_t at) {
  plan_cursor cursor = {tiles, 0, 0, 0};
  for (uint32_t next = 0; point < all->costs && next < 2; ++next) {
    const plan_parts parts =
        plan_parts_of_tile(p, &m->tiles[at], plan_length(p, s));
    if (plan_find_in_tile(p, &parts, s->big, point - m->before[at].costs,
                          &cursor)) {
      cursor.tile = at;
      cursor.small += m->before[at].smalls;
      return cursor;
    }
    // After the middle of the last unit: the next tile's first.
    point = at + 1 < tiles ? m->before[at + 1].costs : all->costs;
    at = plan_find_tile(m, point, tiles, at);
  }
  cursor.small = all->smalls;
  return cursor;
}

/// Finds where the runs of all places begin.
PLAN_INLINE void plan_cut_runs(const plan_problem *p, const plan_memory *m,
                               PLAN_NEAR plan_shared *s, const plan_before *all,
                               uint32_t tiles) {
  uint32_t at = 0;
  for (uint32_t place = plan_lane(); place <= p->lists; place += PLAN_LANES) {
    const uint64_t point = s->bound[place];
    if (point < all->costs)
      at = plan_find_tile(m, point, tiles, at);
    const plan_cursor cursor = plan_find_cursor(p, m, s, all, tiles, point, at);
    s->run_tile[place] = cursor.tile;
    s->run_part[place] = cursor.part;
    s->run_head[place] = cursor.head;
    s->run_small[place] = cursor.small;
  }
  plan_meet();
}

/// Records of a run: of each part that has a unit in it.
PLAN_INLINE uint32_t plan_run_records(PLAN_NEAR const plan_shared *s,
                                      uint32_t place) {
  const uint32_t begin = s->run_small[place], head = s->run_head[place];
  const uint32_t past = s->run_small[place + 1];
  const uint32_t past_head = s->run_head[place + 1];
  return past > begin || past_head > head ? past - begin + (past_head > 0) : 0;
}

/// Writes work_indptr. Leaves in s->begin of a place where its run begins, and
/// in s->order of a workgroup where its items begin.
PLAN_INLINE void plan_write_indptr(const plan_problem *p, const plan_memory *m,
                                   PLAN_NEAR plan_shared *s) {
  const uint32_t workgroups = p->lists;
  uint64_t before = 0;
  for (uint32_t at = 0; at < workgroups; at += PLAN_LANES) {
    const uint32_t w = at + plan_lane();
    const bool in = w < workgroups;
    const uint32_t place = in ? plan_place_of(p, w) : 0;
    const uint32_t dealt = in ? s->dealt[w] : 0;
    uint64_t sum;
    const uint32_t begin =
        (uint32_t)(before +
                   plan_scan(in ? dealt + plan_run_records(s, place) : 0, &sum,
                             s->room));
    before += sum;
    if (in) {
      m->work_indptr[w] = (int32_t)begin;
      s->order[w] = begin;
      s->begin[place] = begin + dealt;
    }
  }
  if (plan_lane() == 0) {
    m->work_indptr[workgroups] = (int32_t)before;
    s->items = (uint32_t)before;
  }
}

/// The first small part from part c on; parts->count if there is none.
PLAN_INLINE uint32_t plan_next_small(const plan_problem *p,
                                     const plan_parts *parts, uint32_t c,
                                     uint32_t big) {
  while (c < parts->count && plan_is_big(plan_cost(p, parts, c), big))
    ++c;
  return c;
}

/// Writes the records of the runs.
PLAN_INLINE void plan_write_runs(const plan_problem *p, const plan_memory *m,
                                 PLAN_NEAR plan_shared *s, uint32_t tiles) {
  const uint32_t length = plan_length(p, s), big = s->big;
  for (uint32_t place = plan_lane(); place < p->lists; place += PLAN_LANES) {
    const uint32_t records = plan_run_records(s, place);
    const uint32_t past_head = s->run_head[place + 1];
    uint32_t g = s->run_tile[place], c = s->run_part[place];
    uint32_t begin = s->run_head[place];
    plan_tile tile = {0, 0, 0, 0, 0, 0, 0, 0};
    plan_before before = {0, 0, 0, 0, 0};
    plan_parts parts = {0, 0, 0, 0, 0};
    uint32_t of = UINT32_MAX;
    for (uint32_t i = 0; i < records; ++i) {
      if (g != of) {
        of = g;
        tile = m->tiles[g];
        before = m->before[g];
        parts = plan_parts_of(p, tile.first, tile.count, length);
      }
      const bool is_cut = i + 1 == records && past_head > 0;
      plan_write(p, m, &tile, before.rows, &parts, c, begin,
                 is_cut ? past_head : p->heads, s->begin[place] + i);
      begin = 0;
      c = plan_next_small(p, &parts, c + 1, big);
      if (c < parts.count || i + 1 == records)
        continue;
      parts = plan_parts_of_tile(p, &m->tiles[++g], length);
      c = plan_next_small(p, &parts, 0, big);
      if (c < parts.count)
        continue;
      // All of its parts are big: on to the next tile with a small one.
      g = plan_find_tile(m, m->before[g].costs, tiles, g);
      parts = plan_parts_of_tile(p, &m->tiles[g], length);
      c = plan_next_small(p, &parts, 0, big);
    }
  }
}

/// Writes the records of units that were dealt one by one.
PLAN_INLINE void plan_write_bigs(const plan_problem *p, const plan_memory *m,
                                 PLAN_NEAR plan_shared *s, uint32_t units) {
  const plan_groups groups = plan_groups_of(p);
  const uint32_t length = plan_length(p, s);
  plan_big big = {0, 0, 0, 0, 0};
  plan_tile tile = {0, 0, 0, 0, 0, 0, 0, 0};
  plan_parts parts = {0, 0, 0, 0, 0};
  uint32_t of = UINT32_MAX, rows_before = 0;
  for (uint32_t u = plan_lane(); u < units; u += PLAN_LANES) {
    const uint32_t which = m->unit_parts[u], place = m->places[u];
    if (which != of) {
      of = which;
      big = m->sorted[which];
      tile = m->tiles[big.tile];
      parts = plan_parts_of(p, tile.first, tile.count, length);
      rows_before = m->before[big.tile].rows;
    }
    const plan_heads heads = plan_heads_of(&groups, big.shift, u - big.begin);
    plan_write(p, m, &tile, rows_before, &parts, big.part, heads.begin,
               heads.end, s->order[place & UINT16_MAX] + (place >> 16));
  }
}

//===- Whole --------------------------------------------------------------===//

PLAN_INLINE void plan_clear(const plan_problem *p, PLAN_NEAR plan_shared *s) {
  for (uint32_t w = plan_lane(); w < p->lists; w += PLAN_LANES) {
    s->load[w] = 0;
    s->dealt[w] = 0;
  }
  plan_clear_bins(s);
}

/// The first half: what each tile visits, and how long parts are.
typedef struct plan_found {
  uint32_t tiles;
  uint64_t visits; ///< tiles of keys, of the own lanes
  bool is_even;    ///< nothing was looked for
} plan_found;

/// `has_length`: s->length is known.
PLAN_INLINE plan_found plan_find_work(const plan_problem *p,
                                      const plan_memory *m,
                                      PLAN_NEAR plan_shared *s,
                                      bool has_length) {
  plan_found found = {0, 0, false};
  // Once for both halves: the host's second one may know that nothing is
  // divided, where the kernel's does not.
  found.is_even = plan_is_even(p);
  if (found.is_even)
    return found;
  plan_clear(p, s);
  found.tiles = plan_count_tiles(p, m, s);
  found.visits = plan_visit_tiles(p, m, s, found.tiles);
  plan_meet();
  if (plan_is_first_wave() && !has_length) {
    if (p->rules.split == FMHAC_WORK_SPLIT_AUTO)
      plan_choose_length(p, s);
    else if (plan_in_wave() == 0)
      s->length = p->chunk.value;
  }
  plan_meet();
  return found;
}

/// Of a queue the first lists, one for each workgroup, are the longest, and as
/// many after them shorter by one step, so that the last ones, which end the
/// launch, are short: of four for each workgroup 4, 3, 2 and 1 tenths of its
/// share. A shorter list begins with a load: as much as it lacks.
/// Returns the sum of that.
PLAN_INLINE uint64_t plan_shorten_lists(const plan_problem *p,
                                        PLAN_NEAR plan_shared *s,
                                        uint64_t costs) {
  const uint32_t w = p->sizes.workgroups, lists = p->lists;
  const uint32_t steps = p->rules.queue_lists;
  if (!p->rules.queue)
    return 0;
  const uint64_t step = plan_divide_wide(2 * costs, w) / (steps * (steps + 1));
  uint64_t load = 0, all = 0;
  for (uint32_t begin = 0; begin < lists; begin += w, load += step) {
    const uint32_t past = plan_min(lists, begin + w);
    for (uint32_t l = begin + plan_lane(); l < past; l += PLAN_LANES)
      s->load[l] = load;
    all += load * (past - begin);
  }
  return all;
}

/// What parts the lists are made of: all tiles, and the cost of the batch. With
/// them go s->length, s->big and s->bin_shift.
typedef struct plan_work {
  uint32_t tiles;
  uint64_t costs;
} plan_work;

/// Decides which parts are dealt unit by unit.
PLAN_INLINE plan_work plan_choose_work(const plan_problem *p,
                                       const plan_memory *m,
                                       PLAN_NEAR plan_shared *s,
                                       const plan_found *found) {
  const uint32_t tiles = found->tiles;
  const uint64_t costs = plan_count_cost(p, m, s, tiles, found->visits);
  if (plan_is_first_wave())
    plan_choose_bigs(p, s, costs);
  return (plan_work){tiles, costs};
}

/// Makes the lists.
PLAN_INLINE void plan_deal_parts(const plan_problem *p, const plan_memory *m,
                                 PLAN_NEAR plan_shared *s,
                                 const plan_work *work) {
  const uint32_t tiles = work->tiles;
  const uint64_t all_loads =
      work->costs + plan_shorten_lists(p, s, work->costs);
  const uint64_t share = plan_divide_wide(all_loads + p->lists - 1, p->lists);
  plan_meet();
  const uint32_t big = s->big;
  const plan_before all = plan_lay_out(p, m, s, tiles, big);
  plan_meet();
  uint32_t units = 0;
  if (all.bigs) {
    units = plan_sort_bigs(p, m, s, all.bigs, big);
    plan_deal_bigs(p, m, s, units, share);
  }
  plan_fill(p, s, all.costs, share);
  plan_cut_runs(p, m, s, &all, tiles);
  plan_write_indptr(p, m, s);
  plan_meet();
  plan_write_runs(p, m, s, tiles);
  plan_write_bigs(p, m, s, units);
}

/// The second half: the lists.
PLAN_INLINE void plan_deal_work(const plan_problem *p, const plan_memory *m,
                                PLAN_NEAR plan_shared *s,
                                const plan_found *found) {
  if (found->is_even) {
    plan_deal_even(p, m, s);
    return;
  }
  const plan_work work = plan_choose_work(p, m, s, found);
  plan_deal_parts(p, m, s, &work);
}

/// How many lists there are, without those at the end that are empty: nobody is
/// to wait for one. After plan_deal_work().
PLAN_INLINE uint32_t plan_count_lists(const plan_problem *p,
                                      PLAN_NEAR plan_shared *s) {
  uint64_t own = 0, all;
  plan_meet();
  for (uint32_t l = plan_lane(); l < p->lists; l += PLAN_LANES)
    own += s->order[l] < s->items;
  plan_scan(own, &all, s->room);
  return (uint32_t)all;
}

#endif // FMHAC_LIB_WORK_DEAL_H
