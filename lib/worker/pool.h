// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The compiler processes of a context: so many work at a time, and those that
/// have done an order wait for the next.
#ifndef FMHAC_LIB_POOL_H
#define FMHAC_LIB_POOL_H

#include "context.h"
#include "control.h"
#include "process.h"

typedef struct fmhac_pool fmhac_pool;

/// NULL when memory is exhausted. No process starts before it is needed.
fmhac_pool *fmhac_pool_create(fmhac_allocator allocator, unsigned limit);
/// Ends the processes. NULL is allowed.
void fmhac_pool_destroy(fmhac_pool *pool);

/// Waits for a free place, then returns an idle process or a new one; if
/// `fresh`, always a new one. The caller gives the process back or drops it.
/// Errors: CANCELLED, IO_ERROR (no process can be started), OUT_OF_MEMORY, with
/// the text in the context.
FMHAC_MUST_USE fmhac_status fmhac_pool_take(fmhac_context *context,
                                            fmhac_control *control, bool fresh,
                                            fmhac_process **out_process);
void fmhac_pool_give(fmhac_pool *pool, fmhac_process *process);
/// Ends the process instead; `out` as for fmhac_process_end().
void fmhac_pool_drop(fmhac_pool *pool, fmhac_process *process, fmhac_str *out);

/// Makes those who wait for a place look whether they are cancelled.
void fmhac_pool_wake(fmhac_pool *pool);

#endif // FMHAC_LIB_POOL_H
