// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much work a problem is: FLOP by the convention of attention benchmarks,
/// and by the tiles that a kernel visits.
#ifndef FMHAC_DRIVER_BENCH_WORK_H
#define FMHAC_DRIVER_BENCH_WORK_H

#include "reference.h"
#include "schedule_facts.h"
#include "work_list.h"

typedef struct bench_work {
  /// 2 (Dqk + Dv) for each score: all Sq Sk of them, half with a causal mask
  /// and Sq = Sk, else those that the mask shows.
  double flops;
  double visited;       ///< tiles in which a row sees a key, of all heads
  double most_visited;  ///< the most visited tiles of one workgroup
  double visited_flops; ///< 2 (Dqk + Dv) M N for each; 0: the tile is not known
  double bytes;         ///< rows in use of Q, K, V and O, each once
  /// Rows in use of Q, of all heads, and blocks of rows that hold some: how
  /// much of a tile they are. 0 blocks: the tile is not known.
  double rows, row_blocks;
} bench_work;

/// Sizes, mask and lengths of the problem count. With `v_in_k` V is a part of
/// K.
bench_work bench_work_of(const attention *problem, bool v_in_k,
                         const kernel_tile *tile);

/// Tiles that an item of a list of work visits, of all its heads.
double bench_work_of_item(const attention *problem, const kernel_tile *tile,
                          const fmhac_work_item *item);

/// Blocks of rows, of sequences that are all as long as the longest, at which
/// the number of tiles jumps or bends: ascending, malloc'ed. Returns how many;
/// 0 also when memory is exhausted.
size_t bench_breaks(const attention *problem, const kernel_tile *tile,
                    uint32_t blocks, uint32_t **out_breaks);

#endif // FMHAC_DRIVER_BENCH_WORK_H
