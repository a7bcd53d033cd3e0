// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac emu LAUNCH.json: runs any gfx950 code object on the embedded emulator.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "coverage.h"
#include "emu_flags.h"
#include "emu_repeat.h"
#include "emulation.h"
#include "files.h"
#include "streams.h"
#include "suppressions.h"
#include "timing_report.h"

/// The number of findings to keep with --suppressions: a dropped finding could
/// not be compared with the suppressions.
enum { MAX_SUPPRESSED_FINDINGS = 100000 };

static const char details[] =
    "LAUNCH.json; paths are relative to it:\n"
    "  { \"code_object\": \"k.hsaco\", \"kernel\": \"name\",\n"
    "    \"grid\": [workgroups x,y,z], \"block\": [work-items x,y,z],\n"
    "    \"dynamic_lds\": 0,\n"
    "    \"buffers\": { \"q\": {\"bytes\": 64, \"file\": \"q.bin\"},\n"
    "                 \"o\": {\"bytes\": 64, \"fill\": 255, \"out\": "
    "\"o.bin\",\n"
    "                       \"base\": \"0x130000000000\"} },\n"
    "    \"kernarg\": [ {\"offset\": 0, \"buffer\": \"o\", \"add\": 0},\n"
    "                 {\"offset\": 8, \"u32\": 7}, {\"offset\": 12, \"f32\": "
    "0.5},\n"
    "                 {\"offset\": 16, \"u64\": 1} ],\n"
    "    \"kernarg_bytes\": 64, \"workgroups\": [[0,0,0]],\n"
    "    \"tensors\": { \"o\": {\"element_bytes\": 2, \"axes\": [\"s\",\"d\"], "
    "\"shape\": [2,16],\n"
    "                 \"strides_bytes\": [32,2], \"buffer\": \"o\", \"add\": "
    "0,\n"
    "                 \"output\": true} } }\n"
    "Several kernels, in order, on the same buffers: \"launches\": "
    "[{\"kernel\": "
    "…, \"grid\": …,\n"
    "\"block\": …, \"kernarg\": …}, …] instead of these keys at the top; the "
    "last "
    "one has to write\n"
    "the tensors with \"output\".\n"
    "\"kernarg_file\" gives raw bytes instead of \"kernarg\". A buffer with "
    "neither\n"
    "file nor fill is uninitialised. Findings name the elements of "
    "\"tensors\": o[s=1,d=3];\n"
    "--check=init reports elements that a launch never writes, for tensors "
    "with \"output\".\n"
    "Only \"element_bytes\", \"axes\" and \"shape\" are needed: the default "
    "buffer has the\n"
    "tensor's name, default strides are those of one block. Sequences of "
    "different lengths: \"ragged\":\n"
    "{\"axis\": \"s\", \"lengths\": [rows of each index of the first axis]}, "
    "or {\"axis\": \"s\",\n"
    "\"starts\": [first row of each, …, end of the last]} where they are "
    "packed.";

//===- Results ------------------------------------------------------------===//

static int write_outputs(const emulation *e) {
  for (size_t i = 0; i < e->launch->buffer_count; ++i) {
    const launch_buffer *b = &e->launch->buffers[i];
    if (!b->out)
      continue;
    char error[ERROR_BYTES];
    char *bytes = NULL;
    int code = emulation_read(e, i, &bytes);
    if (code != ARGS_CONTINUE)
      return code;
    bool written = file_write(b->out, bytes, (size_t)b->bytes, error);
    free(bytes);
    if (!written)
      return report_error(e->r, EXIT_USAGE, "%s", error);
  }
  return ARGS_CONTINUE;
}

/// The times of the launches.
typedef struct timings {
  const emulation *e;
  cJSON *launches; ///< an object each, with what --timing adds
  double seconds;  ///< that hardware takes, of all
  bool sampled;    ///< some launch was timed
  bool known;      ///< all that were timed have their seconds
} timings;

/// Of the last launch; prints them unless --json is given.
static void time_launch(timings *t, const launch_start *start, cJSON *object) {
  const emulation *e = t->e;
  fmhac_timing_grid grid = {.size = sizeof grid};
  if (!fmhac_timing_workgroup_count(e->device))
    return;
  t->sampled = true;
  cJSON_AddItemToObject(object, "per_workgroup",
                        timing_workgroups_json(e->device));
  if (fmhac_timing_extrapolate(e->device, &grid) != FMHAC_OK) {
    const char *why = fmhac_rt_last_error(e->device);
    t->known = false;
    report_message(e->r, MESSAGE_WARNING, "%s", why);
    cJSON_AddStringToObject(object, "timing_error", why);
    return;
  }
  const uint64_t extrapolated = timing_extrapolated(e->device, start->grid);
  if (extrapolated)
    report_message(
        e->r, MESSAGE_NOTE,
        "%" PRIu64 " of %" PRIu64 " workgroups lie beyond the "
        "%" PRIu64
        " timed ones and count with the time of the nearest one: add the last "
        "workgroups of each axis to \"workgroups\", too",
        extrapolated, grid.workgroups, grid.sampled);
  t->seconds += grid.seconds;
  cJSON *timing = timing_grid_json(&grid, e->timing_constants);
  cJSON_AddNumberToObject(timing, "extrapolated", (double)extrapolated);
  cJSON_AddItemToObject(object, "timing", timing);
  cJSON_AddNumberToObject(object, "seconds", grid.seconds);
  if (!e->r->json)
    timing_print(e->device, &grid);
}

/// Takes the figures of the launch that has ended.
static void take_launch(void *user, size_t index) {
  timings *t = user;
  const launch_description *l = t->e->launch;
  const launch_start *start = &l->starts[index];
  fmhac_emu_stats stats = {.size = sizeof stats};
  cJSON *object = cJSON_CreateObject();
  if (fmhac_emu_get_stats(t->e->device, &stats) == FMHAC_OK) {
    cJSON_AddStringToObject(object, "kernel",
                            start->kernel ? start->kernel : "");
    emu_stats_add(object, &stats);
    cJSON_AddNumberToObject(object, "host_seconds", stats.seconds);
    if (l->has_list && !t->e->r->json)
      printx("launch %zu%s%s: %" PRIu64 " workgroups, %" PRIu64
             " instructions, %.3f s\n",
             index, start->kernel ? ", " : "",
             start->kernel ? start->kernel : "", stats.workgroups,
             stats.instructions, stats.seconds);
  }
  time_launch(t, start, object);
  cJSON_AddItemToArray(t->launches, object);
}

/// The results as one JSON object. What --timing adds stands at the top for one
/// launch, else with its launch.
static cJSON *describe_launches(const emulation *e, fmhac_status status,
                                const char *failure, cJSON *findings,
                                cJSON *suppressed, const emu_repeats *repeats,
                                timings *t) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddBoolToObject(object, "ok", status == FMHAC_OK);
  if (failure[0])
    report_add_error(object, exit_code_of(status), failure);
  cJSON_AddItemToObject(object, "findings", findings);
  if (suppressed)
    cJSON_AddItemToObject(object, "suppressed", suppressed);
  if (repeats->schedules)
    cJSON_AddItemToObject(object, "repeats", emu_repeats_json(repeats));
  emu_stats_add(object, &e->stats);
  // For timed launches, the seconds that hardware would take, if they are
  // known.
  json_add_known(object, "seconds", t->known || !t->sampled,
                 t->sampled ? t->seconds : e->stats.seconds);
  cJSON_AddNumberToObject(object, "host_seconds", e->stats.seconds);
  if (e->launch->has_list) {
    cJSON_AddItemToObject(object, "launches", t->launches);
    t->launches = NULL;
    return object;
  }
  static const char *const keys[] = {"per_workgroup", "timing", "timing_error"};
  cJSON *only = cJSON_GetArrayItem(t->launches, 0);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    cJSON *item = cJSON_DetachItemFromObject(only, keys[i]);
    if (item)
      cJSON_AddItemToObject(object, keys[i], item);
  }
  return object;
}

/// Reports the results of the launches on stdout, errors and findings on
/// stderr.
static int report_launches(emulation *e, fmhac_status status,
                           const cJSON *suppressions,
                           const emu_repeats *repeats, timings *t) {
  const bool ran = status == FMHAC_OK || status == FMHAC_CHECK_FAILED;
  char failure[2 * ERROR_BYTES] = "";
  if (!ran) {
    const int last = cJSON_GetArraySize(t->launches) - 1;
    snprintf(failure, sizeof failure, "%s%s",
             launch_label_of(e->launch, last < 0 ? 0 : (size_t)last).text,
             fmhac_rt_last_error(e->device));
    report_message(e->r, MESSAGE_ERROR, "%s", failure);
  }
  cJSON *findings = e->findings;
  e->findings = NULL;
  emu_repeats_add_findings(repeats, findings);
  cJSON *suppressed = suppressions_apply(e->r, suppressions, findings);
  int count = cJSON_GetArraySize(findings);
  int hidden = cJSON_GetArraySize(suppressed);
  int different = emu_repeats_print(repeats);
  if (ran)
    status =
        count || different || e->stats.dropped ? FMHAC_CHECK_FAILED : FMHAC_OK;
  emu_findings_print("emu", findings);
  emu_dropped_print("emu", &e->stats);
  if (!suppressions) {
    cJSON_Delete(suppressed);
    suppressed = NULL;
  }
  if (e->r->json)
    return report_json(
        describe_launches(e, status, failure, findings, suppressed, repeats, t),
        exit_code_of(status));
  cJSON_Delete(findings);
  cJSON_Delete(suppressed);
  if (ran) {
    printx("%" PRIu64 " workgroups, %" PRIu64 " instructions, %.3f s, "
           "%d finding%s",
           e->stats.workgroups, e->stats.instructions, e->stats.seconds, count,
           count == 1 ? "" : "s");
    if (suppressions)
      printx(", %d suppressed", hidden);
    printx("\n");
  }
  return exit_code_of(status);
}

//===- The launch ---------------------------------------------------------===//

static int execute(emulation *e, fmhac_emu_options *options,
                   const cJSON *suppressions, emu_repeats *repeats) {
  fmhac_status status = FMHAC_OK;
  timings t = {.e = e, .launches = cJSON_CreateArray(), .known = true};
  int code = emulation_open(e, options);
  if (code == ARGS_CONTINUE)
    code = emulation_run(e, take_launch, &t, &status);
  // The results of launches with findings are still useful; one that could not
  // go on computed nothing.
  if (status == FMHAC_OK || status == FMHAC_CHECK_FAILED) {
    if (code == ARGS_CONTINUE)
      code = write_outputs(e);
    if (code == ARGS_CONTINUE)
      code = emu_repeat(e, options, repeats);
  }
  if (code == ARGS_CONTINUE)
    code = report_launches(e, status, suppressions, repeats, &t);
  cJSON_Delete(t.launches);
  return code;
}

static int load_and_execute(const char *path, fmhac_emu_options *options,
                            emulation *e, const cJSON *suppressions,
                            emu_repeats *repeats) {
  char error[2 * ERROR_BYTES];
  void *text = NULL;
  size_t bytes = 0;
  if (!file_read(path, &text, &bytes, error))
    return report_error(e->r, EXIT_USAGE, "%s", error);
  bool parsed = launch_description_parse(path, text, bytes, e->launch, error,
                                         sizeof error);
  free(text);
  if (!parsed)
    return report_error(e->r, EXIT_USAGE, "%s", error);
  // A launch may take hours: that its results have nowhere to go is said first.
  for (size_t i = 0; i < e->launch->buffer_count; ++i)
    if (e->launch->buffers[i].out &&
        !file_can_write(e->launch->buffers[i].out, error))
      return report_error(e->r, EXIT_USAGE, "%s", error);
  return execute(e, options, suppressions, repeats);
}

int cmd_emu(int argc, char **argv) {
  emu_flags emu = {0};
  int64_t max_instructions = 0, repeat = 0;
  bool coverage = false, timing = false;
  const char *constants = NULL;
  const char *list = NULL, *suppressions_file = NULL;
  const flag flags[] = {
      EMU_FLAGS(emu),
      {"max-instructions", "N",
       "the most wave instructions that a workgroup may execute (default 2^33)",
       FLAG_INTEGER, &max_instructions},
      {"suppressions", "FILE", SUPPRESSIONS_HELP, FLAG_TEXT,
       &suppressions_file},
      {"repeat-schedules", "N",
       "run N times more, with random wave orders and random completion, and "
       "compare the written bytes",
       FLAG_INTEGER, &repeat},
      {"timing", "",
       "time every workgroup with the cycle model, and the whole grid",
       FLAG_SWITCH, &timing},
      {"timing-constants", "NAME=VALUE,...",
       "other constants for the model (fmhac bench --constants lists them)",
       FLAG_TEXT, &constants},
      {"coverage", "", COVERAGE_HELP, FLAG_SWITCH, &coverage},
      {"list", COVERAGE_LIST_VALUES, COVERAGE_LIST_HELP, FLAG_TEXT, &list},
  };
  const command cmd = {
      .name = "emu",
      .synopsis = "LAUNCH.json [options] | --coverage [FILE.hsaco] "
                  "[--list=WHICH]",
      .summary = "Runs any gfx950 code object on the embedded emulator.",
      .details = details,
      COMMAND_FLAGS(flags),
      .most_positionals = 1,
  };
  report r = {.command = "emu"};
  args a = {0};
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE && coverage) {
    code = a.positional_count ? coverage_of_file(&r, a.positionals[0], list)
                              : coverage_of_emulator(&r, list);
  } else if (code == ARGS_CONTINUE && (list || !a.positional_count)) {
    code = list ? report_error(&r, EXIT_USAGE, "--list belongs to --coverage")
                : report_error(&r, EXIT_USAGE,
                               "expected a LAUNCH.json, or --coverage; usage: "
                               "fmhac emu %s",
                               cmd.synopsis);
  } else if (code == ARGS_CONTINUE) {
    launch_description launch = {0};
    emulation e = {.r = &r, .launch = &launch};
    emu_repeats repeats = {.schedules = repeat};
    fmhac_emu_options options;
    char error[ERROR_BYTES];
    cJSON *suppressions = NULL;
    bool ok = emu_flags_apply(&emu, &options, error);
    if (ok && constants && !timing) {
      snprintf(error, sizeof error, "--timing-constants belongs to --timing");
      ok = false;
    }
    if (ok && suppressions_file) {
      suppressions = suppressions_read(suppressions_file, error);
      ok = suppressions != NULL;
      options.max_findings = MAX_SUPPRESSED_FINDINGS;
    }
    if (ok) {
      options.max_instructions = (uint64_t)max_instructions;
      options.timing = timing;
      options.timing_constants = e.timing_constants = constants;
      code = load_and_execute(a.positionals[0], &options, &e, suppressions,
                              &repeats);
    } else {
      code = report_error(&r, EXIT_USAGE, "%s", error);
    }
    cJSON_Delete(suppressions);
    emu_repeats_deinit(&repeats);
    emulation_close(&e);
    launch_description_free(&launch);
  }
  args_deinit(&a);
  return code;
}
