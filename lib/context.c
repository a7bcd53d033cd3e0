// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "context.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm/Config/llvm-config.h"

#include "fmhac_abi.h"
#include "session.h"
#include "str.h"

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
  fmhac_status status = fmhac_session_create(context);
  if (status != FMHAC_OK) {
    // The context goes, and the text of the failure with it.
    fmhac_log(context, FMHAC_SEVERITY_ERROR, "%s", fmhac_last_error(context));
    fmhac_context_destroy(context);
    return status;
  }
  *out_context = context;
  return FMHAC_OK;
}

void fmhac_context_destroy(fmhac_context *context) {
  if (!context)
    return;
  if (context->session)
    fmhac_session_destroy(context);
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
