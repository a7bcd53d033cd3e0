// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernels that a context has compiled or loaded, by request: canonical
/// configuration and the texts of the user's files. Threads that want the same
/// one at the same time get one compilation.
#ifndef FMHAC_LIB_MEMORY_CACHE_H
#define FMHAC_LIB_MEMORY_CACHE_H

#include "allocator.h"
#include "artefact.h"
#include "control.h"
#include "fmhac.h"

typedef struct fmhac_memory_cache fmhac_memory_cache;

/// Keeps up to `most` kernels, the most recently used ones. NULL when memory is
/// exhausted.
fmhac_memory_cache *fmhac_memory_cache_create(fmhac_allocator allocator,
                                              size_t most);
/// Releases its kernels. NULL is allowed.
void fmhac_memory_cache_destroy(fmhac_memory_cache *cache);

/// A request that one thread is about to fulfil. The caller provides the room.
typedef struct fmhac_claim {
  fmhac_span request; ///< borrowed until it is settled
  uint64_t hash;
  pthread_t thread; ///< that claims it
  struct fmhac_claim *next;
} fmhac_claim;

typedef enum fmhac_claim_result {
  FMHAC_CLAIM_FOUND,     ///< the kernel, retained for the caller
  FMHAC_CLAIM_MADE,      ///< due to fmhac_memory_cache_settle()
  FMHAC_CLAIM_CANCELLED, ///< by `control`
  FMHAC_CLAIM_OWN        ///< this very thread has it already
} fmhac_claim_result;

/// Looks for the kernel of `request`, or claims the request. While another
/// thread has the claim, waits for its result. `control` may be NULL.
fmhac_claim_result fmhac_memory_cache_claim(fmhac_memory_cache *cache,
                                            fmhac_span request,
                                            fmhac_control *control,
                                            fmhac_claim *claim,
                                            fmhac_kernel **out_kernel);
/// Ends a claim. Retains `kernel` and keeps it; NULL: the compilation gave
/// none. If memory is exhausted the kernel is not kept, and the next request
/// compiles again.
void fmhac_memory_cache_settle(fmhac_memory_cache *cache, fmhac_claim *claim,
                               fmhac_kernel *kernel);
/// Makes those who wait look whether they are cancelled.
void fmhac_memory_cache_wake(fmhac_memory_cache *cache);

#endif // FMHAC_LIB_MEMORY_CACHE_H
