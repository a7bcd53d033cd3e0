// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac trace: the work of the waves of a workgroup, cycle by cycle, as the
// cycle model of the emulator has it; figures of two such runs side by side.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "streams.h"
#include "timing_report.h"
#include "trace_compare.h"
#include "trace_json.h"
#include "trace_launch.h"
#include "trace_svg.h"

enum {
  DEFAULT_ITERATIONS = 3,
  /// The limit if the kernel has no loop to choose from: about 25 MB.
  MOST_INSTRUCTIONS = 100000
};

typedef struct trace_flags {
  const char *output, *svg;
  int64_t from, to, iterations; ///< -1: not given
  bool all, all_simds;
} trace_flags;

/// The part that is shown, and the reason in words.
typedef struct window {
  uint64_t from, to;
  char why[160];
} window;

//===- The shown part -----------------------------------------------------===//

/// The issue cycle of the first instruction beyond the limit; the end if no
/// instruction exceeds it.
static uint64_t most_cycles(const trace *t) {
  return t->count > MOST_INSTRUCTIONS ? t->events[MOST_INSTRUCTIONS].issue
                                      : t->end;
}

/// The whole workgroup, or the requested part of it.
static int window_of_flags(const report *r, const trace_flags *f,
                           const trace *t, window *out) {
  *out = (window){0, t->end, "all of the workgroup"};
  if (f->all)
    return ARGS_CONTINUE;
  snprintf(out->why, sizeof out->why, "as --from and --to say");
  out->from = f->from >= 0 ? (uint64_t)f->from : 0;
  out->to = f->to >= 0 ? (uint64_t)f->to : t->end;
  if (out->from < t->end && out->from < out->to)
    return ARGS_CONTINUE;
  return report_error(r, EXIT_USAGE,
                      "--from, --to: expected a part of the %" PRIu64
                      " cycles of the workgroup, found %" PRIu64 " to %" PRIu64,
                      t->end, out->from, out->to);
}

static bool flags_give_window(const trace_flags *f) {
  return f->all || f->from >= 0 || f->to >= 0;
}

/// The part that the timeline shows.
static int timeline_window(const report *r, const trace_flags *f,
                           const trace *t, window *out) {
  if (flags_give_window(f))
    return window_of_flags(r, f, t, out);
  const uint64_t wanted =
      f->iterations > 0 ? (uint64_t)f->iterations : DEFAULT_ITERATIONS;
  if (trace_steady(t, wanted, &out->from, &out->to)) {
    const uint64_t whole = t->iteration_count - 1;
    snprintf(out->why, sizeof out->why,
             "%" PRIu64 " of %" PRIu64
             " iterations of the loop at pc 0x%" PRIx64
             ", of usual length; --all writes everything",
             wanted < whole ? wanted : whole, whole, t->group.loop.pc);
    return ARGS_CONTINUE;
  }
  if (f->iterations > 0)
    return report_error(r, EXIT_USAGE,
                        "--iterations: workgroup (%u,%u,%u) has no loop that "
                        "it goes through twice; --from and --to choose cycles",
                        t->group.id[0], t->group.id[1], t->group.id[2]);
  out->from = 0;
  out->to = most_cycles(t);
  snprintf(
      out->why, sizeof out->why, "%s",
      out->to < t->end
          ? "the beginning, because no loop has an iteration to choose; --all "
            "writes everything"
          : "all of the workgroup, because no loop has an iteration to choose");
  return ARGS_CONTINUE;
}

/// The part that the picture shows: one iteration of a loop, unless flags ask
/// for more.
static int picture_window(const report *r, const trace_flags *f, const trace *t,
                          window *out) {
  if (flags_give_window(f))
    return window_of_flags(r, f, t, out);
  if (trace_steady(t, f->iterations > 0 ? (uint64_t)f->iterations : 1,
                   &out->from, &out->to)) {
    snprintf(out->why, sizeof out->why, "%s",
             f->iterations > 1 ? "iterations of the steady loop"
                               : "an iteration of the steady loop");
    return ARGS_CONTINUE;
  }
  *out = (window){0, t->end, "all of it, because it has no loop"};
  return ARGS_CONTINUE;
}

//===- Output files -------------------------------------------------------===//

/// A trace and its files.
typedef struct written {
  window timeline;
  size_t instructions;
  char *json, *svg;
  size_t json_bytes;
} written;

static int make_files(const trace_launch *l, const trace_flags *f,
                      const trace *t, written *w) {
  window picture = {0};
  int code = timeline_window(l->r, f, t, &w->timeline);
  if (code == ARGS_CONTINUE && f->svg)
    code = picture_window(l->r, f, t, &picture);
  if (code != ARGS_CONTINUE)
    return code;
  const trace_json_options json = {l->kernel, w->timeline.from, w->timeline.to,
                                   w->timeline.why};
  const trace_svg_options svg = {l->kernel, picture.from, picture.to,
                                 picture.why, f->all_simds};
  if (f->output)
    w->json = trace_json(t, &json, &w->json_bytes, &w->instructions);
  if (f->svg)
    w->svg = trace_svg(t, &svg);
  if ((f->output && !w->json) || (f->svg && !w->svg))
    return report_error(l->r, EXIT_DEVICE,
                        "no memory for the timeline; --from and --to limit it");
  return ARGS_CONTINUE;
}

static int write_files(const report *r, const trace_flags *f,
                       const written *w) {
  char error[ERROR_BYTES];
  if ((w->json && !file_write(f->output, w->json, w->json_bytes, error)) ||
      (w->svg && !file_write(f->svg, w->svg, strlen(w->svg), error)))
    return report_error(r, EXIT_USAGE, "%s", error);
  return ARGS_CONTINUE;
}

static cJSON *describe(const trace_launch *l, const trace_flags *f,
                       const trace *t, const written *w) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "kernel", l->kernel);
  cJSON_AddItemToObject(object, "workgroup", timing_workgroup_json(&t->group));
  if (f->output) {
    cJSON_AddStringToObject(object, "window", w->timeline.why);
    cJSON_AddNumberToObject(object, "from", (double)w->timeline.from);
    cJSON_AddNumberToObject(object, "to", (double)w->timeline.to);
    cJSON_AddNumberToObject(object, "instructions", (double)w->instructions);
  }
  cJSON_AddItemToObject(object, "findings", cJSON_Duplicate(l->findings, true));
  return object;
}

static int report_trace(const trace_launch *l, const trace_flags *f,
                        const trace *t, const written *w) {
  const int findings = cJSON_GetArraySize(l->findings);
  emu_findings_print("trace", l->findings);
  const int code = findings ? EXIT_CHECK : EXIT_DONE;
  if (l->r->json)
    return report_json(describe(l, f, t, w), code);
  // A file may be on standard output.
  FILE *out = (f->output && strcmp(f->output, "-") == 0) ||
                      (f->svg && strcmp(f->svg, "-") == 0)
                  ? stderr
                  : stdout;
  const uint32_t *id = t->group.id;
  fprintx(out,
          "workgroup (%u,%u,%u) of %s: %" PRIu64 " cycles, %" PRIu64
          " instructions, %u on a compute unit, matrix units busy %.1f %%\n",
          id[0], id[1], id[2], l->kernel, t->group.cycles,
          t->group.instructions, t->group.resident, 100 * t->group.mfma_busy);
  if (f->output)
    fprintx(out, "cycles %" PRIu64 " to %" PRIu64 ", %zu instructions: %s\n",
            w->timeline.from, w->timeline.to, w->instructions, w->timeline.why);
  return code;
}

static int write_trace(const trace_launch *l, const trace_flags *f) {
  char error[ERROR_BYTES] = "";
  trace t;
  written w = {0};
  int code = ARGS_CONTINUE;
  if (!trace_read(l->device, &t, error))
    code = report_error(l->r, EXIT_DEVICE, "%s", error);
  if (code == ARGS_CONTINUE)
    code = make_files(l, f, &t, &w);
  if (code == ARGS_CONTINUE)
    code = write_files(l->r, f, &w);
  if (code == ARGS_CONTINUE)
    code = report_trace(l, f, &t, &w);
  free(w.json);
  free(w.svg);
  trace_deinit(&t);
  return code;
}

//===- The command --------------------------------------------------------===//

/// Checks of flags before two runs are compared.
static int check_compare(const report *r, const trace_flags *f, const args *a) {
  if (f->output || f->svg || f->all || f->all_simds || f->from >= 0 ||
      f->to >= 0 || f->iterations >= 0)
    return report_error(r, EXIT_USAGE,
                        "--compare prints figures of whole runs: leave out -o, "
                        "--svg, --all, --all-simds, --iterations, --from and "
                        "--to, or trace each run by itself");
  if (a->positional_count != 2)
    return report_error(r, EXIT_USAGE,
                        "--compare: expected two runs, A and B, found %zu; "
                        "each is a LAUNCH.json, a CONFIG.json or a schedule",
                        a->positional_count);
  return ARGS_CONTINUE;
}

/// Checks of flags before anything runs.
static int check_flags(const report *r, const trace_flags *f, const args *a,
                       bool input_given, int64_t launch_index) {
  char error[ERROR_BYTES];
  if (a->positional_count > 1)
    return report_error(r, EXIT_USAGE,
                        "expected one LAUNCH.json, found '%.60s' after it; "
                        "--compare takes two runs",
                        a->positionals[1]);
  if (!f->output && !f->svg)
    return report_error(r, EXIT_USAGE,
                        "expected -o FILE.json or --svg FILE.svg");
  if (f->output && f->svg && strcmp(f->output, f->svg) == 0)
    return report_error(r, EXIT_USAGE, "-o and --svg are the same file");
  if (r->json && ((f->output && strcmp(f->output, "-") == 0) ||
                  (f->svg && strcmp(f->svg, "-") == 0)))
    return report_error(r, EXIT_USAGE,
                        "--json and a file on standard output: give one of "
                        "them a file");
  const int ways = f->all + (f->from >= 0 || f->to >= 0) + (f->iterations >= 0);
  if (ways > 1)
    return report_error(r, EXIT_USAGE,
                        "expected one of --all, --iterations, and --from "
                        "with --to");
  if (launch_index && !a->positional_count)
    return report_error(r, EXIT_USAGE, "--launch goes with a LAUNCH.json");
  if (!f->iterations)
    return report_error(r, EXIT_USAGE,
                        "--iterations: expected at least 1, found 0");
  if (f->to >= 0 && f->from >= f->to)
    return report_error(r, EXIT_USAGE,
                        "--from, --to: expected an interval, found %" PRId64
                        " to %" PRId64,
                        f->from, f->to);
  if (a->positional_count &&
      (input_given || a->config_file || cJSON_GetArraySize(a->options)))
    return report_error(r, EXIT_USAGE,
                        "a LAUNCH.json defines the launch: leave out options "
                        "of CONFIG and PROBLEM, and --input");
  const char *const files[] = {f->output, f->svg};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    if (files[i] && !file_can_write(files[i], error))
      return report_error(r, EXIT_USAGE, "%s", error);
  return ARGS_CONTINUE;
}

int cmd_trace(int argc, char **argv) {
  trace_flags f = {.from = -1, .to = -1, .iterations = -1};
  trace_launch launch = {0};
  bool compare = false;
  trace_compare_flags two = {.trips_a = -1, .trips_b = -1};
  const flag specs[] = {
      {"o", "FILE.json", "write the timeline here; - is standard output",
       FLAG_TEXT, &f.output},
      {"svg", "FILE.svg",
       "draw the steady loop: waves, budget of cycles, LDS banks", FLAG_TEXT,
       &f.svg},
      {"workgroup", "X,Y,Z",
       "the workgroup to show (default: the longest of the corners of the "
       "grid)",
       FLAG_TEXT, &launch.workgroup},
      {"launch", "N",
       "which of several launches of a LAUNCH.json, from 0; those before it "
       "run "
       "first (default 0)",
       FLAG_INTEGER, &launch.launch_index},
      {"iterations", "N",
       "iterations of the loop, of usual length (default 3; picture: 1)",
       FLAG_INTEGER, &f.iterations},
      {"from", "CYCLE", "show instructions issued from this cycle on",
       FLAG_INTEGER, &f.from},
      {"to", "CYCLE", "and before this cycle", FLAG_INTEGER, &f.to},
      {"all", "", "show all cycles of the workgroup", FLAG_SWITCH, &f.all},
      {"all-simds", "", "draw the waves of every SIMD, not only of SIMD 0",
       FLAG_SWITCH, &f.all_simds},
      {"timing-constants", "NAME=VALUE,...", "other constants for the model",
       FLAG_TEXT, &launch.constants},
      {"input", "normal|growing|spikes|rising|fixture|sink",
       "generated inputs, as in fmhac run", FLAG_TEXT, &launch.input},
      {"check", EMU_CHECK_VALUES, EMU_CHECK_HELP, FLAG_TEXT, &launch.emu.check},
      {"compare", "", "set figures of two runs side by side", FLAG_SWITCH,
       &compare},
      {"range-a", "[NAME=]LO:HI[+LO:HI...][,...]",
       "also compare these instructions of A, by pc", FLAG_TEXT, &two.range_a},
      {"range-b", "[NAME=]LO:HI[+LO:HI...][,...]",
       "with these of B, in the same order", FLAG_TEXT, &two.range_b},
      {"trips-a", "N",
       "count N trips of A's loop and ranges as one (default 1)", FLAG_INTEGER,
       &two.trips_a},
      {"trips-b", "N", "likewise, of B", FLAG_INTEGER, &two.trips_b},
  };
  const command cmd = {
      .name = "trace",
      .synopsis = "CONFIG PROBLEM | LAUNCH.json  [-o FILE.json] "
                  "[--svg FILE.svg] | --compare A B [CONFIG PROBLEM]",
      .summary = "Writes the work of the waves of a workgroup, cycle by cycle: "
                 "a timeline for\nchrome://tracing and ui.perfetto.dev, and a "
                 "picture of the steady loop. Or sets the\nfigures of two runs "
                 "side by side.",
      .details =
          "The workgroup runs on the emulator with its cycle model; nothing is "
          "measured. 1 us of\nthe timeline is 1 cycle. Workgroups that share "
          "the compute unit are shown too. Each wave\nhas a track with steps, "
          "their instructions, and stalls by cause. Further tracks show "
          "the\nmatrix units and outstanding operations.\n\n"
          "--compare: A and B are each a LAUNCH.json, a CONFIG.json (options "
          "of CONFIG and PROBLEM)\nor a schedule (NAME or FILE.mlir). What is "
          "no LAUNCH.json also takes the options of the\ncommand line. The "
          "table has the workgroup, and a trip of the first wave through its "
          "main\nloop, the one with the most matrix instructions: cycles, "
          "instructions by class, cycles of\na SIMD by cause, cycles in which "
          "the matrix unit works, in which the vector ALU works, in\nwhich "
          "both do, and A - B. If trips of two loops do different amounts of "
          "work, --trips-a\nand --trips-b count several as one.\n"
          "A range is the instructions whose pc lies in LO:HI, from the "
          "kernel's entry, without HI;\nits parts are joined by +. A trip "
          "begins when the first wave comes to it from outside, or\njumps back "
          "to its first LO. It lasts until the wave leaves; the stall before "
          "an instruction\nbelongs to it. Ranges of A and B are compared pair "
          "by pair.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
      .takes_problem = true,
      .most_positionals = 2,
  };
  report r = {0};
  args a;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE && compare) {
    const trace_settings settings = {launch.constants, launch.input,
                                     launch.workgroup, launch.launch_index,
                                     launch.emu};
    code = check_compare(&r, &f, &a);
    if (code == ARGS_CONTINUE)
      code = trace_compare(&r, &a, &two, &settings);
    args_deinit(&a);
    return code;
  }
  if (code == ARGS_CONTINUE && trace_compare_given(&two))
    code = report_error(&r, EXIT_USAGE,
                        "--range-a, --range-b, --trips-a and --trips-b go "
                        "with --compare A B");
  if (code == ARGS_CONTINUE)
    code = check_flags(&r, &f, &a, launch.input != NULL, launch.launch_index);
  launch.r = &r;
  if (!launch.input)
    launch.input = "normal";
  if (code == ARGS_CONTINUE)
    code = a.positional_count ? trace_launch_file(&launch, a.positionals[0])
                              : trace_launch_config(&launch, &a);
  if (code == ARGS_CONTINUE)
    code = write_trace(&launch, &f);
  trace_launch_close(&launch);
  args_deinit(&a);
  return code;
}
