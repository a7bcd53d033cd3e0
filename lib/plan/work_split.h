// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long the parts of keys are.
///
/// Of each candidate the time of the batch is estimated from below: it is not
/// less than a workgroup's share of all steps, and not less than k times the
/// (k - 1) W + 1st largest unit, since of k W - W + 1 units that are as large
/// some workgroup has k. The shortest wins, and of equal ones the longest
/// parts.
#ifndef FMHAC_LIB_WORK_SPLIT_H
#define FMHAC_LIB_WORK_SPLIT_H

#include "work_costs.h"

enum {
  PLAN_CANDIDATES = 64,
  PLAN_ROUNDS = 4 ///< units of a workgroup that the estimate looks at
};
/// A step that divides nothing.
#define PLAN_WHOLE UINT32_MAX

/// Steps of the batch if parts have at most `step` tiles of keys; UINT64_MAX:
/// these are too many parts.
PLAN_INLINE uint64_t plan_estimate(const plan_problem *p,
                                   PLAN_NEAR const plan_shared *s,
                                   uint32_t step) {
  const uint64_t heads = p->sizes.heads_q, w = p->sizes.workgroups;
  const uint32_t bins = s->found;
  uint64_t estimate = 0, units = 0, divided = 0, steps = 0;
  uint32_t round = 0; // units of all rounds so far are at most round * w
  for (uint32_t i = 0; i < bins; ++i) {
    uint32_t cost = s->found_most[i];
    const uint32_t most = cost - p->rules.item_steps;
    const uint64_t tiles = s->found_parts[i];
    uint64_t parts = tiles;
    if (most > step) {
      parts *= (most + step - 1) / step;
      cost = step + p->rules.item_steps + p->rules.part_steps;
      divided += parts;
      steps += parts * p->rules.part_steps;
    }
    steps += tiles * most + parts * p->rules.item_steps;
    units += parts * heads;
    for (; round < PLAN_ROUNDS && units > round * w; ++round) {
      const uint64_t least = (uint64_t)(round + 1) * cost;
      estimate = least > estimate ? least : estimate;
    }
  }
  const uint64_t share = (steps * heads + w - 1) / w;
  estimate = share > estimate ? share : estimate;
  if (divided)
    estimate += p->rules.combine_steps;
  return divided * heads > p->rules.most_parts * w ? UINT64_MAX : estimate;
}

/// Into how many parts candidate i divides the longest. `alike`: units whose
/// keys are more than half of its, undivided.
PLAN_INLINE uint32_t plan_candidate(const plan_problem *p, uint32_t i,
                                    uint64_t alike) {
  enum { ONE_BY_ONE = 32, OCTAVE = 4 };
  if (i < ONE_BY_ONE)
    return i + 1;
  if (i < ONE_BY_ONE + PLAN_ROUNDS) // fill 1, 2, ... rounds
    return plan_max(
        1, plan_min(UINT16_MAX, (uint32_t)((i - ONE_BY_ONE + 1) *
                                           (uint64_t)p->sizes.workgroups /
                                           (alike ? alike : 1))));
  i -= ONE_BY_ONE + PLAN_ROUNDS; // 40, 48, 56, 64, 80, 96, ...
  return (OCTAVE + 1 + i % OCTAVE) << (3 + i / OCTAVE);
}

/// One wave. Writes s->step.
PLAN_INLINE void plan_choose_step(const plan_problem *p,
                                  PLAN_NEAR plan_shared *s) {
  plan_find_bins(s);
  const uint32_t most = s->found ? s->found_most[0] - p->rules.item_steps : 0;
  const uint64_t whole = plan_estimate(p, s, PLAN_WHOLE);
  uint64_t steps = 0, alike = 0;
  for (uint32_t i = 0; i < s->found; ++i) {
    steps += (uint64_t)s->found_parts[i] * s->found_most[i];
    alike += 2 * (uint64_t)s->found_most[i] > most ? s->found_parts[i] : 0;
  }
  alike *= p->sizes.heads_q;
  const uint64_t share = steps * p->sizes.heads_q / p->sizes.workgroups;
  uint64_t best = UINT64_MAX;
  // A sixteenth above the share is as good as it gets.
  if (most > p->rules.least_part &&
      whole > share + share / 16 + p->rules.combine_steps)
    for (uint32_t at = 0; at < PLAN_CANDIDATES; at += PLAN_WAVE) {
      const uint32_t count = plan_candidate(p, at + plan_in_wave(), alike);
      const uint32_t step = (most + count - 1) / count;
      if (count > 1 && step < p->rules.least_part)
        continue;
      const uint64_t estimate = count > 1 ? plan_estimate(p, s, step) : whole;
      if (estimate < UINT32_MAX) {
        const uint64_t key = estimate << 32 | (UINT32_MAX - step);
        best = key < best ? key : best;
      }
    }
  best = plan_least_of_wave(best);
  const uint32_t step = UINT32_MAX - (uint32_t)best;
  if (plan_in_wave() == 0)
    s->step = best == UINT64_MAX || step >= most ? PLAN_WHOLE : step;
}

#endif // FMHAC_LIB_WORK_SPLIT_H
