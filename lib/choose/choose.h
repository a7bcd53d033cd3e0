// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The schedule of a configuration. It is chosen here and nowhere else, once
/// for each request, and goes down to the compiler with the order.
#ifndef FMHAC_LIB_CHOOSE_H
#define FMHAC_LIB_CHOOSE_H

#include "sources.h"

typedef struct fmhac_choice {
  char name[FMHAC_TEXT_BYTES]; ///< a built-in schedule, or the path of a file
  bool is_file;
  /// The schedule: a constant; of a file, borrowed from the sources, or NULL if
  /// they were not given.
  const char *text;
  size_t text_bytes;
  /// Why it is that one; and where a row of a table chose it, its line, its
  /// figures and the next best schedule.
  fmhac_schedule_choice reason;
  /// The built-in schedule instead of this one if this one leaves too few
  /// registers for a function of the user; a constant. NULL: there is none.
  const char *next;
  /// Lines for the log of whoever compiles: rows that are passed over, and the
  /// reason. Empty where the user named the schedule, or where the user's table
  /// did, whose lines are in the log already.
  fmhac_str remarks;
} fmhac_choice;

/// Chooses the schedule of a configuration. `sources` are the texts of its
/// files; NULL if nobody reads the text. fmhac_choice_deinit() is due in any
/// case. Errors: UNSUPPORTED, with field, reason and nearest in the text; those
/// of fmhac_support_find(); OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_choose(fmhac_context *context,
                                         const fmhac_config *config,
                                         const fmhac_sources *sources,
                                         fmhac_choice *out);
void fmhac_choice_deinit(fmhac_choice *choice);

/// Appends the texts of built-in schedules that the text of a schedule file is
/// derived from, or whose recipes it refers to, directly or not.
void fmhac_schedule_append_bases(const char *text, fmhac_str *out);

/// Gives values that leave the schedule open the one that the context's own
/// table has for them, if it has one; `out_reason` receives the row, else line
/// 0. Rows and reason go to the log. Errors: INVALID_INPUT (the table),
/// IO_ERROR, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status
fmhac_choose_by_users_table(fmhac_context *context, fmhac_config_values *values,
                            fmhac_schedule_choice *out_reason);

#endif // FMHAC_LIB_CHOOSE_H
