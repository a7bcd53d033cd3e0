// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which workgroup gets what.
///
/// Large units are dealt in turns. In each turn every workgroup that is below
/// its share gets one: the costliest unit goes to the workgroup with the least
/// so far. What is then left of the shares, up to one level, is laid end to
/// end, and all small units beside it in the order of memory.
#ifndef FMHAC_LIB_WORK_SHARE_H
#define FMHAC_LIB_WORK_SHARE_H

#include "work_costs.h"

//===- Sorting ------------------------------------------------------------===//
//
// By counting, stable. Each wave has a run of what is sorted, and bins of its
// own for it, so that those of one bin stand in the order of waves, then of
// lanes.

/// Bins of loads: few, as there is a sort in every turn.
enum { PLAN_LOAD_BINS = 64 };

/// Those of [begin, end) are the own wave's.
typedef struct plan_span {
  uint32_t begin, end;
} plan_span;

PLAN_INLINE plan_span plan_span_of_wave(uint32_t count) {
  const uint32_t costs = (count + PLAN_LANES - 1) / PLAN_LANES;
  const uint32_t begin = plan_min(count, plan_wave() * costs * PLAN_WAVE);
  return (plan_span){begin, plan_min(count, begin + costs * PLAN_WAVE)};
}

PLAN_INLINE void plan_open_bins(PLAN_NEAR plan_shared *s, uint32_t bins) {
  for (uint32_t i = plan_lane(); i < bins * PLAN_WAVES; i += PLAN_LANES)
    s->bins[i] = 0;
  plan_meet();
}

/// In a pass of the wave through its span.
PLAN_INLINE void plan_count_in_bin(PLAN_NEAR plan_shared *s, uint32_t bin,
                                   bool in) {
  if (in)
    plan_add(&s->bins[bin * PLAN_WAVES + plan_wave()], 1);
}

/// Returns how many were counted.
PLAN_INLINE uint32_t plan_start_bins(PLAN_NEAR plan_shared *s, uint32_t bins) {
  plan_meet();
  uint64_t before = 0, sum;
  for (uint32_t at = 0; at < bins * PLAN_WAVES; at += PLAN_LANES) {
    const uint32_t i = at + plan_lane();
    const bool in = i < bins * PLAN_WAVES;
    const uint64_t to = before + plan_scan(in ? s->bins[i] : 0, &sum, s->room);
    if (in)
      s->bins[i] = (uint32_t)to;
    before += sum;
  }
  plan_meet();
  return (uint32_t)before;
}

/// Where it goes, in the order of the passes and of the lanes.
PLAN_INLINE uint32_t plan_place_in_bin(PLAN_NEAR plan_shared *s, uint32_t bin,
                                       bool in) {
  const uint64_t equals = plan_equals(bin, in);
  const uint32_t before = plan_below(equals);
  PLAN_NEAR uint32_t *next = &s->bins[bin * PLAN_WAVES + plan_wave()];
  const uint32_t to = in ? *next + before : 0;
  plan_meet_wave();
  if (in && before == 0)
    *next = to + (uint32_t)__builtin_popcountll(equals);
  plan_meet_wave();
  return to;
}

/// The least shift after which numbers up to `most` are below `bins`.
PLAN_INLINE uint32_t plan_bin_shift(uint64_t most, uint32_t bins) {
  uint32_t shift = 0;
  while (most >> shift >= bins)
    ++shift;
  return shift;
}

//===- Large units --------------------------------------------------------===//

/// Units of a part.
PLAN_INLINE uint32_t plan_units_of(const plan_problem *p, uint32_t shift) {
  return (p->heads + (1u << shift) - 1) >> shift;
}

/// The bin of a part by the cost of its units, sixteen an octave, the costliest
/// first; `least`: about that of the cheapest ones.
PLAN_INLINE uint32_t plan_sort_bin(const plan_big *big, uint32_t least) {
  const uint32_t cost = big->cost << big->shift;
  const uint32_t fine = plan_bin_of(cost) * 2;
  const uint32_t octave = plan_log2(cost);
  const uint32_t bin =
      cost < 16 ? fine : fine + (octave > 3 ? cost >> (octave - 4) & 1 : 0);
  const uint32_t base = plan_bin_of(least) * 2;
  return PLAN_BINS - 1 - plan_min(PLAN_BINS - 1, bin > base ? bin - base : 0);
}

/// Finds the part of each unit.
PLAN_INLINE void plan_number_units(const plan_memory *m,
                                   PLAN_NEAR plan_shared *s, uint32_t bigs,
                                   uint32_t units) {
  for (uint32_t u = plan_lane(); u < units; u += PLAN_LANES)
    m->unit_parts[u] = 0;
  plan_meet();
  // A mark where each part but the first begins; the sum of marks is its
  // number.
  for (uint32_t i = plan_lane() + 1; i < bigs; i += PLAN_LANES)
    m->unit_parts[m->sorted[i].begin] = 1;
  plan_meet();
  uint64_t before = 0;
  for (uint32_t at = 0; at < units; at += PLAN_LANES) {
    const uint32_t u = at + plan_lane();
    const uint32_t mark = u < units ? m->unit_parts[u] : 0;
    uint64_t sum;
    const uint64_t below = before + plan_scan(mark, &sum, s->room);
    before += sum;
    if (u < units)
      m->unit_parts[u] = (uint32_t)below + mark;
  }
  plan_meet();
}

/// Sorts the big parts, those with the costliest units first, and numbers their
/// units. Returns how many units these are.
PLAN_INLINE uint32_t plan_sort_bigs(const plan_problem *p, const plan_memory *m,
                                    PLAN_NEAR plan_shared *s, uint32_t bigs,
                                    uint32_t least) {
  const plan_span span = plan_span_of_wave(bigs);
  plan_open_bins(s, PLAN_BINS);
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t i = at + plan_in_wave();
    const bool in = i < span.end;
    const plan_big big = in ? m->bigs[i] : (plan_big){0, 0, 1, 0, 0};
    plan_count_in_bin(s, plan_sort_bin(&big, least), in);
  }
  plan_start_bins(s, PLAN_BINS);
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t i = at + plan_in_wave();
    const bool in = i < span.end;
    const plan_big big = in ? m->bigs[i] : (plan_big){0, 0, 1, 0, 0};
    const uint32_t to = plan_place_in_bin(s, plan_sort_bin(&big, least), in);
    if (in)
      m->sorted[to] = big;
  }
  plan_meet();
  uint64_t before = 0;
  for (uint32_t at = 0; at < bigs; at += PLAN_LANES) {
    const uint32_t i = at + plan_lane();
    const bool in = i < bigs;
    const uint32_t units = in ? plan_units_of(p, m->sorted[i].shift) : 0;
    uint64_t sum;
    const uint32_t begin = (uint32_t)(before + plan_scan(units, &sum, s->room));
    before += sum;
    if (in)
      m->sorted[i].begin = begin;
  }
  plan_number_units(m, s, bigs, (uint32_t)before);
  return (uint32_t)before;
}

/// Sorts the workgroups that are below `share`, least loaded first. Returns how
/// many these are.
PLAN_INLINE uint32_t plan_sort_workgroups(PLAN_NEAR plan_shared *s,
                                          uint32_t workgroups, uint64_t share) {
  uint64_t least = share;
  for (uint32_t w = plan_lane(); w < workgroups; w += PLAN_LANES)
    least = s->load[w] < least ? s->load[w] : least;
  least = plan_least(least, s->room);
  const uint32_t shift = plan_bin_shift(share - least, PLAN_LOAD_BINS);
  const plan_span span = plan_span_of_wave(workgroups);
  plan_open_bins(s, PLAN_LOAD_BINS);
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t w = at + plan_in_wave();
    const bool in = w < span.end && s->load[w] < share;
    plan_count_in_bin(s, in ? (uint32_t)((s->load[w] - least) >> shift) : 0,
                      in);
  }
  const uint32_t count = plan_start_bins(s, PLAN_LOAD_BINS);
  for (uint32_t at = span.begin; at < span.end; at += PLAN_WAVE) {
    const uint32_t w = at + plan_in_wave();
    const bool in = w < span.end && s->load[w] < share;
    const uint32_t to = plan_place_in_bin(
        s, in ? (uint32_t)((s->load[w] - least) >> shift) : 0, in);
    if (in)
      s->order[to] = w;
  }
  plan_meet();
  return count;
}

/// Heads [begin, end) of a unit of a part.
typedef struct plan_heads {
  uint32_t begin, end;
} plan_heads;

/// How heads of Q share those of K and V.
typedef struct plan_groups {
  uint32_t heads, kv, size;
  uint64_t by_kv; ///< reciprocal of kv
} plan_groups;

PLAN_INLINE plan_groups plan_groups_of(const plan_problem *p) {
  const uint32_t heads = p->heads, kv = p->sizes.heads_kv;
  return (plan_groups){heads, kv, heads / kv, plan_reciprocal(kv)};
}

/// Heads of K and V take turns where a unit is of one of them: workgroups of
/// equal load stand in ascending order, so that mostly the heads of Q that
/// share one of K and V meet on one XCD.
/// `shift`: log2 of the heads of a unit.
PLAN_INLINE plan_heads plan_heads_of(const plan_groups *groups, uint32_t shift,
                                     uint32_t unit) {
  const uint32_t width = 1u << shift;
  uint32_t begin = unit << shift;
  if ((groups->size & (width - 1)) == 0) {
    const uint32_t turn = plan_quotient(unit, groups->by_kv);
    begin = (unit - turn * groups->kv) * groups->size + (turn << shift);
  }
  return (plan_heads){begin, plan_min(groups->heads, begin + width)};
}

/// Deals the units of the sorted parts.
PLAN_INLINE void plan_deal_bigs(const plan_problem *p, const plan_memory *m,
                                PLAN_NEAR plan_shared *s, uint32_t units,
                                uint64_t share) {
  const plan_groups groups = plan_groups_of(p);
  for (uint32_t unit = 0; unit < units;) {
    const uint32_t below = plan_sort_workgroups(s, p->lists, share);
    const uint32_t count = plan_min(below, units - unit);
    for (uint32_t i = plan_lane(); i < count; i += PLAN_LANES) {
      const uint32_t u = unit + i, w = s->order[i];
      const plan_big big = m->sorted[m->unit_parts[u]];
      const plan_heads heads = plan_heads_of(&groups, big.shift, u - big.begin);
      m->places[u] = w | s->dealt[w] << 16;
      s->dealt[w] += 1;
      s->load[w] += (uint64_t)big.cost * (heads.end - heads.begin);
    }
    plan_meet();
    unit += count;
  }
}

//===- Small units --------------------------------------------------------===//

/// Workgroups of one XCD stand side by side, so that neighbours in memory, as
/// the heads of one sequence, meet in its cache.
PLAN_INLINE uint32_t plan_place_of(const plan_problem *p, uint32_t w) {
  const uint32_t xcds = p->rules.xcds, workgroups = p->lists;
  const uint32_t xcd = w % xcds;
  return xcd * (workgroups / xcds) + plan_min(xcd, workgroups % xcds) +
         w / xcds;
}

/// Fills all workgroups to one level with work of this cost. Writes the bounds
/// of the places.
PLAN_INLINE void plan_fill(const plan_problem *p, PLAN_NEAR plan_shared *s,
                           uint64_t costs, uint64_t share) {
  const uint32_t workgroups = p->lists;
  uint64_t level = share;
  for (uint64_t last = 0; costs && level != last;) {
    // Of the workgroups below it, of which there are fewer each time.
    uint64_t load = 0, count = 0, all, below;
    for (uint32_t w = plan_lane(); w < workgroups; w += PLAN_LANES)
      if (s->load[w] < level) {
        load += s->load[w];
        ++count;
      }
    plan_scan(load, &all, s->room);
    plan_scan(count, &below, s->room);
    last = level;
    level = plan_divide_wide(costs + all + below - 1, (uint32_t)below);
  }
  for (uint32_t w = plan_lane(); w < workgroups; w += PLAN_LANES)
    s->bound[plan_place_of(p, w)] =
        costs && s->load[w] < level ? level - s->load[w] : 0;
  plan_meet();
  uint64_t before = 0, sum;
  for (uint32_t at = 0; at < workgroups; at += PLAN_LANES) {
    const uint32_t place = at + plan_lane();
    const uint64_t to =
        before +
        plan_scan(place < workgroups ? s->bound[place] : 0, &sum, s->room);
    if (place < workgroups)
      s->bound[place] = to;
    before += sum;
  }
  if (plan_lane() == 0)
    s->bound[workgroups] = UINT64_MAX;
  plan_meet();
}

#endif // FMHAC_LIB_WORK_SHARE_H
