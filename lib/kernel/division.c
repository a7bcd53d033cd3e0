// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "division.h"

#include "fmhac_abi.h"
#include "launch_when.h"
#include "work.h"

bool fmhac_entry_takes_lists(const fmhac_entry *entry) {
  return entry->required_args >> FMHAC_ARGS_WORK_BIT & 1;
}

bool fmhac_entry_finds_runs(const fmhac_entry *entry) {
  return entry->role == FMHAC_ROLE_ATTENTION &&
         entry->required_args >> FMHAC_ARGS_RUNS_BIT & 1;
}

/// Whether no sequence is within the bound beyond those of the kernels before,
/// however many heads share one of K and V.
static bool leaves_none(const fmhac_work_rows *before,
                        const fmhac_row_bound *bound) {
  return bound->most <= before->above ||
         (bound->of_group && bound->most <= before->group_above);
}

void fmhac_divide(const fmhac_config_values *values, const fmhac_entry *entries,
                  size_t count, size_t chosen, fmhac_division *out) {
  *out = (fmhac_division){.count = 0};
  fmhac_work_rows above = {0};
  const bool is_divided = fmhac_config_has_row_lengths(values);
  for (size_t i = 0; is_divided && i < chosen && i < count; ++i) {
    fmhac_row_bound bound;
    if (entries[i].role != FMHAC_ROLE_ATTENTION ||
        !fmhac_entry_takes_lists(&entries[i]) ||
        !fmhac_when_bounds_rows(entries[i].when, &bound) ||
        leaves_none(&above, &bound) ||
        out->count + 1 == FMHAC_WORK_MOST_KERNELS)
      continue;
    fmhac_work_rows own = above;
    *(bound.of_group ? &own.group_most : &own.most) = bound.most;
    *(bound.of_group ? &above.group_above : &above.above) = bound.most;
    out->kernels[out->count++] = (fmhac_divided){.entry = i, .rows = own};
  }
  out->kernels[out->count++] = (fmhac_divided){.entry = chosen, .rows = above};
}

uint32_t fmhac_divided_most_rows(const fmhac_divided *kernel, uint32_t group) {
  if (!kernel->rows.group_most)
    return kernel->rows.most;
  const uint32_t most = kernel->rows.group_most / group;
  return most ? most : 1; // of none, with a larger group
}
