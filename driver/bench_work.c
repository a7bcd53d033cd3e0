// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_work.h"

/// Of one sequence and one head.
typedef struct part {
  double shown;                 ///< scores that the mask shows
  double visited, most_visited; ///< tiles
} part;

/// Tiles between the first and the last key that the rows of a block see: in
/// every mask there is no hole between.
static double tiles_of(int64_t first, int64_t end, int64_t keys_of_tile) {
  return first < end
             ? (double)((end - 1) / keys_of_tile - first / keys_of_tile + 1)
             : 0;
}

static part part_of(const attention_mask *mask, int64_t rows, int64_t keys,
                    const kernel_tile *tile) {
  part p = {0};
  const int64_t step = tile->rows > 0 ? tile->rows : rows;
  for (int64_t block = 0; block < rows; block += step) {
    int64_t last = block + step < rows ? block + step : rows;
    int64_t first_key = keys, end_key = 0;
    for (int64_t row = block; row < last; ++row) {
      int64_t first, end;
      attention_mask_range(mask, row, rows, keys, &first, &end);
      if (first >= end)
        continue;
      p.shown += (double)(end - first);
      first_key = first < first_key ? first : first_key;
      end_key = end > end_key ? end : end_key;
    }
    if (tile->keys <= 0)
      continue;
    double visited = tiles_of(first_key, end_key, tile->keys);
    p.visited += visited;
    p.most_visited = visited > p.most_visited ? visited : p.most_visited;
  }
  return p;
}

bench_work bench_work_of(const attention *problem, const kernel_tile *tile) {
  const double per_score =
      2.0 * (problem->head_dim_qk + problem->head_dim_v) * problem->heads_q;
  bench_work work = {0};
  part p = {0};
  for (uint32_t b = 0; b < problem->batch; ++b) {
    int64_t rows = attention_rows(problem, b);
    int64_t keys = attention_keys(problem, b);
    // Sequences are often of one length.
    if (b == 0 || rows != attention_rows(problem, b - 1) ||
        keys != attention_keys(problem, b - 1))
      p = part_of(&problem->mask, rows, keys, tile);
    bool causal = problem->mask.kind == MASK_CAUSAL ||
                  problem->mask.kind == MASK_CAUSAL_TOP_LEFT;
    double scores =
        causal && rows == keys ? (double)rows * (double)keys / 2 : p.shown;
    work.flops += per_score * scores;
    work.visited += p.visited * problem->heads_q;
    work.visited_flops +=
        per_score * p.visited * (double)tile->rows * (double)tile->keys;
    if (p.most_visited > work.most_visited)
      work.most_visited = p.most_visited;
  }
  return work;
}
