// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilation just in time: what of it others use.
#ifndef FMHAC_LIB_JIT_H
#define FMHAC_LIB_JIT_H

#include "context.h"

/// What compiles: versions, and the build ids of this library and of those that
/// make the code. NULL with a warning if that cannot be told. Borrowed.
const char *fmhac_jit_build(fmhac_context *context);

/// Bytes that the cache directory of a context may hold.
uint64_t fmhac_jit_limit_bytes(const fmhac_context *context);

#endif // FMHAC_LIB_JIT_H
