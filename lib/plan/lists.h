// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Planning on the host, for whoever has checked what it gives.
#ifndef FMHAC_LIB_LISTS_H
#define FMHAC_LIB_LISTS_H

#include "work_list.h"
#include "work_plan.h"

/// The policy of work_policy.def, and nothing else filled in.
fmhac_work_rules fmhac_work_rules_default(void);

/// Room for every batch of up to these sizes, of as many workgroups. Sizes and
/// rules are at least 1 where they are divisors. Numbers are right for sizes
/// below 2^31, and UINT64_MAX where they have no 64 bits.
fmhac_list_room fmhac_list_room_of(const fmhac_work_rules *rules,
                                   const fmhac_work_sizes *sizes);

/// The same of runs of work (work_runs.h). UINT64_MAX items: some line might be
/// of 2^24 tiles of keys or more.
fmhac_list_room fmhac_run_room_of(const fmhac_work_rules *rules,
                                  const fmhac_work_sizes *sizes);

/// Raises what `all` has room for to that of another, number by number.
void fmhac_list_room_raise(fmhac_list_room *all, const fmhac_list_room *other);

/// Arrays of lengths on the host; those that `lengths` of the rules does not
/// name are not read.
typedef struct fmhac_list_lengths {
  const int32_t *cu_seqlens_q, *cu_seqlens_kv, *seqlens_q, *seqlens_kv,
      *kv_indptr, *kv_last_page_len;
} fmhac_list_lengths;

typedef struct fmhac_lists {
  int32_t *work_indptr; ///< [lists + 1]
  fmhac_work_item *work_items;
  fmhac_combine_item *combine_items; ///< with parts, as combine_count
  int32_t *combine_count;
} fmhac_lists;

/// Fills the lists. Lengths may be anything: a sequence with one below 0 or
/// beyond `sizes` is left out, and so are all from the first one on that makes
/// rows or keys more than they may be together. So nothing is written beyond
/// the room, here or by a kernel that walks the lists. `scratch` has
/// scratch_bytes of the room, aligned to 16.
void fmhac_lists_fill(const fmhac_work_rules *rules,
                      const fmhac_work_sizes *sizes,
                      const fmhac_list_lengths *lengths,
                      const fmhac_lists *lists, void *scratch);

/// What each workgroup of a kernel with runs of work finds, as lists: items of
/// one head each, in the order of memory for one workgroup after the other.
/// Lengths may be anything, as above.
void fmhac_runs_fill(const fmhac_work_rules *rules,
                     const fmhac_work_sizes *sizes,
                     const fmhac_list_lengths *lengths,
                     const fmhac_lists *lists);

#endif // FMHAC_LIB_LISTS_H
