// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Costs of all parts of a batch, in bins that ascend, with eight of them an
/// octave.
#ifndef FMHAC_LIB_WORK_COSTS_H
#define FMHAC_LIB_WORK_COSTS_H

#include "work_memory.h"

PLAN_INLINE uint32_t plan_bin_of(uint32_t cost) {
  if (cost < 16)
    return cost;
  const uint32_t octave = plan_log2(cost);
  return 8 * (octave - 2) + (cost >> (octave - 3) & 7);
}

/// The least cost of a bin.
PLAN_INLINE uint32_t plan_bin_least(uint32_t bin) {
  return bin < 16 ? bin : (8 + (bin & 7)) << (bin / 8 - 1);
}

PLAN_INLINE void plan_clear_bins(PLAN_NEAR plan_shared *s) {
  for (uint32_t bin = plan_lane(); bin < PLAN_BINS; bin += PLAN_LANES)
    s->bin_parts[bin] = s->bin_most[bin] = 0;
}

PLAN_INLINE void plan_note_cost(PLAN_NEAR plan_shared *s, uint32_t cost,
                                uint32_t parts) {
  const uint32_t bin = plan_bin_of(cost);
  plan_add(&s->bin_parts[bin], parts);
  plan_raise(&s->bin_most[bin], cost);
}

/// One wave: lists the bins that have parts, from the largest.
PLAN_INLINE void plan_find_bins(PLAN_NEAR plan_shared *s) {
  uint32_t found = 0;
  for (uint32_t at = 0; at < PLAN_BINS; at += PLAN_WAVE) {
    const uint32_t bin = PLAN_BINS - 1 - at - plan_in_wave();
    const uint32_t parts = s->bin_parts[bin], most = s->bin_most[bin];
    uint64_t sum;
    const uint32_t to = found + (uint32_t)plan_scan_wave(parts > 0, &sum);
    found += (uint32_t)sum;
    if (parts) {
      s->found_parts[to] = parts;
      s->found_most[to] = most;
    }
  }
  if (plan_in_wave() == 0)
    s->found = found;
  plan_meet_wave();
}

/// Of the heads of a unit: the largest power of two, up to all heads, for which
/// parts of this cost cost at most `target`; log2.
PLAN_INLINE uint32_t plan_unit_shift(const plan_problem *p, uint32_t cost,
                                     uint64_t target) {
  const uint32_t heads = p->heads;
  const uint32_t all = heads > 1 ? plan_log2(heads - 1) + 1 : 0;
  // Costs of units stay below 2^31.
  const uint32_t most = plan_min(all, 30 - plan_log2(cost));
  uint32_t shift = 0;
  while (shift < most && (uint64_t)cost << (shift + 1) <= target)
    ++shift;
  return shift;
}

/// One wave: decides which parts are dealt unit by unit. The units shrink with
/// the work that is left, to half of what a list still gets, so that they are
/// few, and the last ones small.
PLAN_INLINE void plan_choose_bigs(const plan_problem *p,
                                  PLAN_NEAR plan_shared *s, uint64_t costs) {
  const uint64_t heads = p->heads, workgroups = p->sizes.workgroups;
  const uint64_t share =
      plan_divide_wide(costs + workgroups - 1, p->sizes.workgroups);
  const uint64_t small = share / p->rules.small_share;
  const uint32_t half = plan_log2(p->lists) + 1;
  uint64_t rest = costs, units = 0, parts = 0;
  uint32_t big = UINT32_MAX;
  plan_find_bins(s);
  // All of one cost: runs are as good.
  const bool is_even =
      s->found == 1 && costs == heads * s->found_parts[0] * s->found_most[0];
  const uint32_t found = is_even ? 0 : s->found;
  for (uint32_t i = 0; i < found; ++i)
    parts += s->found_parts[i];
  for (uint32_t i = 0; i < found && s->found_most[i] > small; ++i) {
    const uint32_t most = s->found_most[i], bin = plan_bin_of(most);
    const uint64_t own = s->found_parts[i] * heads * most;
    rest = rest > own ? rest - own : 0;
    const uint64_t target = rest >> half > small ? rest >> half : small;
    const uint32_t shift = plan_unit_shift(p, most, target);
    units += s->found_parts[i] * ((heads + (1u << shift) - 1) >> shift);
    if (plan_in_wave() == 0)
      s->bin_shift[bin] = shift;
    big = plan_bin_least(bin);
  }
  if (units > plan_few_units(&p->rules) * workgroups ||
      parts > p->rules.few_parts * workgroups) {
    big = UINT32_MAX;
    for (uint32_t i = 0; i < found; ++i) {
      const uint32_t bin = plan_bin_of(s->found_most[i]);
      if (plan_bin_least(bin) <= share / p->rules.large_share)
        break;
      if (plan_in_wave() == 0)
        s->bin_shift[bin] = 0;
      big = plan_bin_least(bin);
    }
  }
  if (plan_in_wave() == 0)
    s->big = big;
}

#endif // FMHAC_LIB_WORK_COSTS_H
