// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fmhac_pool {
  fmhac_allocator allocator;
  pthread_mutex_t lock;
  pthread_cond_t place;  ///< one has become free
  unsigned limit, taken; ///< places
  fmhac_process *resting;
  char *program; ///< found when the first process starts
};

fmhac_pool *fmhac_pool_create(fmhac_allocator allocator, unsigned limit) {
  fmhac_pool *pool = fmhac_allocate(allocator, sizeof *pool);
  if (!pool)
    return NULL;
  pool->allocator = allocator;
  pool->limit = limit;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->place, NULL);
  return pool;
}

void fmhac_pool_destroy(fmhac_pool *pool) {
  if (!pool)
    return;
  while (pool->resting) {
    fmhac_process *process = pool->resting;
    pool->resting = process->next;
    fmhac_process_end(process, NULL);
  }
  pthread_cond_destroy(&pool->place);
  pthread_mutex_destroy(&pool->lock);
  fmhac_release(pool->allocator, pool->program);
  fmhac_release(pool->allocator, pool);
}

/// Where this library lies, up to its last slash, and behind it `relative`.
static char *beside_library(const char *relative) {
  Dl_info info;
  char *library = NULL;
  if (dladdr((void *)(uintptr_t)fmhac_pool_create, &info) && info.dli_fname)
    library = realpath(info.dli_fname, NULL);
  char *slash = library ? strrchr(library, '/') : NULL;
  fmhac_str path = {0};
  if (slash) {
    fmhac_str_append_bytes(&path, library, (size_t)(slash + 1 - library));
    fmhac_str_append(&path, relative);
  }
  free(library);
  return slash ? fmhac_str_take(&path) : NULL;
}

/// The program, as the options say or from where installation or build put it.
static char *find_program(const fmhac_context *context, fmhac_str *tried) {
  static const char *const places[] = {FMHAC_COMPILER_FROM_LIBRARY,
                                       "../libexec/fmhac/fmhac-compiler"};
  const char *asked = context->options.compiler_program;
  for (size_t i = 0; i < (asked ? 1 : sizeof places / sizeof places[0]); ++i) {
    char *path = asked ? strdup(asked) : beside_library(places[i]);
    if (path && access(path, X_OK) == 0) {
      char *kept = fmhac_duplicate_text(context->allocator, path);
      free(path);
      return kept;
    }
    int error = errno;
    if (path && !(i && strcmp(places[0], places[1]) == 0))
      fmhac_str_appendf(tried, "%s%s (%s)", tried->length ? ", " : "", path,
                        strerror(error));
    free(path);
  }
  return NULL;
}

/// A new process; the caller has a place and not the lock.
static fmhac_status start(fmhac_context *context, fmhac_process **out) {
  fmhac_pool *pool = context->pool;
  fmhac_str tried = {0};
  pthread_mutex_lock(&pool->lock);
  if (!pool->program)
    pool->program = find_program(context, &tried);
  const char *program = pool->program; // stays until the pool goes
  pthread_mutex_unlock(&pool->lock);
  int error = program ? fmhac_process_start(pool->allocator, program, out) : 0;
  fmhac_status status = FMHAC_OK;
  if (!program)
    status = fmhac_fail(
        context, FMHAC_IO_ERROR,
        "starting a compiler process: expected the program fmhac-compiler, "
        "tried %s; install libfmhac as a whole, name the program in "
        "compiler_program, or set compile_in_process (FMHAC_COMPILER=in-process)",
        tried.text ? tried.text : "no place: the library has none");
  else if (error)
    status = fmhac_fail(
        context, error == ENOMEM ? FMHAC_OUT_OF_MEMORY : FMHAC_IO_ERROR,
        "starting a compiler process, %s: %s", program, strerror(error));
  fmhac_str_deinit(&tried);
  if (status == FMHAC_OK)
    atomic_fetch_add(&context->counters.processes, 1);
  return status;
}

static void leave(fmhac_pool *pool) {
  --pool->taken;
  pthread_cond_signal(&pool->place);
}

fmhac_status fmhac_pool_take(fmhac_context *context, fmhac_control *control,
                             bool fresh, fmhac_process **out_process) {
  fmhac_pool *pool = context->pool;
  *out_process = NULL;
  pthread_mutex_lock(&pool->lock);
  bool cancelled;
  while (!(cancelled = fmhac_control_is_cancelled(control)) &&
         pool->taken >= pool->limit)
    pthread_cond_wait(&pool->place, &pool->lock);
  if (!cancelled) {
    ++pool->taken;
    if (pool->resting && !fresh) {
      *out_process = pool->resting;
      pool->resting = pool->resting->next;
    }
  }
  pthread_mutex_unlock(&pool->lock);
  if (cancelled)
    return fmhac_fail(context, FMHAC_CANCELLED,
                      "compiling: cancelled before it began");
  if (*out_process)
    return FMHAC_OK;
  fmhac_status status = start(context, out_process);
  if (status != FMHAC_OK) {
    pthread_mutex_lock(&pool->lock);
    leave(pool);
    pthread_mutex_unlock(&pool->lock);
  }
  return status;
}

void fmhac_pool_give(fmhac_pool *pool, fmhac_process *process) {
  process->has_served = true;
  pthread_mutex_lock(&pool->lock);
  process->next = pool->resting;
  pool->resting = process;
  leave(pool);
  pthread_mutex_unlock(&pool->lock);
}

void fmhac_pool_drop(fmhac_pool *pool, fmhac_process *process, fmhac_str *out) {
  fmhac_process_end(process, out);
  pthread_mutex_lock(&pool->lock);
  leave(pool);
  pthread_mutex_unlock(&pool->lock);
}

void fmhac_pool_wake(fmhac_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->place);
  pthread_mutex_unlock(&pool->lock);
}
