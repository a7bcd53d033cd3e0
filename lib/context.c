// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llvm/Config/llvm-config.h"

#include "fmhac_abi.h"
#include "job.h"
#include "pool.h"
#include "session.h"
#include "str.h"

enum { DEFAULT_MEMORY_KERNELS = 256, MOST_COMPILATIONS = 8 };

static void free_texts(fmhac_context_options *options) {
  for (size_t i = 0; i < options->read_only_cache_directory_count; ++i)
    free((char *)(uintptr_t)options->read_only_cache_directories[i]);
  free((void *)(uintptr_t)options->read_only_cache_directories);
  free((char *)(uintptr_t)options->cache_directory);
  free((char *)(uintptr_t)options->compiler_program);
}

/// Gives the options a copy of a text that they borrow; NULL stays NULL.
static bool copy_text(const char **text) {
  if (!*text)
    return true;
  *text = strdup(*text);
  return *text != NULL;
}

/// Makes copies of the caller's texts.
static bool copy_texts(fmhac_context_options *options) {
  size_t count = options->read_only_cache_directory_count;
  const char *const *given = options->read_only_cache_directories;
  const char **list = calloc(count + 1, sizeof *list);
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < count; ++i)
    ok &= (list[i] = strdup(given[i])) != NULL;
  options->read_only_cache_directories = list;
  options->read_only_cache_directory_count = list ? count : 0;
  ok &= copy_text(&options->cache_directory);
  ok &= copy_text(&options->compiler_program);
  return ok;
}

static uint32_t processors(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1                   ? 1
         : online > MOST_COMPILATIONS ? MOST_COMPILATIONS
                                      : (uint32_t)online;
}

fmhac_status fmhac_context_create(const fmhac_context_options *options,
                                  fmhac_context **out_context) {
  *out_context = NULL;
  // The first release ended with `log_user`.
  const size_t least = offsetof(fmhac_context_options, no_line_tables);
  if (options && options->size < least)
    return FMHAC_INVALID_INPUT;
  fmhac_context *context = calloc(1, sizeof *context);
  if (!context)
    return FMHAC_OUT_OF_MEMORY;
  if (options)
    memcpy(&context->options, options,
           options->size < sizeof *options ? options->size : sizeof *options);
  fmhac_context_options *o = &context->options;
  o->size = sizeof *o;
  if (!o->memory_kernels)
    o->memory_kernels = DEFAULT_MEMORY_KERNELS;
  if (!o->parallel_compilations)
    o->parallel_compilations = processors();
  pthread_mutex_init(&context->lock, NULL);
  pthread_mutex_init(&context->session_lock, NULL);
  context->memory = fmhac_memory_cache_create(o->memory_kernels);
  context->pool = fmhac_pool_create(o->parallel_compilations);
  if (o->no_cache_directories) {
    o->cache_directory = NULL;
    o->read_only_cache_directory_count = 0;
  }
  if (!copy_texts(o) || !context->memory || !context->pool) {
    fmhac_context_destroy(context);
    return FMHAC_OUT_OF_MEMORY;
  }
  *out_context = context;
  return FMHAC_OK;
}

void fmhac_context_destroy(fmhac_context *context) {
  if (!context)
    return;
  fmhac_workers_destroy(context->workers);
  fmhac_pool_destroy(context->pool);
  fmhac_memory_cache_destroy(context->memory);
  if (context->session)
    fmhac_session_destroy(context);
  free_texts(&context->options);
  free(context->build);
  fmhac_thread_texts_deinit(&context->errors);
  pthread_mutex_destroy(&context->lock);
  pthread_mutex_destroy(&context->session_lock);
  free(context);
}

const char *fmhac_last_error(const fmhac_context *context) {
  return context ? fmhac_thread_texts_get(&context->errors) : "";
}

fmhac_status fmhac_context_get_stats(const fmhac_context *context,
                                     fmhac_stats *out_stats) {
  // The first release ended with `disk_hits`.
  const size_t least = offsetof(fmhac_stats, compiler_processes);
  const size_t size = out_stats->size;
  if (size < least)
    return FMHAC_INVALID_INPUT;
  const fmhac_counters *c = &context->counters;
  const fmhac_stats stats = {.size = size,
                             .compiles = atomic_load(&c->compiles),
                             .memory_hits = atomic_load(&c->memory_hits),
                             .disk_hits = atomic_load(&c->disk_hits),
                             .compiler_processes = atomic_load(&c->processes)};
  memset(out_stats, 0, size);
  memcpy(out_stats, &stats, size < sizeof stats ? size : sizeof stats);
  return FMHAC_OK;
}

fmhac_status fmhac_fail(fmhac_context *context, fmhac_status status,
                        const char *format, ...) {
  if (!context)
    return status;
  va_list arguments;
  va_start(arguments, format);
  fmhac_thread_texts_vset(&context->errors, format, arguments);
  va_end(arguments);
  return status;
}

void fmhac_log(fmhac_context *context, fmhac_severity severity,
               const char *format, ...) {
  if (!context || !context->options.log)
    return;
  fmhac_str line = {0};
  va_list arguments;
  va_start(arguments, format);
  fmhac_str_vappendf(&line, format, arguments);
  va_end(arguments);
  char *text = fmhac_str_take(&line);
  if (text)
    context->options.log(context->options.log_user, severity, text);
  free(text);
}

void fmhac_free(void *bytes) { free(bytes); }

const char *fmhac_version_text(void) {
  _Static_assert(FMHAC_ABI_VERSION == 1, "write the new version below");
  return "fmhac " FMHAC_VERSION ", LLVM " LLVM_VERSION_STRING ", ABI 1";
}
