// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lists of work, made on the host: which workgroup computes which rows, keys
/// and heads of a batch (work_list.h). A kernel of the artefact makes the same
/// lists from lengths on the device, bit by bit.
///
/// The cost of a tile of rows is the number of tiles of keys that it visits
/// under the mask, and a few more. Where it is small beside a workgroup's
/// share, tiles are dealt in runs, in the order of memory; where it is large,
/// some heads at a time, heaviest first, each to the workgroup with the least
/// so far. With split_kv the keys of a tile may be divided: `auto` where that
/// shortens the whole, and `fixed` at multiples of split_chunk keys of the
/// sequence.
#ifndef FMHAC_WORK_H
#define FMHAC_WORK_H

#include "fmhac.h"
#include "work_list.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for the lists of every problem up to a plan's maxima.
typedef struct fmhac_work_room {
  size_t size;            ///< sizeof(fmhac_work_room), set by the caller
  uint64_t items;         ///< of fmhac_work_lists.items
  uint64_t combine_items; ///< 0 without parts of keys
  uint64_t part_rows;     ///< rows of part_o and part_lse (fmhac_abi.h)
  uint64_t scratch_bytes; ///< of fmhac_plan_work()
} fmhac_work_room;

/// A pure function of the plan and the number of workgroups, from 1 to 2048.
/// Errors: INVALID_INPUT (`workgroups`, `size`; a split_chunk that is no
/// multiple of the kernel's tile of keys), UNSUPPORTED (more items, or rows of
/// parts, than 2^31 - 1).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_plan_work_room(
    const fmhac_plan *plan, uint32_t workgroups, fmhac_work_room *out_room);

/// Lengths of sequences, in host memory: those arrays that the plan's
/// configuration has, as fmhac_tensors has them on the device.
typedef struct fmhac_work_lengths {
  size_t size; ///< sizeof(fmhac_work_lengths), set by the caller
  const int32_t *cu_seqlens_q;     ///< [B+1]
  const int32_t *cu_seqlens_kv;    ///< [B+1]
  const int32_t *seqlens_q;        ///< [B]
  const int32_t *seqlens_kv;       ///< [B]
  const int32_t *kv_indptr;        ///< [B+1]
  const int32_t *kv_last_page_len; ///< [B]
} fmhac_work_lengths;

/// Lists in the caller's memory, with the room of fmhac_plan_work_room().
typedef struct fmhac_work_lists {
  size_t size;     ///< sizeof(fmhac_work_lists), set by the caller
  int32_t *indptr; ///< [workgroups+1], where the items of each workgroup begin
  fmhac_work_item *items;
  fmhac_combine_item *combine_items; ///< NULL if it has no room
  int32_t *combine_count;            ///< [1]; NULL if split_kv is none
} fmhac_work_lists;

/// Makes the lists of one problem, which may be smaller than the plan's: for
/// arrays of lengths only batch and heads are of interest, without them also
/// seqlen_q and seqlen_kv. `scratch` has room->scratch_bytes bytes, aligned to
/// 16. Nothing is allocated. Several threads may do so at the same time, each
/// with memory of its own.
/// Errors: INVALID_INPUT (`workgroups`, `size`; an array that is missing or a
/// null pointer; lengths that are negative or beyond the plan's; a problem
/// beyond the plan's), UNSUPPORTED (as fmhac_plan_work_room()).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_work(const fmhac_plan *plan, const fmhac_problem *problem,
                uint32_t workgroups, const fmhac_work_lengths *lengths,
                const fmhac_work_lists *lists, void *scratch);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_WORK_H
