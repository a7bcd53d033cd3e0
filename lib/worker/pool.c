// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.h"
#include "beside.h"
#include "compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSTEAD "set compile_in_process (FMHAC_COMPILER=in-process)"

struct fmhac_pool {
  fmhac_allocator allocator;
  pthread_mutex_t lock;
  pthread_cond_t place;  ///< one has become free
  unsigned limit, taken; ///< places
  fmhac_process *resting, *working;
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

static void end_all(fmhac_process *list) {
  while (list) {
    fmhac_process *process = list;
    list = list->next;
    fmhac_process_end(process, NULL);
  }
}

/// Takes out processes that have gone, and those of the process that this one
/// was forked from. The caller has the lock; it ends them after releasing it.
static fmhac_process *sweep(fmhac_pool *pool) {
  fmhac_process *gone = NULL;
  for (fmhac_process **at = &pool->resting; *at;) {
    fmhac_process *process = *at;
    if (!fmhac_process_is_gone(process)) {
      at = &process->next;
      continue;
    }
    *at = process->next;
    process->next = gone;
    gone = process;
  }
  return gone;
}

void fmhac_pool_destroy(fmhac_pool *pool) {
  if (!pool)
    return;
  end_all(pool->resting);
  pthread_cond_destroy(&pool->place);
  pthread_mutex_destroy(&pool->lock);
  fmhac_release(pool->allocator, pool->program);
  fmhac_release(pool->allocator, pool);
}

/// The program, as the options say or from where installation or build put it;
/// NULL with the places tried, which have failed if memory is exhausted.
static char *find_program(const fmhac_context *context, fmhac_str *tried) {
  static const char *const places[] = {FMHAC_COMPILER_FROM_LIBRARY,
                                       "../libexec/fmhac/fmhac-compiler"};
  const char *asked = context->options.compiler_program;
  for (size_t i = 0; i < (asked ? 1 : sizeof places / sizeof places[0]); ++i) {
    char *path =
        asked ? strdup(asked)
              : fmhac_beside_library(context->compiler->library, places[i]);
    if (path && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0) {
      char *kept = fmhac_duplicate_text(context->allocator, path);
      tried->failed |= !kept;
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
  fmhac_pool *pool = context->compiler->pool;
  fmhac_str tried = {0};
  pthread_mutex_lock(&pool->lock);
  if (!pool->program)
    pool->program = find_program(context, &tried);
  const char *program = pool->program; // stays until the pool goes
  pthread_mutex_unlock(&pool->lock);
  const char *step = "memory for its path";
  int error = tried.failed ? ENOMEM : 0;
  if (program)
    error = fmhac_process_start(pool->allocator, program, out, &step);
  fmhac_status status = FMHAC_OK;
  if (!program && !error)
    status = fmhac_fail(
        context, FMHAC_IO_ERROR,
        "starting a compiler process: expected the program fmhac-compiler, "
        "tried %s; install libfmhac as a whole, name the program in "
        "compiler_program, or " INSTEAD,
        tried.text ? tried.text
                   : "no place: where the library lies is unknown");
  else if (error)
    status = fmhac_fail(
        context, error == ENOMEM ? FMHAC_OUT_OF_MEMORY : FMHAC_IO_ERROR,
        "starting a compiler process: %s: %s; to do without, " INSTEAD, step,
        strerror(error));
  fmhac_str_deinit(&tried);
  if (status == FMHAC_OK)
    atomic_fetch_add(&context->counters.processes, 1);
  return status;
}

/// Gives the place of a process back; NULL: it never had one.
static void leave(fmhac_pool *pool, const fmhac_process *process) {
  for (fmhac_process **at = &pool->working; *at; at = &(*at)->next)
    if (*at == process) {
      *at = process->next;
      break;
    }
  --pool->taken;
  pthread_cond_signal(&pool->place);
}

static void enter(fmhac_pool *pool, fmhac_process *process) {
  fmhac_process_begin(process);
  process->next = pool->working;
  pool->working = process;
}

/// Whether this thread has a process at work: a callback of it wants another.
static bool is_called_back(const fmhac_pool *pool) {
  const fmhac_process *p = pool->working;
  while (p && !pthread_equal(p->user, pthread_self()))
    p = p->next;
  return p != NULL;
}

/// Waits for a place and takes it, with a process that rests if `may_rest`.
static fmhac_status wait_for_place(fmhac_context *context,
                                   fmhac_control *control, bool may_rest,
                                   fmhac_process **out_process) {
  fmhac_pool *pool = context->compiler->pool;
  pthread_mutex_lock(&pool->lock);
  fmhac_process *gone = sweep(pool);
  bool called_back = is_called_back(pool), cancelled = false;
  while (!called_back && !(cancelled = fmhac_control_is_cancelled(control)) &&
         pool->taken >= pool->limit)
    pthread_cond_wait(&pool->place, &pool->lock);
  if (!called_back && !cancelled) {
    ++pool->taken;
    if (may_rest && pool->resting) {
      *out_process = pool->resting;
      pool->resting = pool->resting->next;
      enter(pool, *out_process);
    }
  }
  pthread_mutex_unlock(&pool->lock);
  end_all(gone);
  if (called_back)
    return fmhac_fail(context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  return cancelled ? fmhac_fail(context, FMHAC_CANCELLED,
                                "compiling: cancelled before it began")
                   : FMHAC_OK;
}

fmhac_status fmhac_pool_take(fmhac_context *context, fmhac_control *control,
                             bool fresh, fmhac_process **out_process) {
  fmhac_pool *pool = context->compiler->pool;
  *out_process = NULL;
  fmhac_status status = wait_for_place(context, control, !fresh, out_process);
  if (status != FMHAC_OK || *out_process)
    return status;
  status = start(context, out_process);
  pthread_mutex_lock(&pool->lock);
  if (status == FMHAC_OK)
    enter(pool, *out_process);
  else
    leave(pool, NULL);
  pthread_mutex_unlock(&pool->lock);
  return status;
}

void fmhac_pool_give(fmhac_pool *pool, fmhac_process *process) {
  pthread_mutex_lock(&pool->lock);
  fmhac_process *gone = sweep(pool);
  leave(pool, process);
  process->has_served = true;
  process->next = pool->resting;
  pool->resting = process;
  pthread_mutex_unlock(&pool->lock);
  end_all(gone);
}

void fmhac_pool_drop(fmhac_pool *pool, fmhac_process *process, fmhac_str *out) {
  pthread_mutex_lock(&pool->lock);
  leave(pool, process);
  pthread_mutex_unlock(&pool->lock);
  fmhac_process_end(process, out);
}

void fmhac_pool_wake(fmhac_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pthread_cond_broadcast(&pool->place);
  pthread_mutex_unlock(&pool->lock);
}
