// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The context: options, last errors, diagnostics sink, counters. Every other
/// object of the library points at one. The library reports failures here
/// only: it never prints.
#ifndef FMHAC_LIB_CONTEXT_H
#define FMHAC_LIB_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "allocator.h"
#include "fmhac.h"
#include "thread_text.h"

/// The counters of fmhac_context_get_stats().
typedef struct fmhac_counters {
  atomic_uint_fast64_t compiles, memory_hits, disk_hits;
  atomic_uint_fast64_t processes; ///< compiler processes that were started
} fmhac_counters;

/// Any thread may use a context: fields that are neither constant nor atomic
/// have a lock.
struct fmhac_context {
  fmhac_context_options options; ///< its texts are owned
  fmhac_allocator allocator;     ///< of the options
  fmhac_thread_texts errors;     ///< the last failure of each thread
  fmhac_counters counters;
  struct fmhac_compiler
      *compiler; ///< jit/context_calls.c makes and destroys it
};

/// Creates a context without a compiler from options that the caller has
/// checked. NULL: out of memory.
fmhac_context *fmhac_context_make(const fmhac_context_options *options);
/// Frees a context of fmhac_context_make().
void fmhac_context_unmake(fmhac_context *context);

/// Records the text of a failure as this thread's last error in the context and
/// returns `status`. Form of the text: "doing: expected ..., found ...; try
/// ...". `context` may be NULL (the text is then lost); the arguments may point
/// into the previous error text.
fmhac_status fmhac_fail(fmhac_context *context, fmhac_status status,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// The allocator for objects that are created from a context; `context` may be
/// NULL.
fmhac_allocator fmhac_allocator_of(const fmhac_context *context);

/// Initialises a lock that returns EDEADLK to the thread that holds it, for
/// locks that are held while a callback of the user runs.
void fmhac_lock_init_checked(pthread_mutex_t *lock);

/// The text of INVALID_INPUT for a call that would wait for itself.
#define FMHAC_CALLED_BACK                                                      \
  "compiling: called from a log, progress or IR callback of a compilation of " \
  "the same context, which it would wait for; call it when that has returned"

/// Sends one line to the diagnostics sink of the context, if it has one.
void fmhac_log(fmhac_context *context, fmhac_severity severity,
               const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif // FMHAC_LIB_CONTEXT_H
