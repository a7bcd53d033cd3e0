// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one ordered table of stages (pipeline.def) and the loop that runs it.
#ifndef FMHAC_LIB_PIPELINE_H
#define FMHAC_LIB_PIPELINE_H

#include <stdbool.h>

#include "session.h"

/// Rungs in order; values index the public fmhac_rung_name().
typedef enum fmhac_rung {
  FMHAC_RUNG_PROBLEM,
  FMHAC_RUNG_TILES,
  FMHAC_RUNG_LAYOUTS,
  FMHAC_RUNG_PIPELINED,
  FMHAC_RUNG_SYNCED,
  FMHAC_RUNG_AMDGPU,
  FMHAC_RUNG_ROCDL,
  FMHAC_RUNG_LLVM,
  FMHAC_RUNG_ISA,
  FMHAC_RUNG_OBJ,
  FMHAC_RUNG_HSACO,
  FMHAC_RUNG_COUNT
} fmhac_rung;

/// The rung of this name; false if there is none.
bool fmhac_rung_find(const char *name, fmhac_rung *out_rung);

/// Called after each stage with the module as it stands.
typedef void (*fmhac_stage_sink)(void *user, const char *stage,
                                 MlirModule module);

/// The schedule of a compilation.
typedef struct fmhac_schedule_ref {
  const char *label;   ///< for messages: a name, or the path of a user's file
  const char *builtin; ///< name of the built-in that select-schedule attaches,
                       ///< or NULL: the schedule came with the problem
} fmhac_schedule_ref;

/// Runs the stages up to and with those of `last`. Errors: PASS_FAILED, with
/// the stage and its diagnostics; INVALID_INPUT instead for a user's schedule,
/// since one that does not fit is bad input.
FMHAC_MUST_USE fmhac_status
fmhac_pipeline_run(struct fmhac_session *session, MlirModule module,
                   const fmhac_schedule_ref *schedule, fmhac_rung last,
                   fmhac_stage_sink sink, void *user);

/// The pipeline as text, a stage a line: "rung  stage  passes", places without
/// a stage in parentheses; with or without `lines`, the stages that make line
/// tables. The caller frees with free(); null when memory is out.
char *fmhac_pipeline_print(const char *builtin, bool lines);

#endif // FMHAC_LIB_PIPELINE_H
