// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Batches whose sequences are all of one length, as sizes say: the costliest
/// units come first, heads of one tile side by side, and workgroups take them
/// in turns, there and back. Costs are equal, or fall by steps of one size, so
/// that a way there and one back add up to about the same for each workgroup:
/// of 256 workgroups the one with the most has up to 7 % more than with the
/// general way, and no more in most cases. Nothing is sorted or measured: a
/// unit's place follows from its number.
#ifndef FMHAC_LIB_WORK_EVEN_H
#define FMHAC_LIB_WORK_EVEN_H

#include "work_record.h"
#include "work_share.h"

/// Whether the lists are made here. All but sizes is known when the planner's
/// kernel is compiled. With more rows than keys costs do not fall by steps of
/// one size: the rows of some tiles see no key, or all do.
PLAN_INLINE bool plan_is_even(const plan_problem *p) {
  const fmhac_work_sizes *s = &p->sizes;
  const bool has_steps = p->rules.mask == FMHAC_WORK_MASK_NONE ||
                         ((p->rules.mask == FMHAC_WORK_MASK_CAUSAL ||
                           p->rules.mask == FMHAC_WORK_MASK_CAUSAL_TOP_LEFT) &&
                          s->seqlen_q <= s->seqlen_kv);
  if (p->rules.lengths || p->rules.split != FMHAC_WORK_SPLIT_NONE ||
      !has_steps || plan_is_bounded(s))
    return false;
  const uint64_t units =
      (uint64_t)s->batch * p->heads *
      plan_divide_up(s->seqlen_q * p->group.value, p->tile_m);
  return units <= (uint64_t)plan_few_units(&p->rules) * s->workgroups;
}

/// The workgroup, or list, of a place in a turn. On the way back the eight that
/// stand side by side keep their order: each is on an XCD of its own, where the
/// same heads then come again.
PLAN_INLINE uint32_t plan_even_workgroup(const plan_problem *p, uint32_t turn,
                                         uint32_t place) {
  const uint32_t workgroups = p->lists;
  const uint32_t xcds = workgroups % p->rules.xcds ? 1 : p->rules.xcds;
  return turn & 1 ? workgroups - xcds - place + 2 * (place % xcds) : place;
}

PLAN_INLINE void plan_deal_even(const plan_problem *p, const plan_memory *m,
                                PLAN_NEAR plan_shared *s) {
  const uint32_t workgroups = p->lists, heads = p->heads;
  const uint32_t rows = p->sizes.seqlen_q, keys = p->sizes.seqlen_kv;
  const uint32_t all_rows = rows * p->group.value; // of a tile's heads
  const uint32_t tiles = plan_divide_up(all_rows, p->tile_m);
  const uint32_t each = p->sizes.batch * heads; // units of a tile of rows
  const uint32_t units = each * tiles;
  const uint32_t turns = units / workgroups, rest = units % workgroups;
  const plan_groups groups = plan_groups_of(p);
  // A place is to a workgroup what the workgroup is to the place.
  uint64_t before = 0;
  for (uint32_t at = 0; at < workgroups; at += PLAN_LANES) {
    const uint32_t w = at + plan_lane();
    const bool in = w < workgroups;
    uint64_t sum;
    const uint64_t to =
        before +
        plan_scan(in && plan_even_workgroup(p, turns, w) < rest, &sum, s->room);
    before += sum;
    if (in) {
      s->order[w] = turns * w + (uint32_t)to;
      m->work_indptr[w] = (int32_t)s->order[w];
    }
  }
  if (plan_lane() == 0) {
    m->work_indptr[workgroups] = (int32_t)units;
    s->items = units;
  }
  plan_meet();
  for (uint32_t u = plan_lane(); u < units; u += PLAN_LANES) {
    const uint32_t turn = u / workgroups, place = u - turn * workgroups;
    const uint32_t w = plan_even_workgroup(p, turn, place);
    const uint32_t down = u / each, of_tile = u - down * each;
    const uint32_t b = of_tile / heads;
    const plan_heads head = plan_heads_of(&groups, 0, of_tile - b * heads);
    const uint32_t begin = (tiles - 1 - down) * p->rules.tile_m;
    const uint32_t end = begin + plan_min(all_rows - begin, p->rules.tile_m);
    const plan_visit visit = plan_visit_of(p, begin, end, rows, keys);
    const plan_tile tile = {b,           begin,       end,         keys,
                            visit.first, visit.count, visit.limit, 0};
    const plan_parts parts =
        plan_parts_of(p, tile.first, tile.count, tile.count);
    plan_write(p, m, &tile, 0, &parts, 0, head.begin, head.end,
               s->order[w] + turn);
  }
}

#endif // FMHAC_LIB_WORK_EVEN_H
