// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_data.h"
#include "bench_hip.h"
#include "bench_lists.h"
#include "fill_data.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"
#include "kernel_object.h"
#include "timing_report.h"

enum {
  /// Grids of at most so many KV tiles are timed whole.
  SMALL_GRID_TILES = 8192,
  POINTS = 33,
  LEAST_POINTS = 3,
  MOST_POINTS = 4096,
};

//===- Facts of the code --------------------------------------------------===//

static bool read_kernel(const fmhac_plan *plan, const char *constants,
                        bench_kernel *out, char error[ERROR_BYTES]) {
  *out = (bench_kernel){0};
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  const void *bytes;
  size_t size;
  code_object object;
  const char *name = plan_entry(plan).name;
  if (!kernel_object_read(kernel, &object, error) ||
      fmhac_kernel_get_code(kernel, &bytes, &size) != FMHAC_OK)
    return false;
  for (size_t i = 0; i < object.kernel_count; ++i)
    if (strcmp(object.kernels[i].facts.name, name) == 0)
      out->resident =
          occupancy_of(&object.kernels[i], object.kernels[i].facts.max_threads);
  out->tile = kernel_tile_of(object.note, name);
  code_object_deinit(&object);
  return kernel_code_read(bytes, size, name, &out->code, error) &&
         fmhac_timing_survey_create(bytes, size, name, constants, error,
                                    ERROR_BYTES, &out->survey) == FMHAC_OK;
}

static void kernel_deinit(bench_kernel *k) {
  kernel_code_deinit(&k->code);
  fmhac_timing_survey_destroy(k->survey);
}

/// FLOP a second of all matrix units at the highest clock, with the fastest
/// matrix instruction that the kernel has.
static double peak_of(const bench_kernel *k, double compute_units,
                      const char *constants) {
  double rate = 0; // FLOP a cycle of a SIMD
  for (size_t i = 0; i < fmhac_timing_survey_cost_count(k->survey); ++i) {
    fmhac_timing_cost c = {.size = sizeof c};
    if (fmhac_timing_survey_get_cost(k->survey, i, &c) == FMHAC_OK &&
        c.matrix_cycles)
      rate = fmax(rate, (double)c.flops / c.matrix_cycles);
  }
  return rate * timing_constant("simds", constants) * compute_units *
         timing_constant("clock_ceiling_ghz", constants) * 1e9;
}

//===- The emulator -------------------------------------------------------===//

/// The state of timing workgroups.
typedef struct timer {
  fmhac_context *context;
  run_device *device;
  run_data *data;
  const fmhac_kernel *kernel;
  const fmhac_plan *plan;
  bench_data inputs;
  fmhac_status status; ///< of the failed call
} timer;

static bool time_workgroups(void *user, const uint32_t (*ids)[3], size_t count,
                            fmhac_timing_workgroup *list,
                            char error[ERROR_BYTES]) {
  timer *t = user;
  run_device *d = t->device;
  t->status = FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; ++i)
    if (!bench_data_need(&t->inputs, ids[i], error))
      return false;
  t->status = fmhac_emu_select_workgroups(d->device, ids, count);
  if (t->status != FMHAC_OK)
    return ERROR_SET(error, "%s: %s", d->uri, fmhac_rt_last_error(d->device));
  t->status = run_device_start(d, t->plan, t->data);
  if (t->status != FMHAC_OK)
    return ERROR_SET(error, "%s", fmhac_last_error(t->context));
  for (size_t i = 0; i < count; ++i) {
    list[i] = (fmhac_timing_workgroup){.size = sizeof list[i]};
    t->status = fmhac_timing_get_workgroup(d->device, i, &list[i]);
    if (t->status == FMHAC_OK)
      continue;
    return ERROR_SET(error, "%s: workgroup %zu of %zu was not timed", d->uri, i,
                     count);
  }
  return true;
}

static bool configure(run_device *d, const bench_flags *flags,
                      char error[ERROR_BYTES]) {
  const emu_flags emu = {.check = "none", .threads = flags->threads};
  fmhac_emu_options options;
  if (!emu_flags_apply(&emu, &options, error))
    return false;
  options.timing = 1;
  options.timing_constants = flags->constants;
  if (flags->show_progress)
    emu_progress_attach(&d->progress, &options);
  if (fmhac_emu_configure(d->device, &options) == FMHAC_OK)
    return true;
  return ERROR_SET(error, "%s: %s", d->uri, fmhac_rt_last_error(d->device));
}

bool bench_sample_parse(const char *text, bool *out_all, uint32_t *out_points) {
  *out_all = strcmp(text, "all") == 0;
  *out_points = POINTS;
  if (*out_all || strcmp(text, "auto") == 0)
    return true;
  char *end;
  unsigned long points = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || points < LEAST_POINTS ||
      points > MOST_POINTS)
    return false;
  *out_points = (uint32_t)points;
  return true;
}

/// The group of causes that takes most of the cycles: "mfma" (matrix unit, and
/// waiting for its results), "valu" (with transcendentals), "lds", "vmem"
/// (waiting for either, or for room in its queue), "barrier", "issue" (scalar,
/// memory and waits take the slot, branches).
static const char *cause_of(const double causes[FMHAC_TIMING_MOST_CAUSES]) {
  static const char *const groups[] = {"mfma", "valu",    "lds",
                                       "vmem", "barrier", "issue"};
  enum { GROUPS = sizeof groups / sizeof *groups };
  const double *c = causes;
  const double sums[GROUPS] = {
      c[FMHAC_TIMING_MFMA] + c[FMHAC_TIMING_RESULT],
      c[FMHAC_TIMING_VALU] + c[FMHAC_TIMING_TRANS],
      c[FMHAC_TIMING_LDS_WAIT] + c[FMHAC_TIMING_LDS_FULL],
      c[FMHAC_TIMING_VMEM_WAIT] + c[FMHAC_TIMING_VMEM_FULL],
      c[FMHAC_TIMING_BARRIER],
      c[FMHAC_TIMING_ISSUE] + c[FMHAC_TIMING_BRANCH]};
  int most = 0;
  for (int i = 1; i < GROUPS; ++i)
    if (sums[i] > sums[most])
      most = i;
  return groups[most];
}

/// A level of memory where its bytes need nearly all of the time, else the
/// group of causes.
static const char *bound_of(const bench_outcome *o, const char *constants) {
  static const double nearly_all = 0.9;
  const timing_memory memory = timing_memory_of(&o->grid, constants);
  return memory.share >= nearly_all ? memory.level : cause_of(o->causes);
}

/// The cycles of a KV tile: of the loop of the longest workgroup or, where it
/// was not seen to repeat, of all of it. False when memory is exhausted.
static bool split_cycles(const bench_kernel *k, const char *constants,
                         bench_outcome *out) {
  const fmhac_timing_workgroup *w = &out->longest;
  const fmhac_timing_loop *l = &w->loop;
  out->has_loop = l->iterations > 0;
  const kernel_loop *loop =
      out->has_loop ? kernel_code_loop_at(&k->code, l->pc) : NULL;
  if (loop && !budget_of(k->survey, &k->code, loop, k->resident, &k->tile,
                         &out->budget))
    return false;
  double cycles = out->has_loop ? l->cycles : (double)w->cycles;
  double simds = timing_constant("simds", constants);
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    out->causes[c] =
        out->has_loop ? l->causes[c] : (double)w->causes[c] / simds;
  out->bound = bound_of(out, constants);
  // A SIMD's cycles are counted up to the end of its last instruction, an
  // iteration up to the branch: the two differ by less than an instruction.
  double sum = 0;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    sum += out->causes[c];
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES && sum > 0; ++c)
    out->causes[c] *= cycles / sum;
  if (out->has_loop && cycles > 0)
    out->mfma_busy_loop = out->causes[FMHAC_TIMING_MFMA] / cycles;
  // The number of tiles that its matrix instructions compute. If that is not
  // known, the visited tiles, without the first and the last iteration.
  out->kv_tiles = !out->has_loop ? out->work.most_visited
                  : out->budget.kv_tiles > 0
                      ? out->budget.kv_tiles
                      : fmax(1, round(out->work.most_visited /
                                      (double)(l->iterations + 2)));
  double tiles = out->kv_tiles * w->resident;
  if (tiles <= 0)
    return true;
  out->cycles_per_kv_tile = cycles / tiles;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    out->causes[c] /= tiles;
  return true;
}

static fmhac_status model(timer *t, const bench_flags *flags,
                          const bench_kernel *k, bench_outcome *out,
                          char error[ERROR_BYTES]) {
  const attention *p = &t->data->problem;
  bench_plan plan = {.time = time_workgroups, .user = t};
  bool whole;
  if (!bench_sample_parse(flags->sample, &whole, &plan.points))
    return FMHAC_INVALID_INPUT; // it has been looked at
  fmhac_kernel_args arguments;
  fmhac_rt_launch launch;
  fmhac_status status = run_plan_pack(t->plan, 0, t->data, t->device->workspace,
                                      &arguments, &launch);
  if (status != FMHAC_OK) {
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(t->context));
    return status;
  }
  memcpy(plan.grid, launch.grid, sizeof plan.grid);
  plan.irregular_z = p->cu_seqlens_q || p->cu_seqlens_kv || p->seqlens_q ||
                     p->seqlens_kv || p->pages.starts;
  double groups = (double)plan.grid[0] * plan.grid[1] * plan.grid[2];
  plan.all = whole || (strcmp(flags->sample, "auto") == 0 &&
                       groups + out->work.visited <= SMALL_GRID_TILES);
  uint32_t *breaks = NULL;
  if (!plan.all && !plan.irregular_z && strcmp(flags->sample, "auto") == 0)
    plan.break_count = bench_breaks(p, &k->tile, plan.grid[0], &breaks);
  plan.breaks = breaks;
  bench_sample sample;
  bool taken = bench_sample_take(&plan, &sample, error);
  free(breaks);
  if (!taken) {
    bench_sample_deinit(&sample);
    return t->status == FMHAC_OK ? FMHAC_OUT_OF_MEMORY : t->status;
  }
  out->timed = sample.timed;
  out->deviation = sample.deviation;
  out->grid.size = sizeof out->grid;
  status = fmhac_timing_extrapolate_from(t->device->device, sample.list,
                                         sample.count, &out->grid);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%s", fmhac_rt_last_error(t->device->device));
  for (size_t i = 0; i < sample.count; ++i)
    if (i == 0 || sample.list[i].cycles > out->longest.cycles)
      out->longest = sample.list[i];
  bench_sample_deinit(&sample);
  out->modelled = true;
  const bench_launches all = {
      .seconds = &out->grid.seconds, .count = 1, .layers = flags->layers};
  out->seconds = bench_launches_seconds(&all, flags->constants);
  out->seconds_low = out->seconds * out->grid.seconds_low / out->grid.seconds;
  out->seconds_high = out->seconds * out->grid.seconds_high / out->grid.seconds;
  if (status == FMHAC_OK && !split_cycles(k, flags->constants, out)) {
    snprintf(error, ERROR_BYTES, "no memory for the budget of the loop");
    return FMHAC_OUT_OF_MEMORY;
  }
  return status;
}

/// A plan of several launches, or of lists.
static fmhac_status model_plan(timer *t, const bench_flags *flags,
                               const bench_kernel *k, bench_outcome *out,
                               char error[ERROR_BYTES]) {
  const bench_plan_run run = {.context = t->context,
                              .device = t->device,
                              .data = t->data,
                              .inputs = &t->inputs,
                              .plan = t->plan,
                              .tile = k->tile,
                              .constants = flags->constants,
                              .most_tiles = SMALL_GRID_TILES,
                              .layers = flags->layers};
  bench_plan_times times;
  fmhac_status status = bench_plan_time(&run, &times, error);
  if (status != FMHAC_OK)
    return status;
  out->launch_count = times.launches;
  for (size_t i = 0; i < times.launches; ++i) {
    out->launch_seconds[i] = times.launch_seconds[i];
    out->launch_entries[i] = fmhac_plan_get_entry(t->plan, i);
  }
  out->timed = times.timed;
  out->deviation = times.deviation;
  out->join = times.join;
  out->grid = times.grid;
  out->longest = times.longest;
  out->modelled = true;
  out->seconds = times.seconds;
  out->seconds_low = times.seconds_low;
  out->seconds_high = times.seconds_high;
  if (split_cycles(k, flags->constants, out))
    return FMHAC_OK;
  snprintf(error, ERROR_BYTES, "no memory for the budget of the loop");
  return FMHAC_OUT_OF_MEMORY;
}

static fmhac_status run_on_emu(timer *t, const bench_flags *flags,
                               const bench_kernel *k, bench_outcome *out,
                               char error[ERROR_BYTES]) {
  fmhac_status status = FMHAC_INVALID_INPUT;
  if (configure(t->device, flags, error) &&
      bench_data_init(&t->inputs, t->data, t->device, t->plan, error)) {
    t->inputs.kept = flags->kept;
    status = bench_plan_is_needed(t->plan, t->data, t->device->workspace)
                 ? model_plan(t, flags, k, out, error)
                 : model(t, flags, k, out, error);
  }
  bench_data_deinit(&t->inputs);
  return status;
}

//===- A GPU --------------------------------------------------------------===//

static fmhac_status run_on_hip(const timer *t, const bench_flags *flags,
                               bench_outcome *out, char error[ERROR_BYTES]) {
  if (!run_data_fill(t->data, NULL, error))
    return FMHAC_INVALID_INPUT;
  fmhac_status status = run_device_upload(t->device, t->data, t->plan, error);
  if (status != FMHAC_OK)
    return status;
  const fmhac_tensors tensors = run_data_tensors(t->data);
  bench_times times;
  if (!bench_measure(t->device, t->context, t->plan, &tensors, flags->layers,
                     flags->warmup, flags->repeat, &times, &status, error))
    return status;
  out->seconds = times.median;
  out->seconds_low = times.least;
  out->seconds_high = times.most;
  out->launches = times.launches;
  out->samples = flags->repeat;
  return FMHAC_OK;
}

//===- The point ----------------------------------------------------------===//

static double compute_units_of(const run_device *d, const char *constants) {
  fmhac_rt_device_info info = {.size = sizeof info};
  if (!d->is_emu && fmhac_rt_device_get_info(d->device, &info) == FMHAC_OK &&
      info.compute_units)
    return info.compute_units;
  return timing_constant("compute_units", constants);
}

static fmhac_status run(fmhac_context *context, const bench_flags *flags,
                        run_data *data, run_device *device,
                        const fmhac_kernel *kernel, const fmhac_plan *plan,
                        bench_outcome *out, char error[ERROR_BYTES]) {
  bench_kernel k;
  timer t = {.context = context,
             .device = device,
             .data = data,
             .kernel = kernel,
             .plan = plan};
  fmhac_status status = FMHAC_INVALID_INPUT;
  if (read_kernel(plan, flags->constants, &k, error)) {
    out->entry = fmhac_plan_get_entry(plan, plan_attention(plan));
    out->layers = flags->layers;
    out->tile = k.tile;
    out->resident = k.resident;
    out->work = bench_work_of(&data->problem, data->v_in_k, &k.tile);
    out->peak_flops = peak_of(&k, compute_units_of(device, flags->constants),
                              flags->constants);
    status = device->is_emu ? run_on_emu(&t, flags, &k, out, error)
                            : run_on_hip(&t, flags, out, error);
  }
  kernel_deinit(&k);
  return status;
}

fmhac_status bench_point_time(fmhac_context *context,
                              const fmhac_config *config,
                              const bench_flags *flags, run_data *data,
                              fmhac_kernel **out_kernel, bench_outcome *out,
                              char error[ERROR_BYTES]) {
  *out = (bench_outcome){0};
  *out_kernel = NULL;
  error[0] = '\0';
  run_device device;
  fmhac_plan *plan = NULL;
  const emu_flags emu = {.threads = flags->threads};
  fmhac_status status = run_device_open(flags->device, &emu, &device, error);
  if (status != FMHAC_OK)
    return status;
  status = fmhac_compile(context, config, out_kernel);
  if (status == FMHAC_OK)
    status = run_plan_create(context, *out_kernel, data, &plan, error);
  if (status == FMHAC_OK)
    status = run(context, flags, data, &device, *out_kernel, plan, out, error);
  // The plan's modules live on the device: it goes first.
  fmhac_plan_destroy(plan);
  run_device_close(&device);
  return status;
}

int bench_point_run(const session *s, const bench_flags *flags, run_data *data,
                    fmhac_kernel **out_kernel, bench_outcome *out) {
  char error[ERROR_BYTES];
  fmhac_status status = bench_point_time(s->context, s->config, flags, data,
                                         out_kernel, out, error);
  if (status == FMHAC_OK)
    return ARGS_CONTINUE;
  return error[0] ? report_error(s->r, exit_code_of(status), "%s", error)
                  : session_fail(s, status);
}
