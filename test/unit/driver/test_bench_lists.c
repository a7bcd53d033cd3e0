// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of persistent workgroups from those of short lists, where the time
// of a list is a formula.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench_lists.h"

enum { WORKGROUPS = 8, ITEMS = 160 };

typedef struct fake {
  bench_item items[ITEMS];
  double bend; ///< cycles of a tile squared
  size_t timed, tiles, fail_after;
} fake;

/// A workgroup takes 5000 cycles and an item 3000, of which 800 hide behind the
/// item before; a tile 1600, of kind 1 1700; to take another list 1200.
enum { TAKE = 1200 };

static double cycles_of(const fake *f, const uint32_t *items, size_t count) {
  double c = 5000;
  for (size_t i = 0; i < count; ++i) {
    const bench_item *x = &f->items[items[i]];
    c += (i ? 2200 : 3000) + x->tiles * (x->kind ? 1700 : 1600) +
         f->bend * x->tiles * x->tiles;
  }
  return c;
}

static bool time_fake(void *user, const uint32_t *items, size_t count,
                      bool each, fmhac_timing_workgroup *out,
                      char error[ERROR_BYTES]) {
  fake *f = user;
  const double c =
      cycles_of(f, items, count) + (each ? (double)(count - 1) * TAKE : 0);
  for (size_t i = 0; i < count; ++i)
    f->tiles += (size_t)f->items[items[i]].tiles;
  *out = (fmhac_timing_workgroup){.size = sizeof *out,
                                  .cycles = (uint64_t)llround(c),
                                  .resident = 1,
                                  .mfma_busy = (c - 5000) / c,
                                  .l2_bytes = c / 2};
  if (!f->fail_after || ++f->timed < f->fail_after)
    return true;
  strcpy(error, "the device is gone");
  return false;
}

static bench_lists lists_of(fake *f, const uint32_t *begin) {
  return (bench_lists){.workgroups = WORKGROUPS,
                       .items = f->items,
                       .item_count = ITEMS,
                       .begin = begin,
                       .lists = WORKGROUPS,
                       .most_tiles = 1e9,
                       .time = time_fake,
                       .user = f};
}

static void fill(fake *f) {
  *f = (fake){0};
  for (uint32_t i = 0; i < ITEMS; ++i)
    f->items[i] = (bench_item){i % 7 == 3, 1 + i * 37 % 128};
}

static void expect_times(const fake *f, const bench_lists_times *t,
                         double most) {
  for (uint32_t w = 0; w < WORKGROUPS; ++w) {
    uint32_t list[ITEMS];
    size_t n = 0;
    for (uint32_t i = 0; i < ITEMS; ++i)
      if (t->dealt[i] == w)
        list[n++] = i;
    const double c = cycles_of(f, list, n);
    assert_int_equal(t->list[w].id[0], w);
    assert_true(fabs((double)t->list[w].cycles / c - 1) <= most);
    assert_true(fabs(t->list[w].mfma_busy - (c - 5000) / c) <= 2 * most);
    assert_true(fabs(t->list[w].l2_bytes / (c / 2) - 1) <= 2 * most);
  }
  assert_true(t->deviation <= most);
}

static void straight(void **state) {
  (void)state;
  fake f;
  fill(&f);
  // Workgroup 2 has no items, 5 has one.
  const uint32_t begin[] = {0, 30, 60, 60, 90, 120, 121, 150, ITEMS};
  const bench_lists l = lists_of(&f, begin);
  bench_lists_times t;
  char error[ERROR_BYTES] = "";
  assert_true(bench_lists_take(&l, &t, error));
  assert_int_equal(t.list[2].cycles, 5000);
  assert_int_equal(t.dealt[120], 5);
  expect_times(&f, &t, 1e-4);
  // Three points of each kind, an empty list and the longest one.
  assert_int_equal(t.timed, 2 * 3 * 2 + 2);
  bench_lists_deinit(&t);
}

static void bent(void **state) {
  (void)state;
  fake f;
  fill(&f);
  f.bend = 4;
  const uint32_t begin[] = {0, 20, 40, 60, 80, 100, 120, 140, ITEMS};
  const bench_lists l = lists_of(&f, begin);
  bench_lists_times t;
  char error[ERROR_BYTES] = "";
  assert_true(bench_lists_take(&l, &t, error));
  assert_true(t.timed > 2 * 3 * 2 + 2);
  expect_times(&f, &t, 0.01);
  bench_lists_deinit(&t);
}

/// Each list goes to the workgroup that is free first.
static void queue(void **state) {
  (void)state;
  enum { LISTS = 50 };
  fake f;
  fill(&f);
  uint32_t begin[LISTS + 1]; // of four items, in the end of none
  for (uint32_t i = 0; i <= LISTS; ++i)
    begin[i] = i < ITEMS / 4 ? 4 * i : ITEMS;
  bench_lists l = lists_of(&f, begin);
  l.lists = LISTS;
  l.is_queue = true;
  bench_lists_times t;
  char error[ERROR_BYTES] = "";
  assert_true(bench_lists_take(&l, &t, error));
  double busy[WORKGROUPS] = {0};
  for (uint32_t i = 0; i < LISTS; ++i) {
    uint32_t w = i;
    if (i >= WORKGROUPS) {
      w = 0;
      for (uint32_t k = 1; k < WORKGROUPS; ++k)
        w = busy[k] < busy[w] - 1 ? k : w;
      if (begin[i] < ITEMS) // of those that are free as early, any
        w = t.dealt[begin[i]];
      for (uint32_t k = 0; k < WORKGROUPS; ++k)
        assert_true(busy[w] <= busy[k] + 1);
      busy[w] += TAKE - 5000 - 800;
    }
    for (uint32_t k = begin[i]; k < begin[i + 1]; ++k)
      assert_int_equal(t.dealt[k], w);
    const uint32_t list[] = {begin[i], begin[i] + 1, begin[i] + 2,
                             begin[i] + 3};
    if (begin[i] < begin[i + 1])
      busy[w] += cycles_of(&f, list, 4);
    else
      busy[w] += 5000 + 800;
  }
  for (uint32_t w = 0; w < WORKGROUPS; ++w)
    assert_true(fabs((double)t.list[w].cycles / busy[w] - 1) <= 1e-4);
  assert_true(t.deviation <= 1e-4);
  // As many as lists take, and three items in a list, and in one each.
  assert_int_equal(t.timed, 2 * 3 * 2 + 2 + 2);
  bench_lists_deinit(&t);
}

static void refuses(void **state) {
  (void)state;
  fake f;
  fill(&f);
  static const uint32_t begin[WORKGROUPS + 1];
  bench_lists l = lists_of(&f, begin);
  bench_lists_times t;
  char error[ERROR_BYTES] = "";
  f.fail_after = 4;
  assert_false(bench_lists_take(&l, &t, error));
  assert_string_equal(error, "the device is gone");
  bench_lists_deinit(&t);
  fill(&f);
  f.items[9].kind = BENCH_MOST_KINDS;
  assert_false(bench_lists_take(&l, &t, error));
  assert_non_null(strstr(error, "item 9 is of kind 16"));
  bench_lists_deinit(&t);
}

static double seconds_of(const double *seconds, size_t count, size_t shared,
                         int64_t layers) {
  const bench_launches launches = {seconds, count, shared, layers};
  return bench_launches_seconds(&launches,
                                "launch_gap_ns=1400,launch_overhead_ns=3400");
}

static void expect_seconds(double found, double expected) {
  assert_true(fabs(found - expected) < 1e-12);
}

/// Launches of 10, 20 and 30 us, of which 3.4 us are the launch each.
static void launches(void **state) {
  (void)state;
  const double seconds[] = {10e-6, 20e-6, 30e-6};
  expect_seconds(seconds_of(seconds, 3, 1, 1), 56e-6);
  expect_seconds(seconds_of(seconds, 1, 0, 1), 10e-6);
  expect_seconds(seconds_of(seconds, 0, 0, 1), 0);
  // 10 and four times 50 us, less 2 us for eight of the nine launches.
  expect_seconds(seconds_of(seconds, 3, 1, 4), (210e-6 - 16e-6) / 4);
  expect_seconds(seconds_of(seconds, 1, 0, 5), (50e-6 - 8e-6) / 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(straight), cmocka_unit_test(bent),
      cmocka_unit_test(queue), cmocka_unit_test(refuses),
      cmocka_unit_test(launches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
