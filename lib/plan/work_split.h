// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long the parts of keys are.
///
/// Of each candidate the time of the batch is estimated from below: it is not
/// less than a workgroup's share of all work, and not less than k times the
/// (k - 1) W + 1st largest unit, since of k W - W + 1 units that are as large
/// some workgroup has k. The shortest wins, and of equal ones the longest
/// parts.
#ifndef FMHAC_LIB_WORK_SPLIT_H
#define FMHAC_LIB_WORK_SPLIT_H

#include "work_costs.h"

enum {
  PLAN_CANDIDATES = 64,
  PLAN_ONE_BY_ONE = 32, ///< of these, of 1, 2, ... parts
  PLAN_TURNS = 4        ///< units of a workgroup that the estimate looks at
};
/// A length that divides nothing.
#define PLAN_WHOLE UINT32_MAX

/// The cost of the batch's longest workgroup if parts have at most `length`
/// tiles of keys; UINT64_MAX: these are too many parts.
PLAN_INLINE uint64_t plan_estimate(const plan_problem *p,
                                   PLAN_NEAR const plan_shared *s,
                                   uint32_t length) {
  const uint64_t heads = p->heads, w = p->sizes.workgroups;
  const uint32_t bins = s->found;
  uint64_t estimate = 0, units = 0, divided = 0, costs = 0;
  uint32_t turn = 0; // units of all turns so far are at most turn * w
  for (uint32_t i = 0; i < bins; ++i) {
    uint32_t cost = s->found_most[i];
    const uint32_t most = cost - p->rules.item_cost;
    const uint64_t tiles = s->found_parts[i];
    uint64_t parts = tiles;
    if (most > length) {
      parts *= (most + length - 1) / length;
      cost = length + p->rules.item_cost + p->rules.part_cost;
      divided += parts;
      costs += parts * p->rules.part_cost;
    }
    costs += tiles * most + parts * p->rules.item_cost;
    units += parts * heads;
    for (; turn < PLAN_TURNS && units > turn * w; ++turn) {
      const uint64_t least = (uint64_t)(turn + 1) * cost;
      estimate = least > estimate ? least : estimate;
    }
  }
  const uint64_t share = (costs * heads + w - 1) / w;
  estimate = share > estimate ? share : estimate;
  if (divided)
    estimate += p->rules.combine_cost;
  return divided * heads > p->rules.most_parts * w ? UINT64_MAX : estimate;
}

/// Into how many parts candidate i divides the longest. `alike`: units whose
/// keys are more than half of its, undivided.
PLAN_INLINE uint32_t plan_candidate(const plan_problem *p, uint32_t i,
                                    uint64_t alike) {
  enum { OCTAVE = 4 };
  if (i < PLAN_ONE_BY_ONE)
    return i + 1;
  if (i < PLAN_ONE_BY_ONE + PLAN_TURNS) // fill 1, 2, ... turns
    return plan_max(
        1, plan_min(UINT16_MAX, (uint32_t)((i - PLAN_ONE_BY_ONE + 1) *
                                           (uint64_t)p->sizes.workgroups /
                                           (alike ? alike : 1))));
  i -= PLAN_ONE_BY_ONE + PLAN_TURNS; // 40, 48, 56, 64, 80, 96, ...
  return (OCTAVE + 1 + i % OCTAVE) << (3 + i / OCTAVE);
}

/// One wave. Writes s->length.
PLAN_INLINE void plan_choose_length(const plan_problem *p,
                                    PLAN_NEAR plan_shared *s) {
  plan_find_bins(s);
  const uint32_t most = s->found ? s->found_most[0] - p->rules.item_cost : 0;
  const uint64_t whole = plan_estimate(p, s, PLAN_WHOLE);
  uint64_t costs = 0, alike = 0;
  for (uint32_t i = 0; i < s->found; ++i) {
    costs += (uint64_t)s->found_parts[i] * s->found_most[i];
    alike += 2 * (uint64_t)s->found_most[i] > most ? s->found_parts[i] : 0;
  }
  alike *= p->heads;
  const uint64_t share = costs * p->heads / p->sizes.workgroups;
  uint64_t best = UINT64_MAX;
  // A sixteenth above the share is as good as it gets.
  if (most > p->rules.least_part &&
      whole > share + share / 16 + p->rules.combine_cost)
    for (uint32_t at = 0; at < PLAN_CANDIDATES; at += PLAN_WAVE) {
      const uint32_t count = plan_candidate(p, at + plan_in_wave(), alike);
      const uint32_t length = (most + count - 1) / count;
      if (count > 1 && length < p->rules.least_part)
        continue;
      const uint64_t estimate = count > 1 ? plan_estimate(p, s, length) : whole;
      if (estimate < UINT32_MAX) {
        const uint64_t key = estimate << 32 | (UINT32_MAX - length);
        best = key < best ? key : best;
      }
    }
  best = plan_least_of_wave(best);
  const uint32_t length = UINT32_MAX - (uint32_t)best;
  if (plan_in_wave() == 0)
    s->length = best == UINT64_MAX || length >= most ? PLAN_WHOLE : length;
}

#endif // FMHAC_LIB_WORK_SPLIT_H
