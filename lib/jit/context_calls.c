// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public calls on a context; creates and destroys the parts of its
// compiler.
#include "beside.h"
#include "compiler.h"
#include "face.h"
#include "jit.h"
#include "memory_cache.h"
#include "pool.h"
#include "require.h"

static fmhac_status require_directories(const fmhac_context_options *options) {
  const char *const *list = options->read_only_cache_directories;
  const size_t count = options->read_only_cache_directory_count;
  bool ok = list || !count;
  for (size_t i = 0; ok && i < count; ++i)
    ok = list[i] != NULL;
  return ok ? FMHAC_OK : FMHAC_INVALID_INPUT;
}

/// Destroys the existing parts of the compiler, users before the parts that
/// they use.
static void destroy_compiler(fmhac_context *context) {
  struct fmhac_compiler *c = context->compiler;
  if (!c)
    return;
  fmhac_workers_destroy(c->workers);
  fmhac_pool_destroy(c->pool);
  fmhac_memory_cache_destroy(c->memory);
  if (c->session)
    c->face->end(context);
  fmhac_release(context->allocator, c->library);
  fmhac_release(context->allocator, c->build);
  pthread_mutex_destroy(&c->lock);
  pthread_mutex_destroy(&c->session_lock);
  fmhac_release(context->allocator, c);
}

/// False: out of memory.
static bool create_compiler(fmhac_context *context) {
  const fmhac_context_options *o = &context->options;
  const fmhac_allocator a = context->allocator;
  struct fmhac_compiler *c = fmhac_allocate(a, sizeof *c);
  context->compiler = c;
  if (!c)
    return false;
  pthread_mutex_init(&c->lock, NULL);
  fmhac_lock_init_checked(&c->session_lock);
  c->memory = fmhac_memory_cache_create(a, o->memory_kernels);
  c->pool = fmhac_pool_create(a, o->parallel_compilations);
  return fmhac_library_find(a, &c->library) && c->memory && c->pool;
}

fmhac_status fmhac_context_create(const fmhac_context_options *options,
                                  fmhac_context **out_context) {
  FMHAC_CLEAR(out_context);
  fmhac_context_options known = {0};
  fmhac_status status = FMHAC_REQUIRE(NULL, FMHAC_GIVEN(out_context));
  if (status == FMHAC_OK && options)
    status = FMHAC_REQUIRE_IN(NULL, &known, fmhac_context_options, log_user,
                              options);
  if (status == FMHAC_OK)
    status = require_directories(&known);
  if (status != FMHAC_OK)
    return status;
  fmhac_context *context = fmhac_context_make(&known);
  if (!context)
    return FMHAC_OUT_OF_MEMORY;
  if (!create_compiler(context)) {
    fmhac_context_destroy(context);
    return FMHAC_OUT_OF_MEMORY;
  }
  *out_context = context;
  return FMHAC_OK;
}

void fmhac_context_destroy(fmhac_context *context) {
  if (!context)
    return;
  destroy_compiler(context);
  fmhac_context_unmake(context);
}

fmhac_status fmhac_context_get_stats(const fmhac_context *context,
                                     fmhac_stats *out_stats) {
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(out_stats));
  if (status != FMHAC_OK)
    return status;
  const fmhac_counters *c = &context->counters;
  const fmhac_stats stats = {.compiles = atomic_load(&c->compiles),
                             .memory_hits = atomic_load(&c->memory_hits),
                             .disk_hits = atomic_load(&c->disk_hits),
                             .compiler_processes = atomic_load(&c->processes)};
  return FMHAC_REQUIRE_OUT(context, out_stats, fmhac_stats, disk_hits, &stats);
}
