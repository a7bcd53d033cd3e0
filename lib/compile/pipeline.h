// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The loop that runs the passes of the table (pipeline.def).
#ifndef FMHAC_LIB_PIPELINE_H
#define FMHAC_LIB_PIPELINE_H

#include <stdbool.h>

#include "order.h"
#include "session.h"

/// Who watches the passes.
typedef struct fmhac_pass_watch {
  /// Called before each pass; anything but OK stops with that.
  fmhac_status (*before)(void *user, const char *pass);
  /// Called after a pass with the current module.
  void (*after)(void *user, const char *pass, MlirModule module);
  void *user;
} fmhac_pass_watch;

/// The schedules of a compilation.
typedef struct fmhac_schedule_ref {
  const char *label;    ///< for messages: names and paths of files
  const char *builtins; ///< names of the built-in ones that select-schedule
                        ///< attaches, with commas between them; or NULL: all
                        ///< came with their problems
  bool is_users;        ///< one is of a user's file
} fmhac_schedule_ref;

/// Which passes run.
typedef struct fmhac_pass_range {
  fmhac_rung last; ///< up to and with those of this rung
  /// If the compilation starts from the text of a rung: the passes after that
  /// rung, and the passes of the rung that check or number lines.
  bool has_from;
  fmhac_rung from;
} fmhac_pass_range;

/// Runs the passes of a range. Errors: PASS_FAILED, with
/// the pass and its diagnostics; INVALID_INPUT instead for a user's schedule,
/// since one that does not fit is bad input; and those of the watch.
FMHAC_MUST_USE fmhac_status fmhac_pipeline_run(
    struct fmhac_session *session, MlirModule module,
    const fmhac_schedule_ref *schedule, const fmhac_pass_range *range,
    const fmhac_pass_watch *watch);

/// How many passes that runs.
uint32_t fmhac_pipeline_passes(const fmhac_pass_range *range, bool lines);

#endif // FMHAC_LIB_PIPELINE_H
