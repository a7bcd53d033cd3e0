// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of persistent workgroups from short lists
// (driver/bench/bench_lists.h) against that of all of their lists, on a kernel
// that clang compiles (lists.cl).
//   lists CODE_OBJECT
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_lists.h"
#include "read_file.h"

enum {
  WORKGROUPS = 32,
  MOST_ITEMS = 512,
  TILE_BYTES = 256 * 16,
  TILES = 4096,
  ROW_BYTES = 16 * 256 * 4
};

typedef struct item {
  int32_t first, tiles, kind, row;
} item;

typedef struct arguments {
  uint64_t begin, items, tiles, out, counter;
  int32_t item_count;
} arguments;

typedef struct state {
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  arguments args;
  item items[MOST_ITEMS];
  uint32_t count, begin[WORKGROUPS + 1];
} state;

static uint32_t next(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)*seed * below >> 32);
}

/// Lists of 3 to 9 items of 1 to 60 tiles; every fifth item is of kind 1.
static void make_items(state *s) {
  uint32_t seed = 7;
  for (uint32_t w = 0; w < WORKGROUPS; w++) {
    s->begin[w] = s->count;
    for (uint32_t n = 3 + next(&seed, 7); n--; s->count++) {
      item *i = &s->items[s->count];
      i->tiles = 1 + (int32_t)next(&seed, 60);
      i->first = (int32_t)next(&seed, (uint32_t)(TILES - i->tiles));
      i->kind = next(&seed, 5) == 0;
      i->row = (int32_t)s->count;
    }
  }
  s->begin[WORKGROUPS] = s->count;
}

static bool start(state *s, const char *path) {
  size_t bytes;
  void *code = read_file(path, &bytes), *tiles = calloc(TILES, TILE_BYTES);
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_MEM;
  options.timing = 1;
  arguments *a = &s->args;
  fmhac_rt_device *d = NULL;
  bool ok =
      code && tiles && fmhac_rt_device_open("emu", &s->device) == FMHAC_OK;
  d = s->device;
  ok = ok && fmhac_emu_configure(d, &options) == FMHAC_OK &&
       fmhac_rt_module_load(d, code, bytes, &s->module) == FMHAC_OK &&
       fmhac_rt_alloc(d, sizeof s->begin, &a->begin) == FMHAC_OK &&
       fmhac_rt_alloc(d, sizeof s->items, &a->items) == FMHAC_OK &&
       fmhac_rt_alloc(d, (size_t)TILES * TILE_BYTES, &a->tiles) == FMHAC_OK &&
       fmhac_rt_alloc(d, (size_t)MOST_ITEMS * ROW_BYTES, &a->out) == FMHAC_OK &&
       fmhac_rt_copy_in(d, a->tiles, tiles, (size_t)TILES * TILE_BYTES) ==
           FMHAC_OK;
  free(code);
  free(tiles);
  return ok;
}

static bool launch_grid(state *s, uint32_t workgroups) {
  const fmhac_rt_launch l = {.size = sizeof l,
                             .kernel = "lists",
                             .grid = {workgroups, 1, 1},
                             .block = {256, 1, 1},
                             .kernarg = &s->args,
                             .kernarg_bytes = sizeof s->args};
  return fmhac_rt_launch_kernel(s->device, s->module, &l) == FMHAC_OK;
}

static bool launch(state *s) { return launch_grid(s, WORKGROUPS); }

/// To take another list takes no time: `each` is as one.
static bool time_list(void *user, const uint32_t *list, size_t count, bool each,
                      fmhac_timing_workgroup *out, char error[ERROR_BYTES]) {
  (void)each;
  state *s = user;
  static const uint32_t first[1][3] = {{0, 0, 0}};
  uint32_t begin[WORKGROUPS + 1];
  item items[MOST_ITEMS];
  for (size_t i = 0; i < count; i++)
    items[i] = s->items[list[i]];
  begin[0] = 0;
  for (int w = 1; w <= WORKGROUPS; w++)
    begin[w] = (uint32_t)count;
  // As often as all items use the tiles, so many such lists do.
  double tiles = 0, all = 0;
  for (size_t i = 0; i < count; i++)
    tiles += items[i].tiles;
  for (uint32_t i = 0; i < s->count; i++)
    all += s->items[i].tiles;
  bool ok =
      fmhac_rt_copy_in(s->device, s->args.begin, begin, sizeof begin) ==
          FMHAC_OK &&
      fmhac_timing_stand_for(s->device, count ? all / tiles : 0) == FMHAC_OK;
  if (count)
    ok = ok && fmhac_rt_copy_in(s->device, s->args.items, items,
                                count * sizeof *items) == FMHAC_OK;
  ok = ok && fmhac_emu_select_workgroups(s->device, first, 1) == FMHAC_OK &&
       launch(s) && fmhac_timing_get_workgroup(s->device, 0, out) == FMHAC_OK;
  if (!ok)
    snprintf(error, ERROR_BYTES, "%s", fmhac_rt_last_error(s->device));
  return ok;
}

/// All workgroups with all of their items.
static bool time_all(state *s, uint64_t cycles[WORKGROUPS],
                     fmhac_timing_grid *grid) {
  bool ok = fmhac_rt_copy_in(s->device, s->args.begin, s->begin,
                             sizeof s->begin) == FMHAC_OK &&
            fmhac_rt_copy_in(s->device, s->args.items, s->items,
                             sizeof s->items) == FMHAC_OK &&
            fmhac_timing_stand_for(s->device, 0) == FMHAC_OK && launch(s);
  for (size_t w = 0; ok && w < WORKGROUPS; w++) {
    fmhac_timing_workgroup t = {.size = sizeof t};
    ok = fmhac_timing_get_workgroup(s->device, w, &t) == FMHAC_OK;
    cycles[w] = t.cycles;
  }
  return ok && fmhac_timing_extrapolate(s->device, grid) == FMHAC_OK;
}

static double off(double found, double expected) {
  return found / expected - 1;
}

/// Prints both times. False: they are too far apart.
static bool compare(const char *name, const fmhac_timing_grid *found,
                    const fmhac_timing_grid *exact, size_t timed,
                    double deviation, double most) {
  const double cycles = off(found->cycles, exact->cycles),
               seconds = off(found->seconds, exact->seconds),
               bytes = off(found->l2_bytes, exact->l2_bytes);
  printf("%s: %.0f cycles from %zu short lists, %.0f exactly: %+.2f %%; time "
         "%+.2f %%, matrix share %+.2f %%, bytes of L2 %+.2f %%; deviation of "
         "a whole list %.2f %%\n",
         name, found->cycles, timed, exact->cycles, 100 * cycles, 100 * seconds,
         100 * off(found->mfma_busy, exact->mfma_busy), 100 * bytes,
         100 * deviation);
  return fabs(cycles) <= most && fabs(seconds) <= most;
}

/// What the model's user is told of the items.
static void note_kinds(const state *s, bench_item kinds[MOST_ITEMS]) {
  for (uint32_t i = 0; i < s->count; i++)
    kinds[i] = (bench_item){(uint32_t)s->items[i].kind, s->items[i].tiles};
}

static bool lists(state *s, char error[ERROR_BYTES]) {
  uint64_t cycles[WORKGROUPS];
  fmhac_timing_grid exact = {.size = sizeof exact},
                    found = {.size = sizeof found};
  bench_item kinds[MOST_ITEMS];
  note_kinds(s, kinds);
  const bench_lists plan = {.workgroups = WORKGROUPS,
                            .items = kinds,
                            .item_count = s->count,
                            .begin = s->begin,
                            .lists = WORKGROUPS,
                            .most_tiles = 1000,
                            .time = time_list,
                            .user = s};
  bench_lists_times times;
  bool ok = bench_lists_take(&plan, &times, error) &&
            time_all(s, cycles, &exact) &&
            fmhac_timing_extrapolate_from(s->device, times.list, WORKGROUPS,
                                          &found) == FMHAC_OK;
  double worst = 0, far = 0, tiles = 0;
  for (int w = 0; ok && w < WORKGROUPS; w++) {
    worst =
        fmax(worst, fabs(off((double)times.list[w].cycles, (double)cycles[w])));
    far += times.list[w].far_bytes;
  }
  for (uint32_t i = 0; i < s->count; i++)
    tiles += s->items[i].tiles;
  // Lists use each tile more than once, and all of them bring each once; each
  // item stores a row.
  const double once = (double)TILES * TILE_BYTES + (double)s->count * ROW_BYTES;
  if (ok)
    printf("lists: a workgroup is off by at most %.2f %%; from beyond L2 %+.2f "
           "%% of all tiles and rows once\n",
           100 * worst, 100 * off(far, once));
  ok = ok && tiles > TILES && fabs(off(far, once)) < 0.06;
  ok = ok &&
       compare("lists", &found, &exact, times.timed, times.deviation, 0.03) &&
       worst < 0.04;
  bench_lists_deinit(&times);
  return ok;
}

/// Lists that are what each workgroup takes from a queue.
static void deal(state *s, const uint32_t *dealt) {
  item items[MOST_ITEMS];
  uint32_t n = 0;
  memcpy(items, s->items, sizeof items);
  for (uint32_t w = 0; w < WORKGROUPS; w++) {
    s->begin[w] = n;
    for (uint32_t i = 0; i < s->count; i++)
      if (dealt[i] == w)
        s->items[n++] = items[i];
  }
}

/// How a queue of lists of one item is dealt follows from the times of its
/// items: the lists of what each workgroup took, timed exactly, take as long,
/// and no workgroup is idle for longer than an item takes.
static bool queue(state *s, char error[ERROR_BYTES]) {
  uint64_t cycles[WORKGROUPS];
  fmhac_timing_grid exact = {.size = sizeof exact},
                    found = {.size = sizeof found};
  bench_item kinds[MOST_ITEMS];
  note_kinds(s, kinds);
  uint32_t begin[MOST_ITEMS + 1];
  for (uint32_t i = 0; i <= s->count; i++)
    begin[i] = i;
  const bench_lists plan = {.workgroups = WORKGROUPS,
                            .items = kinds,
                            .item_count = s->count,
                            .begin = begin,
                            .lists = s->count,
                            .is_queue = true,
                            .most_tiles = 1000,
                            .time = time_list,
                            .user = s};
  bench_lists_times times;
  bool ok = bench_lists_take(&plan, &times, error);
  if (ok)
    deal(s, times.dealt);
  ok = ok && time_all(s, cycles, &exact) &&
       fmhac_timing_extrapolate_from(s->device, times.list, WORKGROUPS,
                                     &found) == FMHAC_OK &&
       compare("queue", &found, &exact, times.timed, times.deviation, 0.03);
  double least = exact.cycles;
  for (int w = 0; ok && w < WORKGROUPS; w++)
    least = fmin(least, (double)cycles[w]);
  if (ok)
    printf("queue: the first workgroup is over after %.1f %% of the time\n",
           100 * least / exact.cycles);
  bench_lists_deinit(&times);
  return ok && least > 0.6 * exact.cycles;
}

/// The time of a grid of `workgroups`: WORKGROUPS of them have an item of 60
/// tiles; the model is told of `busy` ones.
static bool time_busy(state *s, uint32_t workgroups, uint64_t busy,
                      fmhac_timing_grid *out) {
  enum { MOST = WORKGROUPS + 2 };
  uint32_t ids[MOST][3] = {{0}}, count = 0;
  for (; count < WORKGROUPS; count++)
    ids[count][0] = count;
  if (workgroups > WORKGROUPS) { // the first that has none, and the last
    ids[count++][0] = WORKGROUPS;
    ids[count++][0] = workgroups - 1;
  }
  *out = (fmhac_timing_grid){.size = sizeof *out};
  return fmhac_timing_busy(s->device, busy) == FMHAC_OK &&
         fmhac_timing_stand_for(s->device, WORKGROUPS) == FMHAC_OK &&
         fmhac_emu_select_workgroups(s->device, (const uint32_t(*)[3])ids,
                                     count) == FMHAC_OK &&
         launch_grid(s, workgroups) &&
         fmhac_timing_extrapolate(s->device, out) == FMHAC_OK;
}

/// Workgroups without items leave the others alone: a grid that has them beside
/// others takes as long as one of these others. Where nobody says how many have
/// items, the fullest compute unit is taken to have as many as it can hold.
static bool busy(state *s) {
  enum { GRID = 2048 };
  uint32_t begin[GRID + 1];
  item items[WORKGROUPS];
  for (int32_t w = 0; w < WORKGROUPS; w++)
    items[w] = (item){.first = w * 64, .tiles = 60, .row = w};
  for (uint32_t w = 0; w <= GRID; w++)
    begin[w] = w < WORKGROUPS ? w : WORKGROUPS;
  const uint64_t before = s->args.begin;
  fmhac_timing_grid alone, told, untold;
  bool ok = fmhac_rt_alloc(s->device, sizeof begin, &s->args.begin) == FMHAC_OK;
  ok = ok &&
       fmhac_rt_copy_in(s->device, s->args.begin, begin, sizeof begin) ==
           FMHAC_OK &&
       fmhac_rt_copy_in(s->device, s->args.items, items, sizeof items) ==
           FMHAC_OK &&
       time_busy(s, WORKGROUPS, 0, &alone) &&
       time_busy(s, GRID, WORKGROUPS, &told) &&
       time_busy(s, GRID, 0, &untold) &&
       fmhac_timing_busy(s->device, 0) == FMHAC_OK;
  s->args.begin = before;
  if (ok)
    printf("busy: %d workgroups %.0f cycles, beside %d without items %+.2f %%, "
           "%+.2f %% if nobody says so\n",
           WORKGROUPS, alone.cycles, GRID - WORKGROUPS,
           100 * off(told.cycles, alone.cycles),
           100 * off(untold.cycles, alone.cycles));
  return ok && fabs(off(told.cycles, alone.cycles)) < 0.01 &&
         untold.cycles > 1.2 * alone.cycles;
}

/// Cycles of a workgroup that finds an empty queue.
static bool fetch(state *s, const char *constants, double *out) {
  static const uint32_t first[1][3] = {{0, 0, 0}};
  const uint32_t none = 0;
  fmhac_emu_options options;
  fmhac_timing_workgroup w = {.size = sizeof w};
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_MEM;
  options.timing = 1;
  options.timing_constants = constants;
  bool ok = (s->args.counter || fmhac_rt_alloc(s->device, sizeof none,
                                               &s->args.counter) == FMHAC_OK) &&
            fmhac_rt_copy_in(s->device, s->args.counter, &none, sizeof none) ==
                FMHAC_OK &&
            fmhac_emu_configure(s->device, &options) == FMHAC_OK &&
            fmhac_emu_select_workgroups(s->device, first, 1) == FMHAC_OK;
  s->args.item_count = 0;
  ok = ok && launch(s) &&
       fmhac_timing_get_workgroup(s->device, 0, &w) == FMHAC_OK;
  *out = (double)w.cycles;
  return ok;
}

/// Workgroups at one of several counters.
enum { MEETING = 8 };

/// What the constants say of an atomic that all workgroups begin with: also
/// those that have nothing else to do.
static bool fetches(state *s) {
  double free, latency, together;
  bool ok =
      fmhac_timing_busy(s->device, 1) == FMHAC_OK &&
      fetch(s, "atomic_latency_cycles=1000,atomic_same_cycles=0", &free) &&
      fetch(s, "atomic_latency_cycles=3000,atomic_same_cycles=0", &latency) &&
      fetch(s, "atomic_latency_cycles=1000,atomic_same_cycles=100", &together);
  double few = 0;
  ok = ok && fmhac_timing_meet(s->device, MEETING) == FMHAC_OK &&
       fetch(s, "atomic_latency_cycles=1000,atomic_same_cycles=100", &few) &&
       fmhac_timing_meet(s->device, 0) == FMHAC_OK;
  if (ok)
    printf("fetch: %+.0f cycles of 2000 more, %+.0f where each of %d waits 100 "
           "for the next, %+.0f of %d\n",
           latency - free, together - free, WORKGROUPS, few - free, MEETING);
  return ok && fabs(latency - free - 2000) < 8 &&
         fabs(together - free - 100 * WORKGROUPS / 2) < 8 &&
         fabs(few - free - 100 * MEETING / 2) < 8;
}

/// Cycles of a workgroup with an item of `tiles` tiles, at a clock of `ghz`,
/// where MALL has what lies in the buffer of `recent`.
static bool first_use(state *s, int32_t tiles, double ghz, uint64_t recent,
                      double *out) {
  static const uint32_t first[1][3] = {{0, 0, 0}}, begin[] = {0, 1};
  const item one = {.tiles = tiles};
  fmhac_timing_workgroup w = {.size = sizeof w};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_MEM;
  options.timing = 1;
  options.timing_constants = "hbm_latency_ns=2000,mall_latency_ns=500";
  s->args.counter = 0;
  bool ok = fmhac_rt_copy_in(s->device, s->args.begin, begin, sizeof begin) ==
                FMHAC_OK &&
            fmhac_rt_copy_in(s->device, s->args.items, &one, sizeof one) ==
                FMHAC_OK &&
            fmhac_timing_clock(s->device, ghz) == FMHAC_OK &&
            fmhac_timing_recent(s->device, recent) == FMHAC_OK &&
            fmhac_emu_configure(s->device, &options) == FMHAC_OK &&
            fmhac_emu_select_workgroups(s->device, first, 1) == FMHAC_OK &&
            launch(s) &&
            fmhac_timing_get_workgroup(s->device, 0, &w) == FMHAC_OK;
  *out = (double)w.cycles;
  return ok;
}

/// A workgroup waits for each of its tiles, for 1500 ns less where they were
/// just written, which are as many cycles as the clock makes of them.
static bool recent(state *s) {
  enum { TILES_OF_ITEM = 4, SAVED_NS = 1500 };
  const uint64_t tiles = s->args.tiles + 5 * TILE_BYTES;
  double other = 0, far = 0, near = 0, fast_far = 0, fast_near = 0;
  const bool refused =
      fmhac_timing_clock(s->device, -1) == FMHAC_INVALID_INPUT &&
      fmhac_timing_clock(s->device, NAN) == FMHAC_INVALID_INPUT &&
      fmhac_timing_stand_for(s->device, -1) == FMHAC_INVALID_INPUT;
  const bool ok = refused && first_use(s, TILES_OF_ITEM, 1, 0, &far) &&
                  first_use(s, TILES_OF_ITEM, 1, s->args.out, &other) &&
                  first_use(s, TILES_OF_ITEM, 1, tiles, &near) &&
                  first_use(s, TILES_OF_ITEM, 2, 0, &fast_far) &&
                  first_use(s, TILES_OF_ITEM, 2, tiles, &fast_near) &&
                  fmhac_timing_clock(s->device, 0) == FMHAC_OK &&
                  fmhac_timing_recent(s->device, 0) == FMHAC_OK;
  if (ok)
    printf("recent: %.0f cycles less at 1 GHz, %.0f at 2 GHz\n", far - near,
           fast_far - fast_near);
  return ok && other == far &&
         fabs(far - near - TILES_OF_ITEM * SAVED_NS) < 200 &&
         fabs(fast_far - fast_near - 2 * TILES_OF_ITEM * SAVED_NS) < 200;
}

int main(int argc, char **argv) {
  char error[ERROR_BYTES] = "";
  if (argc != 2) {
    fprintf(stderr, "usage: %s CODE_OBJECT\n", argv[0]);
    return 2;
  }
  state *s = calloc(1, sizeof *s);
  bool ok = s && start(s, argv[1]);
  if (ok) {
    make_items(s);
    ok = lists(s, error) && queue(s, error) && busy(s) && fetches(s) &&
         recent(s);
  }
  if (!ok)
    fprintf(stderr, "not as it should be: %s %s\n", error,
            s && s->device ? fmhac_rt_last_error(s->device) : "");
  if (s && s->device) {
    fmhac_rt_module_unload(s->device, s->module);
    fmhac_rt_device_close(s->device);
  }
  free(s);
  return ok ? 0 : 1;
}
