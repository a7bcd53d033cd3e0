// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_cache.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "kernel.h"

typedef struct slot {
  uint64_t hash;
  uint64_t used; ///< when, counted in looks; 0: empty
  char *request; ///< owned
  size_t request_bytes;
  fmhac_kernel *kernel; ///< retained
} slot;

struct fmhac_memory_cache {
  slot *slots;
  size_t most;
  uint64_t looks;
};

fmhac_memory_cache *fmhac_memory_cache_create(size_t most) {
  fmhac_memory_cache *cache = calloc(1, sizeof *cache);
  if (!cache)
    return NULL;
  cache->most = most;
  cache->slots = calloc(most ? most : 1, sizeof *cache->slots);
  if (cache->slots)
    return cache;
  free(cache);
  return NULL;
}

static void empty(slot *s) {
  free(s->request);
  fmhac_kernel_destroy(s->kernel);
  *s = (slot){0};
}

void fmhac_memory_cache_destroy(fmhac_memory_cache *cache) {
  if (!cache)
    return;
  for (size_t i = 0; i < cache->most; ++i)
    empty(&cache->slots[i]);
  free(cache->slots);
  free(cache);
}

/// The slot of a request, or NULL. The slots are few: their hashes are looked
/// at one after the other.
static slot *find(const fmhac_memory_cache *cache, fmhac_span request,
                  uint64_t hash) {
  for (size_t i = 0; i < cache->most; ++i) {
    slot *s = &cache->slots[i];
    if (s->used && s->hash == hash && s->request_bytes == request.bytes &&
        memcmp(s->request, request.text, request.bytes) == 0)
      return s;
  }
  return NULL;
}

fmhac_kernel *fmhac_memory_cache_find(fmhac_memory_cache *cache,
                                      fmhac_span request) {
  slot *s = find(cache, request, XXH3_64bits(request.text, request.bytes));
  if (!s)
    return NULL;
  s->used = ++cache->looks;
  return fmhac_kernel_retain(s->kernel);
}

void fmhac_memory_cache_add(fmhac_memory_cache *cache, fmhac_span request,
                            fmhac_kernel *kernel) {
  uint64_t hash = XXH3_64bits(request.text, request.bytes);
  slot *place = find(cache, request, hash);
  if (!cache->most)
    return;
  for (size_t i = 0; !place && i < cache->most; ++i)
    if (!cache->slots[i].used)
      place = &cache->slots[i];
  if (!place) {
    place = &cache->slots[0];
    for (size_t i = 1; i < cache->most; ++i)
      if (cache->slots[i].used < place->used)
        place = &cache->slots[i];
  }
  char *copy = malloc(request.bytes ? request.bytes : 1);
  if (!copy)
    return;
  if (request.bytes)
    memcpy(copy, request.text, request.bytes);
  empty(place);
  *place = (slot){.hash = hash,
                  .used = ++cache->looks,
                  .request = copy,
                  .request_bytes = request.bytes,
                  .kernel = fmhac_kernel_retain(kernel)};
}
