// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "llvm/Config/llvm-config.h"

#include "fmhac_abi.h"
#include "fmhac_schedule.h"
#include "processors.h"
#include "str.h"

enum {
  DEFAULT_MEMORY_KERNELS = 256,
  DEFAULT_TIMEOUT_SECONDS = 120,
  MOST_COMPILATIONS = 8
};

fmhac_allocator fmhac_allocator_of(const fmhac_context *context) {
  return context ? context->allocator : (fmhac_allocator){0};
}

void fmhac_lock_init_checked(pthread_mutex_t *lock) {
  pthread_mutexattr_t checked;
  pthread_mutexattr_init(&checked);
  pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(lock, &checked);
  pthread_mutexattr_destroy(&checked);
}

/// Frees a text that copy_text() made.
static void free_text(fmhac_allocator a, const char *text) {
  fmhac_release(a, (char *)(uintptr_t)text);
}

static void free_texts(fmhac_allocator a, fmhac_context_options *options) {
  for (size_t i = 0; i < options->read_only_cache_directory_count; ++i)
    free_text(a, options->read_only_cache_directories[i]);
  fmhac_release(a, (void *)(uintptr_t)options->read_only_cache_directories);
  free_text(a, options->cache_directory);
  free_text(a, options->compiler_program);
  free_text(a, options->dispatch_table);
}

/// Gives the options a copy of a text that they borrow; NULL stays NULL.
static bool copy_text(fmhac_allocator a, const char **text) {
  if (!*text)
    return true;
  *text = fmhac_duplicate_text(a, *text);
  return *text != NULL;
}

/// Makes copies of the caller's texts.
static bool copy_texts(fmhac_allocator a, fmhac_context_options *options) {
  size_t count = options->read_only_cache_directory_count;
  const char *const *given = options->read_only_cache_directories;
  const char **list = fmhac_allocate(a, count * sizeof *list);
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < count; ++i)
    ok = (list[i] = fmhac_duplicate_text(a, given[i])) != NULL;
  options->read_only_cache_directories = list;
  options->read_only_cache_directory_count = list ? count : 0;
  ok &= copy_text(a, &options->cache_directory);
  ok &= copy_text(a, &options->compiler_program);
  ok &= copy_text(a, &options->dispatch_table);
  return ok;
}

fmhac_context *fmhac_context_make(const fmhac_context_options *options) {
  const fmhac_allocator a = {options->reallocate, options->reallocate_user};
  fmhac_context *context = fmhac_allocate(a, sizeof *context);
  if (!context)
    return NULL;
  context->options = *options;
  context->allocator = a;
  context->errors.reallocate = a.reallocate;
  context->errors.user = a.user;
  fmhac_context_options *o = &context->options;
  o->size = sizeof *o;
  if (!o->memory_kernels)
    o->memory_kernels = DEFAULT_MEMORY_KERNELS;
  if (!o->compile_timeout_seconds)
    o->compile_timeout_seconds = DEFAULT_TIMEOUT_SECONDS;
  if (!o->parallel_compilations) {
    const uint32_t most = MOST_COMPILATIONS, found = fmhac_processors();
    o->parallel_compilations = found < most ? found : most;
  }
  if (o->no_cache_directories) {
    o->cache_directory = NULL;
    o->read_only_cache_directory_count = 0;
  }
  if (copy_texts(a, o))
    return context;
  fmhac_context_unmake(context);
  return NULL;
}

void fmhac_context_unmake(fmhac_context *context) {
  const fmhac_allocator a = context->allocator;
  free_texts(a, &context->options);
  fmhac_thread_texts_deinit(&context->errors);
  fmhac_release(a, context);
}

const char *fmhac_last_error(const fmhac_context *context) {
  return context ? fmhac_thread_texts_get(&context->errors) : "";
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

const char *fmhac_context_get_dispatch_table(const fmhac_context *context) {
  return context ? context->options.dispatch_table : NULL;
}

void fmhac_free(void *bytes) { free(bytes); }

uint32_t fmhac_version_number(void) { return FMHAC_VERSION_NUMBER; }

const char *fmhac_version_text(void) {
  _Static_assert(FMHAC_ABI_VERSION == 1, "write the new version below");
  return "fmhac " FMHAC_VERSION ", LLVM " LLVM_VERSION_STRING ", ABI 1";
}
