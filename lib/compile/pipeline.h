// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one ordered table of stages (pipeline.def) and the loop that runs it.
#ifndef FMHAC_LIB_PIPELINE_H
#define FMHAC_LIB_PIPELINE_H

#include <stdbool.h>

#include "order.h"
#include "session.h"

/// Who watches the stages.
typedef struct fmhac_stage_watch {
  /// Called before each stage; anything but OK stops with that.
  fmhac_status (*before)(void *user, const char *stage);
  /// Called after a stage with the current module.
  void (*after)(void *user, const char *stage, MlirModule module);
  void *user;
} fmhac_stage_watch;

/// The schedule of a compilation.
typedef struct fmhac_schedule_ref {
  const char *label;   ///< for messages: a name, or the path of a user's file
  const char *builtin; ///< name of the built-in that select-schedule attaches,
                       ///< or NULL: the schedule came with the problem
} fmhac_schedule_ref;

/// Which stages run.
typedef struct fmhac_stage_range {
  fmhac_rung last; ///< up to and with those of this rung
  /// If the compilation starts from the text of a rung: the stages after that
  /// rung, and the stages of the rung that check or number lines.
  bool has_from;
  fmhac_rung from;
} fmhac_stage_range;

/// Runs the stages of a range. Errors: PASS_FAILED, with
/// the stage and its diagnostics; INVALID_INPUT instead for a user's schedule,
/// since one that does not fit is bad input; and those of the watch.
FMHAC_MUST_USE fmhac_status fmhac_pipeline_run(
    struct fmhac_session *session, MlirModule module,
    const fmhac_schedule_ref *schedule, const fmhac_stage_range *range,
    const fmhac_stage_watch *watch);

/// How many stages that runs.
uint32_t fmhac_pipeline_stages(const fmhac_stage_range *range, bool lines);

/// The pipeline as text, a stage a line: "rung  stage  passes", places without
/// a stage in parentheses; `builtin` as in fmhac_schedule_ref; with or without
/// `lines`, the stages that make line tables. The caller frees with free();
/// null when memory is out.
char *fmhac_pipeline_print(const char *builtin, bool lines);

#endif // FMHAC_LIB_PIPELINE_H
