// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code that the build has made of C, as LLVM IR in strings, on its way into a
/// module of kernels.
#ifndef FMHAC_LIB_LINKED_CODE_H
#define FMHAC_LIB_LINKED_CODE_H

#include "session.h"

#include "llvm-c/Core.h"

/// Such code.
typedef struct fmhac_linked_code {
  const char *what; ///< in messages: "the planner's kernel"
  const char *const *lines;
  size_t count;
  const char *passes; ///< of it alone, before it is linked, in LLVM's words
  /// Of the whole module after that; NULL: none, and functions stay visible.
  const char *passes_after;
} fmhac_linked_code;

/// An array of 32-bit words that the code declares.
typedef struct fmhac_linked_array {
  const char *name;
  const uint32_t *words;
  size_t count;
} fmhac_linked_array;

/// A function of the code.
typedef struct fmhac_linked_function {
  const char *name;
  const char *as; ///< its name in the module; NULL: the same
  bool in_line;   ///< each call becomes a copy
} fmhac_linked_function;

/// Moves the code into `module`: arrays become constants of their own. With
/// `passes_after` only calls in the module refer to its functions. Errors:
/// CODEGEN_FAILED, OUT_OF_MEMORY, INTERNAL (the code lacks a function, or an
/// array of so many words).
FMHAC_MUST_USE fmhac_status
fmhac_linked_add(struct fmhac_session *session, const fmhac_linked_code *code,
                 const fmhac_linked_array *arrays, size_t array_count,
                 const fmhac_linked_function *functions, size_t function_count,
                 LLVMModuleRef module);

#endif // FMHAC_LIB_LINKED_CODE_H
