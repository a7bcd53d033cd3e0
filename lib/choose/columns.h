// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The columns of a table of measurements (table.h): their names, and the
/// meaning of the cells that say which configurations a row is for.
#ifndef FMHAC_LIB_COLUMNS_H
#define FMHAC_LIB_COLUMNS_H

#include "config.h"
#include "str.h"

/// In the order of a table that the library writes.
typedef enum fmhac_column {
  // The conditions of a row, which the configuration meets.
  FMHAC_COLUMN_DTYPE,
  FMHAC_COLUMN_HEAD_DIM_QK,
  FMHAC_COLUMN_HEAD_DIM_V,
  FMHAC_COLUMN_MASK,
  FMHAC_COLUMN_SCORES,
  FMHAC_COLUMN_PAGE_SIZE,
  FMHAC_COLUMN_SCALES,
  FMHAC_COLUMN_QUANTIZE_Q,
  FMHAC_COLUMN_SPLIT_KV,
  // Conditions that the problem meets, not the configuration.
  FMHAC_COLUMN_KEYS,
  FMHAC_COLUMN_Q_ROWS,
  FMHAC_COLUMN_GROUP_ROWS,
  FMHAC_COLUMN_WORKGROUPS,
  // Its measurement.
  FMHAC_COLUMN_SCHEDULE,
  FMHAC_COLUMN_SECONDS,
  FMHAC_COLUMN_CYCLES,
  FMHAC_COLUMN_OTHER,
  FMHAC_COLUMN_OTHER_SECONDS,
  FMHAC_COLUMN_OTHER_CYCLES,
  FMHAC_COLUMN_PROBLEM,
} fmhac_column;
enum {
  FMHAC_CONDITIONS = FMHAC_COLUMN_SCHEDULE,
  FMHAC_CONFIG_CONDITIONS = FMHAC_COLUMN_KEYS,
  FMHAC_COLUMNS = FMHAC_COLUMN_PROBLEM + 1
};

/// The name of a column. A constant.
const char *fmhac_column_name(fmhac_column column);
/// The cell of a table that does not have the column, which every configuration
/// meets. A constant; NULL: every table has the column.
const char *fmhac_column_default(fmhac_column column);

/// The meaning of a condition's cell; the column says which member.
typedef union fmhac_condition {
  uint64_t set; ///< of words; of types of Q, K and V
  struct {
    int64_t low, high; ///< inclusive
  } range;
} fmhac_condition;

/// Reads the cell of a condition; false if it has no meaning.
bool fmhac_condition_read(fmhac_column column, const char *cell,
                          fmhac_condition *out);
/// Appends the cells that a condition may have: "* or some of none|causal".
void fmhac_condition_describe(fmhac_column column, fmhac_str *out);
/// Appends the cell for exactly the configurations that are like this one; of a
/// column that the problem meets, the cell for all.
void fmhac_condition_print(fmhac_column column,
                           const fmhac_config_values *values, fmhac_str *out);

/// Whether a row with condition `row` takes a configuration whose own cell
/// means `own`.
bool fmhac_condition_takes(fmhac_column column, const fmhac_condition *row,
                           const fmhac_condition *own);
/// Whether two conditions take some configuration both.
bool fmhac_conditions_overlap(fmhac_column column, const fmhac_condition *a,
                              const fmhac_condition *b);
/// Whether `a` takes all problems that `b` takes, and others, by a column that
/// the problem meets.
bool fmhac_condition_is_wider(fmhac_column column, const fmhac_condition *a,
                              const fmhac_condition *b);

/// Appends what a condition on the problem asks of its sizes, for a
/// configuration: "Sk <= 256", after " and " if `out` has a text; nothing if
/// the mask sees to it. False: no problem of the configuration meets it.
bool fmhac_condition_ask(fmhac_column column, const fmhac_condition *row,
                         const fmhac_config_values *values, fmhac_str *out);

#endif // FMHAC_LIB_COLUMNS_H
