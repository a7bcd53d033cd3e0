// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_schedule.h"
#include "grow.h"

/// The state of one reading.
typedef struct reader {
  fmhac_table *table;
  uint32_t line;
  fmhac_str *error;
} reader;

/// Says what is wrong with the line; false, so that callers return it.
static bool fail(const reader *r, const char *expected, const char *found) {
  enum { SHOWN = 60 };
  fmhac_str_appendf(r->error, "%s:%u: expected %s, found '%.*s'",
                    r->table->name, r->line, expected, SHOWN, found);
  return false;
}

static bool fail_in(const reader *r, fmhac_column column, const char *expected,
                    const char *found) {
  fmhac_str text = {0};
  fmhac_str_appendf(&text, "%s in column %s", expected,
                    fmhac_column_name(column));
  fail(r, text.text ? text.text : "", found);
  fmhac_str_deinit(&text);
  return false;
}

//===- Lines --------------------------------------------------------------===//

/// Takes the blanks off both ends of a text, in place.
static char *trim(char *text) {
  const char *start = text;
  size_t length = strlen(text);
  fmhac_trim(&start, &length);
  text += start - text;
  text[length] = '\0';
  return text;
}

static size_t count_cells(const char *line) {
  size_t count = 1;
  for (const char *at = line; (at = strchr(at, ',')); ++at)
    ++count;
  return count;
}

/// The next cell of a line, trimmed; moves past it.
static char *take_cell(char **line) {
  char *cell = *line, *comma = strchr(cell, ',');
  if (comma)
    *comma = '\0';
  *line = comma ? comma + 1 : cell + strlen(cell);
  return trim(cell);
}

/// Appends the names of columns with commas between them.
static void print_columns(const fmhac_column *columns, size_t count,
                          fmhac_str *out) {
  for (size_t i = 0; i < count; ++i)
    fmhac_str_appendf(out, "%s%s", i ? "," : "", fmhac_column_name(columns[i]));
}

void fmhac_table_print_header(fmhac_str *out) {
  for (int i = 0; i < FMHAC_COLUMNS; ++i)
    fmhac_str_appendf(out, "%s%s", i ? "," : "",
                      fmhac_column_name((fmhac_column)i));
}

//===- The line of columns ------------------------------------------------===//

bool fmhac_table_has(const fmhac_table *table, fmhac_column column) {
  for (size_t i = 0; i < table->column_count; ++i)
    if (table->columns[i] == column)
      return true;
  return false;
}

/// Expects the columns that every table has; others may be among them.
static bool fail_header(const reader *r, const char *found) {
  fmhac_str text = {0};
  fmhac_str_append(&text, "the line of columns ");
  const char *before = "";
  for (int i = 0; i < FMHAC_COLUMNS; ++i)
    if (!fmhac_column_default((fmhac_column)i)) {
      fmhac_str_appendf(&text, "%s%s", before,
                        fmhac_column_name((fmhac_column)i));
      before = ",";
    }
  before = " (and perhaps ";
  for (int i = 0; i < FMHAC_COLUMNS; ++i)
    if (fmhac_column_default((fmhac_column)i)) {
      fmhac_str_appendf(&text, "%s%s", before,
                        fmhac_column_name((fmhac_column)i));
      before = ",";
    }
  fmhac_str_append(&text, ")");
  fail(r, text.text ? text.text : "", found);
  fmhac_str_deinit(&text);
  return false;
}

/// The column of a name; FMHAC_COLUMNS: there is none.
static int find_column(const char *name) {
  int column = 0;
  while (column < FMHAC_COLUMNS &&
         strcmp(name, fmhac_column_name((fmhac_column)column)) != 0)
    ++column;
  return column;
}

static bool read_columns(const reader *r, char *line, const char *whole) {
  fmhac_table *table = r->table;
  for (size_t cells = count_cells(line); cells; --cells) {
    const char *cell = take_cell(&line);
    const int column = find_column(cell);
    // A line that begins otherwise is no line of columns: it is shown whole.
    if (column == FMHAC_COLUMNS)
      return fail_header(r, table->column_count ? cell : whole);
    if (fmhac_table_has(table, (fmhac_column)column))
      return fail(r, "each column once", cell);
    table->columns[table->column_count++] = (fmhac_column)column;
  }
  for (int i = 0; i < FMHAC_COLUMNS; ++i)
    if (!fmhac_column_default((fmhac_column)i) &&
        !fmhac_table_has(table, (fmhac_column)i)) {
      char found[32];
      snprintf(found, sizeof found, "no %s",
               fmhac_column_name((fmhac_column)i));
      return fail_header(r, found);
    }
  return true;
}

static fmhac_status read_header(const reader *r, char *line) {
  char *whole = strdup(line);
  if (!whole)
    return FMHAC_OUT_OF_MEMORY;
  const bool ok = read_columns(r, line, whole);
  free(whole);
  r->table->header_line = r->line;
  return ok ? FMHAC_OK : FMHAC_INVALID_INPUT;
}

//===- Rows ---------------------------------------------------------------===//

/// The number that a text is; NAN if it is none. Its point is a point in the
/// caller's locale, too.
static double number_of(const char *text) {
  char copy[64], *end;
  // strtod() would also take blanks, words and hexadecimal digits.
  if (!*text || text[strspn(text, "0123456789.eE+-")] ||
      strlen(text) >= sizeof copy)
    return NAN;
  strcpy(copy, text);
  double number = strtod(copy, &end);
  if (*end == '.') {
    *end = ',';
    number = strtod(copy, &end);
  }
  return *end ? NAN : number;
}

static bool read_figure(const reader *r, const fmhac_table_row *row,
                        fmhac_column column, double *out) {
  const double most = 1e15;
  *out = number_of(row->cells[column]);
  // A comparison with NAN is false.
  return (*out > 0 && *out <= most) ||
         fail_in(r, column, "a number above 0", row->cells[column]);
}

static bool is_builtin(const char *name) {
  for (size_t i = 0; fmhac_schedule_name(i); ++i)
    if (strcmp(fmhac_schedule_name(i), name) == 0)
      return true;
  return false;
}

static bool check_schedule(const reader *r, const fmhac_table_row *row,
                           fmhac_column column) {
  const char *cell = row->cells[column];
  fmhac_str text = {0};
  if (fmhac_schedule_is_path(cell)) {
    if (strlen(cell) < FMHAC_TEXT_BYTES)
      return true;
    fmhac_str_appendf(&text, "the path of a schedule of at most %d bytes",
                      FMHAC_TEXT_BYTES - 1);
  } else {
    if (is_builtin(cell))
      return true;
    fmhac_str_append(&text, "a built-in schedule (");
    for (size_t i = 0; fmhac_schedule_name(i); ++i)
      fmhac_str_appendf(&text, "%s%s", i ? ", " : "", fmhac_schedule_name(i));
    fmhac_str_append(&text, ") or a file (contains '/' or ends in .mlir)");
  }
  fail_in(r, column, text.text ? text.text : "", cell);
  fmhac_str_deinit(&text);
  return false;
}

static bool read_conditions(const reader *r, fmhac_table_row *row) {
  for (int i = 0; i < FMHAC_CONDITIONS; ++i) {
    const fmhac_column column = (fmhac_column)i;
    if (fmhac_condition_read(column, row->cells[i], &row->conditions[i]))
      continue;
    fmhac_str expected = {0};
    fmhac_condition_describe(column, &expected);
    fail_in(r, column, expected.text ? expected.text : "", row->cells[i]);
    fmhac_str_deinit(&expected);
    return false;
  }
  return true;
}

/// The next best schedule; all of its cells are "-" if none was measured.
static bool read_other(const reader *r, fmhac_table_row *row) {
  static const fmhac_column figures[] = {FMHAC_COLUMN_OTHER_SECONDS,
                                         FMHAC_COLUMN_OTHER_CYCLES};
  if (strcmp(row->cells[FMHAC_COLUMN_OTHER], "-") == 0) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; ++i)
      if (strcmp(row->cells[figures[i]], "-") != 0)
        return fail_in(r, figures[i], "- as in column other",
                       row->cells[figures[i]]);
    return true;
  }
  return check_schedule(r, row, FMHAC_COLUMN_OTHER) &&
         read_figure(r, row, figures[0], &row->other_seconds) &&
         read_figure(r, row, figures[1], &row->other_cycles);
}

static bool fail_count(const reader *r, size_t count, const char *line) {
  fmhac_str expected = {0}, found = {0};
  fmhac_str_appendf(&expected, "%zu cells (", r->table->column_count);
  print_columns(r->table->columns, r->table->column_count, &expected);
  fmhac_str_append(&expected, ")");
  fmhac_str_appendf(&found, "%zu in %s", count, line);
  fail(r, expected.text ? expected.text : "", found.text ? found.text : "");
  fmhac_str_deinit(&expected);
  fmhac_str_deinit(&found);
  return false;
}

static bool read_row(const reader *r, char *line, fmhac_table_row *row) {
  const fmhac_table *table = r->table;
  const size_t count = count_cells(line);
  if (count != table->column_count)
    return fail_count(r, count, line);
  *row = (fmhac_table_row){.line = r->line};
  for (int i = 0; i < FMHAC_COLUMNS; ++i)
    row->cells[i] = fmhac_column_default((fmhac_column)i);
  for (size_t i = 0; i < count; ++i)
    row->cells[table->columns[i]] = take_cell(&line);
  if (!read_conditions(r, row) ||
      !check_schedule(r, row, FMHAC_COLUMN_SCHEDULE) ||
      !read_figure(r, row, FMHAC_COLUMN_SECONDS, &row->seconds) ||
      !read_figure(r, row, FMHAC_COLUMN_CYCLES, &row->cycles))
    return false;
  if (!row->cells[FMHAC_COLUMN_PROBLEM][0])
    return fail_in(r, FMHAC_COLUMN_PROBLEM, "the problem that was measured",
                   "");
  return read_other(r, row);
}

static fmhac_status read_line(reader *r, char *line) {
  fmhac_table *table = r->table;
  line = trim(line);
  if (!*line || *line == '#')
    return FMHAC_OK;
  if (!table->column_count)
    return read_header(r, line);
  if (!FMHAC_GROW(table->rows, table->row_count, table->row_capacity))
    return FMHAC_OUT_OF_MEMORY;
  if (!read_row(r, line, &table->rows[table->row_count]))
    return FMHAC_INVALID_INPUT;
  ++table->row_count;
  return FMHAC_OK;
}

fmhac_status fmhac_table_read(fmhac_table *table, const char *text,
                              size_t length, const char *name,
                              fmhac_str *out_error) {
  *table = (fmhac_table){.name = name, .text = malloc(length + 1)};
  if (!table->text)
    return FMHAC_OUT_OF_MEMORY;
  memcpy(table->text, text, length);
  table->text[length] = '\0';
  reader r = {.table = table, .error = out_error};
  fmhac_status status = FMHAC_OK;
  for (char *at = table->text, *end = at + length;
       at < end && status == FMHAC_OK;) {
    char *line = at;
    at = memchr(line, '\n', (size_t)(end - line));
    at = at ? at + 1 : end + 1;
    at[-1] = '\0';
    ++r.line;
    if (strlen(line) != (size_t)(at - line) - 1) {
      fail(&r, "a line of text", "a NUL character");
      status = FMHAC_INVALID_INPUT;
    } else {
      status = read_line(&r, line);
    }
  }
  if (status == FMHAC_OK && !table->column_count) {
    r.line += !r.line;
    fail_header(&r, "the end of the file");
    status = FMHAC_INVALID_INPUT;
  }
  return out_error->failed ? FMHAC_OUT_OF_MEMORY : status;
}

void fmhac_table_deinit(fmhac_table *table) {
  free(table->text);
  free(table->rows);
  *table = (fmhac_table){0};
}

//===- The choice ---------------------------------------------------------===//

static bool takes(const fmhac_table_row *row,
                  const fmhac_condition own[FMHAC_CONFIG_CONDITIONS]) {
  for (int i = 0; i < FMHAC_CONFIG_CONDITIONS; ++i)
    if (!fmhac_condition_takes((fmhac_column)i, &row->conditions[i], &own[i]))
      return false;
  return true;
}

/// "NAME:LINE (bf16,64,64,none,plain,*)": the conditions as they are written.
static void print_place(const fmhac_table *table, const fmhac_table_row *row,
                        fmhac_str *out) {
  fmhac_str_appendf(out, "%s:%u (", table->name, row->line);
  const char *before = "";
  for (int i = 0; i < FMHAC_CONDITIONS; ++i)
    if (fmhac_table_has(table, (fmhac_column)i)) {
      fmhac_str_appendf(out, "%s%s", before, row->cells[i]);
      before = ",";
    }
  fmhac_str_append(out, ")");
}

/// Appends a number with so many digits after the point, which is a point in
/// the caller's locale, too.
static void print_number(double number, int digits, fmhac_str *out) {
  char text[64];
  snprintf(text, sizeof text, "%.*f", digits, number);
  char *point = strchr(text, ',');
  if (point)
    *point = '.';
  fmhac_str_append(out, text);
}

/// Begins a line that says why a row that takes a configuration is not taken.
static void pass_over(const fmhac_table *table, const fmhac_table_row *row,
                      fmhac_str *out) {
  if (out->length)
    fmhac_str_append(out, "\n");
  print_place(table, row, out);
  fmhac_str_append(out, " is passed over: ");
}

/// Writes the condition of a row on the problem. False: no problem meets it, or
/// it has no room, which a line of `skipped` says.
static bool ask(const fmhac_table *table, const fmhac_table_row *row,
                const fmhac_config_values *values,
                char out_when[FMHAC_LAUNCH_TEXT_BYTES], fmhac_str *skipped) {
  fmhac_str when = {0};
  bool ok = true;
  for (int i = FMHAC_CONFIG_CONDITIONS; i < FMHAC_CONDITIONS && ok; ++i)
    ok = fmhac_condition_ask((fmhac_column)i, &row->conditions[i], values,
                             &when);
  skipped->failed |= when.failed;
  const bool has_room = when.length < FMHAC_LAUNCH_TEXT_BYTES;
  if (ok && !has_room) {
    pass_over(table, row, skipped);
    fmhac_str_appendf(skipped,
                      "expected a condition of at most %d bytes, found "
                      "%s",
                      FMHAC_LAUNCH_TEXT_BYTES - 1, when.text);
  }
  ok = ok && !when.failed && has_room;
  if (ok)
    memcpy(out_when, when.text ? when.text : "", when.length + 1);
  fmhac_str_deinit(&when);
  return ok;
}

/// The conditions that the configuration itself meets. False: it is like none.
static bool read_own(const fmhac_config_values *values,
                     fmhac_condition own[FMHAC_CONFIG_CONDITIONS],
                     bool *out_failed) {
  for (int i = 0; i < FMHAC_CONFIG_CONDITIONS; ++i) {
    fmhac_str cell = {0};
    fmhac_condition_print((fmhac_column)i, values, &cell);
    const bool known =
        cell.text && fmhac_condition_read((fmhac_column)i, cell.text, &own[i]);
    *out_failed |= cell.failed;
    fmhac_str_deinit(&cell);
    if (!known)
      return false;
  }
  return true;
}

/// Whether no problem comes to a row, because one that is taken is for all of
/// its problems.
static bool is_hidden(const fmhac_table_row *row,
                      const fmhac_table_answer *taken, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    bool hides = true;
    for (int k = FMHAC_CONFIG_CONDITIONS; k < FMHAC_CONDITIONS && hides; ++k)
      hides = fmhac_condition_takes(
          (fmhac_column)k, &taken[i].row->conditions[k], &row->conditions[k]);
    if (hides)
      return true;
  }
  return false;
}

size_t fmhac_table_find(const fmhac_table *table,
                        const fmhac_config_values *values, fmhac_serves serves,
                        void *user, size_t most,
                        fmhac_table_answer *out_answers,
                        fmhac_str *out_skipped) {
  fmhac_condition own[FMHAC_CONFIG_CONDITIONS];
  size_t count = 0;
  if (!read_own(values, own, &out_skipped->failed))
    return 0;
  for (size_t i = 0; i < table->row_count; ++i) {
    const fmhac_table_row *row = &table->rows[i];
    const char *schedule = row->cells[FMHAC_COLUMN_SCHEDULE];
    fmhac_table_answer answer = {.row = row};
    if (!takes(row, own) || is_hidden(row, out_answers, count) ||
        !ask(table, row, values, answer.when, out_skipped))
      continue;
    if (count == most) {
      pass_over(table, row, out_skipped);
      fmhac_str_appendf(out_skipped, "%zu rows before it are taken, the most",
                        most);
      break;
    }
    if (serves(user, schedule)) {
      out_answers[count++] = answer;
      if (!answer.when[0])
        break;
      continue;
    }
    pass_over(table, row, out_skipped);
    fmhac_str_appendf(out_skipped,
                      "schedule %s does not compile this configuration",
                      schedule);
  }
  return count;
}

void fmhac_table_explain(const fmhac_table *table, const fmhac_table_row *row,
                         fmhac_schedule_choice *out_figures,
                         fmhac_str *out_why) {
  const char *const *cells = row->cells;
  const double milli = 1e3;
  *out_figures = (fmhac_schedule_choice){.line = row->line,
                                         .seconds = row->seconds,
                                         .cycles = row->cycles,
                                         .other_seconds = row->other_seconds,
                                         .other_cycles = row->other_cycles};
  fmhac_str_appendf(out_why, "schedule %s by ", cells[FMHAC_COLUMN_SCHEDULE]);
  print_place(table, row, out_why);
  fmhac_str_append(out_why, ": ");
  print_number(row->seconds * milli, 4, out_why);
  fmhac_str_append(out_why, " ms, ");
  print_number(row->cycles, 0, out_why);
  fmhac_str_append(out_why, " cycles a KV tile");
  if (row->other_seconds > 0) {
    snprintf(out_figures->other, sizeof out_figures->other, "%s",
             cells[FMHAC_COLUMN_OTHER]);
    fmhac_str_append(out_why, ", against ");
    print_number(row->other_seconds * milli, 4, out_why);
    fmhac_str_append(out_why, " ms and ");
    print_number(row->other_cycles, 0, out_why);
    fmhac_str_appendf(out_why, " of %s", cells[FMHAC_COLUMN_OTHER]);
  }
  snprintf(out_figures->problem, sizeof out_figures->problem, "%s",
           cells[FMHAC_COLUMN_PROBLEM]);
  fmhac_str_appendf(out_why, ", on %s", cells[FMHAC_COLUMN_PROBLEM]);
  snprintf(out_figures->why, sizeof out_figures->why, "%s",
           out_why->text ? out_why->text : "");
}
