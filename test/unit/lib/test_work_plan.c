// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of work that the host makes: every key of every row once, whatever the
// lengths; lists within their room; balance.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lanes.h"
#include "work_batch.h"
#include "work_rules.h"

static void test_random_batches(void **state) {
  (void)state;
  enum { BATCHES = 4000 };
  size_t divided = 0, runs = 0;
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    const fmhac_work_rules rules = work_rules_random(7 * seed);
    work_batch b = work_batch_random(&rules, seed);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    divided += b.rules.split && *l.lists.combine_count;
    for (int32_t i = 0; i < l.lists.work_indptr[work_batch_lists(&b)]; ++i) {
      const uint32_t heads = (uint32_t)l.lists.work_items[i].heads;
      runs += (heads >> 16) - (heads & 0xffff) > 1;
    }
    work_lists_free(&l);
    work_batch_free(&b);
  }
  print_message("%d batches, %zu with parts, %zu records of several heads\n",
                BATCHES, divided, runs);
  assert_true(divided > BATCHES / 6);
  assert_true(runs > BATCHES);
}

/// Whatever the arrays say, lists of what there is room for.
static void test_lengths_that_are_wrong(void **state) {
  (void)state;
  enum { BATCHES = 2000 };
  size_t alone = 0, together = 0, divided = 0;
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    const fmhac_work_rules rules = work_rules_random(5 * seed);
    work_batch b = work_batch_random(&rules, seed);
    const work_left_out out = work_batch_spoil(&b, seed);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    alone += out.alone > 0;
    together += out.together > 0;
    divided += b.rules.split && *l.lists.combine_count;
    work_lists_free(&l);
    work_batch_free(&b);
  }
  print_message("%d batches: %zu with lengths that are none, %zu that pass the "
                "totals; %zu with parts\n",
                BATCHES, alone, together, divided);
  assert_true(alone > BATCHES / 4);
  assert_true(together > BATCHES / 4);
  assert_true(divided > BATCHES / 10);
}

//===- Room ---------------------------------------------------------------===//

/// What a batch of a few sequences takes: the most over all lengths.
typedef struct taken {
  uint64_t part_rows, items, combine_items;
} taken;

/// Adds a sequence to what others have taken, in every way there is. `left` of
/// rows and keys are of all together.
static void take(const fmhac_work_rules *r, const fmhac_work_sizes *s,
                 uint32_t sequences, uint32_t rows_left, uint32_t keys_left,
                 taken sum, taken *most) {
  most->part_rows =
      sum.part_rows > most->part_rows ? sum.part_rows : most->part_rows;
  most->items = sum.items > most->items ? sum.items : most->items;
  most->combine_items = sum.combine_items > most->combine_items
                            ? sum.combine_items
                            : most->combine_items;
  if (!sequences)
    return;
  for (uint32_t rows = r->rows.above + 1;
       rows <= s->seqlen_q && rows <= rows_left &&
       !(r->rows.most && rows > r->rows.most);
       ++rows)
    for (uint32_t keys = 0; keys <= s->seqlen_kv && keys <= keys_left; ++keys) {
      uint64_t parts = 1, tiles = 0;
      for (uint32_t end = r->split_keys; end < keys; end += r->split_keys)
        ++parts;
      for (uint32_t row = 0; row < rows; row += r->tile_m)
        ++tiles;
      const bool is_divided = parts > 1;
      const taken next = {sum.part_rows + (is_divided ? parts * rows : 0),
                          sum.items + parts * tiles,
                          sum.combine_items + (is_divided ? tiles : 0)};
      take(r, s, sequences - 1, rows_left - rows, keys_left - keys, next, most);
    }
}

/// The room for totals against all batches that keep to them: never less, and
/// mostly no more.
static void test_room_of_totals(void **state) {
  (void)state;
  size_t count = 0, equal = 0;
  for (uint32_t batch = 1; batch <= 3; ++batch)
    for (uint32_t rows = 1; rows <= 3; ++rows)
      for (uint32_t keys = 1; keys <= 5; ++keys)
        for (uint32_t total_q = 1; total_q <= batch * rows; ++total_q)
          for (uint32_t total_kv = 1; total_kv <= batch * keys; ++total_kv)
            for (uint32_t i = 0; i < 12; ++i) {
              fmhac_work_rules r = fmhac_work_rules_default();
              r.tile_m = 1 + i % 2;
              r.tile_n = 1;
              r.split = FMHAC_WORK_SPLIT_FIXED;
              r.split_keys = 1 + i / 2 % 3;
              r.rows.most = i < 6 ? 0 : 2;
              r.combine_rows = 1;
              const fmhac_work_sizes s = {.batch = batch,
                                          .heads_q = 1,
                                          .heads_kv = 1,
                                          .seqlen_q = rows,
                                          .seqlen_kv = keys,
                                          .workgroups = 1,
                                          .total_q = total_q,
                                          .total_kv = total_kv};
              const fmhac_list_room room = fmhac_list_room_of(&r, &s);
              taken most = {0, 0, 0};
              take(&r, &s, batch, total_q, total_kv, (taken){0, 0, 0}, &most);
              assert_true(room.part_rows >= most.part_rows);
              assert_true(room.items >= most.items);
              assert_true(room.combine_items >= most.combine_items);
              ++count;
              equal += room.part_rows == most.part_rows;
            }
  print_message("%zu of %zu rooms of parts are taken whole\n", equal, count);
  assert_true(equal > count / 2);
}

/// 1,000 sequences of up to 2000 rows and 16384 keys of 128 heads, of which a
/// launch has 8192 rows and a million keys together: without the totals the
/// parts have 528 GB.
static void test_room_of_a_large_batch(void **state) {
  (void)state;
  enum { HEADS = 128, ROWS = 2000, KEYS = 16384, CHUNK = 4096 };
  fmhac_work_rules r = fmhac_work_rules_default();
  r.tile_m = 128;
  r.tile_n = 64;
  r.split = FMHAC_WORK_SPLIT_FIXED;
  r.split_keys = CHUNK;
  fmhac_work_sizes s = {.batch = 1000,
                        .heads_q = HEADS,
                        .heads_kv = 8,
                        .seqlen_q = ROWS,
                        .seqlen_kv = KEYS,
                        .workgroups = 256};
  assert_true(fmhac_list_room_of(&r, &s).part_rows ==
              (uint64_t)1000 * ROWS * HEADS * (KEYS / CHUNK));
  s.total_q = 8192;
  s.total_kv = 1000000;
  const fmhac_list_room room = fmhac_list_room_of(&r, &s);
  assert_true(room.part_rows == (uint64_t)8192 * HEADS * (KEYS / CHUNK));
  // A sequence has a tile of rows that is not whole.
  assert_true(room.items <=
              ((uint64_t)8192 / 128 + 1000) * (KEYS / CHUNK) + 256 + 16 * 256);
  // One chunk of keys each, and one row more.
  s.total_kv = 12288;
  assert_true(fmhac_list_room_of(&r, &s).part_rows ==
              (uint64_t)(2 * ROWS + ROWS * 2) * HEADS);
  // Sizes whose products have no 64 bits are not taken for small ones.
  s = (fmhac_work_sizes){.batch = 65535,
                         .heads_q = 65535,
                         .heads_kv = 1,
                         .seqlen_q = INT32_MAX,
                         .seqlen_kv = INT32_MAX,
                         .workgroups = 2048};
  r.split_keys = 64;
  assert_true(fmhac_list_room_of(&r, &s).part_rows == UINT64_MAX);
}

/// The same lists again, whatever the scratch holds.
static void test_again(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const fmhac_work_rules rules = work_rules_random(7 * seed);
    work_batch b = work_batch_random(&rules, seed);
    work_lists l = work_lists_make(&b), other = work_lists_make(&b);
    memset(other.scratch, (int)seed, other.room.scratch_bytes);
    fmhac_lists_fill(&b.rules, &b.sizes, &b.lengths, &other.lists,
                     other.scratch);
    assert_memory_equal(l.lists.work_indptr, other.lists.work_indptr,
                        (work_batch_lists(&b) + 1) * sizeof(int32_t));
    assert_memory_equal(l.lists.work_items, other.lists.work_items,
                        l.room.items * sizeof(fmhac_work_item));
    assert_memory_equal(l.lists.combine_items, other.lists.combine_items,
                        l.room.combine_items * sizeof(fmhac_combine_item));
    work_lists_free(&other);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

//===- Kernels for few rows and for more ----------------------------------===//

enum { DIVIDED = 3 };
/// Kernel k of three is for sequences of more than so many rows, up to as many
/// as the next is above: of Q, and of all heads of Q that share one of K and V.
static const uint32_t rows_above[DIVIDED + 1] = {0, 2, 9, 0},
                                           group_above[DIVIDED + 1] = {0, 8, 40,
                                                                       0};

static bool is_of(const uint32_t above[], int k, int64_t rows) {
  return above[k] < rows && (k + 1 == DIVIDED || rows <= above[k + 1]);
}

/// The lists of a kernel are those of a batch whose other sequences have no
/// rows.
static void check_division(bool of_group) {
  enum { BATCHES = 600 };
  const uint32_t *above = of_group ? group_above : rows_above;
  size_t items[DIVIDED] = {0}, divided = 0;
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    fmhac_work_rules rules = work_rules_random(3 * seed);
    rules.rows = (fmhac_work_rows){0};
    // Keys of a sequence do not change with its rows.
    rules.lengths = (rules.lengths & FMHAC_WORK_PAGE_LIST) |
                    (seed % 2 ? FMHAC_WORK_CU_Q : FMHAC_WORK_LENGTHS_Q) |
                    (seed % 3 && !(rules.lengths & FMHAC_WORK_PAGE_LIST)
                         ? FMHAC_WORK_LENGTHS_KV
                         : 0);
    for (int k = 0; k < DIVIDED; ++k) {
      work_batch all = work_batch_random(&rules, seed);
      const int64_t each =
          of_group ? all.sizes.heads_q / all.sizes.heads_kv : 1;
      work_batch own = work_batch_open(all.sizes.batch);
      own.rules = all.rules;
      own.sizes = all.sizes;
      for (uint32_t s = 0; s < all.sizes.batch; ++s) {
        own.rows[s] = is_of(above, k, all.rows[s] * each) ? all.rows[s] : 0;
        own.keys[s] = all.keys[s];
      }
      work_batch_close(&own);
      own.most = all.most;
      const uint32_t most = above[k + 1];
      all.rules.rows =
          of_group
              ? (fmhac_work_rows){.group_above = above[k], .group_most = most}
              : (fmhac_work_rows){.above = above[k], .most = most};
      work_lists l = work_lists_make(&all), alone = work_lists_make(&own);
      work_lists_check(&all, &l);
      const uint32_t lists = work_batch_lists(&all);
      assert_memory_equal(l.lists.work_indptr, alone.lists.work_indptr,
                          (lists + 1) * sizeof(int32_t));
      const size_t count = (size_t)l.lists.work_indptr[lists];
      assert_memory_equal(l.lists.work_items, alone.lists.work_items,
                          count * sizeof(fmhac_work_item));
      items[k] += count;
      if (all.rules.split != FMHAC_WORK_SPLIT_NONE) {
        assert_int_equal(*l.lists.combine_count, *alone.lists.combine_count);
        assert_memory_equal(l.lists.combine_items, alone.lists.combine_items,
                            (size_t)*l.lists.combine_count *
                                sizeof(fmhac_combine_item));
        divided += (size_t)*l.lists.combine_count;
      }
      // Room for rows of fewer is no more than room for all.
      assert_true(l.room.part_rows <= alone.room.part_rows);
      assert_true(l.room.items <= alone.room.items);
      assert_true(l.room.scratch_bytes <= alone.room.scratch_bytes);
      work_lists_free(&l);
      work_lists_free(&alone);
      work_batch_free(&all);
      work_batch_free(&own);
    }
  }
  for (int k = 0; k < DIVIDED; ++k)
    assert_true(items[k] > BATCHES);
  assert_true(divided > BATCHES);
}

static void test_division(void **state) {
  (void)state;
  check_division(false);
}

static void test_division_by_group(void **state) {
  (void)state;
  check_division(true);
}

//===- Parts of a fixed length --------------------------------------------===//

/// What a sequence's bytes depend on, of an item and one head.
typedef struct piece {
  int32_t row_begin, row_end, key_begin, key_end, head;
  bool is_part;
} piece;

static int by_piece(const void *left, const void *right) {
  const piece *x = left, *y = right;
  const int32_t differences[] = {x->head - y->head, x->row_begin - y->row_begin,
                                 x->key_begin - y->key_begin};
  for (int i = 0; i < 3; ++i)
    if (differences[i])
      return differences[i];
  return 0;
}

static piece *pieces_of(const work_batch *b, int32_t sequence,
                        size_t *out_count) {
  work_lists l = work_lists_make(b);
  const int32_t items = l.lists.work_indptr[work_batch_lists(b)];
  piece *pieces = calloc((size_t)items * b->sizes.heads_q + 1, sizeof *pieces);
  assert_non_null(pieces);
  *out_count = 0;
  for (int32_t i = 0; i < items; ++i) {
    const fmhac_work_item *item = &l.lists.work_items[i];
    const int32_t past = (int32_t)((uint32_t)item->heads >> 16);
    for (int32_t h = item->heads & 0xffff; item->batch == sequence && h < past;
         ++h)
      pieces[(*out_count)++] = (piece){
          item->row_begin, item->row_end, item->key_begin, item->key_end, h,
          item->part >= 0};
  }
  qsort(pieces, *out_count, sizeof *pieces, by_piece);
  work_lists_free(&l);
  return pieces;
}

static void test_fixed_parts_are_of_the_sequence(void **state) {
  (void)state;
  enum { BATCHES = 200, ROWS = 300, KEYS = 5000 };
  uint64_t random = 7;
  for (int mask = FMHAC_WORK_MASK_NONE; mask <= FMHAC_WORK_MASK_CHUNKED;
       ++mask) {
    piece *alone = NULL;
    size_t alone_count = 0;
    for (int i = 0; i < BATCHES; ++i) {
      const uint32_t others = i ? work_random(&random, 40) : 0;
      const uint32_t own = work_random(&random, others + 1);
      work_batch b = work_batch_open(others + 1);
      b.rules.mask = (uint32_t)mask;
      b.rules.window_left = 700;
      b.rules.window_right = 0;
      b.rules.mask_chunk = 1000;
      b.rules.lengths = FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_KV;
      b.rules.split = FMHAC_WORK_SPLIT_FIXED;
      b.rules.split_keys = 256;
      b.sizes.heads_q = b.sizes.heads_kv = 4;
      b.sizes.workgroups = i ? 1 + work_random(&random, 300) : 256;
      b.rules.queue = i % 2;
      for (uint32_t s = 0; s <= others; ++s) {
        b.rows[s] = (int32_t)work_random(&random, 400);
        b.keys[s] = (int32_t)work_random(&random, 20000);
      }
      b.rows[own] = ROWS;
      b.keys[own] = KEYS;
      work_batch_close(&b);
      size_t count;
      piece *found = pieces_of(&b, (int32_t)own, &count);
      if (!i) {
        alone = found;
        alone_count = count;
        assert_true(count > 4 * (ROWS / 64 + 1));
      } else {
        assert_int_equal(count, alone_count);
        assert_memory_equal(found, alone, count * sizeof *found);
        free(found);
      }
      work_batch_free(&b);
    }
    free(alone);
  }
}

//===- Many and long sequences --------------------------------------------===//

/// A batch whose sequences have `rows` rows and a random number of keys.
static work_batch ragged(uint32_t batch, uint32_t heads, uint32_t group,
                         int32_t rows, uint32_t most_keys) {
  work_batch b = work_batch_open(batch);
  uint64_t random = batch + heads;
  b.sizes.heads_q = heads;
  b.sizes.heads_kv = heads / group;
  b.rules.mask = FMHAC_WORK_MASK_CAUSAL;
  b.rules.tile_m = 128;
  b.rules.lengths = FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_KV;
  for (uint32_t i = 0; i < batch; ++i) {
    b.rows[i] = rows;
    b.keys[i] = rows + (int32_t)work_random(&random, most_keys);
  }
  return b;
}

static void test_many_short_sequences_need_few_records(void **state) {
  (void)state;
  work_batch b = ragged(1000, 64, 8, 1, 8192);
  b.rows[3] = b.rows[999] = 0;
  b.keys[5] = b.keys[0] = 0;
  work_batch_close(&b);
  work_lists l = work_lists_make(&b);
  work_lists_check(&b, &l);
  // A record for a sequence with rows, and one for each workgroup that ends
  // within one.
  assert_true(l.lists.work_indptr[256] <= 998 + 255);
  work_lists_free(&l);
  work_batch_free(&b);
}

/// One sequence of 1,048,576 keys among 1,000 short ones: undivided it takes
/// all the time, divided as long as the others.
static void test_one_long_sequence(void **state) {
  (void)state;
  enum { LONG = 1 << 20 };
  work_load load[3];
  for (uint32_t split = 0; split < 3; ++split) {
    work_batch b = ragged(1001, 8, 8, 1, 512);
    b.keys[500] = LONG;
    b.rules.split = split;
    b.rules.split_keys = 8192;
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    load[split] = work_load_of(&b, &l);
    if (split == FMHAC_WORK_SPLIT_FIXED)
      assert_int_equal(l.lists.combine_items[0].chunks, LONG / 8192);
    work_lists_free(&l);
    work_batch_free(&b);
  }
  assert_true(load[0].most >= LONG / 64);
  assert_true(load[1].most * 256 <= load[1].all * 11 / 10);
  assert_true(load[2].most * 256 <= load[2].all * 12 / 10);
}

/// 2^20 rows that see 2^20 keys, for 128 heads: 2^33 tiles of scores, more than
/// 32 bits count.
static void test_a_million_rows(void **state) {
  (void)state;
  enum { LONG = 1 << 20, HEADS = 128, TILE_M = 128, TILE_N = 64 };
  work_batch b = ragged(1, HEADS, 8, LONG, 1);
  b.keys[0] = LONG;
  work_batch_close(&b);
  work_lists l = work_lists_make(&b);
  const work_load load = work_load_of(&b, &l);
  uint64_t all = 0;
  for (uint64_t tile = 1; tile <= LONG / TILE_M; ++tile)
    all += HEADS * (tile * (TILE_M / TILE_N) + b.rules.item_cost);
  assert_true(load.all == all);
  assert_true(load.most * 256 <= load.all * 102 / 100);
  work_lists_free(&l);
  work_batch_free(&b);
}

static void test_sequences_without_rows(void **state) {
  (void)state;
  for (uint32_t split = 0; split < 3; ++split) {
    work_batch b = ragged(50, 4, 1, 0, 1000);
    b.rules.split = split;
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    assert_int_equal(l.lists.work_indptr[256], 0);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

//===- Balance ------------------------------------------------------------===//

/// Batches as engines have them. `bound` in thousandths: the workgroup with the
/// most against the mean, or against the largest unit where that is more. What
/// divides evenly must come out even.
static const struct {
  const char *what;
  uint32_t batch, heads, group;
  int32_t rows;
  uint32_t keys; ///< beyond the rows, at most
  uint32_t split, bound;
} balanced[] = {
    // Pairs of a heavy and a light tile: 16 tiles of 1 to 16 times two.
    {"causal", 1, 16, 1, 4096, 1, FMHAC_WORK_SPLIT_NONE, 1000},
    {"causal, 64 heads", 1, 64, 8, 8192, 1, FMHAC_WORK_SPLIT_NONE, 1060},
    {"causal, ragged", 16, 32, 4, 2048, 6000, FMHAC_WORK_SPLIT_NONE, 1060},
    {"one row, 1,000", 1000, 64, 8, 1, 8192, FMHAC_WORK_SPLIT_NONE, 1030},
    {"one row, 1,000, few heads", 1000, 8, 8, 1, 8192, FMHAC_WORK_SPLIT_NONE,
     1060},
    {"one row, 200", 200, 8, 1, 1, 30000, FMHAC_WORK_SPLIT_NONE, 1060},
    // Units that are as large as the share: two of them, or one.
    {"one row, 64", 64, 8, 1, 1, 30000, FMHAC_WORK_SPLIT_NONE, 1250},
    {"one row, 64, divided", 64, 8, 1, 1, 30000, FMHAC_WORK_SPLIT_AUTO, 1250},
    {"one row, 1, divided", 1, 8, 1, 1, 60000, FMHAC_WORK_SPLIT_AUTO, 1000},
    {"512 rows, 4, divided", 4, 8, 8, 512, 60000, FMHAC_WORK_SPLIT_AUTO, 1150},
    {"one row, 200, fixed", 200, 8, 1, 1, 30000, FMHAC_WORK_SPLIT_FIXED, 1050},
};

static void test_balance(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof balanced / sizeof balanced[0]; ++i) {
    work_batch b =
        ragged(balanced[i].batch, balanced[i].heads, balanced[i].group,
               balanced[i].rows, balanced[i].keys);
    b.rules.split = balanced[i].split;
    b.rules.split_keys = 2048;
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    const work_load load = work_load_of(&b, &l);
    const double mean = (double)load.all / work_batch_lists(&b);
    const double least = mean > (double)load.unit ? mean : (double)load.unit;
    print_message("%-28s most %llu, mean %.0f: %.3f\n", balanced[i].what,
                  (unsigned long long)load.most, mean,
                  (double)load.most / least);
    if ((double)load.most * 1000 > least * balanced[i].bound)
      fail_msg("%s: expected at most %u thousandths, found %.3f",
               balanced[i].what, balanced[i].bound, (double)load.most / least);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

/// Sequences of the lengths that sizes say, causal: the workgroup with the most
/// has little more than if the lengths came from an array, whether units fill
/// the turns of workgroups or not.
static void test_even_batches(void **state) {
  (void)state;
  static const struct {
    uint32_t batch, heads_q, heads_kv, rows, keys, workgroups, bound;
  } rows[] = {
      {1, 64, 8, 4096, 4096, 256, 1000}, {1, 64, 8, 8192, 8192, 512, 1010},
      {3, 40, 8, 5000, 9000, 256, 1070}, {2, 12, 4, 6000, 6000, 256, 1070},
      {1, 17, 1, 4097, 4097, 100, 1070}, {8, 28, 4, 1024, 1024, 256, 1070},
      {5, 3, 3, 700, 700, 37, 1070},     {1, 8, 1, 2048, 2048, 1, 1000}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    double most[2];
    for (int has_array = 0; has_array < 2; ++has_array) {
      work_batch b = work_batch_open(rows[i].batch);
      b.sizes.heads_q = rows[i].heads_q;
      b.sizes.heads_kv = rows[i].heads_kv;
      b.sizes.workgroups = rows[i].workgroups;
      b.rules.mask = FMHAC_WORK_MASK_CAUSAL;
      b.rules.tile_m = 256;
      b.rules.lengths = has_array ? FMHAC_WORK_LENGTHS_KV : 0;
      for (uint32_t s = 0; s < rows[i].batch; ++s) {
        b.rows[s] = (int32_t)rows[i].rows;
        b.keys[s] = (int32_t)rows[i].keys;
      }
      work_batch_close(&b);
      work_lists l = work_lists_make(&b);
      work_lists_check(&b, &l);
      most[has_array] = (double)work_load_of(&b, &l).most;
      work_lists_free(&l);
      work_batch_free(&b);
    }
    print_message("even: row %zu: %.3f\n", i, most[0] / most[1]);
    if (most[0] * 1000 > most[1] * rows[i].bound)
      fail_msg("row %zu: expected at most %u thousandths, found %.3f", i,
               rows[i].bound, most[0] / most[1]);
  }
}

/// Against the division of 64 bits.
static void test_wide_division(void **state) {
  (void)state;
  static const uint64_t numbers[] = {
      0, 1, 65535, 65536, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
  uint64_t random = 1;
  for (uint32_t by = 1; by <= 65536; by += 1 + by / 64)
    for (size_t i = 0; i < 20; ++i) {
      const uint64_t x = i < sizeof numbers / sizeof numbers[0]
                             ? numbers[i]
                             : (uint64_t)work_random(&random, UINT32_MAX)
                                       << work_random(&random, 33) |
                                   work_random(&random, UINT32_MAX);
      if (plan_divide_wide(x, by) != x / by)
        fail_msg("%llu / %u: found %llu", (unsigned long long)x, by,
                 (unsigned long long)plan_divide_wide(x, by));
    }
}

/// A queue of four lists for each workgroup: what these get one after the other
/// is nearly as even as what lists give them, however long the single units
/// are.
static void test_queue(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof balanced / sizeof balanced[0]; ++i) {
    work_batch b =
        ragged(balanced[i].batch, balanced[i].heads, balanced[i].group,
               balanced[i].rows, balanced[i].keys);
    b.rules.split = balanced[i].split;
    b.rules.split_keys = 2048;
    b.rules.queue = 1;
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    const work_load load = work_load_of(&b, &l);
    const double mean = (double)load.all / b.sizes.workgroups;
    const double least = mean > (double)load.unit ? mean : (double)load.unit;
    print_message("queue: %-28s last %llu, mean %.0f: %.3f\n", balanced[i].what,
                  (unsigned long long)load.last, mean,
                  (double)load.last / least);
    if ((double)load.last * 1000 > least * (balanced[i].bound + 30))
      fail_msg("%s: expected at most %u thousandths, found %.3f",
               balanced[i].what, balanced[i].bound + 30,
               (double)load.last / least);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

/// As many units as workgroups, whose costs are nearly alike: each gets one.
/// Laid end to end they would drift, and some workgroup would get two.
static void test_one_unit_each(void **state) {
  (void)state;
  work_batch b = ragged(1, 64, 8, 1, 1);
  b.keys[0] = 32769; // 513 tiles of keys in four parts
  b.rules.split = FMHAC_WORK_SPLIT_AUTO;
  work_batch_close(&b);
  work_lists l = work_lists_make(&b);
  work_lists_check(&b, &l);
  assert_int_equal(l.lists.work_indptr[256], 256);
  for (uint32_t w = 0; w < 256; ++w)
    assert_int_equal(l.lists.work_indptr[w], w);
  work_lists_free(&l);
  work_batch_free(&b);
}

/// Divided only where it pays: one sequence of 32,768 keys and 8 heads fills
/// all workgroups; 64 heads of 64 such sequences do so undivided.
static void test_auto_divides_where_it_pays(void **state) {
  (void)state;
  const struct {
    uint32_t batch, heads;
    int32_t keys;
    int32_t combine; ///< items of one row and at most 16 heads
    uint32_t chunks;
  } cases[] = {{1, 8, 32768, 1, 32},  {1, 8, 192, 0, 0},
               {64, 64, 32768, 0, 0}, {32, 8, 32768, 0, 0},
               {16, 8, 32768, 16, 2}, {1, 1, 1 << 20, 1, 256}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  for (size_t n = 0; n < 2 * CASES; ++n) {
    const size_t i = n % CASES;
    work_batch b = ragged(cases[i].batch, cases[i].heads, 1, 1, 1);
    // For the workgroups, however many lists these take from a queue.
    b.rules.queue = n >= CASES;
    for (uint32_t s = 0; s < cases[i].batch; ++s)
      b.keys[s] = cases[i].keys;
    b.rules.split = FMHAC_WORK_SPLIT_AUTO;
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    assert_int_equal(*l.lists.combine_count, cases[i].combine);
    if (cases[i].combine)
      assert_int_equal(l.lists.combine_items[0].chunks, cases[i].chunks);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

/// A tile of 16 rows takes long for its bytes, and a tile of keys is worth a
/// part of its own: one sequence of 2048 keys, 8 heads, tiles of 128 keys.
static void test_tiles_of_few_rows(void **state) {
  (void)state;
  static const uint32_t rows[] = {16, 128}, parts[] = {16, 4};
  fmhac_config_values values;
  fmhac_config_values_init(&values);
  values.work = FMHAC_WORK_LIST;
  values.split_kv = FMHAC_SPLIT_KV_AUTO;
  for (size_t i = 0; i < 2; ++i) {
    const fmhac_work_tile tile = {.rows = rows[i], .keys = 128};
    work_batch b = ragged(1, 8, 1, 1, 1);
    b.keys[0] = 2048;
    b.rules = fmhac_work_rules_of(&values, &tile);
    b.rules.page_size = 1; // the batch has tables of pages, too
    work_batch_close(&b);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    assert_int_equal(*l.lists.combine_count, 1);
    assert_in_range(l.lists.combine_items[0].chunks, i ? 2 : parts[i],
                    parts[i]);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_batches),
      cmocka_unit_test(test_lengths_that_are_wrong),
      cmocka_unit_test(test_room_of_totals),
      cmocka_unit_test(test_room_of_a_large_batch),
      cmocka_unit_test(test_again),
      cmocka_unit_test(test_division),
      cmocka_unit_test(test_division_by_group),
      cmocka_unit_test(test_fixed_parts_are_of_the_sequence),
      cmocka_unit_test(test_many_short_sequences_need_few_records),
      cmocka_unit_test(test_one_long_sequence),
      cmocka_unit_test(test_a_million_rows),
      cmocka_unit_test(test_sequences_without_rows),
      cmocka_unit_test(test_balance),
      cmocka_unit_test(test_even_batches),
      cmocka_unit_test(test_wide_division),
      cmocka_unit_test(test_queue),
      cmocka_unit_test(test_one_unit_each),
      cmocka_unit_test(test_tiles_of_few_rows),
      cmocka_unit_test(test_auto_divides_where_it_pays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
