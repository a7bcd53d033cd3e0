// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that nobody lists: what each workgroup finds, against the definition of
// masks and parts in work_batch.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "work_batch.h"

/// Any batch for kernels with runs.
static work_batch batch_of(uint64_t seed) {
  fmhac_work_rules rules = work_rules_random(7 * seed);
  rules.queue = 0;
  rules.rows = (fmhac_work_rows){0};
  if (rules.split == FMHAC_WORK_SPLIT_FIXED)
    rules.split = FMHAC_WORK_SPLIT_AUTO;
  work_batch b = work_batch_random(&rules, seed);
  b.sizes.total_q = b.sizes.total_kv = b.most.total_q = b.most.total_kv = 0;
  b.has_runs = true;
  // A line has to be shorter than 2^24, for all that there is room for.
  if (fmhac_run_room_of(&b.rules, &b.most).items == UINT64_MAX)
    b.most = b.sizes;
  if (fmhac_run_room_of(&b.rules, &b.most).items == UINT64_MAX) {
    work_batch_free(&b);
    return batch_of(seed + 100000);
  }
  return b;
}

/// Checks it, and counts workgroups with work and units that are divided.
static void check(work_batch *b, size_t *busy, size_t *divided) {
  work_lists l = work_lists_make(b);
  work_lists_check(b, &l);
  for (uint32_t w = 0; w < b->sizes.workgroups; ++w)
    *busy += l.lists.work_indptr[w] < l.lists.work_indptr[w + 1];
  for (int32_t i = 0; b->rules.split && i < *l.lists.combine_count; ++i)
    *divided += l.lists.combine_items[i].heads != 0;
  work_lists_free(&l);
}

static void test_random_batches(void **state) {
  (void)state;
  enum { BATCHES = 800 };
  size_t busy = 0, divided = 0;
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    work_batch b = batch_of(seed);
    check(&b, &busy, &divided);
    work_batch_free(&b);
  }
  print_message("%d batches: %zu workgroups with work, %zu divided units\n",
                BATCHES, busy, divided);
  assert_true(busy > BATCHES);
  assert_true(divided > BATCHES);
}

/// A sequence with a length that is none is left out, the others are not.
static void test_lengths_that_are_wrong(void **state) {
  (void)state;
  enum { BATCHES = 300, ROWS = 2, KEYS = 3 };
  static const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX};
  size_t busy = 0, divided = 0, spoiled = 0;
  for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
    work_batch b = batch_of(seed);
    uint64_t random = seed;
    for (uint32_t s = 0; s < b.sizes.batch; ++s)
      for (int array = ROWS; array <= KEYS; ++array) {
        const uint32_t bit =
            array == ROWS ? FMHAC_WORK_LENGTHS_Q : FMHAC_WORK_LENGTHS_KV;
        if (!(b.rules.lengths & bit) || work_random(&random, 4))
          continue;
        b.arrays[array][s] = wrong[work_random(&random, 3)];
        b.rows[s] = b.keys[s] = 0;
        ++spoiled;
      }
    check(&b, &busy, &divided);
    work_batch_free(&b);
  }
  print_message("%zu lengths that are none\n", spoiled);
  assert_true(spoiled > BATCHES / 4);
}

/// All workgroups have as much to do, but for what a cut moves to the end of a
/// unit and the beginning of an item.
static void test_balance(void **state) {
  (void)state;
  enum { SEQUENCES = 100, KEYS = 5000, WORKGROUPS = 512 };
  work_batch b = work_batch_open(SEQUENCES);
  b.rules.tile_m = 16;
  b.rules.tile_n = 128;
  b.rules.item_cost = b.rules.least_part = 1;
  b.rules.split = FMHAC_WORK_SPLIT_AUTO;
  b.rules.lengths = FMHAC_WORK_LENGTHS_KV;
  uint64_t random = 1;
  for (uint32_t s = 0; s < SEQUENCES; ++s) {
    b.rows[s] = 1;
    b.keys[s] = (int32_t)work_random(&random, KEYS + 1);
  }
  b.sizes.heads_q = b.sizes.heads_kv = 8;
  b.sizes.workgroups = WORKGROUPS;
  work_batch_close(&b);
  b.has_runs = true;
  work_lists l = work_lists_make(&b);
  work_lists_check(&b, &l);
  uint64_t all = 0, most = 0;
  for (uint32_t w = 0; w < WORKGROUPS; ++w) {
    uint64_t own = 0;
    for (int32_t i = l.lists.work_indptr[w]; i < l.lists.work_indptr[w + 1];
         ++i) {
      const fmhac_work_item *item = &l.lists.work_items[i];
      own += (uint64_t)(item->key_end - item->key_begin + 127) / 128 + 1;
    }
    all += own;
    most = own > most ? own : most;
  }
  print_message("the most of a workgroup is %.3f of its share\n",
                (double)most * WORKGROUPS / (double)all);
  assert_true(most * WORKGROUPS <= all + 2 * WORKGROUPS);
  work_lists_free(&l);
  work_batch_free(&b);
}

/// A batch of one row of each sequence, of so many keys, as decode has it.
static work_batch steps(uint32_t sequences, int32_t keys, uint32_t split) {
  work_batch b = work_batch_open(sequences);
  b.rules.tile_m = 16;
  b.rules.tile_n = 128;
  b.rules.item_cost = b.rules.least_part = 1;
  b.rules.split = split;
  for (uint32_t s = 0; s < sequences; ++s) {
    b.rows[s] = 1;
    b.keys[s] = keys;
  }
  b.sizes.workgroups = 512;
  work_batch_close(&b);
  b.has_runs = true;
  return b;
}

/// Few runs are on all XCDs, to which workgroups go in turns.
static void test_short_lines(void **state) {
  (void)state;
  enum { XCDS = 8 };
  for (int32_t keys = 128; keys <= 8192; keys *= 2) {
    work_batch b = steps(1, keys, FMHAC_WORK_SPLIT_AUTO);
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    uint32_t busy = 0, of_xcd[XCDS] = {0}, xcds = 0;
    for (uint32_t w = 0; w < b.sizes.workgroups; ++w)
      if (l.lists.work_indptr[w] < l.lists.work_indptr[w + 1]) {
        ++busy;
        xcds += of_xcd[w % XCDS]++ == 0;
      }
    assert_int_equal(xcds, busy < XCDS ? busy : XCDS);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

/// Undivided, each of fewer units than workgroups has one of its own.
static void test_few_units(void **state) {
  (void)state;
  for (uint32_t sequences = 1; sequences <= 512; sequences += 73) {
    work_batch b = steps(sequences, 100, FMHAC_WORK_SPLIT_NONE);
    b.rules.item_cost = 6; // of larger tiles
    b.rules.least_part = 4;
    work_lists l = work_lists_make(&b);
    work_lists_check(&b, &l);
    for (uint32_t w = 0; w < b.sizes.workgroups; ++w)
      assert_true(l.lists.work_indptr[w + 1] - l.lists.work_indptr[w] <= 1);
    work_lists_free(&l);
    work_batch_free(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_batches),
      cmocka_unit_test(test_lengths_that_are_wrong),
      cmocka_unit_test(test_balance),
      cmocka_unit_test(test_short_lines),
      cmocka_unit_test(test_few_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
