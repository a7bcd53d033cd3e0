// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which keys of work and of parts of keys go together.
#ifndef FMHAC_LIB_WORK_H
#define FMHAC_LIB_WORK_H

#include "config.h"

/// Refuses what contradicts itself: chunks without a length, a length without
/// chunks. Errors: INVALID_INPUT with the text in the context. Asked for as
/// fmhac_check_operands() is.
FMHAC_MUST_USE fmhac_status fmhac_check_work(fmhac_context *context,
                                             const fmhac_config_values *values);

/// Why this build has no kernel for such work; NULL if it has.
const char *fmhac_work_refusal(const fmhac_config_values *values);

/// Whether sequences have rows of their own, as lengths on the device say.
static inline bool
fmhac_config_has_row_lengths(const fmhac_config_values *values) {
  return values->cu_seqlens_q || values->seqlens_q;
}

/// Whether the code object has kernels for lists. Where the plan chooses, these
/// are for sequences that have lengths of their own, and for parts of keys,
/// which are always listed.
static inline bool fmhac_config_takes_lists(const fmhac_config_values *values) {
  if (values->role != FMHAC_ROLE_ATTENTION || values->work == FMHAC_WORK_RUNS)
    return false;
  if (values->work != FMHAC_WORK_AUTO)
    return values->work != FMHAC_WORK_GRID;
  return values->split_kv != FMHAC_SPLIT_KV_NONE || values->cu_seqlens_q ||
         values->cu_seqlens_kv || values->seqlens_q || values->seqlens_kv ||
         values->page_size;
}

/// Whether its kernels find their work themselves.
static inline bool fmhac_config_finds_runs(const fmhac_config_values *values) {
  return values->role == FMHAC_ROLE_ATTENTION &&
         values->work == FMHAC_WORK_RUNS;
}

/// Whether it has others for the grid beside them, so that a plan takes one.
static inline bool
fmhac_config_has_both_forms(const fmhac_config_values *values) {
  return values->work == FMHAC_WORK_AUTO &&
         values->split_kv == FMHAC_SPLIT_KV_NONE &&
         fmhac_config_takes_lists(values);
}

#endif // FMHAC_LIB_WORK_H
