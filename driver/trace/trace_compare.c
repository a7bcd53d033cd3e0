// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compare_report.h"
#include "emu_report.h"

bool trace_compare_given(const trace_compare_flags *f) {
  return f->range_a || f->range_b || f->trips_a >= 0 || f->trips_b >= 0;
}

//===- Before anything runs -----------------------------------------------===//

static int take_ranges(const report *r, const trace_compare_flags *f,
                       trace_side *a, trace_side *b) {
  char error[ERROR_BYTES];
  if (!trace_ranges_parse("--range-a", f->range_a, &a->wanted, error) ||
      !trace_ranges_parse("--range-b", f->range_b, &b->wanted, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  if (a->wanted.count != b->wanted.count)
    return report_error(r, EXIT_USAGE,
                        "--range-a, --range-b: expected as many ranges of A as "
                        "of B, which are compared pair by pair, found %zu and "
                        "%zu",
                        a->wanted.count, b->wanted.count);
  for (size_t i = 0; i < a->wanted.count; ++i) {
    const char *x = a->wanted.list[i].name, *y = b->wanted.list[i].name;
    if (x[0] && y[0] && strcmp(x, y) != 0)
      return report_error(r, EXIT_USAGE,
                          "--range-a, --range-b: expected one name for the "
                          "ranges that stand in the same place, found '%s' and "
                          "'%s' in place %zu",
                          x, y, i + 1);
  }
  return ARGS_CONTINUE;
}

static int take_trips(const report *r, const char *name, int64_t given,
                      int64_t *out) {
  enum { MOST = 1000000 };
  if (given == 0 || given > MOST)
    return report_error(r, EXIT_USAGE,
                        "%s: expected 1 to %d trips, found %" PRId64, name,
                        MOST, given);
  *out = given > 0 ? given : 1;
  return ARGS_CONTINUE;
}

/// Options that would say nothing, or twice the same.
static int check_options(const report *r, const args *a, const trace_side *x,
                         const trace_side *y, const trace_settings *settings) {
  const bool launches = x->kind == TRACE_LAUNCH && y->kind == TRACE_LAUNCH;
  if (launches &&
      (settings->input || a->config_file || cJSON_GetArraySize(a->options)))
    return report_error(r, EXIT_USAGE,
                        "two LAUNCH.json define the launches: leave out "
                        "options of CONFIG and PROBLEM, and --input");
  if (settings->launch_index && x->kind != TRACE_LAUNCH &&
      y->kind != TRACE_LAUNCH)
    return report_error(r, EXIT_USAGE, "--launch goes with a LAUNCH.json");
  if (json_get(a->options, "schedule") &&
      (x->kind == TRACE_SCHEDULE || y->kind == TRACE_SCHEDULE))
    return report_error(r, EXIT_USAGE,
                        "--schedule: '%s' is the schedule of %s; leave out the "
                        "flag, or give a LAUNCH.json or a configuration "
                        "instead",
                        x->kind == TRACE_SCHEDULE ? x->word : y->word,
                        x->kind == TRACE_SCHEDULE ? "A" : "B");
  if (a->config_file && (x->kind == TRACE_CONFIG || y->kind == TRACE_CONFIG))
    return report_error(r, EXIT_USAGE,
                        "--config: %s is the configuration of %s; leave out "
                        "the flag",
                        x->kind == TRACE_CONFIG ? x->word : y->word,
                        x->kind == TRACE_CONFIG ? "A" : "B");
  return ARGS_CONTINUE;
}

static int prepare(const report *r, const args *line,
                   const trace_compare_flags *f, const trace_settings *settings,
                   trace_side *a, trace_side *b) {
  int code = trace_side_init(line->positionals[0], true, r, a);
  if (code == ARGS_CONTINUE)
    code = trace_side_init(line->positionals[1], false, r, b);
  if (code == ARGS_CONTINUE)
    code = check_options(r, line, a, b, settings);
  if (code == ARGS_CONTINUE)
    code = take_ranges(r, f, a, b);
  if (code == ARGS_CONTINUE)
    code = take_trips(r, "--trips-a", f->trips_a, &a->trips);
  if (code == ARGS_CONTINUE)
    code = take_trips(r, "--trips-b", f->trips_b, &b->trips);
  return code;
}

//===- After the runs -----------------------------------------------------===//

static void name_loopless(const trace_side *s, char out[200]) {
  snprintf(out, 200, "%c, workgroup (%u,%u,%u) of %.100s", s->letter,
           s->group.id[0], s->group.id[1], s->group.id[2], s->kernel);
}

/// Without a loop of both there must be ranges.
static int check_loops(const report *r, const trace_side *a,
                       const trace_side *b) {
  char which[200];
  if (a->has_loop && b->has_loop)
    return ARGS_CONTINUE;
  name_loopless(a->has_loop ? b : a, which);
  if (!a->wanted.count)
    return report_error(r, EXIT_USAGE,
                        "main loops: expected a loop of each side that its "
                        "first wave repeats, found none in %s; give a longer "
                        "problem or another --workgroup, or name parts with "
                        "--range-a and --range-b",
                        which);
  report_message(r, MESSAGE_NOTE,
                 "no main loops are compared: the first wave repeats none in "
                 "%s",
                 which);
  return ARGS_CONTINUE;
}

/// Says how trips of different work become comparable.
static void hint_trips(const report *r, const trace_side *a,
                       const trace_side *b) {
  const double x = a->loop.matrix_cycles, y = b->loop.matrix_cycles;
  if (!a->has_loop || !b->has_loop || x <= 0 || y <= 0)
    return;
  const double ratio = x > y ? x / y : y / x, whole = round(ratio);
  if (whole < 2 || fabs(ratio - whole) > 0.02 * whole)
    return;
  const bool of_a = x < y;
  report_message(r, MESSAGE_NOTE,
                 "a trip of %s has %.0f times the matrix cycles of one of %s; "
                 "--trips-%c=%.0f counts so many of these as one",
                 of_a ? "B" : "A", whole, of_a ? "A" : "B", of_a ? 'a' : 'b',
                 whole * (double)(of_a ? a : b)->trips);
}

static void note_unused_ranges(const trace_side *s) {
  for (size_t i = 0; i < s->wanted.count; ++i)
    if (!s->ranges[i].trips)
      report_message(&s->r, MESSAGE_NOTE,
                     "%s: the first wave issues no instruction of range %zu",
                     s->wanted.flag, i + 1);
}

static int print(const report *r, const trace_side *a, const trace_side *b) {
  int code = check_loops(r, a, b);
  if (code != ARGS_CONTINUE)
    return code;
  note_unused_ranges(a);
  note_unused_ranges(b);
  hint_trips(r, a, b);
  emu_findings_print(a->r.command, a->findings);
  emu_findings_print(b->r.command, b->findings);
  const int findings =
      cJSON_GetArraySize(a->findings) + cJSON_GetArraySize(b->findings);
  code = findings ? EXIT_CHECK : EXIT_DONE;
  if (r->json)
    return report_json(compare_json(a, b), code);
  compare_print(a, b);
  return code;
}

int trace_compare(const report *r, const args *line,
                  const trace_compare_flags *f, const trace_settings *given) {
  trace_side a = {0}, b = {0};
  trace_settings settings = *given;
  int code = prepare(r, line, f, &settings, &a, &b);
  if (!settings.input)
    settings.input = "normal";
  if (code == ARGS_CONTINUE)
    code = trace_side_run(&a, line, &settings);
  if (code == ARGS_CONTINUE)
    code = trace_side_run(&b, line, &settings);
  if (code == ARGS_CONTINUE)
    code = print(r, &a, &b);
  trace_side_deinit(&a);
  trace_side_deinit(&b);
  return code;
}
