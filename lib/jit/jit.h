// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilation just in time: from memory, from disk, or by the compiler; and
/// the threads that compile for fmhac_compile_start().
#ifndef FMHAC_LIB_JIT_H
#define FMHAC_LIB_JIT_H

#include "context.h"
#include "control.h"

/// As fmhac_compile(); `control`, which may be NULL, watches and cancels it.
/// Errors: also CANCELLED.
FMHAC_MUST_USE fmhac_status fmhac_jit_compile(fmhac_context *context,
                                              const fmhac_config *config,
                                              fmhac_control *control,
                                              fmhac_kernel **out_kernel);

/// Bytes that the cache directory of a context may hold.
uint64_t fmhac_cache_limit_bytes(const fmhac_context *context);

typedef struct fmhac_workers fmhac_workers;

/// Ends the threads; every job is destroyed already. NULL is allowed.
void fmhac_workers_destroy(fmhac_workers *workers);

#endif // FMHAC_LIB_JIT_H
