// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "division.h"

#include "fmhac_abi.h"
#include "launch_when.h"
#include "work.h"

bool fmhac_entry_takes_lists(const fmhac_entry *entry) {
  return entry->required_args >> FMHAC_ARGS_WORK_BIT & 1;
}

void fmhac_divide(const fmhac_config_values *values, const fmhac_entry *entries,
                  size_t count, size_t chosen, fmhac_division *out) {
  *out = (fmhac_division){.count = 0};
  uint32_t above = 0;
  const bool is_divided = fmhac_config_has_row_lengths(values);
  for (size_t i = 0; is_divided && i < chosen && i < count; ++i) {
    uint32_t most;
    // One that leaves no rows beyond those before it takes no sequence.
    if (entries[i].role != FMHAC_ROLE_ATTENTION ||
        !fmhac_entry_takes_lists(&entries[i]) ||
        !fmhac_when_bounds_rows(entries[i].when, &most) || most <= above ||
        out->count + 1 == FMHAC_WORK_MOST_KERNELS)
      continue;
    out->kernels[out->count++] =
        (fmhac_divided){.entry = i, .rows_above = above, .rows_most = most};
    above = most;
  }
  out->kernels[out->count++] =
      (fmhac_divided){.entry = chosen, .rows_above = above};
}
