// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer of tables of measurements: a row for a configuration.
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "float_environment.h"
#include "fmhac_schedule.h"
#include "require.h"
#include "table.h"

/// Whether two rows are for the same, as it is written.
static bool is_same(const fmhac_table_row *a, const fmhac_table_row *b) {
  for (int i = 0; i < FMHAC_CONDITIONS; ++i)
    if (strcmp(a->cells[i], b->cells[i]) != 0)
      return false;
  return true;
}

/// Whether a new row goes before an old one: both take some configuration, and
/// the new one is not the one that takes more problems.
static bool goes_before(const fmhac_table_row *row,
                        const fmhac_table_row *old) {
  for (int i = 0; i < FMHAC_CONDITIONS; ++i) {
    const fmhac_column column = (fmhac_column)i;
    const fmhac_condition *a = &row->conditions[i], *b = &old->conditions[i];
    if (!fmhac_conditions_overlap(column, a, b) ||
        fmhac_condition_is_wider(column, a, b))
      return false;
  }
  return true;
}

/// The line of the table before which a row goes, or instead of which; 0: it
/// goes to the end.
static uint32_t place_of(const fmhac_table *table, const fmhac_table_row *row,
                         bool *out_replaces) {
  uint32_t before = 0;
  for (size_t i = 0; i < table->row_count; ++i) {
    const fmhac_table_row *old = &table->rows[i];
    *out_replaces = is_same(old, row);
    if (*out_replaces)
      return old->line;
    if (!before && goes_before(row, old))
      before = old->line;
  }
  return before;
}

/// The text of a table with one line more, or with another one.
static void put_line(const char *text, uint32_t place, bool replaces,
                     const char *line, fmhac_str *out) {
  uint32_t number = 0;
  for (const char *at = text; *at;) {
    const char *end = strchr(at, '\n');
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    if (++number == place)
      fmhac_str_appendf(out, "%s\n", line);
    if (number != place || !replaces) {
      fmhac_str_append_bytes(out, at, length);
      fmhac_str_append(out, "\n");
    }
    at += length + (end != NULL);
  }
  if (!place)
    fmhac_str_appendf(out, "%s\n", line);
}

/// A number; its point is a point in the caller's locale, too.
static void print_number(double number, fmhac_str *line) {
  char text[40];
  snprintf(text, sizeof text, "%.6g", number);
  char *point = strchr(text, ',');
  if (point)
    *point = '.';
  fmhac_str_append(line, text);
}

static void print_condition(const fmhac_schedule_row *row, fmhac_column column,
                            fmhac_str *line) {
  const char *cell = column == FMHAC_COLUMN_KEYS         ? row->keys
                     : column == FMHAC_COLUMN_Q_ROWS     ? row->q_rows
                     : column == FMHAC_COLUMN_WORKGROUPS ? row->workgroups
                     // Measured with whole keys or divided ones it is for both.
                     : column == FMHAC_COLUMN_SPLIT_KV ? "*"
                                                       : NULL;
  if (cell)
    fmhac_str_append(line, cell);
  else
    fmhac_condition_print(column, &row->config->values, line);
}

static void print_cell(const fmhac_schedule_row *row, fmhac_column column,
                       fmhac_str *line) {
  switch (column) {
  case FMHAC_COLUMN_SCHEDULE:
    fmhac_str_append(line, row->schedule);
    return;
  case FMHAC_COLUMN_SECONDS:
    print_number(row->seconds, line);
    return;
  case FMHAC_COLUMN_CYCLES:
    print_number(row->cycles, line);
    return;
  case FMHAC_COLUMN_OTHER:
    fmhac_str_append(line, row->other ? row->other : "-");
    return;
  case FMHAC_COLUMN_OTHER_SECONDS:
  case FMHAC_COLUMN_OTHER_CYCLES:
    if (!row->other)
      fmhac_str_append(line, "-");
    else
      print_number(column == FMHAC_COLUMN_OTHER_SECONDS ? row->other_seconds
                                                        : row->other_cycles,
                   line);
    return;
  case FMHAC_COLUMN_PROBLEM:
    fmhac_str_append(line, row->problem);
    return;
  default:
    print_condition(row, column, line);
  }
}

static fmhac_status fail(fmhac_context *context, fmhac_status status,
                         const char *reason) {
  return fmhac_fail(context, status, "writing a table of schedules: %s",
                    status == FMHAC_OUT_OF_MEMORY ? "out of memory" : reason);
}

/// A table without one of the columns cannot say that a row is not for all.
static fmhac_status check_columns(fmhac_context *context,
                                  const fmhac_table *table,
                                  const fmhac_schedule_row *row) {
  fmhac_config_values defaults;
  fmhac_config_values_init(&defaults);
  fmhac_status status = FMHAC_OK;
  for (int i = 0; i < FMHAC_CONDITIONS && status == FMHAC_OK; ++i) {
    const fmhac_column column = (fmhac_column)i;
    if (fmhac_table_has(table, column))
      continue;
    fmhac_str own = {0}, usual = {0}, reason = {0};
    print_condition(row, column, &own);
    fmhac_condition_print(column, &defaults, &usual);
    if (own.failed || usual.failed) {
      status = fail(context, FMHAC_OUT_OF_MEMORY, "");
    } else if (strcmp(own.text, usual.text) != 0 &&
               strcmp(own.text, fmhac_column_default(column)) != 0) {
      fmhac_str_appendf(&reason,
                        "%s:%u: expected the column %s for a row with '%s', "
                        "found none",
                        table->name, table->header_line,
                        fmhac_column_name(column), own.text);
      status = fail(context, FMHAC_INVALID_INPUT, reason.text);
    }
    fmhac_str_deinit(&own);
    fmhac_str_deinit(&usual);
    fmhac_str_deinit(&reason);
  }
  return status;
}

/// Writes a row in the columns of the table, reads it, and puts it in.
static fmhac_status put(fmhac_context *context, const char *text,
                        const fmhac_table *table, const fmhac_schedule_row *row,
                        fmhac_str *out) {
  fmhac_status status = check_columns(context, table, row);
  if (status != FMHAC_OK)
    return status;
  fmhac_str header = {0}, line = {0}, alone = {0}, error = {0};
  for (size_t i = 0; i < table->column_count; ++i) {
    fmhac_str_appendf(&header, "%s%s", i ? "," : "",
                      fmhac_column_name(table->columns[i]));
    fmhac_str_append(&line, i ? "," : "");
    print_cell(row, table->columns[i], &line);
  }
  fmhac_str_appendf(&alone, "%s\n%s\n", header.text ? header.text : "",
                    line.text ? line.text : "");
  fmhac_table fresh = {0};
  status = header.failed || line.failed || alone.failed
               ? FMHAC_OUT_OF_MEMORY
               : fmhac_table_read(&fresh, alone.text, alone.length,
                                  "the new row", &error);
  if (status == FMHAC_OK && fresh.row_count != 1) {
    fmhac_str_appendf(&error, "the new row: expected one row, found '%s'",
                      line.text);
    status = FMHAC_INVALID_INPUT;
  }
  if (status == FMHAC_OK) {
    bool replaces = false;
    const uint32_t place = place_of(table, &fresh.rows[0], &replaces);
    put_line(text, place, replaces, line.text, out);
  } else {
    status = fail(context, status, error.text ? error.text : "");
  }
  fmhac_table_deinit(&fresh);
  fmhac_str_deinit(&header);
  fmhac_str_deinit(&line);
  fmhac_str_deinit(&alone);
  fmhac_str_deinit(&error);
  return status;
}

static bool is_empty(const char *text) {
  return !text[strspn(text, " \t\n\v\f\r")];
}

static fmhac_status put_row(fmhac_context *context, const char *text,
                            const char *name, const fmhac_schedule_row *row,
                            char **out_text) {
  fmhac_str whole = {0}, error = {0}, out = {0};
  if (is_empty(text)) {
    fmhac_table_print_header(&whole);
    fmhac_str_append(&whole, "\n");
  } else {
    fmhac_str_append(&whole, text);
  }
  fmhac_table table = {0};
  fmhac_status status =
      whole.failed
          ? FMHAC_OUT_OF_MEMORY
          : fmhac_table_read(&table, whole.text, whole.length, name, &error);
  if (status != FMHAC_OK)
    status = fail(context, status, error.text ? error.text : "");
  else
    status = put(context, whole.text, &table, row, &out);
  if (status == FMHAC_OK) {
    *out_text = fmhac_str_take(&out);
    if (!*out_text)
      status = fail(context, FMHAC_OUT_OF_MEMORY, "");
  }
  fmhac_table_deinit(&table);
  fmhac_str_deinit(&whole);
  fmhac_str_deinit(&error);
  fmhac_str_deinit(&out);
  return status;
}

/// Names stand in cells as they are.
static fmhac_status check_names(fmhac_context *context,
                                const fmhac_schedule_row *row) {
  const char *const texts[] = {row->schedule,
                               row->other ? row->other : "-",
                               row->problem,
                               row->keys ? row->keys : "*",
                               row->q_rows ? row->q_rows : "*",
                               row->workgroups ? row->workgroups : "*"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    if (!texts[i][0] || strpbrk(texts[i], ",\n\r"))
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "writing a table of schedules: expected a name without "
                        "a comma or an end of line, found '%s'",
                        texts[i]);
  return FMHAC_OK;
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
        FMHAC_REQUIRE_IN(context, &known, fmhac_schedule_row, workgroups, row);
  row = &known;
  if (status == FMHAC_OK)
    status =
        FMHAC_REQUIRE(context, FMHAC_OWNED(row->config),
                      FMHAC_GIVEN(row->schedule), FMHAC_GIVEN(row->problem));
  if (status == FMHAC_OK)
    status = check_names(context, row);
  if (status != FMHAC_OK)
    return status;
  // Numbers are read and written alike, however the caller rounds.
  fenv_t caller;
  fmhac_float_begin(&caller);
  status = put_row(context, table, name, row, out_text);
  fmhac_float_end(&caller);
  return status;
}
