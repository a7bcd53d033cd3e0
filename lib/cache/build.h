// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The build that compiled a kernel, which is part of its cache key besides the
/// request; and the limit of the cache.
#ifndef FMHAC_LIB_BUILD_H
#define FMHAC_LIB_BUILD_H

#include "context.h"

/// Versions, and the build ids of this library and of LLVM and MLIR. "" if they
/// are not known, NULL if memory is exhausted. Borrowed.
const char *fmhac_build(fmhac_context *context);

/// Bytes that the cache directory of a context may hold.
uint64_t fmhac_cache_limit_bytes(const fmhac_context *context);

#endif // FMHAC_LIB_BUILD_H
