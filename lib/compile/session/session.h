// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The compiler's long-lived state in a context: MLIR context, LLVM target
/// machine, and the diagnostics that both send while a pass runs.
#ifndef FMHAC_LIB_SESSION_H
#define FMHAC_LIB_SESSION_H

#include "context.h"
#include "str.h"

#include "mlir-c/IR.h"
#include "llvm-c/TargetMachine.h"

/// Chip and triple of everything this library generates.
#define FMHAC_TARGET_CHIP "gfx950"
#define FMHAC_TARGET_TRIPLE "amdgcn-amd-amdhsa"

struct fmhac_session {
  fmhac_context *context; ///< borrowed
  MlirContext mlir;
  LLVMTargetMachineRef target_machine;
  fmhac_str errors; ///< text of errors since fmhac_session_begin()
  fmhac_str log;    ///< warnings and remarks of this compilation, a line each
};

/// Creates the session of a context unless it has one. Errors: OUT_OF_MEMORY,
/// INTERNAL.
FMHAC_MUST_USE fmhac_status fmhac_session_get(fmhac_context *context);
void fmhac_session_destroy(fmhac_context *context);

/// Forgets earlier errors: call before a pass.
void fmhac_session_begin(struct fmhac_session *session);
/// Text of the errors since then, "" if none; borrowed until the next begin.
const char *fmhac_session_errors(const struct fmhac_session *session);

/// A warning or a remark: to the user's log and to that of the compilation.
void fmhac_session_log(struct fmhac_session *session, fmhac_severity severity,
                       const char *text);

/// MLIR's string callback that appends to the fmhac_str in `user`.
void fmhac_append_string_ref(MlirStringRef text, void *user);

#endif // FMHAC_LIB_SESSION_H
