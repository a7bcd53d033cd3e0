// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A library context whose diagnostics go to stderr, and the configuration of
/// the command line. compile and run begin with one.
#ifndef FMHAC_DRIVER_SESSION_H
#define FMHAC_DRIVER_SESSION_H

#include "args.h"
#include "fmhac_schedule.h"

typedef struct session {
  const report *r; ///< borrowed
  fmhac_context *context;
  cJSON *options; ///< configuration file and flags, merged
  fmhac_config *config;
  unsigned declined; ///< parts of the user's schedule that a pass declined
} session;

typedef struct session_options {
  bool no_line_tables;
  bool no_audit;
  bool use_cache; ///< as the environment says
  bool quiet;     ///< remarks and warnings are not shown
} session_options;

/// Returns ARGS_CONTINUE, or the exit code of the reported error. The caller
/// closes `out_session` in either case, and does not move it before: the
/// context's log points at it.
int session_open(const args *a, const report *r, session_options options,
                 session *out_session);
/// The same without a configuration.
int session_open_context(const report *r, session_options options,
                         session *out_session);
void session_close(session *s);

/// Compiles, or takes the kernel from the cache. Remarks are shown in either
/// case: with -v, or when a schedule that the user gave asks for something that
/// the compiler declines. Returns ARGS_CONTINUE or the exit code.
int session_compile(session *s, fmhac_kernel **out_kernel);

/// Asks whether the configuration can be compiled; reports field, reason and
/// the nearest supported one if not. Returns ARGS_CONTINUE or the exit code.
int session_require_support(const session *s);

/// The schedule of a supported configuration that a plan for a problem takes;
/// reports that there is none, or that a condition has no value. `out_choice`
/// has its size. Returns ARGS_CONTINUE or the exit code.
int session_find_entry(const session *s, const fmhac_problem *problem,
                       fmhac_schedule_choice *out_choice);

/// Reports the library's last error. Returns the exit code of `status`.
int session_fail(const session *s, fmhac_status status);

#endif // FMHAC_DRIVER_SESSION_H
