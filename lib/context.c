// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm/Config/llvm-config.h"

#include "fmhac_abi.h"
#include "session.h"
#include "str.h"

enum { DEFAULT_MEMORY_KERNELS = 256 };

static void free_texts(fmhac_context_options *options) {
  for (size_t i = 0; i < options->read_only_cache_directory_count; ++i)
    free((char *)(uintptr_t)options->read_only_cache_directories[i]);
  free((void *)(uintptr_t)options->read_only_cache_directories);
  free((char *)(uintptr_t)options->cache_directory);
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
  if (options->cache_directory) {
    options->cache_directory = strdup(options->cache_directory);
    ok &= options->cache_directory != NULL;
  }
  return ok;
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
  context->options.size = sizeof context->options;
  context->stats.size = sizeof context->stats;
  uint32_t kernels = context->options.memory_kernels;
  context->memory =
      fmhac_memory_cache_create(kernels ? kernels : DEFAULT_MEMORY_KERNELS);
  if (!copy_texts(&context->options) || !context->memory) {
    fmhac_context_destroy(context);
    return FMHAC_OUT_OF_MEMORY;
  }
  *out_context = context;
  return FMHAC_OK;
}

void fmhac_context_destroy(fmhac_context *context) {
  if (!context)
    return;
  fmhac_memory_cache_destroy(context->memory);
  if (context->session)
    fmhac_session_destroy(context);
  free_texts(&context->options);
  free(context->build);
  free(context->last_error);
  free(context);
}

const char *fmhac_last_error(const fmhac_context *context) {
  return context && context->last_error ? context->last_error : "";
}

fmhac_status fmhac_context_get_stats(const fmhac_context *context,
                                     fmhac_stats *out_stats) {
  size_t size = out_stats->size;
  if (size < sizeof *out_stats)
    return FMHAC_INVALID_INPUT;
  *out_stats = context->stats;
  out_stats->size = size;
  return FMHAC_OK;
}

fmhac_status fmhac_fail(fmhac_context *context, fmhac_status status,
                        const char *format, ...) {
  if (!context)
    return status;
  fmhac_str text = {0};
  va_list arguments;
  va_start(arguments, format);
  fmhac_str_vappendf(&text, format, arguments);
  va_end(arguments);
  // Freed only now: the arguments may quote the previous text.
  free(context->last_error);
  context->last_error = fmhac_str_take(&text);
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
