// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choose.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "float_environment.h"
#include "fmhac_schedule.h"
#include "support.h"
#include "table.h"

static bool is_auto(const fmhac_config_values *values) {
  return strcmp(values->schedule, "auto") == 0;
}

static fmhac_status no_memory(fmhac_context *context) {
  return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                    "choosing a schedule: out of memory");
}

/// The row of a table: its schedule, reason and figures; line 0 if no row takes
/// the configuration and serves it.
typedef struct found_row {
  char schedule[FMHAC_TEXT_BYTES];
  fmhac_schedule_choice reason;
  fmhac_str why;     ///< the whole reason
  fmhac_str skipped; ///< a line for each row before it
} found_row;

static void found_row_deinit(found_row *found) {
  fmhac_str_deinit(&found->why);
  fmhac_str_deinit(&found->skipped);
}

/// found_row_deinit() is due in any case.
static fmhac_status look_up(fmhac_context *context, const char *text,
                            size_t length, const char *name,
                            const fmhac_config_values *values,
                            fmhac_serves serves, void *user, found_row *found) {
  *found = (found_row){0};
  fmhac_table table;
  fmhac_str error = {0};
  // Figures are read and written alike, however the caller rounds.
  fenv_t caller;
  fmhac_float_begin(&caller);
  fmhac_status status = fmhac_table_read(&table, text, length, name, &error);
  if (status == FMHAC_OK) {
    const fmhac_table_row *row =
        fmhac_table_find(&table, values, serves, user, &found->skipped);
    if (row) {
      fmhac_table_explain(&table, row, &found->reason, &found->why);
      snprintf(found->schedule, sizeof found->schedule, "%s",
               row->cells[FMHAC_COLUMN_SCHEDULE]);
    }
    if (found->why.failed || found->skipped.failed)
      status = no_memory(context);
  } else {
    status = fmhac_fail(context, status, "reading the table of schedules: %s",
                        status == FMHAC_INVALID_INPUT ? error.text
                                                      : "out of memory");
  }
  fmhac_float_end(&caller);
  fmhac_table_deinit(&table);
  fmhac_str_deinit(&error);
  return status;
}

//===- The user's table ---------------------------------------------------===//

typedef struct question {
  fmhac_context *context;
  const fmhac_config_values *values;
  fmhac_status status; ///< of asking
} question;

/// Whether the configuration is one that this build compiles with a schedule
/// that it names.
static bool compiles(void *user, const char *schedule) {
  question *q = user;
  fmhac_config_values with = *q->values;
  snprintf(with.schedule, sizeof with.schedule, "%s", schedule);
  fmhac_support support;
  fmhac_status status = fmhac_support_find(q->context, &with, &support);
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

/// Each line to the log.
static void tell_lines(fmhac_context *context, const char *lines) {
  for (const char *at = lines; at && *at;) {
    const size_t length = strcspn(at, "\n");
    fmhac_log(context, FMHAC_SEVERITY_REMARK, "%.*s", (int)length, at);
    at += length + (at[length] == '\n');
  }
}

/// Puts the schedule of a row into the values.
static fmhac_status adopt(fmhac_context *context, const char *path,
                          const found_row *found, fmhac_config_values *values) {
  char file[FMHAC_TEXT_BYTES];
  const bool is_file = fmhac_schedule_is_path(found->schedule);
  if (is_file && !place_beside(path, found->schedule, file))
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "reading the table of schedules: %s:%u: expected the path "
        "of a schedule of at most %d bytes, found '%.60s…'",
        path, found->reason.line, FMHAC_TEXT_BYTES - 1, found->schedule);
  // Zeros after the text, because values are compared by their bytes.
  memset(values->schedule, 0, sizeof values->schedule);
  strcpy(values->schedule, is_file ? file : found->schedule);
  fmhac_log(context, FMHAC_SEVERITY_REMARK, "%s", found->why.text);
  return FMHAC_OK;
}

fmhac_status fmhac_choose_by_users_table(fmhac_context *context,
                                         fmhac_config_values *values,
                                         fmhac_schedule_choice *out_reason) {
  *out_reason = (fmhac_schedule_choice){0};
  const char *path = context ? context->options.dispatch_table : NULL;
  if (!path || !is_auto(values))
    return FMHAC_OK;
  fmhac_str text = {0};
  found_row found = {0};
  question q = {.context = context, .values = values};
  fmhac_status status =
      fmhac_source_read(context, "table of schedules", path, &text);
  if (status == FMHAC_OK)
    status = look_up(context, text.text, text.length, path, values, compiles,
                     &q, &found);
  if (status == FMHAC_OK)
    status = q.status;
  if (status == FMHAC_OK)
    tell_lines(context, found.skipped.text);
  if (status == FMHAC_OK && found.reason.line) {
    *out_reason = found.reason;
    status = adopt(context, path, &found, values);
  }
  found_row_deinit(&found);
  fmhac_str_deinit(&text);
  return status;
}

//===- The choice ---------------------------------------------------------===//

static bool serves(void *user, const char *schedule) {
  return fmhac_support_serves(user, schedule);
}

/// The schedule of the built-in table, or the usual one.
static fmhac_status choose_open(fmhac_context *context,
                                const fmhac_config_values *values,
                                fmhac_choice *out) {
  const char *table = fmhac_builtin_table();
  found_row found;
  fmhac_status status =
      look_up(context, table, strlen(table), FMHAC_BUILTIN_TABLE, values,
              serves, (void *)(uintptr_t)values, &found);
  if (status == FMHAC_OK) {
    const char *usual = fmhac_support_usual(values);
    snprintf(out->name, sizeof out->name, "%s",
             found.reason.line ? found.schedule : usual);
    out->reason = found.reason;
    if (!found.reason.line) {
      fmhac_str_appendf(&found.why,
                        "schedule %s, the usual one: no row of a table has one "
                        "for this problem that compiles it",
                        usual);
      snprintf(out->reason.why, sizeof out->reason.why, "%s",
               found.why.text ? found.why.text : "");
    }
    if (found.skipped.text)
      fmhac_str_appendf(&out->remarks, "%s\n", found.skipped.text);
    fmhac_str_append(&out->remarks, found.why.text ? found.why.text : "");
    if (found.why.failed || out->remarks.failed)
      status = no_memory(context);
  }
  found_row_deinit(&found);
  return status;
}

/// The usual schedule replaces a table's schedule that does not fit. Only a
/// function of the user can need so many registers. NULL: nothing replaces it.
static const char *next_after(const fmhac_choice *choice,
                              const fmhac_config_values *values) {
  const char *usual = fmhac_support_usual(values);
  return values->score_mod[0] && strcmp(usual, choice->name) != 0 ? usual
                                                                  : NULL;
}

static fmhac_status refuse(fmhac_context *context,
                           const fmhac_support *support) {
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "unsupported configuration: %s: %s; nearest supported: %s",
                    support->field, support->reason, support->nearest);
}

fmhac_status fmhac_choose(fmhac_context *context, const fmhac_config *config,
                          const fmhac_sources *sources, fmhac_choice *out) {
  *out = (fmhac_choice){0};
  const fmhac_config_values *values = &config->values;
  fmhac_support support;
  fmhac_status status = fmhac_support_find(context, values, &support);
  if (status == FMHAC_OK && !support.supported)
    status = refuse(context, &support);
  if (status != FMHAC_OK)
    return status;
  const bool by_users_table = config->choice.line != 0;
  if (is_auto(values)) {
    status = choose_open(context, values, out);
  } else {
    strcpy(out->name, values->schedule);
    out->reason = config->choice;
    if (!by_users_table)
      snprintf(out->reason.why, sizeof out->reason.why,
               "schedule %.200s was asked for", values->schedule);
  }
  if (status != FMHAC_OK)
    return status;
  if (is_auto(values) || by_users_table)
    out->next = next_after(out, values);
  if (is_auto(values) && out->next) {
    const size_t used = strlen(out->reason.why);
    snprintf(out->reason.why + used, sizeof out->reason.why - used,
             "; %s where it does not fit with the function of scores",
             out->next);
  }
  out->is_file = fmhac_schedule_is_path(out->name);
  if (!out->is_file) {
    out->text = fmhac_schedule_text(out->name);
    out->text_bytes = out->text ? strlen(out->text) : 0;
  } else if (sources) {
    out->text = sources->schedule.text;
    out->text_bytes = sources->schedule.length;
  }
  return FMHAC_OK;
}

void fmhac_choice_deinit(fmhac_choice *choice) {
  fmhac_str_deinit(&choice->remarks);
  *choice = (fmhac_choice){0};
}
