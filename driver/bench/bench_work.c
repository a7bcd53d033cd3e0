// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_work.h"

#include <math.h>
#include <stdlib.h>

/// The work of one sequence and one head.
typedef struct part {
  double shown;                 ///< scores that the mask shows
  double visited, most_visited; ///< tiles
} part;

/// Tiles between the first and the last key that the rows of a block see: no
/// mask has a hole between them.
static double tiles_of(int64_t first, int64_t end, int64_t keys_of_tile) {
  return first < end
             ? (double)((end - 1) / keys_of_tile - first / keys_of_tile + 1)
             : 0;
}

/// Heads of Q whose rows a tile has in turn.
static int64_t group_of(const attention *problem, const kernel_tile *tile) {
  return tile->packs_heads ? problem->heads_q / problem->heads_kv : 1;
}

/// The work of the rows [first_row, end_row), as tiles count them: `group` for
/// each of the `rows` of Q.
static part part_of_block(const attention_mask *mask, int64_t first_row,
                          int64_t end_row, int64_t rows, int64_t keys,
                          int64_t group, const kernel_tile *tile) {
  part p = {0};
  int64_t first_key = keys, end_key = 0;
  for (int64_t row = first_row; row < end_row; ++row) {
    int64_t first, end;
    attention_mask_range(mask, row / group, rows, keys, &first, &end);
    if (first >= end)
      continue;
    p.shown += (double)(end - first);
    first_key = first < first_key ? first : first_key;
    end_key = end > end_key ? end : end_key;
  }
  if (tile->keys > 0)
    p.visited = p.most_visited = tiles_of(first_key, end_key, tile->keys);
  return p;
}

static part part_of(const attention_mask *mask, int64_t rows, int64_t keys,
                    int64_t group, const kernel_tile *tile) {
  part all = {0};
  const int64_t of_tiles = rows * group;
  const int64_t step = tile->rows > 0 ? tile->rows : of_tiles;
  for (int64_t block = 0; block < of_tiles; block += step) {
    int64_t end = block + step < of_tiles ? block + step : of_tiles;
    part p = part_of_block(mask, block, end, rows, keys, group, tile);
    all.shown += p.shown;
    all.visited += p.visited;
    if (p.visited > all.most_visited)
      all.most_visited = p.visited;
  }
  return all;
}

static double bytes_of(const attention *problem, bool v_in_k, double rows,
                       double keys) {
  const double qk = problem->head_dim_qk, v = problem->head_dim_v;
  const double q_bytes = (double)element_bytes(problem->q_type);
  const double k_bytes = (double)element_bytes(problem->k_type);
  const double v_bytes = v_in_k ? 0 : (double)element_bytes(problem->v_type);
  const double o_bytes = (double)element_bytes(problem->out_type);
  return rows * problem->heads_q * (qk * q_bytes + v * o_bytes) +
         keys * problem->heads_kv * (qk * k_bytes + v * v_bytes);
}

bench_work bench_work_of(const attention *problem, bool v_in_k,
                         const kernel_tile *tile) {
  const double per_score =
      2.0 * (problem->head_dim_qk + problem->head_dim_v) * problem->heads_q;
  const int64_t group = group_of(problem, tile);
  const double heads = (double)(problem->heads_q / group); // that have tiles
  bench_work work = {0};
  part p = {0};
  for (uint32_t b = 0; b < problem->batch; ++b) {
    int64_t rows = attention_rows(problem, b);
    int64_t keys = attention_keys(problem, b);
    // Sequences are often of one length.
    if (b == 0 || rows != attention_rows(problem, b - 1) ||
        keys != attention_keys(problem, b - 1))
      p = part_of(&problem->mask, rows, keys, group, tile);
    bool causal = problem->mask.kind == MASK_CAUSAL ||
                  problem->mask.kind == MASK_CAUSAL_TOP_LEFT;
    double scores = causal && rows == keys ? (double)rows * (double)keys / 2
                                           : p.shown / (double)group;
    work.flops += per_score * scores;
    work.visited += p.visited * heads;
    work.visited_flops += per_score / (double)group * p.visited *
                          (double)tile->rows * (double)tile->keys;
    if (p.most_visited > work.most_visited)
      work.most_visited = p.most_visited;
    work.bytes += bytes_of(problem, v_in_k, (double)rows, (double)keys);
    work.rows += (double)rows * problem->heads_q;
    if (tile->rows > 0)
      work.row_blocks +=
          (double)((rows * group + tile->rows - 1) / tile->rows) * heads;
  }
  return work;
}

double bench_work_of_item(const attention *problem, const kernel_tile *tile,
                          const fmhac_work_item *item) {
  const uint32_t batch = (uint32_t)item->batch;
  const int64_t rows = attention_rows(problem, batch),
                keys = attention_keys(problem, batch);
  const int heads = (int)((uint32_t)item->heads >> 16) - (item->heads & 0xffff);
  int64_t first_key = keys, end_key = 0;
  const int64_t group = group_of(problem, tile);
  for (int64_t row = item->row_begin; row < item->row_end && row / group < rows;
       ++row) {
    int64_t first, end;
    attention_mask_range(&problem->mask, row / group, rows, keys, &first, &end);
    if (first >= end)
      continue;
    first_key = first < first_key ? first : first_key;
    end_key = end > end_key ? end : end_key;
  }
  first_key = first_key > item->key_begin ? first_key : item->key_begin;
  end_key = end_key < item->key_end ? end_key : item->key_end;
  return tile->keys > 0 ? heads * tiles_of(first_key, end_key, tile->keys) : 0;
}

size_t bench_breaks(const attention *problem, const kernel_tile *tile,
                    uint32_t blocks, uint32_t **out_breaks) {
  *out_breaks = NULL;
  if (tile->rows <= 0 || blocks < 3)
    return 0;
  uint32_t *breaks = malloc(blocks * sizeof *breaks);
  double *visited = malloc(blocks * sizeof *visited);
  size_t count = 0;
  for (int64_t i = 0; breaks && visited && i < blocks; ++i) {
    int64_t first = i * tile->rows, end = first + tile->rows;
    const int64_t rows = problem->seqlen_q, group = group_of(problem, tile);
    end = end < rows * group ? end : rows * group;
    visited[i] = part_of_block(&problem->mask, first, end, rows,
                               problem->seqlen_kv, group, tile)
                     .visited;
  }
  // Blocks and tiles that do not fit each other make steps of one tile.
  for (uint32_t i = 1; breaks && visited && i + 1 < blocks; ++i) {
    double bend = fabs(visited[i - 1] - 2 * visited[i] + visited[i + 1]);
    if (bend > 1 && bend > 0.05 * visited[i])
      breaks[count++] = i;
  }
  free(visited);
  if (breaks)
    *out_breaks = breaks;
  return count;
}
