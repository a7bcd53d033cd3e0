// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac bench: how long a configuration takes, on the cycle model or on a GPU.
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "bench_point.h"
#include "bench_report.h"
#include "bench_sweep.h"
#include "commands.h"
#include "session.h"

/// A benchmark: the command line, and the state that all points share.
typedef struct bench {
  const report *r;
  const args *a;
  const bench_flags *flags;
  sweep points;
  session s; ///< config and options are those of the point at hand
  bool csv;
  cJSON *done; ///< points of --json, in a sweep
  int label_width;
} bench;

static void close_point(bench *b, run_data *data, args *a) {
  run_data_deinit(data);
  fmhac_config_destroy(b->s.config);
  cJSON_Delete(b->s.options);
  b->s.config = NULL;
  b->s.options = NULL;
  args_deinit(a);
}

/// Reads configuration and problem of a point; close_point() is due in any
/// case.
static int open_point(bench *b, size_t point, run_data *data, args *a) {
  *data = (run_data){0};
  *a = sweep_point(&b->points, b->a, point);
  if (!a->options)
    return report_error(b->r, EXIT_DEVICE, "no memory for the options");
  int code =
      args_load_config(a, b->r, b->s.context, &b->s.options, &b->s.config);
  if (code == ARGS_CONTINUE)
    code = session_require_support(&b->s);
  if (code != ARGS_CONTINUE)
    return code;
  char error[ERROR_BYTES];
  if (!run_data_init(b->s.options, b->s.config, data, error))
    return report_error(b->r, EXIT_USAGE, "%s", error);
  return run_data_take_input(data, b->flags->input, b->r);
}

/// Checks that need no run come before the first point takes its time.
static int check_points(bench *b) {
  int code = ARGS_CONTINUE;
  for (size_t i = 0; i < b->points.points && code == ARGS_CONTINUE; ++i) {
    run_data data;
    args a;
    code = open_point(b, i, &data, &a);
    if (code == ARGS_CONTINUE) {
      const fmhac_problem problem = run_data_problem(&data);
      fmhac_schedule_choice choice = {.size = sizeof choice};
      code = session_find_entry(&b->s, &problem, &choice);
    }
    close_point(b, &data, &a);
    char label[200];
    sweep_label(&b->points, i, label, sizeof label);
    if (code != ARGS_CONTINUE && label[0])
      report_message(b->r, MESSAGE_NOTE, "of point %s", label);
    int width = (int)strlen(label);
    b->label_width = width > b->label_width ? width : b->label_width;
  }
  return code;
}

static bool is_sweep(const bench *b) { return b->points.axis_count > 0; }

/// Takes the point. Where standard output is lost, a sweep need not go on.
static int show(bench *b, size_t point, cJSON *object) {
  char label[200];
  sweep_label(&b->points, point, label, sizeof label);
  if (b->r->json && !is_sweep(b))
    return report_json(object, ARGS_CONTINUE);
  if (b->r->json) {
    cJSON_AddItemToArray(b->done, object);
    return ARGS_CONTINUE;
  }
  if (b->csv)
    bench_csv_line(object);
  else if (is_sweep(b))
    bench_table_line(label, b->label_width, object);
  else
    bench_point_print(object);
  cJSON_Delete(object);
  return fflush(stdout) == 0 ? ARGS_CONTINUE : EXIT_USAGE;
}

static int run_point(bench *b, size_t point) {
  run_data data;
  args a;
  bench_outcome outcome;
  fmhac_kernel *kernel = NULL;
  int code = open_point(b, point, &data, &a);
  if (code == ARGS_CONTINUE)
    code = bench_point_run(&b->s, b->flags, &data, &kernel, &outcome);
  if (!b->r->quiet)
    sweep_progress(&b->points, b->points.points);
  if (code == ARGS_CONTINUE)
    code = show(b, point,
                bench_point_json(&b->s, b->flags, &data, kernel, &outcome));
  fmhac_kernel_destroy(kernel);
  close_point(b, &data, &a);
  return code;
}

static int run_points(bench *b) {
  int code = check_points(b);
  if (code != ARGS_CONTINUE)
    return code;
  // An error ends a sweep; the finished points are printed as well.
  report quiet = *b->r;
  quiet.json = false;
  if (b->r->json && is_sweep(b)) {
    b->done = cJSON_CreateArray();
    b->s.r = &quiet;
  }
  if (b->csv)
    bench_csv_header();
  else if (!b->r->json && is_sweep(b))
    bench_table_header(b->label_width);
  for (size_t i = 0; i < b->points.points && code == ARGS_CONTINUE; ++i) {
    if (!b->r->quiet)
      sweep_progress(&b->points, i);
    code = run_point(b, i);
  }
  if (code == ARGS_CONTINUE)
    code = EXIT_DONE;
  if (!b->done)
    return code;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToObject(object, "points", b->done);
  if (code != EXIT_DONE)
    report_add_error(
        object, code,
        "a point could not be timed; the points before it are printed");
  b->done = NULL;
  return report_json(object, code);
}

/// Values that no other file reads.
static int check_flags(const bench_flags *flags, const report *r, bool csv) {
  bool all;
  uint32_t points;
  if (csv && r->json)
    return report_error(r, EXIT_USAGE, "--csv and --json exclude each other");
  if (!bench_sample_parse(flags->sample, &all, &points))
    return report_error(r, EXIT_USAGE,
                        "--sample: expected auto, all or 3 to 4096 points of "
                        "an axis, found '%.40s'",
                        flags->sample);
  if (flags->repeat < 1 || flags->repeat > 100000 || flags->warmup > 100000)
    return report_error(r, EXIT_USAGE,
                        "--repeat, --warmup: expected 1 and 0 to 100000, found "
                        "%lld and %lld",
                        (long long)flags->repeat, (long long)flags->warmup);
  if (flags->layers < 1 || flags->layers > 1000)
    return report_error(r, EXIT_USAGE,
                        "--layers: expected 1 to 1000, found %lld",
                        (long long)flags->layers);
  if (flags->constants && strcmp(flags->device, "emu") != 0)
    return report_error(r, EXIT_USAGE,
                        "--timing-constants are those of the cycle model: use "
                        "--device=emu, not %.60s",
                        flags->device);
  return ARGS_CONTINUE;
}

static int run_bench(const bench_flags *flags, const text_list *list, bool csv,
                     const args *a, const report *r) {
  char error[ERROR_BYTES];
  bench b = {.r = r, .a = a, .flags = flags, .csv = csv};
  bench_flags with_progress = *flags;
  int code = check_flags(flags, r, csv);
  if (code == ARGS_CONTINUE && !sweep_parse(list, &b.points, error))
    code = report_error(r, EXIT_USAGE, "%s", error);
  if (code == ARGS_CONTINUE)
    code = session_open_context(r, (session_options){.use_cache = true}, &b.s);
  with_progress.show_progress = !is_sweep(&b) && !r->quiet;
  b.flags = &with_progress;
  if (code == ARGS_CONTINUE)
    code = run_points(&b);
  session_close(&b.s);
  sweep_deinit(&b.points);
  return code;
}

int cmd_bench(int argc, char **argv) {
  bench_flags flags = {.device = "emu",
                       .input = "normal",
                       .sample = "auto",
                       .warmup = 3,
                       .repeat = 20,
                       .layers = 1};
  text_list list = {0};
  bool csv = false, constants = false;
  const flag specs[] = {
      {"device", "emu|hip[:N]", "where to run (default emu)", FLAG_TEXT,
       &flags.device},
      {"sweep", "KEY=V1,V2,...",
       "give an option of CONFIG or PROBLEM several values; several --sweep: "
       "all combinations; ';' separates values that contain commas",
       FLAG_TEXTS, &list},
      {"csv", "", "print one line per point, after a line of columns",
       FLAG_SWITCH, &csv},
      {"input", "normal|growing|spikes|rising|fixture|sink",
       "generated inputs, as in fmhac run", FLAG_TEXT, &flags.input},
      {"sample", "auto|all|N",
       "emu: time all workgroups, or at most N along an axis (default: all of "
       "a small grid, else 33 and those where a mask changes)",
       FLAG_TEXT, &flags.sample},
      {"layers", "N",
       "the time of a layer, of N that come one after the other and share the "
       "lists of work of one step (default 1)",
       FLAG_INTEGER, &flags.layers},
      {"threads", "N", EMU_THREADS_HELP, FLAG_INTEGER, &flags.threads},
      {"timing-constants", "NAME=VALUE,...",
       "emu: other constants for the cycle model", FLAG_TEXT, &flags.constants},
      {"warmup", "N", "hip: launches before the first sample (default 3)",
       FLAG_INTEGER, &flags.warmup},
      {"repeat", "N", "hip: number of samples; the median counts (default 20)",
       FLAG_INTEGER, &flags.repeat},
      {"constants", "", "print the constants of the cycle model instead",
       FLAG_SWITCH, &constants},
  };
  const command cmd = {
      .name = "bench",
      .synopsis =
          "CONFIG PROBLEM [--device=emu|hip[:N]] [--sweep KEY=V1,V2]... "
          "[--csv] | --constants",
      .summary = "Times a configuration: on the emulator with its cycle model, "
                 "on a GPU by its events.",
      .details =
          "TFLOPS count 2 (Dqk + Dv) FLOP per score: Sq Sk scores, half as "
          "many with a causal\nmask and Sq = Sk, with other masks the visible "
          "ones. The peak is that of all matrix\nunits at the highest clock. "
          "Cycles per KV tile are the cycles of a compute unit for one\nKV "
          "tile of one workgroup, in the loop of the slowest workgroup; each "
          "cycle has one\ncause. bound is the largest group of causes: mfma "
          "(with waits for its results), valu\n(with transcendentals), lds, "
          "vmem, barrier, issue (with branches).\nThe time is that of a part "
          "under load; tflops_cool is at the higher clock of one that\nwas "
          "idle. Modelled times have an "
          "interval; that of measured times is the least and the most.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
      .takes_problem = true,
  };
  report r = {0};
  args a;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE)
    code =
        constants ? bench_constants(&r) : run_bench(&flags, &list, csv, &a, &r);
  args_deinit(&a);
  return code;
}
