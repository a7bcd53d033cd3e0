// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The context: last error, diagnostics sink, counters, and the compiler
/// session. Every other object of the library points at one. This is the
/// library's only way of saying that something went wrong: it never prints.
#ifndef FMHAC_LIB_CONTEXT_H
#define FMHAC_LIB_CONTEXT_H

#include "fmhac.h"
#include "memory_cache.h"

struct fmhac_session;

struct fmhac_context {
  fmhac_context_options options; ///< its texts are owned
  char *last_error;              ///< owned; NULL if nothing failed yet
  fmhac_stats stats;
  struct fmhac_session *session; ///< owned by session.c; NULL before its use
  fmhac_memory_cache *memory;    ///< owned
  char *build; ///< owned; what compiles, for keys; NULL: not known yet
};

/// Records the text of a failure as the context's last error and returns
/// `status`. Form of the text: what was being done, what was expected, what was
/// found, what to try. `context` may be NULL (the text is then lost); the
/// arguments may point into the previous error text.
fmhac_status fmhac_fail(fmhac_context *context, fmhac_status status,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Sends one line to the diagnostics sink of the context, if it has one.
void fmhac_log(fmhac_context *context, fmhac_severity severity,
               const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif // FMHAC_LIB_CONTEXT_H
