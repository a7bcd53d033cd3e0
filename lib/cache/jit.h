// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilation just in time: what of it others use.
#ifndef FMHAC_LIB_JIT_H
#define FMHAC_LIB_JIT_H

#include "context.h"
#include "control.h"

/// What compiles: versions, and the build ids of this library and of those that
/// make the code. "" if that cannot be told, NULL if memory is exhausted.
/// Borrowed.
const char *fmhac_jit_build(fmhac_context *context);

/// As fmhac_compile(); `control`, which may be NULL, watches and cancels it.
/// Errors: also CANCELLED.
FMHAC_MUST_USE fmhac_status fmhac_jit_compile(fmhac_context *context,
                                              const fmhac_config *config,
                                              fmhac_control *control,
                                              fmhac_kernel **out_kernel);

/// Bytes that the cache directory of a context may hold.
uint64_t fmhac_jit_limit_bytes(const fmhac_context *context);

#endif // FMHAC_LIB_JIT_H
