// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The files that `fmhac tune` writes: a schedule, and a row of a table of
/// schedules. Functions return ARGS_CONTINUE, or the exit code of the error
/// that they reported.
#ifndef FMHAC_DRIVER_TUNE_FILES_H
#define FMHAC_DRIVER_TUNE_FILES_H

#include "fmhac_schedule.h"
#include "session.h"

typedef struct tune_files {
  const char *schedule, *table; ///< of -o and of --table, or NULL
  /// The problems that the row is for, "LOW-HIGH"; NULL: all.
  const char *keys, *q_rows, *workgroups;
} tune_files;

/// Whether both files look writable; the check reads nothing.
int tune_files_check(const tune_files *files, const report *r);

/// Whether the table, as it is now, takes a row that names a schedule, as the
/// best and as the next best, and the problem is one that the row is for.
int tune_files_rehearse(const tune_files *files, const session *s,
                        const char *schedule);

/// Puts a row into the table as it is by now, while no other call of this
/// command does so. `row->schedule` may be a file: the table names it so that
/// it is found from anywhere.
int tune_files_put(const tune_files *files, const session *s,
                   const fmhac_schedule_row *row);

#endif // FMHAC_DRIVER_TUNE_FILES_H
