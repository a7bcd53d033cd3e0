// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tables of measurements: which schedule is best for which problem. A table is
/// a text with commas, passes/schedules/dispatch.csv or a user's file, whose
/// first line names the columns. It does not say whether a schedule can serve a
/// configuration at all: the caller does (support.h).
#ifndef FMHAC_LIB_TABLE_H
#define FMHAC_LIB_TABLE_H

#include "columns.h"
#include "launch_expr.h"

typedef struct fmhac_table_row {
  uint32_t line; ///< from 1
  /// As written; the default of a column that the table does not have.
  const char *cells[FMHAC_COLUMNS];
  fmhac_condition conditions[FMHAC_CONDITIONS];
  double seconds;                     ///< of the problem that was measured
  double cycles;                      ///< of a compute unit per KV tile
  double other_seconds, other_cycles; ///< 0 where the cell `other` is "-"
} fmhac_table_row;

typedef struct fmhac_table {
  const char *name;                    ///< for messages; borrowed
  char *text;                          ///< owned; the cells are in it
  fmhac_column columns[FMHAC_COLUMNS]; ///< in the order of the table
  size_t column_count;
  uint32_t header_line;  ///< of the line that names the columns
  fmhac_table_row *rows; ///< owned
  size_t row_count, row_capacity;
} fmhac_table;

/// Reads a text. Errors: INVALID_INPUT (a malformed table; `out_error` says
/// "NAME:LINE: expected ..., found ..."), OUT_OF_MEMORY. fmhac_table_deinit()
/// is due in any case.
FMHAC_MUST_USE fmhac_status fmhac_table_read(fmhac_table *table,
                                             const char *text, size_t length,
                                             const char *name,
                                             fmhac_str *out_error);
void fmhac_table_deinit(fmhac_table *table);

/// Appends the line of columns of a new table, without an end of line.
void fmhac_table_print_header(fmhac_str *out);

/// Whether the table has a column.
bool fmhac_table_has(const fmhac_table *table, fmhac_column column);

/// Whether a schedule serves the configuration that is asked about.
typedef bool (*fmhac_serves)(void *user, const char *schedule);

/// A row, and the problems that it is for.
typedef struct fmhac_table_answer {
  const fmhac_table_row *row;
  char when[FMHAC_LAUNCH_TEXT_BYTES]; ///< a condition; "": all
} fmhac_table_answer;

/// The rows that take a configuration and name a schedule that serves it, in
/// order, up to the first that is for all problems; at most `most`, and none
/// all of whose problems one before it has. Appends to `out_skipped` a line for
/// each row among them that is passed over.
size_t fmhac_table_find(const fmhac_table *table,
                        const fmhac_config_values *values, fmhac_serves serves,
                        void *user, size_t most,
                        fmhac_table_answer *out_answers,
                        fmhac_str *out_skipped);

/// Writes the figures of a row and appends the reason for its schedule, which
/// is a line.
void fmhac_table_explain(const fmhac_table *table, const fmhac_table_row *row,
                         fmhac_schedule_choice *out_figures,
                         fmhac_str *out_why);

/// The text of the table that is built in, and its name. Constants.
const char *fmhac_builtin_table(void);
#define FMHAC_BUILTIN_TABLE "built-in table"

#endif // FMHAC_LIB_TABLE_H
