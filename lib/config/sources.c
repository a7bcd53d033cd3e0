// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "context.h"

static void drop_mark(fmhac_str *text) {
  const size_t bytes = (size_t)(fmhac_skip_mark(text->text) - text->text);
  text->length -= bytes;
  memmove(text->text, text->text + bytes, text->length + 1);
}

fmhac_status fmhac_source_read(fmhac_context *context, const char *what,
                               const char *path, fmhac_str *out) {
  fmhac_str_append(out, ""); // an empty file is an empty text, not none
  FILE *file = fopen(path, "rb");
  if (!file)
    return fmhac_fail(context, FMHAC_IO_ERROR, "reading the %s '%s': %s", what,
                      path, strerror(errno));
  char chunk[4096];
  size_t got;
  while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
    fmhac_str_append_bytes(out, chunk, got);
  int error = ferror(file) ? errno : 0;
  fclose(file);
  if (error)
    return fmhac_fail(context, FMHAC_IO_ERROR, "reading the %s '%s': %s", what,
                      path, strerror(error));
  if (!out->failed)
    drop_mark(out);
  if (out->failed)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "reading the %s '%s': out of memory", what, path);
  return FMHAC_OK;
}

fmhac_status fmhac_sources_read(fmhac_context *context,
                                const fmhac_config *config,
                                fmhac_sources *out) {
  *out = (fmhac_sources){0};
  const fmhac_config_values *values = &config->values;
  const fmhac_schedule_list *list = &config->schedules;
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < list->count && status == FMHAC_OK; ++i) {
    if (!fmhac_schedule_is_path(list->items[i].name))
      continue;
    status = fmhac_source_read(context, "schedule", list->items[i].name,
                               &out->schedules[i]);
    if (status != FMHAC_OK && i < config->row_count)
      status = fmhac_fail(context, status, "table of schedules %s:%u: %s",
                          context->options.dispatch_table, config->rows[i].line,
                          fmhac_last_error(context));
  }
  if (status == FMHAC_OK && values->score_mod[0])
    status = fmhac_source_read(context, "function of scores", values->score_mod,
                               &out->score_mod);
  return status;
}

void fmhac_sources_deinit(fmhac_sources *sources) {
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    fmhac_str_deinit(&sources->schedules[i]);
  fmhac_str_deinit(&sources->score_mod);
}
