// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_lists.h"
#include "bench_runs.h"
#include "bench_work.h"
#include "kernel_object.h"
#include "work_list.h"

enum { POINTS = 33 };

/// A launch of the plan, and what times it.
typedef struct launcher {
  const bench_plan_run *run;
  fmhac_rt_module *module;
  kernel_tile tile; ///< of the launch, if it is attention
  fmhac_kernel_args args;
  fmhac_rt_launch launch;
  fmhac_status status; ///< of the failed call
  double all_tiles;    ///< of `items`
  // The lists that the planner left, and the same of items of one head each.
  fmhac_work_item *left, *items;
  uint32_t *left_begin, *begin;
  size_t item_count;
  uint32_t lists;
  fmhac_work_queue queue;
  fmhac_device_ptr own_items, own_indptr; ///< of lists that are timed
} launcher;

static bool pack(launcher *l, size_t index, char error[ERROR_BYTES]) {
  l->status = run_plan_pack(l->run->plan, index, l->run->data,
                            l->run->device->workspace, &l->args, &l->launch);
  return l->status == FMHAC_OK ||
         ERROR_SET(error, "%s", fmhac_last_error(l->run->context));
}

static bool failed(const launcher *l, char error[ERROR_BYTES]) {
  return ERROR_SET(error, "%s: %s", l->run->device->uri,
                   fmhac_rt_last_error(l->run->device->device));
}

/// Launches some workgroups; NULL, 0: all.
static bool start(launcher *l, const uint32_t (*ids)[3], size_t count,
                  char error[ERROR_BYTES]) {
  fmhac_rt_device *d = l->run->device->device;
  l->status = fmhac_emu_select_workgroups(d, ids, count);
  emu_progress_begin(&l->run->device->progress);
  if (l->status == FMHAC_OK)
    l->status = fmhac_rt_launch_kernel(d, l->module, &l->launch);
  emu_progress_end(&l->run->device->progress);
  return l->status == FMHAC_OK || failed(l, error);
}

static bool get_workgroup(launcher *l, size_t i, fmhac_timing_workgroup *out,
                          char error[ERROR_BYTES]) {
  *out = (fmhac_timing_workgroup){.size = sizeof *out};
  l->status = fmhac_timing_get_workgroup(l->run->device->device, i, out);
  return l->status == FMHAC_OK || failed(l, error);
}

static bool time_workgroups(void *user, const uint32_t (*ids)[3], size_t count,
                            fmhac_timing_workgroup *list,
                            char error[ERROR_BYTES]) {
  launcher *l = user;
  if (!start(l, ids, count, error))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!get_workgroup(l, i, &list[i], error))
      return false;
  return true;
}

//===- Lists --------------------------------------------------------------===//

static bool copy_in(launcher *l, uint64_t to, const void *from, size_t bytes,
                    char error[ERROR_BYTES]) {
  l->status = fmhac_rt_copy_in(l->run->device->device, to, from, bytes);
  return l->status == FMHAC_OK || failed(l, error);
}
static bool copy_out(launcher *l, void *to, uint64_t from, size_t bytes,
                     char error[ERROR_BYTES]) {
  l->status = fmhac_rt_copy_out(l->run->device->device, from, to, bytes);
  return l->status == FMHAC_OK || failed(l, error);
}

/// How many lists the planner left: one for each workgroup, or those of a
/// queue.
static bool read_list_count(launcher *l, char error[ERROR_BYTES]) {
  l->lists = l->launch.grid[0];
  if (!l->args.work_counter)
    return true;
  if (!copy_out(l, &l->queue, l->args.work_counter, sizeof l->queue, error))
    return false;
  l->lists = l->queue.lists;
  return true;
}

/// A list of so many items; or, of a queue, of one of them, while the others
/// are of the lists that follow those that each workgroup has first. All other
/// lists are empty.
static bool write_lists(launcher *l, const fmhac_work_item *items, size_t count,
                        bool each, char error[ERROR_BYTES]) {
  const uint32_t workgroups = l->launch.grid[0];
  if (count > BENCH_MOST_TIMED)
    return ERROR_SET(error, "a list of %zu items; expected at most %d", count,
                     BENCH_MOST_TIMED);
  const uint32_t more = each && count ? (uint32_t)count - 1 : 0;
  const uint32_t lists = workgroups + more;
  uint32_t *begin = malloc((lists + 1) * sizeof *begin);
  if (!begin)
    return ERROR_SET(error, "no memory for the beginnings of %u lists", lists);
  for (uint32_t w = 0; w <= lists; ++w)
    begin[w] = !w                ? 0
               : w <= workgroups ? (uint32_t)count - more
                                 : (uint32_t)count - lists + w;
  bool ok = copy_in(l, l->args.work_indptr, begin, (lists + 1) * sizeof *begin,
                    error) &&
            (!count || copy_in(l, l->args.work_items, items,
                               count * sizeof *items, error));
  const fmhac_work_queue queue = {.lists = lists, .workgroups = workgroups};
  if (ok && l->args.work_counter)
    ok = copy_in(l, l->args.work_counter, &queue, sizeof queue, error);
  free(begin);
  return ok;
}

static double tiles_of(const launcher *l, const fmhac_work_item *item) {
  return bench_work_of_item(&l->run->data->problem, &l->tile, item);
}

static bool time_list(void *user, const uint32_t *list, size_t count, bool each,
                      fmhac_timing_workgroup *out, char error[ERROR_BYTES]) {
  launcher *l = user;
  static const uint32_t first[1][3] = {{0, 0, 0}};
  fmhac_work_item *items = malloc((count + 1) * sizeof *items);
  if (!items)
    return ERROR_SET(error, "no memory for a list of %zu items", count);
  for (size_t i = 0; i < count; ++i)
    items[i] = l->items[list[i]];
  // All items together use a buffer as often as so many lists like this one.
  double tiles = 0;
  for (size_t i = 0; i < count; ++i)
    tiles += tiles_of(l, &items[i]);
  l->status = fmhac_timing_stand_for(l->run->device->device,
                                     tiles > 0 ? l->all_tiles / tiles : 0);
  const bool ok = (l->status == FMHAC_OK || failed(l, error)) &&
                  write_lists(l, items, count, each, error) &&
                  start(l, first, 1, error) && get_workgroup(l, 0, out, error);
  free(items);
  return ok;
}

/// Items are of one kind if they store to the same place and are full tiles, or
/// not.
static bench_item kind_of(const launcher *l, const fmhac_work_item *item) {
  const bool whole = item->row_end - item->row_begin >= l->tile.rows;
  return (bench_item){.kind = (item->part >= 0 ? 1u : 0u) + (whole ? 2u : 0u),
                      .tiles = tiles_of(l, item)};
}

static uint32_t first_head(const fmhac_work_item *item) {
  return (uint32_t)item->heads & UINT16_MAX;
}
static uint32_t heads_of(const fmhac_work_item *item) {
  return ((uint32_t)item->heads >> 16) - first_head(item);
}

static bool no_room(const char *what, size_t count, char error[ERROR_BYTES]) {
  return ERROR_SET(error, "no memory for %zu %s", count, what);
}

/// Items of several heads take each from its beginning to its end: they are
/// timed as so many items.
static bool divide_items(launcher *l, char error[ERROR_BYTES]) {
  l->item_count = 0;
  for (size_t i = 0; i < l->left_begin[l->lists]; ++i)
    l->item_count += heads_of(&l->left[i]);
  l->items = malloc((l->item_count + 1) * sizeof *l->items);
  l->begin = malloc((l->lists + 1) * sizeof *l->begin);
  if (!l->items || !l->begin || l->item_count > UINT32_MAX)
    return no_room("items of a head", l->item_count, error);
  uint32_t to = 0;
  for (uint32_t list = 0; list < l->lists; ++list) {
    l->begin[list] = to;
    for (uint32_t i = l->left_begin[list]; i < l->left_begin[list + 1]; ++i) {
      const fmhac_work_item *item = &l->left[i];
      for (uint32_t k = 0; k < heads_of(item); ++k) {
        const uint32_t head = first_head(item) + k;
        l->items[to] = *item;
        l->items[to].heads = (int32_t)(head | (head + 1) << 16);
        if (item->part >= 0)
          l->items[to].part += (int32_t)k * (item->row_end - item->row_begin);
        ++to;
      }
    }
  }
  l->begin[l->lists] = to;
  return true;
}

/// Workgroups whose lists have items; of a queue each may have some.
static uint32_t count_busy(const launcher *l) {
  uint32_t busy = 0;
  for (uint32_t i = 0; i < l->lists; ++i)
    busy += l->begin[i + 1] > l->begin[i];
  return l->args.work_counter ? 0 : busy;
}

static bool read_lists(launcher *l, char error[ERROR_BYTES]) {
  if (!read_list_count(l, error))
    return false;
  l->left_begin = malloc((l->lists + 1) * sizeof *l->left_begin);
  if (!l->left_begin)
    return no_room("lists", l->lists, error);
  if (!copy_out(l, l->left_begin, l->args.work_indptr,
                (l->lists + 1) * sizeof *l->left_begin, error))
    return false;
  const size_t count = l->left_begin[l->lists];
  l->left = malloc((count + 1) * sizeof *l->left);
  if (!l->left)
    return no_room("items", count, error);
  return (!count || copy_out(l, l->left, l->args.work_items,
                             count * sizeof *l->left, error)) &&
         divide_items(l, error);
}

static bool extrapolate(launcher *l, const fmhac_timing_workgroup *list,
                        size_t count, fmhac_timing_grid *grid,
                        char error[ERROR_BYTES]) {
  *grid = (fmhac_timing_grid){.size = sizeof *grid};
  l->status =
      fmhac_timing_extrapolate_from(l->run->device->device, list, count, grid);
  return l->status == FMHAC_OK || failed(l, error);
}

static void note(bench_plan_times *out, const fmhac_timing_workgroup *list,
                 size_t count, size_t timed, double deviation, bool is_main) {
  out->timed += timed;
  out->deviation = fmax(out->deviation, deviation);
  for (size_t i = 0; is_main && i < count; ++i)
    if (i == 0 || list[i].cycles > out->longest.cycles)
      out->longest = list[i];
}

/// Lists that are timed lie in memory of their own: a workspace has room for
/// those of the problem alone.
static bool move_lists(launcher *l, char error[ERROR_BYTES]) {
  const size_t lists = l->launch.grid[0] + (size_t)BENCH_MOST_TIMED;
  l->status =
      fmhac_rt_alloc(l->run->device->device,
                     BENCH_MOST_TIMED * sizeof(fmhac_work_item), &l->own_items);
  if (l->status == FMHAC_OK)
    l->status = fmhac_rt_alloc(l->run->device->device,
                               (lists + 1) * sizeof(uint32_t), &l->own_indptr);
  if (l->status != FMHAC_OK)
    return failed(l, error);
  l->args.work_items = l->own_items;
  l->args.work_indptr = l->own_indptr;
  return true;
}

static void free_lists(launcher *l) {
  fmhac_device_ptr *const own[] = {&l->own_items, &l->own_indptr};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
    const bool is_lost =
        *own[i] && fmhac_rt_free(l->run->device->device, *own[i]) != FMHAC_OK;
    (void)is_lost; // with the device it goes in any case
    *own[i] = 0;
  }
}

static bool time_lists(launcher *l, bool is_main, fmhac_timing_grid *grid,
                       bench_plan_times *out, char error[ERROR_BYTES]) {
  bench_lists_times times = {0};
  bench_item *kinds = NULL;
  bool ok = read_lists(l, error) && move_lists(l, error);
  if (ok) {
    kinds = malloc((l->item_count + 1) * sizeof *kinds);
    ok = kinds || no_room("items", l->item_count, error);
  }
  for (size_t i = 0; ok && i < l->item_count; ++i) {
    kinds[i] = kind_of(l, &l->items[i]);
    l->all_tiles += kinds[i].tiles;
  }
  if (ok) {
    l->status = fmhac_timing_busy(l->run->device->device, count_busy(l));
    ok = l->status == FMHAC_OK || failed(l, error);
  }
  if (ok) {
    const bench_lists lists = {.workgroups = l->launch.grid[0],
                               .items = kinds,
                               .item_count = l->item_count,
                               .begin = l->begin,
                               .lists = l->lists,
                               .is_queue = l->args.work_counter != 0,
                               .most_tiles = l->run->most_tiles,
                               .time = time_list,
                               .user = l};
    ok = bench_lists_take(&lists, &times, error) &&
         extrapolate(l, times.list, lists.workgroups, grid, error);
    note(out, times.list, ok ? lists.workgroups : 0, times.timed,
         times.deviation, is_main);
  }
  free_lists(l);
  if (ok) {
    l->status = fmhac_timing_stand_for(l->run->device->device, 0);
    if (l->status == FMHAC_OK)
      l->status = fmhac_timing_busy(l->run->device->device, 0);
    ok = l->status == FMHAC_OK || failed(l, error);
  }
  // What comes after it finds the queue as the planner left it.
  if (ok && l->args.work_counter)
    ok = copy_in(l, l->args.work_counter, &l->queue, sizeof l->queue, error);
  free(kinds);
  free(l->left);
  free(l->left_begin);
  free(l->items);
  free(l->begin);
  l->left = l->items = NULL;
  l->left_begin = l->begin = NULL;
  bench_lists_deinit(&times);
  return ok;
}

//===- Launches -----------------------------------------------------------===//

static bool sample_grid(launcher *l, bool whole, bench_sample *out,
                        char error[ERROR_BYTES]) {
  bench_plan plan = {
      .points = POINTS, .all = whole, .time = time_workgroups, .user = l};
  memcpy(plan.grid, l->launch.grid, sizeof plan.grid);
  return bench_sample_take(&plan, out, error);
}

static bool take_grid(launcher *l, bool is_main, const bench_sample *sample,
                      fmhac_timing_grid *grid, bench_plan_times *out,
                      char error[ERROR_BYTES]) {
  if (!extrapolate(l, sample->list, sample->count, grid, error))
    return false;
  note(out, sample->list, sample->count, sample->timed, sample->deviation,
       is_main);
  return true;
}

static bool time_grid(launcher *l, bool is_main, bool whole,
                      fmhac_timing_grid *grid, bench_plan_times *out,
                      char error[ERROR_BYTES]) {
  bench_sample sample = {0};
  const bool ok = sample_grid(l, whole, &sample, error) &&
                  take_grid(l, is_main, &sample, grid, out, error);
  bench_sample_deinit(&sample);
  return ok;
}

static bool tell(launcher *l, uint32_t stand_for, uint32_t busy,
                 uint32_t meeting, char error[ERROR_BYTES]) {
  fmhac_rt_device *d = l->run->device->device;
  l->status = fmhac_timing_stand_for(d, stand_for);
  if (l->status == FMHAC_OK)
    l->status = fmhac_timing_busy(d, busy);
  if (l->status == FMHAC_OK)
    l->status = fmhac_timing_meet(d, meeting);
  return l->status == FMHAC_OK || failed(l, error);
}

/// What the model was told of these launches; keeps the status of a failure.
static bool forget(launcher *l, char error[ERROR_BYTES]) {
  fmhac_rt_device *d = l->run->device->device;
  const fmhac_status before = l->status;
  char ignored[ERROR_BYTES];
  bool ok = tell(l, 0, 0, 0, before == FMHAC_OK ? error : ignored);
  if (ok)
    l->status = fmhac_timing_clock(d, 0);
  if (ok && l->status == FMHAC_OK)
    l->status = fmhac_timing_recent(d, 0);
  if (before != FMHAC_OK)
    l->status = before;
  return ok &&
         (l->status == FMHAC_OK || before != FMHAC_OK || failed(l, error));
}

/// Times the workgroup of `joined` alone, as the last of its unit or not.
static bool time_joined(launcher *l, const bench_joined *joined, bool is_last,
                        fmhac_timing_workgroup *out, char error[ERROR_BYTES]) {
  const uint32_t id[1][3] = {{joined->workgroup, 0, 0}};
  l->status =
      bench_runs_count_as(l->run, &l->args, is_last ? joined : NULL, error);
  return l->status == FMHAC_OK && start(l, id, 1, error) &&
         get_workgroup(l, 0, out, error);
}

/// What it takes to combine the parts of the unit that has most, as long as
/// only one workgroup of each unit does so; and the sample with it. A launch
/// ends with the last of its workgroups, so each of the sample takes as long.
static bool add_join(launcher *l, const bench_joined *joined, uint32_t busy,
                     bench_sample *sample, double *out_cycles,
                     char error[ERROR_BYTES]) {
  fmhac_timing_workgroup without, with;
  fmhac_timing_grid unjoined = {.size = sizeof unjoined};
  if (!extrapolate(l, sample->list, sample->count, &unjoined, error))
    return false;
  fmhac_rt_device *d = l->run->device->device;
  // At another clock the loop would take other cycles.
  l->status = fmhac_timing_clock(d, unjoined.clock_ghz);
  if (l->status == FMHAC_OK)
    l->status = fmhac_timing_recent(d, l->args.join_counters);
  if (l->status != FMHAC_OK)
    return failed(l, error);
  if (!tell(l, busy, joined->units, joined->meeting, error) ||
      !time_joined(l, joined, false, &without, error) ||
      !time_joined(l, joined, true, &with, error))
    return false;
  *out_cycles = (double)with.cycles - (double)without.cycles;
  for (size_t i = 0; i < sample->count; ++i) {
    fmhac_timing_workgroup *w = &sample->list[i];
    const double before = (double)w->cycles;
    w->cycles += with.cycles - without.cycles;
    w->memory_wait_cycles +=
        fmax(0, with.memory_wait_cycles - without.memory_wait_cycles);
    // The matrix units and the vector ALUs do what they did.
    const double share = before / (double)w->cycles;
    w->mfma_busy *= share;
    w->mfma8_busy *= share;
    w->mfma_f16_busy *= share;
    w->valu_busy *= share;
  }
  return true;
}

/// Of workgroups that find their work: each run has keys of its own, wherever
/// its pages are, and there may be fewer runs than workgroups. No workgroup is
/// the last of those that share a unit: combining its parts is timed by itself,
/// as few do so at the same time.
static bool time_runs(launcher *l, bool is_main, bool whole,
                      fmhac_timing_grid *grid, bench_plan_times *out,
                      char error[ERROR_BYTES]) {
  bench_runs runs;
  bench_joined joined = {0};
  bench_sample sample = {0};
  l->status = bench_runs_find(l->run, l->args.run_workgroups, &runs, error);
  bool ok = l->status == FMHAC_OK;
  const uint32_t busy = ok ? bench_runs_busy(&runs) : 0;
  const bool joins = ok && l->args.join_counters;
  const bool is_shared = joins && bench_runs_widest(&runs, &joined);
  if (is_shared)
    out->join = (bench_join){.units = joined.units,
                             .parts = (uint32_t)joined.unit.chunks};
  ok = ok && tell(l, busy, busy, joined.meeting, error);
  if (ok && joins) {
    l->status = bench_runs_count_as(l->run, &l->args, NULL, error);
    ok = l->status == FMHAC_OK;
  }
  ok = ok && sample_grid(l, whole, &sample, error) &&
       (!is_shared ||
        add_join(l, &joined, busy, &sample, &out->join.cycles, error)) &&
       tell(l, busy, busy, joined.meeting, error) &&
       take_grid(l, is_main, &sample, grid, out, error);
  bench_runs_deinit(&runs);
  bench_sample_deinit(&sample);
  return forget(l, error) && ok;
}

/// The tile of a launch of attention.
static bool read_tile(launcher *l, char error[ERROR_BYTES]) {
  code_object object;
  if (!kernel_object_read(fmhac_plan_get_kernel(l->run->plan), &object, error))
    return false;
  l->tile = kernel_tile_of(object.note, l->launch.kernel);
  code_object_deinit(&object);
  return true;
}

static bool time_launch(launcher *l, size_t index, fmhac_timing_grid *grid,
                        bench_plan_times *out, char error[ERROR_BYTES]) {
  const fmhac_plan *plan = l->run->plan;
  const bool is_main = index == plan_attention(plan);
  if (!pack(l, index, error))
    return false;
  l->tile = l->run->tile;
  if (plan_attends(plan, index) && l->args.work_indptr)
    return (is_main || read_tile(l, error)) &&
           time_lists(l, is_main, grid, out, error);
  const bool has_runs = l->args.run_workgroups && plan_attends(plan, index);
  const double groups =
      (double)l->launch.grid[0] * l->launch.grid[1] * l->launch.grid[2];
  // A planner is needed whole: attention walks what it writes.
  const bool plans = index < plan_first_attention(plan);
  const bool whole = plans || groups <= l->run->most_tiles;
  return has_runs ? time_runs(l, is_main, whole, grid, out, error)
                  : time_grid(l, is_main, whole, grid, out, error);
}

static bool load(launcher *l, char error[ERROR_BYTES]) {
  const void *bytes;
  size_t size;
  l->status =
      fmhac_kernel_get_code(fmhac_plan_get_kernel(l->run->plan), &bytes, &size);
  if (l->status != FMHAC_OK)
    return ERROR_SET(error, "%s", fmhac_last_error(l->run->context));
  l->status =
      fmhac_rt_module_load(l->run->device->device, bytes, size, &l->module);
  return l->status == FMHAC_OK || failed(l, error);
}

bool bench_plan_is_needed(const fmhac_plan *plan, const run_data *data,
                          uint64_t workspace) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch;
  return fmhac_plan_launch_count(plan) > 1 ||
         (run_plan_pack(plan, 0, data, workspace, &args, &launch) == FMHAC_OK &&
          (args.work_indptr || args.run_workgroups));
}

fmhac_status bench_plan_time(const bench_plan_run *run, bench_plan_times *out,
                             char error[ERROR_BYTES]) {
  launcher l = {.run = run};
  fmhac_timing_grid grids[BENCH_MOST_LAUNCHES];
  const uint32_t first[3] = {0, 0, 0};
  *out = (bench_plan_times){.launches = fmhac_plan_launch_count(run->plan)};
  if (out->launches > BENCH_MOST_LAUNCHES) {
    snprintf(error, ERROR_BYTES,
             "the plan has %zu launches; expected at most "
             "%d",
             out->launches, BENCH_MOST_LAUNCHES);
    return FMHAC_UNSUPPORTED;
  }
  bool ok = bench_data_need(run->inputs, first, error) && load(&l, error);
  for (size_t i = 0; ok && i < out->launches; ++i) {
    ok = time_launch(&l, i, &grids[i], out, error);
    out->launch_seconds[i] = ok ? grids[i].seconds : 0;
  }
  if (l.module)
    fmhac_rt_module_unload(run->device->device, l.module);
  if (!ok)
    return l.status == FMHAC_OK ? FMHAC_OUT_OF_MEMORY : l.status;
  out->grid = grids[plan_attention(run->plan)];
  const bench_launches all = {.seconds = out->launch_seconds,
                              .count = out->launches,
                              .shared = plan_first_attention(run->plan),
                              .layers = run->layers};
  out->seconds = bench_launches_seconds(&all, run->constants);
  // The interval of the model is a share of the time.
  out->seconds_low = out->seconds * out->grid.seconds_low / out->grid.seconds;
  out->seconds_high = out->seconds * out->grid.seconds_high / out->grid.seconds;
  return FMHAC_OK;
}
