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

/// What fmhac_context_get_stats() tells.
typedef struct fmhac_counters {
  atomic_uint_fast64_t compiles, memory_hits, disk_hits;
  atomic_uint_fast64_t processes; ///< compiler processes that were started
} fmhac_counters;

/// Any thread may use it: what is neither constant nor atomic has a lock.
struct fmhac_context {
  fmhac_context_options options; ///< its texts are owned
  fmhac_allocator allocator;     ///< of the options
  fmhac_thread_texts errors;     ///< the last failure of each thread
  fmhac_counters counters;
  struct fmhac_compiler *compiler; ///< owned; compile/compiler.h
};

/// A context without a compiler, as the options say; the caller has checked
/// these. NULL: out of memory.
fmhac_context *fmhac_context_make(const fmhac_context_options *options);
/// Frees what fmhac_context_make() made.
void fmhac_context_unmake(fmhac_context *context);

/// Records the text of a failure as this thread's last error in the context and
/// returns `status`. Form of the text: what was being done, what was expected,
/// what was found, what to try. `context` may be NULL (the text is then lost);
/// the arguments may point into the previous error text.
fmhac_status fmhac_fail(fmhac_context *context, fmhac_status status,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Where the memory of what is created from a context comes from; `context` may
/// be NULL.
fmhac_allocator fmhac_allocator_of(const fmhac_context *context);

/// A lock that answers EDEADLK to the thread that has it: for those that are
/// held while a callback of the user runs.
void fmhac_lock_init_checked(pthread_mutex_t *lock);

/// Why a call comes back with INVALID_INPUT that would wait for itself.
#define FMHAC_CALLED_BACK                                                      \
  "compiling: called from a log, progress or IR callback of a compilation of " \
  "the same context, which it would wait for; call it when that has returned"

/// Sends one line to the diagnostics sink of the context, if it has one.
void fmhac_log(fmhac_context *context, fmhac_severity severity,
               const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif // FMHAC_LIB_CONTEXT_H
