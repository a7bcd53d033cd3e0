// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The planner: from the lengths of a batch to lists of work (work_list.h). One
/// source, work_deal.h and those that it includes, is compiled for the host and
/// for gfx950, and gives the same lists on both, bit by bit. On gfx950 batches
/// of few sequences have a second, faster way (gfx950/work_few.h).
///
/// A unit is one tile of rows of one sequence times one part of its keys, for
/// one head, or one group of heads. Its cost is the number of tiles of keys
/// that it visits under the mask, plus an overhead. Units that are large beside
/// a workgroup's share are dealt one by one, heaviest first, each to the
/// workgroup with the least work so far; the others fill what is left of each
/// share in the order of memory, in runs (but work_even.h for batches that
/// sizes describe), so that many short sequences need few records, and
/// neighbours share an XCD. Each workgroup has one list. Workgroups that take
/// lists from a queue have several each, of as many smaller shares; the first
/// ones are the longest.
#ifndef FMHAC_LIB_WORK_PLAN_H
#define FMHAC_LIB_WORK_PLAN_H

#include "work_list.h"
#include "work_rows.h"

#include <stddef.h>
#include <stdint.h>

/// Most lists, and most workgroups: the loads of lists lie in LDS.
enum { FMHAC_WORK_MOST_WORKGROUPS = 2048 };
/// Work-items of a workgroup of the planner's kernel. It has one for each
/// kernel of attention.
enum { FMHAC_WORK_KERNEL_THREADS = 512 };

enum {
  FMHAC_WORK_MASK_NONE,
  FMHAC_WORK_MASK_CAUSAL,
  FMHAC_WORK_MASK_CAUSAL_TOP_LEFT,
  FMHAC_WORK_MASK_WINDOW,
  FMHAC_WORK_MASK_CHUNKED
};

/// Bits of `lengths`: which arrays have the lengths of sequences. Without one
/// each has seqlen_q rows or seqlen_kv keys.
enum {
  FMHAC_WORK_CU_Q = 1,       ///< cu_seqlens_q
  FMHAC_WORK_CU_KV = 2,      ///< cu_seqlens_kv
  FMHAC_WORK_LENGTHS_Q = 4,  ///< seqlens_q
  FMHAC_WORK_LENGTHS_KV = 8, ///< seqlens_kv
  FMHAC_WORK_CACHED_KV = 16, ///< seqlens_kv, without the rows of the sequence
  FMHAC_WORK_PAGE_LIST = 32  ///< kv_indptr and kv_last_page_len
};

enum {
  FMHAC_WORK_SPLIT_NONE,
  FMHAC_WORK_SPLIT_AUTO, ///< where it shortens the whole
  FMHAC_WORK_SPLIT_FIXED ///< at multiples of split_keys of the sequence
};

/// What is known when a kernel is compiled. Words of 32 bits only: the compiler
/// gives a kernel of the planner its rules as an array of them.
typedef struct fmhac_work_rules {
  uint32_t tile_m, tile_n;           ///< rows and keys of a tile
  uint32_t mask;                     ///< FMHAC_WORK_MASK_*
  int32_t window_left, window_right; ///< keys from the diagonal; -1: unbounded
  uint32_t mask_chunk;               ///< keys of a chunk of the mask
  uint32_t page_size;                ///< with FMHAC_WORK_PAGE_LIST
  uint32_t lengths;                  ///< FMHAC_WORK_CU_Q ...
  uint32_t split;                    ///< FMHAC_WORK_SPLIT_*
  uint32_t split_keys;               ///< a multiple of tile_n
  uint32_t
      queue; ///< 1: workgroups take lists from a queue, which has a counter
  /// 1: a tile has rows of the G heads of Q that share one of K and V, which
  /// take turns. A sequence has G times its rows then, row r being row r / G of
  /// Q, and heads of records are those of K and V.
  uint32_t packs_heads;
  fmhac_work_rows rows; ///< other sequences are another kernel's
#define FMHAC_WORK_POLICY(name, value, doc) uint32_t name;
#include "work_policy.def"
#undef FMHAC_WORK_POLICY
} fmhac_work_rules;

/// Sizes of a problem; of seqlen_q and seqlen_kv those of the longest sequence.
typedef struct fmhac_work_sizes {
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
  uint32_t workgroups; ///< among which the work is dealt
  /// Most rows of Q, and most keys, of all sequences together; 0: as many as
  /// the sizes above allow.
  uint64_t total_q, total_kv;
  uint32_t part_begin; ///< rows of parts that other kernels have before these
} fmhac_work_sizes;

/// Room that lists, parts and the planner itself need for all batches of
/// given sizes and smaller ones.
typedef struct fmhac_list_room {
  uint64_t items;         ///< fmhac_work_item
  uint64_t combine_items; ///< fmhac_combine_item
  uint64_t part_rows;     ///< rows of part_o and part_lse
  uint64_t scratch_bytes; ///< of the planner, aligned to 16
  uint64_t lists;         ///< one for each workgroup; more of a queue
} fmhac_list_room;

#endif // FMHAC_LIB_WORK_PLAN_H
