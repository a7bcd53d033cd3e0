// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "fmhac_schedule.h"
#include "query.h"
#include "require.h"
#include "sources.h"

fmha_mask_kind fmhac_dialect_mask_kind(fmhac_mask_kind kind) {
  static const fmha_mask_kind kinds[] = {
      [FMHAC_MASK_NONE] = FMHA_MASK_NONE,
      [FMHAC_MASK_CAUSAL] = FMHA_MASK_CAUSAL,
      [FMHAC_MASK_CAUSAL_TOP_LEFT] = FMHA_MASK_CAUSAL_TOP_LEFT,
      [FMHAC_MASK_WINDOW] = FMHA_MASK_WINDOW,
      [FMHAC_MASK_CHUNKED] = FMHA_MASK_CHUNKED};
  return kinds[kind];
}

/// The function that decides whether a schedule serves.
typedef struct asked {
  bool (*serves)(void *user, const char *schedule);
  void *user;
} asked;

static bool ask(void *user, MlirStringRef schedule) {
  const asked *a = user;
  char name[FMHAC_TEXT_BYTES];
  if (schedule.length >= sizeof name)
    return false;
  memcpy(name, schedule.data, schedule.length);
  name[schedule.length] = '\0';
  return a->serves(a->user, name);
}

/// Lines of the log.
static void tell_each(fmhac_context *context, char *lines) {
  for (char *at = lines, *next; at; at = next) {
    next = strchr(at, '\n');
    if (next)
      *next++ = '\0';
    fmhac_log(context, FMHAC_SEVERITY_REMARK, "%s", at);
  }
}

fmhac_status
fmhac_dispatch_choose(fmhac_context *context, const fmhac_str *table,
                      const char *name, const fmhac_config_values *values,
                      bool (*serves)(void *user, const char *schedule),
                      void *user, char out_schedule[FMHAC_TEXT_BYTES],
                      fmhac_schedule_choice *out_choice) {
  *out_choice = (fmhac_schedule_choice){0};
  out_schedule[0] = '\0';
  char scores[FMHAC_SCORES_BYTES];
  fmhac_config_values_scores(values, scores);
  const fmha_dispatch_key key = {
      .dtype = fmhac_dtype_name(values->dtype),
      .head_dim_qk = values->head_dim_qk,
      .head_dim_v = values->head_dim_v,
      .mask = fmhac_dialect_mask_kind(values->mask.kind),
      .scores = scores,
      .lengths = (int)values->lengths,
  };
  asked who = {serves, user};
  fmha_dispatch_choice found;
  char *message;
  const MlirStringRef none = mlirStringRefCreate(NULL, 0);
  if (!fmhaDispatchChoose(
          &key, table ? mlirStringRefCreate(table->text, table->length) : none,
          table ? mlirStringRefCreateFromCString(name) : none, ask, &who,
          &found, &message)) {
    fmhac_status status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                                     "reading the table of schedules: %s",
                                     message ? message : "out of memory");
    free(message);
    return status;
  }
  if (table)
    tell_each(context, found.declined);
  if (found.line) {
    out_choice->line = found.line;
    snprintf(out_choice->why, sizeof out_choice->why, "%s",
             found.why ? found.why : "");
    out_choice->seconds = found.best.seconds;
    out_choice->cycles = found.best.cycles;
    snprintf(out_choice->other, sizeof out_choice->other, "%.63s",
             found.other.schedule);
    out_choice->other_seconds = found.other.seconds;
    out_choice->other_cycles = found.other.cycles;
    snprintf(out_choice->problem, sizeof out_choice->problem, "%s",
             found.problem);
    snprintf(out_schedule, FMHAC_TEXT_BYTES, "%s", found.best.schedule);
  }
  fmhaDispatchChoiceDeinit(&found);
  return FMHAC_OK;
}

//===- A user's table -----------------------------------------------------===//

typedef struct question {
  fmhac_context *context;
  const fmhac_config_values *values;
  fmhac_status status; ///< of asking
} question;

/// Whether the configuration is one that this build compiles with a schedule.
static bool compiles(void *user, const char *schedule) {
  question *q = user;
  fmhac_config_values with = *q->values;
  snprintf(with.schedule, sizeof with.schedule, "%s", schedule);
  fmhac_support support;
  fmhac_status status = fmhac_query_values(q->context, &with, &support);
  if (status != FMHAC_OK)
    q->status = status;
  return status == FMHAC_OK && support.supported;
}

/// Writes the path of a schedule file that a table names. False: too long.
static bool place_beside(const char *table, const char *schedule,
                         char out[FMHAC_TEXT_BYTES]) {
  const char *slash = strrchr(table, '/');
  int length = schedule[0] == '/' || !slash
                   ? snprintf(out, FMHAC_TEXT_BYTES, "%s", schedule)
                   : snprintf(out, FMHAC_TEXT_BYTES, "%.*s/%s",
                              (int)(slash - table), table, schedule);
  return length > 0 && length < FMHAC_TEXT_BYTES;
}

fmhac_status fmhac_dispatch_resolve(fmhac_context *context,
                                    fmhac_config_values *values,
                                    fmhac_schedule_choice *out_choice) {
  *out_choice = (fmhac_schedule_choice){0};
  const char *path = context ? context->options.dispatch_table : NULL;
  if (!path || strcmp(values->schedule, "auto") != 0)
    return FMHAC_OK;
  fmhac_str text = {0};
  char schedule[FMHAC_TEXT_BYTES], file[FMHAC_TEXT_BYTES];
  question q = {.context = context, .values = values};
  fmhac_status status =
      fmhac_source_read(context, "table of schedules", path, &text);
  if (status == FMHAC_OK)
    status = fmhac_dispatch_choose(context, &text, path, values, compiles, &q,
                                   schedule, out_choice);
  fmhac_str_deinit(&text);
  if (status == FMHAC_OK)
    status = q.status;
  if (status != FMHAC_OK || !out_choice->line)
    return status;
  const bool is_file = fmhac_schedule_is_path(schedule);
  if (is_file && !place_beside(path, schedule, file))
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "reading the table of schedules: %s:%u: expected the path "
        "of a schedule of at most %d bytes, found '%.60s…'",
        path, out_choice->line, FMHAC_TEXT_BYTES - 1, schedule);
  // Zeros after the text, because values are compared by their bytes.
  memset(values->schedule, 0, sizeof values->schedule);
  strcpy(values->schedule, is_file ? file : schedule);
  fmhac_log(context, FMHAC_SEVERITY_REMARK, "%s", out_choice->why);
  return FMHAC_OK;
}

//===- Rows ---------------------------------------------------------------===//

/// The caller's locale may have another decimal point.
static void append_number(fmhac_str *line, double number) {
  char text[40];
  snprintf(text, sizeof text, "%.6g", number);
  char *point = strchr(text, ',');
  if (point)
    *point = '.';
  fmhac_str_appendf(line, ",%s", text);
}

static fmhac_status no_memory(fmhac_context *context) {
  return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                    "writing a table of schedules: out of memory");
}

fmhac_status fmhac_schedule_table_put(fmhac_context *context, const char *table,
                                      const char *name,
                                      const fmhac_schedule_row *row,
                                      char **out_text) {
  fmhac_schedule_row known = {.size = sizeof known};
  FMHAC_CLEAR(out_text);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(table),
                    FMHAC_GIVEN(name), FMHAC_GIVEN(row), FMHAC_GIVEN(out_text));
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE_IN(context, &known, fmhac_schedule_row, problem, row);
  row = &known;
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE(context, FMHAC_OWNED(row->config),
                      FMHAC_GIVEN(row->schedule), FMHAC_GIVEN(row->problem));
  if (status != FMHAC_OK)
    return status;
  const char *const texts[] = {row->schedule, row->other ? row->other : "-",
                               row->problem};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    if (!texts[i][0] || strpbrk(texts[i], ",\n\r"))
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "writing a table of schedules: expected a name without "
                        "a comma or an end of line, found '%s'",
                        texts[i]);
  static const char *const masks[] = {"none", "causal", "causal-top-left",
                                      "window", "chunked"};
  const fmhac_config_values *v = &row->config->values;
  char scores[FMHAC_SCORES_BYTES];
  fmhac_config_values_scores(v, scores);
  fmhac_str line = {0};
  fmhac_str_appendf(&line, "%s,%lld,%lld,%s,%s,%s,%s",
                    fmhac_dtype_name(v->dtype), (long long)v->head_dim_qk,
                    (long long)v->head_dim_v, masks[v->mask.kind], scores,
                    fmhac_option_choices(FMHAC_KIND_LENGTHS)[v->lengths],
                    row->schedule);
  append_number(&line, row->seconds);
  append_number(&line, row->cycles);
  fmhac_str_appendf(&line, ",%s", row->other ? row->other : "-");
  if (row->other) {
    append_number(&line, row->other_seconds);
    append_number(&line, row->other_cycles);
  } else {
    fmhac_str_append(&line, ",-,-");
  }
  fmhac_str_appendf(&line, ",%s", row->problem);
  if (line.failed) {
    fmhac_str_deinit(&line);
    return no_memory(context);
  }
  char *message;
  char *text =
      fmhaDispatchPut(mlirStringRefCreateFromCString(table),
                      mlirStringRefCreateFromCString(name),
                      mlirStringRefCreate(line.text, line.length), &message);
  fmhac_str_deinit(&line);
  status = text      ? FMHAC_OK
           : message ? fmhac_fail(context, FMHAC_INVALID_INPUT,
                                  "writing a table of schedules: %s", message)
                     : no_memory(context);
  free(message);
  *out_text = text;
  return status;
}
