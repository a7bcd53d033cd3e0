// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which workgroup is timed as the last of those that share a unit, and the
// counters that make it so: what is expected is worked out by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench_runs.h"

enum { WORKGROUPS = 100, COUNTERS = 2 * WORKGROUPS, TILE_M = 16, TILE = 30 };

/// A unit of `parts` parts, whose first is in the tile of parts `tile`; of 1 it
/// is whole.
static fmhac_combine_item unit_of(int32_t parts, int32_t tile) {
  return (fmhac_combine_item){.part = parts > 1 ? tile * TILE_M : 0,
                              .row_end = parts > 1 ? 7 : 0,
                              .chunks = parts};
}

static void test_widest(void **state) {
  (void)state;
  fmhac_combine_item units[] = {unit_of(1, 0), unit_of(2, 3), unit_of(9, 8),
                                unit_of(1, 0), unit_of(4, 20)};
  // Workgroup 0 has a whole unit and the first part of one, and so on.
  fmhac_work_item items[] = {
      {.part = -1},          {.part = 3 * TILE_M}, {.part = 4 * TILE_M},
      {.part = 8 * TILE_M},  {.part = 9 * TILE_M}, {.part = -1},
      {.part = 20 * TILE_M},
  };
  int32_t indptr[] = {0, 2, 4, 5, 5, 7};
  const bench_runs runs = {.workgroups = 5,
                           .indptr = indptr,
                           .unit_count = 5,
                           .items = items,
                           .units = units};
  bench_joined joined;
  assert_int_equal(bench_runs_busy(&runs), 4);
  assert_true(bench_runs_widest(&runs, &joined));
  assert_int_equal(joined.unit.chunks, 9);
  assert_int_equal(joined.workgroup, 1);
  assert_int_equal(joined.units, 3);
  assert_int_equal(joined.meeting, 8); // of nine parts eight become one first
  units[2] = unit_of(1, 0);
  assert_true(bench_runs_widest(&runs, &joined));
  assert_int_equal(joined.unit.chunks, 4);
  assert_int_equal(joined.meeting, 4);
  assert_int_equal(joined.workgroup, 4);
  const bench_runs whole = {.workgroups = 5,
                            .indptr = indptr,
                            .unit_count = 1,
                            .items = items,
                            .units = units};
  assert_false(bench_runs_widest(&whole, &joined));
}

static void test_counters(void **state) {
  (void)state;
  // Of 65 parts: eight, of whose groups eight, and then two.
  static const struct {
    int32_t parts;
    uint32_t counters[3], levels;
  } cases[] = {{2, {1}, 1},     {7, {6}, 1},       {8, {7}, 1},
               {9, {7, 1}, 2},  {16, {7, 1}, 2},   {17, {7, 2}, 2},
               {64, {7, 7}, 2}, {65, {7, 7, 1}, 3}};
  run_device device = {0};
  char error[ERROR_BYTES];
  assert_int_equal(fmhac_rt_device_open("emu", &device.device), FMHAC_OK);
  fmhac_kernel_args args = {.run_workgroups = WORKGROUPS,
                            .run_part_rows = TILE_M};
  assert_int_equal(fmhac_rt_alloc(device.device, COUNTERS * sizeof(uint32_t),
                                  &args.join_counters),
                   FMHAC_OK);
  const bench_plan_run run = {.device = &device};
  uint32_t counters[COUNTERS];
  for (size_t i = 0; i <= sizeof cases / sizeof *cases; ++i) {
    const bool is_last = i < sizeof cases / sizeof *cases;
    const bench_joined joined = {
        .unit = unit_of(is_last ? cases[i].parts : 2, TILE)};
    assert_int_equal(
        bench_runs_count_as(&run, &args, is_last ? &joined : NULL, error),
        FMHAC_OK);
    assert_int_equal(fmhac_rt_copy_out(device.device, args.join_counters,
                                       counters, sizeof counters),
                     FMHAC_OK);
    for (uint32_t c = 0; c < COUNTERS; ++c)
      if (is_last && c >= TILE && c < TILE + cases[i].levels)
        assert_int_equal(counters[c], cases[i].counters[c - TILE]);
      else
        // Above every bound: the first to ask makes it 0.
        assert_true(counters[c] > 8);
  }
  fmhac_rt_device_close(device.device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_widest),
                                     cmocka_unit_test(test_counters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
