// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory_cache.h"

#include <pthread.h>
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
  fmhac_allocator allocator;
  pthread_mutex_t lock;
  pthread_cond_t settled; ///< a claim
  fmhac_claim *claims;
  slot *slots;
  size_t most;
  uint64_t looks;
};

fmhac_memory_cache *fmhac_memory_cache_create(fmhac_allocator allocator,
                                              size_t most) {
  fmhac_memory_cache *cache = fmhac_allocate(allocator, sizeof *cache);
  if (!cache)
    return NULL;
  cache->allocator = allocator;
  cache->most = most;
  cache->slots = fmhac_allocate(allocator, most * sizeof *cache->slots);
  if (!cache->slots) {
    fmhac_release(allocator, cache);
    return NULL;
  }
  pthread_mutex_init(&cache->lock, NULL);
  pthread_cond_init(&cache->settled, NULL);
  return cache;
}

static void empty(fmhac_memory_cache *cache, slot *s) {
  fmhac_release(cache->allocator, s->request);
  fmhac_kernel_destroy(s->kernel);
  *s = (slot){0};
}

void fmhac_memory_cache_destroy(fmhac_memory_cache *cache) {
  if (!cache)
    return;
  for (size_t i = 0; i < cache->most; ++i)
    empty(cache, &cache->slots[i]);
  pthread_cond_destroy(&cache->settled);
  pthread_mutex_destroy(&cache->lock);
  fmhac_release(cache->allocator, cache->slots);
  fmhac_release(cache->allocator, cache);
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

/// The claim of a request, or NULL.
static const fmhac_claim *claim_of(const fmhac_memory_cache *cache,
                                   fmhac_span request, uint64_t hash) {
  const fmhac_claim *c = cache->claims;
  while (c && (c->hash != hash || c->request.bytes != request.bytes ||
               memcmp(c->request.text, request.text, request.bytes) != 0))
    c = c->next;
  return c;
}

fmhac_claim_result fmhac_memory_cache_claim(fmhac_memory_cache *cache,
                                            fmhac_span request,
                                            fmhac_control *control,
                                            fmhac_claim *claim,
                                            fmhac_kernel **out_kernel) {
  const uint64_t hash = XXH3_64bits(request.text, request.bytes);
  fmhac_claim_result result;
  *out_kernel = NULL;
  pthread_mutex_lock(&cache->lock);
  for (;;) {
    slot *s = find(cache, request, hash);
    const fmhac_claim *other = claim_of(cache, request, hash);
    if (s) {
      s->used = ++cache->looks;
      *out_kernel = fmhac_kernel_retain(s->kernel);
      result = FMHAC_CLAIM_FOUND;
    } else if (fmhac_control_is_cancelled(control)) {
      result = FMHAC_CLAIM_CANCELLED;
    } else if (!other) {
      *claim = (fmhac_claim){request, hash, pthread_self(), cache->claims};
      cache->claims = claim;
      result = FMHAC_CLAIM_MADE;
    } else if (pthread_equal(other->thread, pthread_self())) {
      result = FMHAC_CLAIM_OWN;
    } else {
      pthread_cond_wait(&cache->settled, &cache->lock);
      continue;
    }
    break;
  }
  pthread_mutex_unlock(&cache->lock);
  return result;
}

/// An empty slot, or the least recently used one.
static slot *place_for(fmhac_memory_cache *cache) {
  slot *place = &cache->slots[0];
  for (size_t i = 1; place->used && i < cache->most; ++i)
    if (cache->slots[i].used < place->used)
      place = &cache->slots[i];
  return place;
}

static void keep(fmhac_memory_cache *cache, const fmhac_claim *claim,
                 fmhac_kernel *kernel) {
  char *copy = fmhac_duplicate(cache->allocator, claim->request.text,
                               claim->request.bytes);
  if (!copy)
    return;
  slot *place = place_for(cache);
  empty(cache, place);
  *place = (slot){.hash = claim->hash,
                  .used = ++cache->looks,
                  .request = copy,
                  .request_bytes = claim->request.bytes,
                  .kernel = fmhac_kernel_retain(kernel)};
}

void fmhac_memory_cache_settle(fmhac_memory_cache *cache, fmhac_claim *claim,
                               fmhac_kernel *kernel) {
  pthread_mutex_lock(&cache->lock);
  for (fmhac_claim **at = &cache->claims; *at; at = &(*at)->next)
    if (*at == claim) {
      *at = claim->next;
      break;
    }
  if (kernel && cache->most)
    keep(cache, claim, kernel);
  pthread_cond_broadcast(&cache->settled);
  pthread_mutex_unlock(&cache->lock);
}

void fmhac_memory_cache_wake(fmhac_memory_cache *cache) {
  pthread_mutex_lock(&cache->lock);
  pthread_cond_broadcast(&cache->settled);
  pthread_mutex_unlock(&cache->lock);
}
