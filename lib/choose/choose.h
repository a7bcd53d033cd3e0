// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The schedules of a configuration: one for each kernel that its code object
/// holds. They are chosen here and nowhere else, once for each request, and go
/// down to the compiler with the order.
#ifndef FMHAC_LIB_CHOOSE_H
#define FMHAC_LIB_CHOOSE_H

#include "launch_expr.h"
#include "sources.h"

/// The schedule of one entry of the code object.
typedef struct fmhac_chosen {
  char name[FMHAC_TEXT_BYTES]; ///< a built-in schedule, or the path of a file
  /// The sizes of problems that the entry is for, a condition of launch_expr.h;
  /// "": all that no entry before it takes.
  char when[FMHAC_LAUNCH_TEXT_BYTES];
  bool is_file;
  /// The schedule: a constant; of a file, borrowed from the sources, or NULL if
  /// they were not given.
  const char *text;
  size_t text_bytes;
  /// Why it is that one; and where a row of a table chose it, its line, its
  /// figures and the next best schedule.
  fmhac_schedule_choice reason;
} fmhac_chosen;

typedef struct fmhac_choice {
  fmhac_chosen entries[FMHAC_MOST_ENTRIES]; ///< in the order of the code object
  size_t count; ///< 0 of a configuration with another role than attention
  /// The built-in schedule instead of all, for all problems, if one leaves too
  /// few registers for a function of the user; a constant. NULL: there is none.
  const char *next;
  /// The built-in schedules with commas between them, as the pass that attaches
  /// them takes them, one for each kernel; without a text if all are files.
  fmhac_str builtins;
  fmhac_str list; ///< all of them, in the words of the key `schedule`
  /// Lines for the log of whoever compiles: rows that are passed over, and the
  /// reasons. Empty where the user named the schedule, or where the user's
  /// table did, whose lines are in the log already.
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

/// Fills `builtins` and `list` from the entries, for this configuration. False:
/// out of memory.
bool fmhac_choice_complete(fmhac_choice *choice,
                           const fmhac_config_values *values);

/// Appends the texts of built-in schedules that the text of a schedule file is
/// derived from, or whose recipes it refers to, directly or not.
void fmhac_schedule_append_bases(const char *text, fmhac_str *out);

/// Gives a configuration that leaves the schedule open those that the context's
/// own table has for it, if it has some, with their rows. They go to the log.
/// Errors: INVALID_INPUT (the table), IO_ERROR, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_choose_by_users_table(fmhac_context *context,
                                                        fmhac_config *config);

#endif // FMHAC_LIB_CHOOSE_H
