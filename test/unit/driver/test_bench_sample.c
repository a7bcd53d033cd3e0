// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workgroups of a grid are timed, on grids whose cycles are formulas.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench_sample.h"

enum { SIDE = 512 };

typedef double cycles_fn(uint32_t x, uint32_t y, uint32_t z);

/// What was asked for, workgroup by workgroup.
typedef struct fake {
  cycles_fn *cycles;
  const uint32_t *grid;
  size_t timed;
  size_t fail_after; ///< workgroups; 0: never
  uint8_t *seen;     ///< [SIDE^2]: x + SIDE (y + 8 z)
} fake;

static bool time_fake(void *user, const uint32_t (*ids)[3], size_t count,
                      fmhac_timing_workgroup *list, char error[ERROR_BYTES]) {
  fake *f = user;
  for (size_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d)
      assert_true(ids[i][d] < f->grid[d]);
    size_t at = ids[i][0] + (size_t)SIDE * (ids[i][1] + 8 * ids[i][2]);
    assert_int_equal(f->seen[at], 0); // nothing is executed twice
    f->seen[at] = 1;
    list[i] = (fmhac_timing_workgroup){
        .size = sizeof list[i],
        .cycles = (uint64_t)f->cycles(ids[i][0], ids[i][1], ids[i][2]),
        .resident = 1};
    memcpy(list[i].id, ids[i], sizeof ids[i]);
  }
  f->timed += count;
  if (!f->fail_after || f->timed < f->fail_after)
    return true;
  strcpy(error, "the device is gone");
  return false;
}

static double same(uint32_t x, uint32_t y, uint32_t z) {
  (void)x, (void)y, (void)z;
  return 100000;
}
static double causal(uint32_t x, uint32_t y, uint32_t z) {
  (void)y, (void)z;
  return 1000 + 2000.0 * (x + 1);
}
/// Both ends see half of what the middle sees.
static double window(uint32_t x, uint32_t y, uint32_t z) {
  (void)y, (void)z;
  double left = x < 40 ? x : 40, right = 300 - 1 - x < 40 ? 300 - 1 - x : 40;
  return 1000 + 500 * (left + right);
}
static double both(uint32_t x, uint32_t y, uint32_t z) {
  (void)y;
  return (1000 + 2000.0 * (x + 1)) * (1 + z);
}
static double saw(uint32_t x, uint32_t y, uint32_t z) {
  (void)y, (void)z;
  return 1000 + 300 * (x % 16);
}

static bool take(const uint32_t grid[3], cycles_fn *cycles, uint32_t points,
                 bool all, fake *f, bench_sample *out) {
  *f = (fake){.cycles = cycles, .grid = grid};
  f->seen = calloc((size_t)SIDE * SIDE, 1);
  bench_plan plan = {
      .all = all, .points = points, .time = time_fake, .user = f};
  memcpy(plan.grid, grid, sizeof plan.grid);
  char error[ERROR_BYTES] = "";
  bool ok = bench_sample_take(&plan, out, error);
  free(f->seen);
  return ok;
}

/// Whether the sample is a lattice of its points.
static void expect_lattice(const bench_sample *s) {
  assert_int_equal(s->count,
                   (size_t)s->points[0] * s->points[1] * s->points[2]);
  for (size_t i = 0; i < s->count; ++i)
    for (int d = 0; d < 3; ++d) {
      size_t alike = 0;
      for (size_t j = 0; j < s->count; ++j)
        alike += s->list[i].id[d] == s->list[j].id[d];
      assert_int_equal(alike, s->count / s->points[d]);
    }
}

/// Cycles at x by straight lines between the samples of y = z = 0's line.
static double interpolated(const bench_sample *s, uint32_t x, uint32_t z) {
  const fmhac_timing_workgroup *low = NULL, *high = NULL;
  for (size_t i = 0; i < s->count; ++i) {
    const fmhac_timing_workgroup *w = &s->list[i];
    if (w->id[2] != z)
      continue;
    if (w->id[0] <= x && (!low || w->id[0] > low->id[0]))
      low = w;
    if (w->id[0] >= x && (!high || w->id[0] < high->id[0]))
      high = w;
  }
  assert_non_null(low ? low : high);
  low = low ? low : high;
  high = high ? high : low;
  if (low->id[0] == high->id[0])
    return (double)low->cycles;
  double part = (double)(x - low->id[0]) / (double)(high->id[0] - low->id[0]);
  return (double)low->cycles +
         part * ((double)high->cycles - (double)low->cycles);
}

static void test_equal_workgroups_take_one(void **state) {
  (void)state;
  const uint32_t grid[3] = {128, 8, 2};
  fake f;
  bench_sample s;
  assert_true(take(grid, same, 33, false, &f, &s));
  assert_int_equal(s.count, 1);
  // The middle, two ends of x and y; along z the middle is the first.
  assert_int_equal(s.timed, 6);
  assert_int_equal(f.timed, s.timed);
  assert_true(s.deviation == 0);
  bench_sample_deinit(&s);
}

static void test_a_straight_axis_is_seen_to_be(void **state) {
  (void)state;
  const uint32_t grid[3] = {128, 8, 2};
  fake f;
  bench_sample s;
  assert_true(take(grid, causal, 33, false, &f, &s));
  expect_lattice(&s);
  // The ends and the middle, and a look between these.
  assert_int_equal(s.points[0], 5);
  assert_int_equal(s.points[1], 1);
  assert_int_equal(s.points[2], 1);
  assert_true(s.deviation < 0.001);
  bench_sample_deinit(&s);
}

static void test_ends_alike_and_a_different_middle(void **state) {
  (void)state;
  const uint32_t grid[3] = {300, 4, 1};
  fake f;
  bench_sample s;
  assert_true(take(grid, window, 33, false, &f, &s));
  expect_lattice(&s);
  assert_true(s.points[0] > 5 && s.points[0] <= 33);
  for (uint32_t x = 0; x < grid[0]; ++x)
    assert_true(fabs(interpolated(&s, x, 0) - window(x, 0, 0)) <
                0.05 * window(x, 0, 0));
  bench_sample_deinit(&s);
}

static void test_two_axes_make_all_combinations(void **state) {
  (void)state;
  const uint32_t grid[3] = {100, 4, 5};
  fake f;
  bench_sample s;
  assert_true(take(grid, both, 33, false, &f, &s));
  expect_lattice(&s);
  assert_true(s.points[0] >= 3 && s.points[1] == 1 && s.points[2] >= 3);
  bench_sample_deinit(&s);
}

static void test_few_points_say_how_far_off_they_are(void **state) {
  (void)state;
  const uint32_t grid[3] = {256, 1, 1};
  fake f;
  bench_sample s;
  assert_true(take(grid, saw, 9, false, &f, &s));
  expect_lattice(&s);
  assert_true(s.points[0] <= 9);
  assert_true(s.deviation > 0.1);
  bench_sample_deinit(&s);
}

static void test_breaks_that_are_told(void **state) {
  (void)state;
  const uint32_t grid[3] = {256, 4, 1};
  uint32_t breaks[32];
  for (uint32_t i = 0; i < 16; ++i) { // bottom and top of each tooth
    breaks[2 * i] = 16 * i;
    breaks[2 * i + 1] = 16 * i + 15;
  }
  fake f = {.cycles = saw, .grid = grid};
  f.seen = calloc((size_t)SIDE * SIDE, 1);
  const bench_plan plan = {.grid = {256, 4, 1},
                           .points = 33,
                           .breaks = breaks,
                           .break_count = 32,
                           .time = time_fake,
                           .user = &f};
  bench_sample s;
  char error[ERROR_BYTES];
  assert_true(bench_sample_take(&plan, &s, error));
  expect_lattice(&s);
  for (uint32_t x = 0; x < grid[0]; ++x)
    assert_true(fabs(interpolated(&s, x, 0) - saw(x, 0, 0)) < 1.5);
  assert_true(s.deviation < 0.01);
  bench_sample_deinit(&s);
  free(f.seen);
}

/// Teeth of a power of two blocks are not taken for a line.
static void test_teeth_are_not_straight(void **state) {
  (void)state;
  const uint32_t grid[3] = {64, 1, 1};
  fake f;
  bench_sample s;
  assert_true(take(grid, saw, 64, false, &f, &s));
  for (uint32_t x = 0; x < grid[0]; ++x)
    assert_true(fabs(interpolated(&s, x, 0) - saw(x, 0, 0)) <
                0.05 * saw(x, 0, 0));
  bench_sample_deinit(&s);
}

static void test_all_is_every_workgroup_once(void **state) {
  (void)state;
  const uint32_t grid[3] = {7, 3, 2};
  fake f;
  bench_sample s;
  assert_true(take(grid, causal, 33, true, &f, &s));
  expect_lattice(&s);
  assert_int_equal(s.count, 42);
  assert_int_equal(f.timed, 42);
  bench_sample_deinit(&s);
}

static void test_small_grids_of_any_shape(void **state) {
  (void)state;
  for (uint32_t x = 1; x < 6; ++x)
    for (uint32_t y = 1; y < 4; ++y)
      for (uint32_t z = 1; z < 4; ++z) {
        const uint32_t grid[3] = {x, y, z};
        fake f;
        bench_sample s;
        assert_true(take(grid, both, 3, false, &f, &s));
        expect_lattice(&s);
        assert_int_equal(s.points[0], x < 3 ? x : 3);
        assert_int_equal(s.points[1], 1);
        assert_int_equal(s.points[2], z);
        bench_sample_deinit(&s);
      }
}

static void test_sequences_differ_as_they_like(void **state) {
  (void)state;
  const uint32_t grid[3] = {16, 2, 5};
  fake f = {.cycles = causal, .grid = grid};
  f.seen = calloc((size_t)SIDE * SIDE, 1);
  const bench_plan plan = {.grid = {16, 2, 5},
                           .points = 3,
                           .irregular_z = true,
                           .time = time_fake,
                           .user = &f};
  bench_sample s;
  char error[ERROR_BYTES];
  assert_true(bench_sample_take(&plan, &s, error));
  expect_lattice(&s);
  assert_int_equal(s.points[2], 5);
  bench_sample_deinit(&s);
  free(f.seen);
}

static void test_a_device_that_fails(void **state) {
  (void)state;
  const uint32_t grid[3] = {128, 8, 2};
  for (size_t after = 1; after < 12; ++after) {
    fake f = {.cycles = causal, .grid = grid, .fail_after = after};
    f.seen = calloc((size_t)SIDE * SIDE, 1);
    bench_plan plan = {.points = 9, .time = time_fake, .user = &f};
    memcpy(plan.grid, grid, sizeof plan.grid);
    bench_sample s;
    char error[ERROR_BYTES] = "";
    bool ok = bench_sample_take(&plan, &s, error);
    assert_int_equal(ok, f.timed < after);
    if (!ok)
      assert_string_equal(error, "the device is gone");
    bench_sample_deinit(&s);
    free(f.seen);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_workgroups_take_one),
      cmocka_unit_test(test_a_straight_axis_is_seen_to_be),
      cmocka_unit_test(test_ends_alike_and_a_different_middle),
      cmocka_unit_test(test_two_axes_make_all_combinations),
      cmocka_unit_test(test_few_points_say_how_far_off_they_are),
      cmocka_unit_test(test_breaks_that_are_told),
      cmocka_unit_test(test_teeth_are_not_straight),
      cmocka_unit_test(test_all_is_every_workgroup_once),
      cmocka_unit_test(test_small_grids_of_any_shape),
      cmocka_unit_test(test_sequences_differ_as_they_like),
      cmocka_unit_test(test_a_device_that_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
