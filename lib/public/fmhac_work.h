// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lists of work, made on the host: which workgroup computes which rows, keys
/// and heads of a batch (work_list.h). A kernel of the artefact makes the same
/// lists from lengths on the device, bit by bit.
///
/// A plan may divide a batch between kernels: with lengths of rows in memory,
/// and a schedule "if Sq <= N" (or "if Sq * Hq <= N * Hk") before the one for
/// more rows, sequences of up to N rows go to the lists of the first, all
/// others to those of the second, which are two launches. Which one a sequence
/// goes to depends on its own rows alone. A plan for N rows or fewer starts the
/// first kernel alone.
///
/// With work = list there is a list for each workgroup. With work = queue there
/// are more, up to 2048, and a workgroup that is free takes the next one; the
/// first ones are the longest, unless all sequences are of one length. With
/// work = auto a plan takes lists or the grid, by its maxima:
/// fmhac_plan_work_places() tells which.
///
/// With work = runs nobody makes lists, and there is no planner: all units, a
/// tile of rows for one head each, lie on a line in the order of memory, as
/// long as they cost, and each workgroup finds its own run of it, from lengths
/// on the device. Runs are of one length; of a unit that two or more share,
/// each has a part of the keys with split_kv = auto, and without it the one
/// that has the most of it has all. The last of those that share a unit
/// combines its parts. fmhac_plan_work() says what workgroups find. One kernel
/// takes all sequences. No workgroup adds up what others have: totals of the
/// plan are the caller's promise, and make no workspace smaller.
///
/// The cost of a tile of rows is the number of tiles of keys that it visits
/// under the mask, and a few more. Where it is small beside a workgroup's
/// share, tiles are dealt in runs, in the order of memory; where it is large,
/// some heads at a time, heaviest first, each to the workgroup with the least
/// so far. In most batches where sizes alone say how long sequences are, and
/// nothing is divided, tiles are dealt in turns, there and back, heaviest
/// first. With split_kv the keys of a tile may be divided: `auto` where that
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
  /// Rows of part_o and part_lse (fmhac_abi.h), of all kernels of attention.
  uint64_t part_rows;
  uint64_t scratch_bytes; ///< of fmhac_plan_work()
  /// Lists that the work of so many workgroups is dealt to: as many, or with
  /// work = queue more.
  uint64_t lists;
} fmhac_work_room;

/// A pure function of the plan and the number of workgroups that walk lists at
/// the same time, from 1 to 2048. Of a plan with several kernels of attention,
/// which have lists of their own, as much as any of them needs.
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
  int32_t *indptr; ///< [lists+1], where the items of each list begin
  fmhac_work_item *items;
  fmhac_combine_item *combine_items; ///< NULL if it has no room
  int32_t *combine_count;            ///< [1]; NULL if split_kv is none
  /// Whose lists these are: a kernel of attention of the plan, from 0; see
  /// fmhac_work_places.
  uint32_t kernel;
} fmhac_work_lists;

/// Makes the lists of one problem, for one of the plan's kernels of attention.
/// The problem may be smaller than the plan's: for
/// arrays of lengths only batch and heads are of interest, without them also
/// seqlen_q and seqlen_kv; totals are the plan's. `scratch` has
/// room->scratch_bytes bytes, aligned to 16; it is never NULL, also of 0 bytes.
/// With work = runs the lists say what workgroups find. A launch whose seqlen_q
/// or seqlen_kv is smaller than the plan's leaves out sequences that are longer
/// than these (fmhac.h); the host does not. Nothing is allocated. Several
/// threads may do so at the same time, each with memory of its own. Errors:
/// INVALID_INPUT (`workgroups`, `size`; an array that is missing or a null
/// pointer; lengths that are negative or beyond the plan's, alone or together;
/// a problem beyond the plan's; a `scratch` that is not aligned; a `kernel`
/// that the plan has not, or `lists` of a release that had no such field, where
/// it has several), UNSUPPORTED (as fmhac_plan_work_room()).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_work(const fmhac_plan *plan, const fmhac_problem *problem,
                uint32_t workgroups, const fmhac_work_lengths *lengths,
                const fmhac_work_lists *lists, void *scratch);

//===- Lists that several launches share ----------------------------------===//
//
// fmhac_launch() of a plan with lists starts the planner's kernel, attention,
// and, if keys may be divided, the combination. Layers of one step have the
// same lengths, so that lists need not be made for each:
//
//   fmhac_launch_planner(plan, device, &tensors_of[0], workspace, stream);
//   for (layer = 0; layer < layers; ++layer)
//     fmhac_launch_planned(plan, device, &tensors_of[layer], workspace,
//     stream);
//
// Launches that share a workspace come after each other, in one stream: parts
// of keys are in it, too.

/// Starts the planner's kernel alone. It reads the lengths of `tensors`, on the
/// device, and leaves the lists in the workspace. `tensors` are those of a
/// launch, whole, as its checks are made.
/// Errors: as fmhac_launch(); INVALID_INPUT (a plan without lists).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_launch_planner(
    const fmhac_plan *plan, fmhac_rt_device *device,
    const fmhac_tensors *tensors, void *workspace, void *stream);

/// Starts the launches after the planner's: attention walks the lists that are
/// in the workspace. They are those of the same plan, batch, heads and lengths,
/// from fmhac_launch_planner() or fmhac_launch(), or copied there from
/// fmhac_plan_work(); this is not checked.
/// Errors: as fmhac_launch(); INVALID_INPUT (a plan without lists).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_launch_planned(
    const fmhac_plan *plan, fmhac_rt_device *device,
    const fmhac_tensors *tensors, void *workspace, void *stream);

/// Where the lists of a plan's launches lie in the workspace, in bytes from its
/// start: where to copy lists that the host made. With work = runs a plan has
/// none.
typedef struct fmhac_work_places {
  size_t size;         ///< sizeof(fmhac_work_places), set by the caller
  uint32_t workgroups; ///< which walk lists: fmhac_plan_work() is to make
                       ///< those for as many; 0: the plan has no lists
  uint64_t indptr_offset_bytes;
  uint64_t items_offset_bytes;
  uint64_t combine_items_offset_bytes;
  uint64_t combine_count_offset_bytes; ///< used if keys may be divided
  /// With work = queue: of a fmhac_work_queue {0, lists, workgroups}. 0: there
  /// is none.
  uint64_t queue_offset_bytes;
  /// Kernels of attention that a launch starts, each with lists of its own; 0:
  /// the plan has no lists. `workgroups` and offsets are those of the first;
  /// those of kernel k lie k * kernel_stride_bytes further.
  uint32_t kernels;
  uint32_t kernel_workgroups[FMHAC_WORK_MOST_KERNELS];
  uint64_t kernel_stride_bytes;
} fmhac_work_places;

/// Errors: INVALID_INPUT (`size`).
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_plan_work_places(const fmhac_plan *plan, fmhac_work_places *out_places);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_WORK_H
