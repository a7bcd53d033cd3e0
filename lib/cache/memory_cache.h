// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernels that a context has compiled or loaded, by what they were asked
/// for with: canonical configuration and the texts of the user's files.
#ifndef FMHAC_LIB_MEMORY_CACHE_H
#define FMHAC_LIB_MEMORY_CACHE_H

#include "artefact.h"
#include "fmhac.h"

typedef struct fmhac_memory_cache fmhac_memory_cache;

/// Keeps up to `most` kernels, those that were asked for last. NULL when memory
/// is exhausted.
fmhac_memory_cache *fmhac_memory_cache_create(size_t most);
/// Releases its kernels. NULL is allowed.
void fmhac_memory_cache_destroy(fmhac_memory_cache *cache);

/// The kernel that was added under `request`, retained for the caller, or NULL.
fmhac_kernel *fmhac_memory_cache_find(fmhac_memory_cache *cache,
                                      fmhac_span request);
/// Retains `kernel` and keeps it; what is exhausted memory only costs the next
/// look.
void fmhac_memory_cache_add(fmhac_memory_cache *cache, fmhac_span request,
                            fmhac_kernel *kernel);

#endif // FMHAC_LIB_MEMORY_CACHE_H
