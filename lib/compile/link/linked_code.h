// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code that the build has made of C, as LLVM IR in strings, on its way into a
/// module of kernels.
#ifndef FMHAC_LIB_LINKED_CODE_H
#define FMHAC_LIB_LINKED_CODE_H

#include "session.h"

#include "llvm-c/Core.h"

/// Such code: what it is in messages ("the planner's kernel"), and its lines.
typedef struct fmhac_linked_code {
  const char *what;
  const char *const *lines;
  size_t count;
} fmhac_linked_code;

/// CODEGEN_FAILED: `why` while doing `step`.
FMHAC_MUST_USE fmhac_status fmhac_linked_fail(struct fmhac_session *session,
                                              const fmhac_linked_code *code,
                                              const char *step,
                                              const char *why);

/// Parses it in the context of another module; the caller disposes of
/// `out_module`, which is null on failure. Errors: CODEGEN_FAILED,
/// OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_linked_parse(struct fmhac_session *session,
                                               const fmhac_linked_code *code,
                                               LLVMContextRef context,
                                               LLVMModuleRef *out_module);

/// Makes an array of 32-bit words that the code declares a constant of the
/// module's own. False: it declares no array of so many.
bool fmhac_linked_define(LLVMModuleRef module, const char *name,
                         const uint32_t *words, size_t count);

/// Lets each call of a function become a copy of it.
void fmhac_linked_put_in_line(LLVMValueRef function);

/// Runs passes, given in LLVM's words. Errors: CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_linked_run_passes(
    struct fmhac_session *session, const fmhac_linked_code *code,
    LLVMModuleRef module, const char *passes);

/// Moves the code into `module`; `linked` is gone after it. Errors:
/// CODEGEN_FAILED.
FMHAC_MUST_USE fmhac_status fmhac_linked_link(struct fmhac_session *session,
                                              const fmhac_linked_code *code,
                                              LLVMModuleRef linked,
                                              LLVMModuleRef module);

#endif // FMHAC_LIB_LINKED_CODE_H
