// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// L2 of each XCD and MALL, by hand: how often a line comes from beyond them
// follows from who shares it, from sizes, and from the order of the grid.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "traffic.h"

enum { XCDS = 8, BUFFER_LINES = 1 << 26 };

/// A launch of workgroups that read `lines` consecutive lines of one buffer.
typedef struct launch {
  emu_timing timing;
  emu_traffic_stream stream;
  emu_traffic_part part;
  uint32_t first_lines[2];
  emu_traffic_workgroup *list;
  uint32_t *first;
  emu_traffic_window windows[EMU_TRAFFIC_WINDOWS];
  uint32_t window_count;
  emu_traffic traffic;
  double requests; ///< of all workgroups
} launch;

static launch *make(uint32_t workgroups, uint32_t lines, const char *changes) {
  launch *l = calloc(1, sizeof *l);
  char text[256];
  assert_non_null(l);
  assert_true(
      emu_time_constants_init(&l->timing.k, changes, text, sizeof text));
  l->timing.grid[0] = workgroups;
  l->timing.grid[1] = l->timing.grid[2] = 1;
  l->timing.resident = l->timing.held = 1;
  l->timing.buffer_count = 1;
  l->timing.first_lines = l->first_lines;
  l->first_lines[0] = 7;
  l->first_lines[1] = 7 + BUFFER_LINES;
  l->timing.known_streams = &l->stream;
  l->timing.known_count = 1;
  l->part = (emu_traffic_part){.first = 7, .count = lines};
  l->part.lines = calloc(lines, sizeof *l->part.lines);
  l->part.positions = calloc(lines, sizeof *l->part.positions);
  l->list = calloc(workgroups, sizeof *l->list);
  l->first = calloc(workgroups, sizeof *l->first);
  assert_true(l->part.lines && l->part.positions && l->list && l->first);
  for (uint32_t i = 0; i < lines; i++) {
    l->part.lines[i] = 7 + i;
    l->part.positions[i] = i;
  }
  l->stream = (emu_traffic_stream){.cycles = 100000,
                                   .l2_bytes = 128.0 * lines,
                                   .weight = 1,
                                   .count = lines,
                                   .parts = &l->part,
                                   .part_count = 1};
  l->window_count = emu_traffic_windows(&l->timing, l->windows);
  return l;
}

static void destroy(launch *l) {
  free(l->part.lines);
  free(l->part.positions);
  free(l->list);
  free(l->first);
  free(l);
}

/// Workgroup i begins at line `first(i)` of the buffer, or at one of the two
/// that are none. Returns the lines from beyond L2.
static double replay(launch *l, uint32_t (*first)(uint32_t i)) {
  uint32_t n = 0, used = 0;
  for (uint32_t w = 0; w < l->window_count; w++)
    for (uint64_t i = l->windows[w].begin; i < l->windows[w].end; i++, n++) {
      const uint32_t at = first((uint32_t)i);
      l->first[n] = at >= EMU_UNUSED ? at : 7 + at;
      used += at != EMU_UNUSED;
      l->list[n] = (emu_traffic_workgroup){
          .linear = i, .stream = &l->stream, .first = &l->first[n]};
    }
  assert_true(emu_traffic_replay(&l->timing, l->list, l->windows,
                                 l->window_count, &l->traffic));
  l->requests = (double)used * l->part.count;
  return l->traffic.far_share * l->requests;
}

static double hbm_lines(const launch *l) {
  assert_true(l->traffic.known);
  return l->traffic.hbm_share * l->requests;
}

static void check(double found, double expected, double error) {
  if (fabs(found - expected) > error * expected)
    fail_msg("expected %.0f lines, found %.0f", expected, found);
}

static uint32_t the_same(uint32_t i) { return i & 0; }
static uint32_t own(uint32_t i) { return 4096 * i; }
static uint32_t unknown(uint32_t i) { return EMU_NO_LINE | i; }
static uint32_t third_unknown(uint32_t i) { return i % 3 ? 0 : EMU_NO_LINE; }
static uint32_t half_unused(uint32_t i) { return i % 2 ? own(i) : EMU_UNUSED; }
// 32 tiles of each head, the tiles beside each other in the grid: a head is
// spread over all XCDs.
static uint32_t tiles_first(uint32_t i) { return 4096 * (i / 32); }
// 16 heads, the heads beside each other: a head is on one XCD.
static uint32_t heads_first(uint32_t i) { return 4096 * (i % 16); }

static void test_sharing(void **state) {
  (void)state;
  launch *l = make(512, 1024, NULL);
  check(replay(l, the_same), XCDS * 1024, 1e-9);
  check(hbm_lines(l), 1024, 1e-9);
  check(replay(l, own), 512 * 1024, 1e-9);
  check(hbm_lines(l), 512 * 1024, 1e-9);
  check(replay(l, half_unused), 256 * 1024, 1e-9);
  check(hbm_lines(l), 256 * 1024, 1e-9);
  replay(l, unknown);
  assert_false(l->traffic.known);
  check(replay(l, third_unknown), (171 + XCDS) * 1024, 0.001);
  check(replay(l, tiles_first), 16 * XCDS * 1024, 1e-9);
  check(hbm_lines(l), 16 * 1024, 1e-9);
  check(replay(l, heads_first), 16 * 1024, 1e-9);
  check(hbm_lines(l), 16 * 1024, 1e-9);
  destroy(l);
}

// Half of the workgroups run after the others: what these have left in L2, or
// in MALL, is there. 32 compute units of an XCD, 256 of the part, with 1024
// lines each.
static uint32_t by_place(uint32_t i) { return 4096 * (i % 256); }

static void test_sizes(void **state) {
  (void)state;
  launch *l = make(512, 1024, "l2_cache_kib=8192,mall_cache_kib=65536");
  check(replay(l, by_place), 256 * 1024, 0.01); // 4 MiB of 8
  check(hbm_lines(l), 256 * 1024, 0.01);
  destroy(l);
  l = make(512, 1024, "l2_cache_kib=2048,mall_cache_kib=65536");
  check(replay(l, by_place), 512 * 1024, 0.01); // 4 MiB of 2
  check(hbm_lines(l), 256 * 1024, 0.01);        // 32 MiB of 64
  destroy(l);
  l = make(512, 1024, "l2_cache_kib=2048,mall_cache_kib=16384");
  check(replay(l, by_place), 512 * 1024, 0.01);
  check(hbm_lines(l), 512 * 1024, 0.01); // 32 MiB of 16
  destroy(l);
}

// Long streams are looked at in part: the same, but for chance.
static void test_part(void **state) {
  (void)state;
  launch *l = make(256, 1 << 17, NULL);
  check(replay(l, the_same), XCDS * (1 << 17), 0.03);
  check(hbm_lines(l), 1 << 17, 0.03);
  destroy(l);
}

// All of a small grid; of a large one as many workgroups as run at a time twice
// over, at the beginning and in the middle.
static void test_windows(void **state) {
  (void)state;
  static const struct {
    uint32_t workgroups, count;
    emu_traffic_window windows[EMU_TRAFFIC_WINDOWS];
  } cases[] = {{1, 1, {{0, 1}}},
               {1024, 1, {{0, 1024}}},
               {1025, 2, {{0, 512}, {512, 1024}}},
               {10000, 2, {{0, 512}, {4744, 5256}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    launch *l = make(cases[i].workgroups, 1, NULL);
    assert_int_equal(l->window_count, cases[i].count);
    assert_memory_equal(l->windows, cases[i].windows,
                        cases[i].count * sizeof *l->windows);
    replay(l, the_same);
    destroy(l);
  }
}

// The timed workgroup that is nearest has the stream; an empty one has none.
static void test_nearest(void **state) {
  (void)state;
  emu_traffic_stream streams[3] = {
      {.id = {0, 0, 0}, .cycles = 1, .part_count = 1},
      {.id = {9, 0, 0}, .cycles = 1, .part_count = 1},
      {.id = {4, 9, 0}, .cycles = 0}};
  const emu_timing t = {
      .known_streams = streams, .known_count = 3, .grid = {10, 10, 1}};
  const uint32_t low[3] = {4, 9, 0}, high[3] = {5, 9, 0};
  assert_ptr_equal(emu_traffic_nearest(&t, low), &streams[0]);
  assert_ptr_equal(emu_traffic_nearest(&t, high), &streams[1]);
  const emu_timing none = {.grid = {10, 10, 1}};
  assert_null(emu_traffic_nearest(&none, low));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sharing), cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_part),    cmocka_unit_test(test_windows),
      cmocka_unit_test(test_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
