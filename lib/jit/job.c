// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations in the background: a queue, and threads that empty it.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compiler.h"
#include "config.h"
#include "context.h"
#include "control.h"
#include "fmhac_jobs.h"
#include "jit.h"
#include "kernel.h"
#include "memory_cache.h"
#include "pool.h"
#include "require.h"

struct fmhac_workers {
  fmhac_context *context; ///< borrowed
  pid_t owner;            ///< whose threads they are: none in a forked child
  pthread_mutex_t lock;   ///< of everything below, and of the jobs' results
  pthread_cond_t queued;  ///< a job, or the end
  pthread_cond_t finished;
  fmhac_job *first, **last; ///< the queue
  unsigned length;          ///< of the queue
  unsigned idle, count;     ///< threads
  pthread_t *threads;       ///< room for as many as compile side by side
  bool ending;
};

struct fmhac_job {
  fmhac_context *context; ///< borrowed
  fmhac_workers *workers; ///< borrowed
  fmhac_config config;    ///< a copy; its text is owned
  fmhac_job_options options;
  fmhac_control control;
  fmhac_job *next; ///< in the queue
  // The result, under the lock of the workers.
  bool is_finished;
  bool is_let_go; ///< no thread will touch it any more
  fmhac_status status;
  char *text;           ///< owned; of a failure
  fmhac_kernel *kernel; ///< retained
};

//===- Threads ------------------------------------------------------------===//

/// Ends a job with its result and takes ownership of the result.
static void finish(fmhac_workers *w, fmhac_job *job, fmhac_status status,
                   char *text, fmhac_kernel *kernel) {
  pthread_mutex_lock(&w->lock);
  job->status = status;
  job->text = text;
  job->kernel = kernel;
  job->is_finished = true;
  pthread_cond_broadcast(&w->finished);
  pthread_mutex_unlock(&w->lock);
  if (job->options.finished)
    job->options.finished(job->options.user);
  pthread_mutex_lock(&w->lock);
  job->is_let_go = true;
  pthread_cond_broadcast(&w->finished);
  pthread_mutex_unlock(&w->lock);
}

static void run(fmhac_workers *w, fmhac_job *job) {
  fmhac_kernel *kernel = NULL;
  fmhac_status status =
      fmhac_jit_compile(w->context, &job->config, &job->control, &kernel);
  char *text = status == FMHAC_OK
                   ? NULL
                   : fmhac_duplicate_text(w->context->allocator,
                                          fmhac_last_error(w->context));
  finish(w, job, status, text, kernel);
}

static void append(fmhac_workers *w, fmhac_job *job) {
  *w->last = job;
  w->last = &job->next;
  ++w->length;
}

/// Takes a job out of the queue. False: it is not there.
static bool unlink_job(fmhac_workers *w, const fmhac_job *job) {
  for (fmhac_job **at = &w->first; *at; at = &(*at)->next)
    if (*at == job) {
      *at = job->next;
      if (!*at)
        w->last = at;
      --w->length;
      return true;
    }
  return false;
}

static void *work(void *user) {
  fmhac_workers *w = user;
  pthread_mutex_lock(&w->lock);
  for (;;) {
    ++w->idle;
    while (!w->first && !w->ending)
      pthread_cond_wait(&w->queued, &w->lock);
    --w->idle;
    fmhac_job *job = w->first;
    if (!job)
      break;
    unlink_job(w, job);
    pthread_mutex_unlock(&w->lock);
    run(w, job);
    pthread_mutex_lock(&w->lock);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

static fmhac_workers *create_workers(fmhac_context *context) {
  const fmhac_allocator a = context->allocator;
  fmhac_workers *w = fmhac_allocate(a, sizeof *w);
  pthread_t *threads = fmhac_allocate(
      a, context->options.parallel_compilations * sizeof *threads);
  if (!w || !threads) {
    fmhac_release(a, w);
    fmhac_release(a, threads);
    return NULL;
  }
  w->context = context;
  w->owner = getpid();
  w->threads = threads;
  w->last = &w->first;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->queued, NULL);
  pthread_cond_init(&w->finished, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return w;
}

static fmhac_workers *get_workers(fmhac_context *context) {
  pthread_mutex_lock(&context->compiler->lock);
  // After fork() the parent's threads do not exist; their locks are not
  // touched.
  if (!context->compiler->workers ||
      context->compiler->workers->owner != getpid())
    context->compiler->workers = create_workers(context);
  fmhac_workers *w = context->compiler->workers;
  pthread_mutex_unlock(&context->compiler->lock);
  return w;
}

void fmhac_workers_destroy(fmhac_workers *w) {
  if (!w || w->owner != getpid())
    return;
  pthread_mutex_lock(&w->lock);
  w->ending = true;
  pthread_cond_broadcast(&w->queued);
  pthread_mutex_unlock(&w->lock);
  for (unsigned i = 0; i < w->count; ++i)
    pthread_join(w->threads[i], NULL);
  pthread_cond_destroy(&w->queued);
  pthread_cond_destroy(&w->finished);
  pthread_mutex_destroy(&w->lock);
  const fmhac_allocator a = w->context->allocator;
  fmhac_release(a, w->threads);
  fmhac_release(a, w);
}

/// Starts one more thread unless one is idle or enough are running; the caller
/// has the lock. Returns an errno if no thread is running. Signals go to the
/// program's own threads.
static int start_thread(fmhac_workers *w) {
  if (w->length < w->idle ||
      w->count == w->context->options.parallel_compilations)
    return 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&w->threads[w->count], NULL, work, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  w->count += !error;
  return w->count ? 0 : error;
}

//===- Jobs ---------------------------------------------------------------===//

static void on_stage(void *user, const char *stage, uint32_t done,
                     uint32_t total) {
  fmhac_job *job = user;
  fmhac_job_progress progress = {
      .size = sizeof progress, .done = done, .total = total};
  strncpy(progress.stage, stage, sizeof progress.stage - 1);
  job->options.progress(job->options.user, &progress);
}

static void free_job(fmhac_job *job) {
  const fmhac_allocator a = job->context->allocator;
  fmhac_kernel_destroy(job->kernel);
  fmhac_release(a, job->config.canonical);
  fmhac_release(a, job->text);
  fmhac_control_deinit(&job->control);
  fmhac_release(a, job);
}

static fmhac_job *create_job(fmhac_context *context, const fmhac_config *config,
                             const fmhac_job_options *options) {
  const fmhac_allocator a = context->allocator;
  fmhac_job *job = fmhac_allocate(a, sizeof *job);
  char *canonical = fmhac_duplicate_text(a, config->canonical);
  if (!job || !canonical) {
    fmhac_release(a, job);
    fmhac_release(a, canonical);
    return NULL;
  }
  job->context = context;
  job->config = *config;
  job->config.canonical = canonical;
  fmhac_control_init(&job->control);
  job->options = *options;
  if (job->options.progress) {
    job->control.progress = on_stage;
    job->control.user = job;
  }
  return job;
}

fmhac_status fmhac_compile_start(fmhac_context *context,
                                 const fmhac_config *config,
                                 const fmhac_job_options *options,
                                 fmhac_job **out_job) {
  fmhac_job_options known = {.size = sizeof known};
  FMHAC_CLEAR(out_job);
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_OWNED(config), FMHAC_GIVEN(out_job));
  if (status == FMHAC_OK && options)
    status =
        FMHAC_REQUIRE_IN(context, &known, fmhac_job_options, user, options);
  if (status != FMHAC_OK)
    return status;
  fmhac_workers *w = get_workers(context);
  fmhac_job *job = w ? create_job(context, config, &known) : NULL;
  if (!job)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "starting a job: no memory for it");
  job->workers = w;
  pthread_mutex_lock(&w->lock);
  int error = start_thread(w);
  if (!error) {
    append(w, job);
    pthread_cond_signal(&w->queued);
  }
  pthread_mutex_unlock(&w->lock);
  if (error) {
    free_job(job);
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "starting a job: no thread: %s", strerror(error));
  }
  *out_job = job;
  return FMHAC_OK;
}

fmhac_status fmhac_job_get_progress(fmhac_job *job,
                                    fmhac_job_progress *out_progress) {
  fmhac_status status = FMHAC_REQUIRE(
      job ? job->context : NULL, FMHAC_GIVEN(job), FMHAC_GIVEN(out_progress));
  if (status != FMHAC_OK)
    return status;
  fmhac_job_progress progress;
  fmhac_workers *w = job->workers;
  pthread_mutex_lock(&w->lock);
  progress.finished = job->is_finished;
  const bool is_whole = job->is_finished && job->status == FMHAC_OK;
  pthread_mutex_unlock(&w->lock);
  fmhac_control *control = &job->control;
  pthread_mutex_lock(&control->lock);
  progress.done = is_whole ? control->total : control->done;
  progress.total = control->total;
  memcpy(progress.stage, control->pass, sizeof progress.stage);
  pthread_mutex_unlock(&control->lock);
  return FMHAC_REQUIRE_OUT(job->context, out_progress, fmhac_job_progress,
                           stage, &progress);
}

/// The time `milliseconds` from now.
static struct timespec time_after(int64_t milliseconds) {
  enum { PER_SECOND = 1000, NANOSECONDS_EACH = 1000000 };
  const int64_t most = INT32_MAX; // seconds: every time_t holds them
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  int64_t seconds = milliseconds / PER_SECOND;
  at.tv_sec += (time_t)(seconds < most ? seconds : most);
  at.tv_nsec += (long)(milliseconds % PER_SECOND) * NANOSECONDS_EACH;
  if (at.tv_nsec >= PER_SECOND * NANOSECONDS_EACH) {
    at.tv_nsec -= PER_SECOND * NANOSECONDS_EACH;
    ++at.tv_sec;
  }
  return at;
}

fmhac_status fmhac_job_wait(fmhac_job *job, int64_t milliseconds,
                            fmhac_kernel **out_kernel) {
  FMHAC_CLEAR(out_kernel);
  fmhac_status status = FMHAC_REQUIRE(
      job ? job->context : NULL, FMHAC_GIVEN(job), FMHAC_GIVEN(out_kernel));
  if (status != FMHAC_OK)
    return status;
  fmhac_workers *w = job->workers;
  const bool for_ever = milliseconds < 0;
  const struct timespec end = time_after(for_ever ? 0 : milliseconds);
  pthread_mutex_lock(&w->lock);
  int error = 0;
  while (!job->is_finished && error != ETIMEDOUT)
    error = for_ever ? pthread_cond_wait(&w->finished, &w->lock)
                     : pthread_cond_timedwait(&w->finished, &w->lock, &end);
  const bool finished = job->is_finished;
  if (job->kernel)
    *out_kernel = fmhac_kernel_retain(job->kernel);
  pthread_mutex_unlock(&w->lock);
  if (!finished)
    return fmhac_fail(job->context, FMHAC_TIMED_OUT,
                      "waiting for a job: not finished after %lld ms",
                      (long long)milliseconds);
  // A finished job does not change any more.
  return job->status == FMHAC_OK
             ? FMHAC_OK
             : fmhac_fail(job->context, job->status, "%s",
                          job->text ? job->text : "out of memory");
}

void fmhac_job_cancel(fmhac_job *job) {
  if (!job)
    return;
  // With `finished` another thread may destroy the job.
  fmhac_context *context = job->context;
  fmhac_workers *w = job->workers;
  fmhac_control_cancel(&job->control);
  pthread_mutex_lock(&w->lock);
  const bool was_queued = unlink_job(w, job);
  pthread_mutex_unlock(&w->lock);
  if (was_queued)
    finish(w, job, FMHAC_CANCELLED,
           fmhac_duplicate_text(context->allocator, "compiling: cancelled"),
           NULL);
  fmhac_pool_wake(context->compiler->pool);
  fmhac_memory_cache_wake(context->compiler->memory);
}

void fmhac_job_destroy(fmhac_job *job) {
  if (!job)
    return;
  fmhac_workers *w = job->workers;
  fmhac_job_cancel(job);
  pthread_mutex_lock(&w->lock);
  while (!job->is_let_go)
    pthread_cond_wait(&w->finished, &w->lock);
  pthread_mutex_unlock(&w->lock);
  free_job(job);
}
