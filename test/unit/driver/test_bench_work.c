// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FLOP and tiles of a problem: numbers by hand, and against the maps of tiles.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench_work.h"
#include "tile_map.h"

static attention problem_of(uint32_t batch, uint32_t heads, uint32_t rows,
                            uint32_t keys, const char *mask) {
  attention p = {.batch = batch,
                 .heads_q = heads,
                 .heads_kv = heads,
                 .seqlen_q = rows,
                 .seqlen_kv = keys,
                 .head_dim_qk = 192,
                 .head_dim_v = 128};
  assert_true(attention_mask_parse(mask, &p.mask));
  return p;
}

static void expect_flops(const attention *p, double expected) {
  const kernel_tile tile = {.rows = 128, .keys = 64};
  assert_true(bench_work_of(p, false, &tile).flops == expected);
}

static void test_flops_by_hand(void **state) {
  (void)state;
  // 2 (192 + 128) = 640 a score.
  attention p = problem_of(3, 5, 100, 200, "none");
  expect_flops(&p, 640.0 * 3 * 5 * 100 * 200);
  p = problem_of(3, 5, 100, 100, "causal");
  expect_flops(&p, 640.0 * 3 * 5 * 100 * 100 / 2);
  // Rows see 101 … 200 keys; then 0 … 0, 1 … 100.
  p = problem_of(1, 1, 100, 200, "causal");
  expect_flops(&p, 640.0 * (100 * 100 + 100 * 101 / 2));
  p = problem_of(1, 1, 200, 100, "causal");
  expect_flops(&p, 640.0 * (100 * 101 / 2));
  // A token, ten and ten keys before it.
  p = problem_of(1, 1, 1, 100, "window:10,0");
  expect_flops(&p, 640.0 * 11);
  // Two chunks of 4: 1 + 2 + 3 + 4 keys each.
  p = problem_of(1, 1, 8, 8, "chunked:4");
  expect_flops(&p, 640.0 * 20);
}

static void test_flops_of_sequences(void **state) {
  (void)state;
  const int32_t starts[] = {0, 10, 10, 40}, lengths[] = {7, 8, 9};
  attention p = problem_of(3, 2, 30, 9, "none");
  p.cu_seqlens_q = starts;
  p.seqlens_kv = lengths;
  expect_flops(&p, 640.0 * 2 * (10 * 7 + 0 * 8 + 30 * 9));
}

static void test_rows_and_bytes(void **state) {
  (void)state;
  const kernel_tile tile = {.rows = 128, .keys = 64};
  attention p = problem_of(2, 8, 130, 1000, "none");
  p.heads_kv = 2;
  p.q_type = p.k_type = p.v_type = p.out_type = ELEMENT_BF16;
  bench_work w = bench_work_of(&p, false, &tile);
  // Two bytes each of 192 + 128 a row and head: Q and O, K and V.
  assert_true(w.bytes == 2 * 640.0 * (8 * 130 + 2 * 1000));
  assert_true(w.rows == 2 * 8 * 130 && w.row_blocks == 2 * 8 * 2);
  // V is a part of K.
  assert_true(bench_work_of(&p, true, &tile).bytes ==
              2 * 2 * (8 * 130 * (192 + 128.0) + 2 * 1000 * 192.0));
  // Sequences are each their own: no block of the empty one.
  const int32_t starts[] = {0, 1, 1}, lengths[] = {7, 8};
  p.cu_seqlens_q = starts;
  p.seqlens_kv = lengths;
  w = bench_work_of(&p, false, &tile);
  assert_true(w.bytes == 640.0 * (8 * 1 + 2 * (7 + 8)));
  assert_true(w.rows == 8 && w.row_blocks == 8);
}

static void test_tiles_as_the_maps_have_them(void **state) {
  (void)state;
  static const char *const masks[] = {
      "none",         "causal",      "causal-top-left", "window:100,0",
      "window:30,50", "window:-1,0", "chunked:96",      "chunked:1000"};
  static const uint32_t sizes[][2] = {{1, 1},     {300, 300}, {129, 700},
                                      {700, 129}, {512, 512}, {64, 1024}};
  const kernel_tile tile = {.rows = 128, .keys = 64};
  for (size_t m = 0; m < sizeof masks / sizeof *masks; ++m)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      attention p = problem_of(2, 3, sizes[s][0], sizes[s][1], masks[m]);
      tile_map map;
      assert_true(
          tile_map_init(&p.mask, sizes[s][0], sizes[s][1], 128, 64, &map));
      bench_work work = bench_work_of(&p, false, &tile);
      double visited = 6.0 * (double)(map.whole + map.cut), most = 0;
      assert_true(work.visited == visited);
      assert_true(work.visited_flops == visited * 640 * 128 * 64);
      for (int64_t row = 0; row < map.tile_rows; ++row) {
        double of_row = 0;
        for (int64_t col = 0; col < map.tile_cols; ++col)
          of_row += map.cells[row * map.tile_cols + col] != TILE_HIDDEN;
        most = of_row > most ? of_row : most;
      }
      assert_true(work.most_visited == most);
      tile_map_deinit(&map);
    }
}

static size_t breaks_of(const char *mask, uint32_t rows, uint32_t out[64]) {
  const kernel_tile tile = {.rows = 128, .keys = 64};
  attention p = problem_of(1, 1, rows, rows, mask);
  uint32_t *breaks;
  size_t count = bench_breaks(&p, &tile, (rows + 127) / 128, &breaks);
  assert_in_range(count, 0, 64);
  for (size_t i = 0; i < count; ++i)
    out[i] = breaks[i];
  free(breaks);
  return count;
}

static void test_breaks(void **state) {
  (void)state;
  uint32_t at[64];
  assert_int_equal(breaks_of("none", 4096, at), 0);
  assert_int_equal(breaks_of("causal", 4096, at), 0);
  // Chunks of 1024 keys are 8 blocks: the last of one, the first of the next.
  static const uint32_t teeth[] = {7, 8, 15, 16, 23, 24};
  assert_int_equal(breaks_of("chunked:1024", 4096, at), 6);
  assert_memory_equal(at, teeth, sizeof teeth);
  // 2 tiles more a block, until the window is full: 17 tiles or 18 from
  // block 8.
  assert_int_equal(breaks_of("window:1023,0", 4096, at), 1);
  assert_in_range(at[0], 7, 8);
  assert_int_equal(breaks_of("chunked:128", 200, at), 0);
}

static void test_no_tile(void **state) {
  (void)state;
  const kernel_tile none = {0};
  attention p = problem_of(1, 1, 100, 100, "none");
  bench_work work = bench_work_of(&p, false, &none);
  assert_true(work.flops == 640.0 * 100 * 100);
  assert_true(work.visited == 0 && work.visited_flops == 0);
}

/// Tiles of items by hand: heads, the mask, a chunk of the keys.
static void test_items(void **state) {
  (void)state;
  const kernel_tile tile = {.rows = 128, .keys = 64};
  attention p = problem_of(2, 8, 1000, 1000, "none");
  fmhac_work_item i = {.batch = 1,
                       .part = -1,
                       .row_begin = 256,
                       .row_end = 384,
                       .key_end = 1000,
                       .heads = 2 | 5 << 16};
  assert_true(bench_work_of_item(&p, &tile, &i) == 3 * 16); // ceil(1000 / 64)
  i.key_begin = 512;
  i.key_end = 768;
  assert_true(bench_work_of_item(&p, &tile, &i) == 3 * 4);
  p = problem_of(2, 8, 1000, 1000, "causal");
  i.key_begin = 0;
  i.key_end = 1000;
  assert_true(bench_work_of_item(&p, &tile, &i) == 3 * 6); // row 383: 384 keys
  i.key_begin = 256;
  i.key_end = 512;
  assert_true(bench_work_of_item(&p, &tile, &i) == 3 * 2);
  i.key_begin = 512;
  i.key_end = 1000;
  assert_true(bench_work_of_item(&p, &tile, &i) == 0); // nothing is seen
}

/// Tiles of rows of several heads: five rows of four heads each are 20 rows, in
/// two tiles, for each of two heads of K and V.
static void test_rows_of_groups(void **state) {
  (void)state;
  const kernel_tile tile = {.rows = 16, .keys = 64, .packs_heads = true},
                    alone = {.rows = 16, .keys = 64};
  attention p = problem_of(1, 8, 5, 1000, "none");
  p.heads_kv = 2;
  const bench_work work = bench_work_of(&p, false, &tile),
                   of_heads = bench_work_of(&p, false, &alone);
  assert_true(work.visited == 2 * 2 * 16 && of_heads.visited == 8 * 16);
  assert_true(work.row_blocks == 4 && of_heads.row_blocks == 8);
  assert_true(work.flops == of_heads.flops);
  assert_true(work.rows == 40 && of_heads.rows == 40);
  assert_true(2 * work.visited_flops == of_heads.visited_flops);
  const fmhac_work_item first = {.row_end = 16,
                                 .key_end = 1000,
                                 .heads = 2 << 16},
                        last = {.row_begin = 16,
                                .row_end = 20,
                                .key_end = 1000,
                                .heads = 1 << 16};
  assert_true(bench_work_of_item(&p, &tile, &first) == 2 * 16);
  p = problem_of(1, 8, 5, 1000, "window:10,0");
  p.heads_kv = 2;
  // Rows of Q 0 to 3 see keys 985 to 998; row 4 keys 989 to 999.
  assert_true(bench_work_of_item(&p, &tile, &first) == 2 * 1);
  assert_true(bench_work_of_item(&p, &tile, &last) == 1);
  assert_true(bench_work_of(&p, false, &tile).flops ==
              bench_work_of(&p, false, &alone).flops);
}

/// The items of all tiles of rows, in chunks, visit what the problem does.
static void test_items_cover(void **state) {
  (void)state;
  const kernel_tile tile = {.rows = 128, .keys = 64};
  static const char *const masks[] = {"none", "causal", "window:300,0"};
  for (size_t m = 0; m < 3; m++) {
    const attention p = problem_of(1, 4, 700, 1500, masks[m]);
    double sum = 0;
    for (int32_t row = 0; row < 700; row += 128)
      for (int32_t key = 0; key < 1500; key += 256) {
        const fmhac_work_item i = {.row_begin = row,
                                   .row_end = row + 128 < 700 ? row + 128 : 700,
                                   .key_begin = key,
                                   .key_end =
                                       key + 256 < 1500 ? key + 256 : 1500,
                                   .heads = 4 << 16};
        sum += bench_work_of_item(&p, &tile, &i);
      }
    assert_true(sum == bench_work_of(&p, false, &tile).visited);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flops_by_hand),
      cmocka_unit_test(test_flops_of_sequences),
      cmocka_unit_test(test_rows_and_bytes),
      cmocka_unit_test(test_rows_of_groups),
      cmocka_unit_test(test_tiles_as_the_maps_have_them),
      cmocka_unit_test(test_breaks),
      cmocka_unit_test(test_no_tile),
      cmocka_unit_test(test_items),
      cmocka_unit_test(test_items_cover),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
