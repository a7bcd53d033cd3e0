// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lists of work: what a planner writes on the host or on the device, and what
/// kernels read. Eight i32 a record, in the order of AITER's metadata of
/// persistent kernels (csrc/kernels/mla/metadata), so that one scalar load
/// fetches a record.
#ifndef FMHAC_WORK_LIST_H
#define FMHAC_WORK_LIST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Words of a record of either kind; most kernels of attention among which the
/// sequences of a batch are divided, each with lists of its own.
enum { FMHAC_WORK_WORDS = 8, FMHAC_WORK_MOST_KERNELS = 4 };

/// Rows [row_begin, row_end) of one sequence, a tile of rows at most, times
/// keys [key_begin, key_end) of it, for each of some heads. Of a kernel whose
/// tiles have rows of the G = Hq / Hk heads of Q that share one of K and V,
/// which take turns, row r is row r / G of Q, of head r % G of them; there are
/// G times as many, and heads are those of K and V.
typedef struct fmhac_work_item {
  int32_t batch;
  /// Row of part_o and part_lse where the first row of the first head goes; the
  /// next head's begin row_end - row_begin rows further. -1: these are all keys
  /// that the rows see, and O and LSE are written.
  int32_t part;
  int32_t row_begin, row_end; ///< row_begin is a multiple of the kernel's tile
  int32_t key_begin, key_end; ///< key_begin is a multiple of the kernel's tile
  int32_t keys_after;         ///< keys of the sequence from key_end on
  int32_t heads; ///< one or more: the first in bits 0 to 15, the end in 16 to
                 ///< 31
} fmhac_work_item;

/// Of lists that workgroups take from a queue. Workgroup w has list w first,
/// and then list `workgroups` + `asked`++, until that is `lists` or more.
typedef struct fmhac_work_queue {
  /// How many lists workgroups have asked for in this launch: 0 before it, and
  /// again after it, as the last one that asks sets it to 0.
  uint32_t asked;
  uint32_t lists;      ///< work_indptr has one entry more, or several
  uint32_t workgroups; ///< of the grid
} fmhac_work_queue;

/// Rows [row_begin, row_end) of one sequence, for each of some heads, whose
/// keys were divided into `chunks` parts. Part c of the first row of the first
/// head is row `part` + c * H * (row_end - row_begin) of part_o and part_lse;
/// the next head's begin row_end - row_begin rows further. H is Hq, or Hk where
/// rows are those of a group of heads. With work = runs no kernel reads records
/// (fmhac_work.h); there is one head, part c is row `part` + c * run_part_rows
/// (fmhac_abi.h), and a record without rows is of a unit that is not divided.
typedef struct fmhac_combine_item {
  int32_t batch;
  int32_t part;
  int32_t row_begin, row_end;
  int32_t chunks; ///< 2 or more
  /// 0: rows are those of Q. G: row r is row r / G of Q, of head r % G of those
  /// that share a head of K and V, as of a fmhac_work_item. Kernels read it in
  /// every record: who makes records of rows of Q has to write 0.
  int32_t group;
  int32_t unused; ///< may be anything
  int32_t heads;  ///< as of a fmhac_work_item
} fmhac_combine_item;

#ifdef __cplusplus
}
#endif
#endif // FMHAC_WORK_LIST_H
