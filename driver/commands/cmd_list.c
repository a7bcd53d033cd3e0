// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac list: schedules, and which configurations this build compiles.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "explain_mask.h"
#include "explain_schedule.h"
#include "files.h"
#include "fmhac_options.h"
#include "fmhac_schedule.h"
#include "session.h"
#include "streams.h"

enum { MAX_SCHEDULES = 64 };

/// As the key `schedule` tells files from names.
static bool is_path(const char *name) {
  static const char suffix[] = ".mlir";
  const size_t length = strlen(name), end = sizeof suffix - 1;
  return strchr(name, '/') ||
         (length > end && strcmp(name + length - end, suffix) == 0);
}

/// The text of a built-in schedule or of a file; caller frees. NULL: an error
/// was reported.
static char *read_schedule(const report *r, const char *name) {
  const char *text = fmhac_schedule_text(name);
  if (text)
    return strdup(text);
  char error[ERROR_BYTES];
  void *bytes;
  size_t size;
  if (is_path(name)) {
    if (file_read(name, &bytes, &size, error))
      return bytes;
    report_error(r, EXIT_USAGE, "%s", error);
    return NULL;
  }
  const char *names[MAX_SCHEDULES];
  size_t count = 0;
  while (count < MAX_SCHEDULES && fmhac_schedule_name(count)) {
    names[count] = fmhac_schedule_name(count);
    ++count;
  }
  const char *near = fmhac_nearest_spelling(name, names, count);
  report_error(r, EXIT_USAGE,
               "no built-in schedule '%.60s'%s%s%s; `fmhac list` "
               "names them",
               name, MEANT(near));
  return NULL;
}

/// A schedule written out, or as its file has it.
static int print_schedule(const report *r, const char *name, bool as_written) {
  char *text = read_schedule(r, name), *whole = NULL;
  if (!text)
    return EXIT_USAGE;
  session s;
  int code = ARGS_CONTINUE;
  if (!as_written) {
    code = session_open_context(r, (session_options){0}, &s);
    if (code == ARGS_CONTINUE) {
      fmhac_status status =
          fmhac_schedule_expand(s.context, text, name, &whole);
      if (status != FMHAC_OK)
        code = session_fail(&s, status);
    }
    session_close(&s);
  }
  const char *shown = as_written ? text : whole;
  if (code == ARGS_CONTINUE && r->json) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "schedule", name);
    cJSON_AddStringToObject(object, "text", shown);
    code = report_json(object, EXIT_DONE);
  } else if (code == ARGS_CONTINUE) {
    print_text(stdout, shown);
    code = EXIT_DONE;
  }
  fmhac_free(whole);
  free(text);
  return code;
}

// The configurations that the library is asked about: each sets one key or two
// and leaves the others at their defaults. The library gives the answers.
static const char *const questions[] = {
    "{\"dtype\": \"bf16\"}",
    "{\"dtype\": \"f16\"}",
    "{\"dtype\": \"fp8\"}",
    "{\"q_dtype\": \"bf16\", \"k_dtype\": \"fp8\", \"v_dtype\": \"fp8\"}",
    ("{\"q_dtype\": \"bf16\", \"k_dtype\": \"fp8\", \"v_dtype\": \"fp8\", "
     "\"quantize_q\": true}"),
    "{\"dtype\": \"fp8\", \"v_scale\": \"token\", \"v_scales\": true}",
    "{\"head_dim\": 64}",
    "{\"head_dim\": 256}",
    "{\"head_dim_qk\": 192, \"head_dim_v\": 128}",
    "{\"mask\": \"causal\"}",
    "{\"mask\": \"causal-top-left\"}",
    "{\"mask\": \"window:128,0\"}",
    "{\"mask\": \"chunked:256\"}",
    "{\"lse\": true}",
    "{\"out_dtype\": \"f32\"}",
    "{\"softcap\": 30}",
    "{\"score_mod\": \"FILE.mlir\"}",
    "{\"alibi\": true}",
    "{\"sink\": true}",
    "{\"bias\": true}",
    "{\"cu_seqlens_q\": true, \"cu_seqlens_kv\": true}",
    "{\"seqlens_q\": true, \"seqlens_kv\": true}",
    "{\"page_size\": 64, \"page_table\": true, \"seqlens_kv\": true}",
    "{\"page_size\": 16, \"page_table\": true, \"seqlens_kv\": true}",
    ("{\"page_size\": 16, \"kv_indptr\": true, \"kv_indices\": true, "
     "\"kv_last_page_len\": true}"),
    ("{\"page_size\": 16, \"page_table\": true, \"seqlens_kv\": true, "
     "\"kv_layout\": \"vectorised\"}"),
    ("{\"dtype\": \"fp8\", \"page_size\": 64, \"page_table\": true, "
     "\"seqlens_kv\": true}"),
};

/// The place of the row, "u.csv:2" or "built-in table:21", from the text
/// "schedule NAME by u.csv:2 (..." that explains the choice. The caller frees
/// it; NULL if the text names no place.
static char *find_place(const fmhac_schedule_choice *choice) {
  static const char before[] = " by ";
  char after[24];
  int length = snprintf(after, sizeof after, ":%u (", choice->line);
  const char *start = strstr(choice->why, before);
  const char *end = start ? strstr(start, after) : NULL;
  if (!end)
    return NULL;
  start += sizeof before - 1;
  return strndup(start, (size_t)(end - start) + (size_t)length - 2);
}

/// The row of the table by which the schedule was chosen; null without one.
static cJSON *describe_row(const fmhac_schedule_choice *choice) {
  if (!choice->line)
    return cJSON_CreateNull();
  cJSON *object = cJSON_CreateObject();
  char *place = find_place(choice);
  if (place)
    cJSON_AddStringToObject(object, "place", place);
  free(place);
  cJSON_AddNumberToObject(object, "line", choice->line);
  cJSON_AddStringToObject(object, "problem", choice->problem);
  cJSON_AddNumberToObject(object, "seconds", choice->seconds);
  cJSON_AddNumberToObject(object, "cycles_per_kv_tile", choice->cycles);
  if (!choice->other[0])
    return object;
  cJSON *other = cJSON_AddObjectToObject(object, "other");
  cJSON_AddStringToObject(other, "schedule", choice->other);
  cJSON_AddNumberToObject(other, "seconds", choice->other_seconds);
  cJSON_AddNumberToObject(other, "cycles_per_kv_tile", choice->other_cycles);
  return object;
}

/// The schedule of each kernel: {schedule, when, why, measured}.
static fmhac_status add_entries(cJSON *object, fmhac_context *context,
                                const fmhac_config *config, size_t count) {
  cJSON *list = cJSON_AddArrayToObject(object, "entries");
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i) {
    fmhac_schedule_choice choice = {.size = sizeof choice};
    status = fmhac_query_schedule(context, config, i, &choice);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "schedule", choice.schedule);
    cJSON_AddStringToObject(entry, "when", choice.when);
    cJSON_AddStringToObject(entry, "why", choice.why);
    cJSON_AddItemToObject(entry, "measured", describe_row(&choice));
    cJSON_AddItemToArray(list, entry);
  }
  return status;
}

/// One answer, as JSON: {config, supported, schedule, entries | reason}.
static fmhac_status ask(fmhac_context *context, const char *json,
                        cJSON *answers) {
  fmhac_config *config;
  fmhac_status status = fmhac_config_create_json(context, json, &config);
  if (status != FMHAC_OK)
    return status;
  fmhac_support support = {.size = sizeof support};
  cJSON *object = cJSON_CreateObject();
  status = fmhac_query(context, config, &support);
  cJSON_AddItemToObject(object, "config", cJSON_Parse(json));
  cJSON_AddBoolToObject(object, "supported", support.supported);
  if (status == FMHAC_OK && support.supported) {
    cJSON_AddStringToObject(object, "schedule", support.schedule);
    status = add_entries(object, context, config, support.entry_count);
  } else {
    cJSON_AddStringToObject(object, "reason", support.reason);
  }
  fmhac_config_destroy(config);
  if (status == FMHAC_OK)
    cJSON_AddItemToArray(answers, object);
  else
    cJSON_Delete(object);
  return status;
}

/// With -v, below the schedule: the row that chose it.
static void print_row(const cJSON *row) {
  const cJSON *other = json_get(row, "other");
  const char *place = text_in(row, "place");
  printx("      %s: %.4g ms, %.0f cycles a KV tile",
         place[0] ? place : "a table", 1e3 * number_in(row, "seconds"),
         number_in(row, "cycles_per_kv_tile"));
  if (other)
    printx("; %s: %.4g ms, %.0f", text_in(other, "schedule"),
           1e3 * number_in(other, "seconds"),
           number_in(other, "cycles_per_kv_tile"));
  printx("; %s\n", text_in(row, "problem"));
}

/// Schedule, time of the row that chose it, sizes of problems that it is for.
static void print_choice(const cJSON *entry, bool with_row) {
  const char *when = text_in(entry, "when");
  const cJSON *row = json_get(entry, "measured");
  const bool has_row = cJSON_IsObject(row);
  printx("%-*s", has_row || when[0] ? 16 : 0, text_in(entry, "schedule"));
  if (has_row)
    printx(" %7.3g ms", 1e3 * number_in(row, "seconds"));
  else if (when[0])
    printx("%11s", "");
  printx("%s%s\n", when[0] ? "  if " : "", when);
  if (has_row && with_row)
    print_row(row);
}

/// A line for each kernel of a configuration, after the configuration, which
/// has a line of its own where it is long.
static void print_answer(const cJSON *answer, bool with_row) {
  enum { WIDTH = 36 };
  char *config = cJSON_PrintUnformatted(json_get(answer, "config"));
  const char *text = config ? config : "";
  const cJSON *entry;
  if (strlen(text) > WIDTH)
    printx("  %s\n  %-*s ", text, WIDTH, "");
  else
    printx("  %-*s ", WIDTH, text);
  if (!text_in(answer, "schedule")[0])
    printx("not yet\n");
  bool first = true;
  cJSON_ArrayForEach(entry, json_get(answer, "entries")) {
    if (!first)
      printx("  %-*s ", WIDTH, "");
    print_choice(entry, with_row);
    first = false;
  }
  cJSON_free(config);
}

/// The names after a title, in lines of at most 80 columns.
static void print_names(const char *title, const cJSON *names) {
  enum { COLUMNS = 80 };
  size_t column = strlen(title) + 1;
  const cJSON *name;
  printx("%s:", title);
  cJSON_ArrayForEach(name, names) {
    const char *text = cJSON_GetStringValue(name);
    const size_t bytes = strlen(text) + 1;
    if (column + bytes > COLUMNS) {
      printx("\n ");
      column = 1;
    }
    printx(" %s", text);
    column += bytes;
  }
  printx("\n");
}

static void print_answers(const cJSON *answers, bool with_rows) {
  const cJSON *answer;
  printx("\nconfigurations (the other keys have their defaults): schedule, and "
         "its time in\nthe table of schedules (of FMHAC_DISPATCH, else built "
         "in)%s:\n",
         with_rows ? "" : "; -v shows its rows");
  cJSON_ArrayForEach(answer, answers) print_answer(answer, with_rows);
}

/// Every configuration reads the user's table of schedules. This call reports
/// its faults once.
static int check_table(const session *s) {
  fmhac_config *config;
  fmhac_status status = fmhac_config_create_json(s->context, "{}", &config);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  fmhac_config_destroy(config);
  return ARGS_CONTINUE;
}

static int print_list(const report *r) {
  session s;
  int code = session_open_context(r, (session_options){.quiet = true}, &s);
  if (code == ARGS_CONTINUE)
    code = check_table(&s);
  if (code != ARGS_CONTINUE) {
    session_close(&s);
    return code;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON *schedules = cJSON_AddArrayToObject(object, "schedules");
  const char *name;
  for (size_t i = 0; (name = fmhac_schedule_name(i)); ++i)
    cJSON_AddItemToArray(schedules, cJSON_CreateString(name));
  cJSON *answers = cJSON_AddArrayToObject(object, "configurations");
  for (size_t i = 0; i < sizeof questions / sizeof questions[0]; ++i) {
    fmhac_status status = ask(s.context, questions[i], answers);
    if (status != FMHAC_OK) {
      code = session_fail(&s, status);
      cJSON_Delete(object);
      session_close(&s);
      return code;
    }
  }
  cJSON *reserved = cJSON_AddArrayToObject(object, "reserved");
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i)
    if (!info->works)
      cJSON_AddItemToArray(reserved, cJSON_CreateString(info->key));
  if (r->json) {
    code = report_json(object, EXIT_DONE);
  } else {
    code = EXIT_DONE;
    print_names("schedules", schedules);
    print_answers(answers, r->verbose);
    printx("\n");
    print_names("reserved keys", reserved);
    cJSON_Delete(object);
  }
  session_close(&s);
  return code;
}

/// The user asks for one thing, without a flag that would be ignored.
static int check_flags(const report *r, const args *a, const char *schedule,
                       bool as_written, const char *explained,
                       const explain_mask_flags *mask) {
  const bool of_map =
      mask->seqlen_q >= 0 || mask->seqlen_kv >= 0 || mask->tile || mask->svg;
  if (!!mask->mask + !!explained + !!schedule > 1)
    return report_error(r, EXIT_USAGE,
                        "--print-schedule, --explain-schedule and "
                        "--explain-mask: one at a time");
  if (as_written && !schedule)
    return report_error(r, EXIT_USAGE,
                        "--as-written goes with --print-schedule only");
  if (of_map && !mask->mask)
    return report_error(r, EXIT_USAGE,
                        "--seqlen-q, --seqlen-kv, --tile and --svg go with "
                        "--explain-mask only");
  if (mask->svg && strcmp(mask->svg, "-") == 0 && r->json)
    return report_error(
        r, EXIT_USAGE,
        "--svg - and --json both write to standard output: give --svg a file");
  if (explained && json_get(a->options, "schedule"))
    return report_error(r, EXIT_USAGE,
                        "--explain-schedule names the schedule: leave out "
                        "--schedule");
  if (!mask->mask && !explained && (a->options->child || a->config_file))
    return report_error(r, EXIT_USAGE,
                        "a configuration goes with --explain-mask and "
                        "--explain-schedule only");
  return ARGS_CONTINUE;
}

int cmd_list(int argc, char **argv) {
  const char *schedule = NULL, *explained = NULL;
  bool as_written = false;
  explain_mask_flags explain = {.seqlen_q = -1, .seqlen_kv = -1};
  const flag specs[] = {
      {"print-schedule", "NAME|FILE.mlir",
       "print a schedule written out: all that it is derived from, and its "
       "recipe",
       FLAG_TEXT, &schedule},
      {"as-written", "", "print it as its file has it", FLAG_SWITCH,
       &as_written},
      {"explain-schedule", "NAME|FILE.mlir",
       "count the instructions of each stage of a schedule, and those that "
       "its recipe leaves over",
       FLAG_TEXT, &explained},
      {"explain-mask", "MASK",
       "show which tiles of the scores a mask leaves whole, cuts or hides",
       FLAG_TEXT, &explain.mask},
      {"seqlen-q", "N", "rows of that map (default 512)", FLAG_INTEGER,
       &explain.seqlen_q},
      {"seqlen-kv", "N", "keys of that map (default 512)", FLAG_INTEGER,
       &explain.seqlen_kv},
      {"tile", "M,N",
       "rows and keys of a tile (default: of the schedule that serves CONFIG)",
       FLAG_TEXT, &explain.tile},
      {"svg", "FILE", "also write that map as an image", FLAG_TEXT,
       &explain.svg},
  };
  const command cmd = {
      .name = "list",
      .synopsis = "[--print-schedule NAME|FILE.mlir [--as-written] | "
                  "--explain-schedule NAME CONFIG | "
                  "--explain-mask MASK CONFIG]",
      .summary =
          "Lists the built-in schedules and what this build compiles: one "
          "line a configuration,\nwith -v also the row of the table that "
          "chose its schedule.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
  };
  report r = {0};
  args a;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  if (code == ARGS_CONTINUE)
    code = check_flags(&r, &a, schedule, as_written, explained, &explain);
  if (code == ARGS_CONTINUE)
    code = explain.mask ? explain_mask(&r, &a, &explain)
           : explained  ? explain_schedule(&r, &a, explained)
           : schedule   ? print_schedule(&r, schedule, as_written)
                        : print_list(&r);
  args_deinit(&a);
  return code;
}
