// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache directory as its owner sees it: entries, faults, removal.
#include <cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "context.h"
#include "disk.h"
#include "fmhac_cache.h"
#include "jit.h"
#include "key_text.h"
#include "require.h"
#include "schedule_list.h"

uint64_t fmhac_cache_limit_bytes(const fmhac_context *context) {
  const uint64_t usual = UINT64_C(1) << 30;
  const uint64_t limit = context->options.cache_limit_bytes;
  return limit ? limit : usual;
}

const char *fmhac_cache_get_directory(const fmhac_context *context) {
  return context ? context->options.cache_directory : NULL;
}

uint64_t fmhac_cache_get_limit_bytes(const fmhac_context *context) {
  return context ? fmhac_cache_limit_bytes(context) : 0;
}

static fmhac_status fail(fmhac_context *context, const fmhac_disk *disk,
                         int error, const char *doing) {
  return fmhac_fail(
      context, error == ENOMEM ? FMHAC_OUT_OF_MEMORY : FMHAC_IO_ERROR,
      "%s the cache directory %s: %s", doing, context->options.cache_directory,
      error == EAGAIN ? "another process is removing entries"
                      : fmhac_disk_explain(disk, error));
}

static fmhac_status require_directory(fmhac_context *context) {
  if (context->options.cache_directory)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "looking at the cache: expected a cache directory, found "
                    "none: FMHAC_CACHE is off, or neither FMHAC_CACHE_DIR nor "
                    "XDG_CACHE_HOME nor HOME is set");
}

//===- Visiting -----------------------------------------------------------===//

typedef struct visitor {
  fmhac_disk *disk;
  const char *build; ///< of this library
  bool (*visit)(void *user, const fmhac_cache_entry *entry);
  void *user;
  bool no_memory;
} visitor;

/// The configuration of an entry; the caller frees. Where another schedule took
/// the place of a table's, which did not fit, it names that one: the note of
/// the code then has another pipeline than the request.
static char *config_of(const fmhac_artefact *artefact) {
  fmhac_span config = {"", 0}, pipeline = {"", 0};
  (void)fmhac_key_text_find(artefact->key, "config", &config);
  (void)fmhac_key_text_find(artefact->key, "pipeline", &pipeline);
  char *text = fmhac_span_copy(config);
  if (!text || !artefact->entry_count ||
      memmem(artefact->code.text, artefact->code.bytes, pipeline.text,
             pipeline.bytes))
    return text;
  cJSON *json = cJSON_Parse(text);
  cJSON *schedule = cJSON_GetObjectItemCaseSensitive(json, "schedule");
  if (cJSON_IsString(schedule)) {
    char *printed =
        cJSON_SetValuestring(schedule, artefact->entries[0].schedule)
            ? cJSON_PrintUnformatted(json)
            : NULL;
    free(text);
    text = printed ? strdup(printed) : NULL;
    cJSON_free(printed);
  }
  cJSON_Delete(json);
  return text;
}

/// Gives the caller the contents of a file.
static bool show(visitor *v, fmhac_cache_entry *entry,
                 const fmhac_artefact *artefact) {
  fmhac_span build = {"", 0};
  (void)fmhac_key_text_find(artefact->key, "build", &build);
  entry->is_current = v->build && build.bytes == strlen(v->build) &&
                      memcmp(build.text, v->build, build.bytes) == 0;
  fmhac_str kernels = {0}, schedules = {0};
  for (size_t i = 0; i < artefact->entry_count; ++i) {
    const fmhac_entry *e = &artefact->entries[i];
    fmhac_str_appendf(&kernels, "%s%s", i ? "; " : "", e->kernel);
    if (e->role == FMHAC_ROLE_ATTENTION)
      fmhac_schedule_list_append(e->schedule, e->when, &schedules);
  }
  char *text = config_of(artefact);
  const bool ok = text && !kernels.failed && !schedules.failed;
  bool go_on = false;
  if (ok) {
    entry->kernel = kernels.text ? kernels.text : "";
    entry->schedule = schedules.text ? schedules.text : "";
    entry->config = text;
    go_on = v->visit(v->user, entry);
  }
  v->no_memory |= !ok;
  free(text);
  fmhac_str_deinit(&kernels);
  fmhac_str_deinit(&schedules);
  return go_on;
}

static bool on_file(void *user, const fmhac_disk_file *file) {
  visitor *v = user;
  fmhac_cache_entry entry = {.size = sizeof entry,
                             .path = file->path,
                             .bytes = (uint64_t)file->status->st_size,
                             .used_seconds = file->status->st_mtime};
  fmhac_artefact artefact = {.entry_count = 0};
  void *bytes = NULL;
  size_t size = 0;
  int error = fmhac_disk_read_file(v->disk, file, &bytes, &size);
  if (error == ENOENT)
    return true; // gone meanwhile
  if (error)
    entry.fault = fmhac_disk_explain(v->disk, error);
  else if (fmhac_artefact_read(bytes, size, &artefact, &entry.fault) &&
           !fmhac_disk_is_place(file->path, artefact.key))
    entry.fault = "compiled from something else";
  if (entry.fault)
    artefact = (fmhac_artefact){.entry_count = 0};
  bool go_on = show(v, &entry, &artefact);
  free(bytes);
  return go_on;
}

static fmhac_status visit_all(fmhac_context *context, const char *build,
                              bool (*visit)(void *user,
                                            const fmhac_cache_entry *entry),
                              void *user) {
  fmhac_disk disk = {.directory = context->options.cache_directory};
  visitor v = {.disk = &disk, .build = build, .visit = visit, .user = user};
  int error = fmhac_disk_visit(&disk, on_file, &v);
  if (!error && v.no_memory)
    error = ENOMEM;
  return error ? fail(context, &disk, error, "reading") : FMHAC_OK;
}

/// Why fmhac_build(), which returned `status`, gives none.
static const char *why_unknown(const fmhac_context *context,
                               fmhac_status status) {
  return status == FMHAC_OK ? FMHAC_NO_BUILD_ID : fmhac_last_error(context);
}

fmhac_status fmhac_cache_visit(fmhac_context *context,
                               bool (*visit)(void *user,
                                             const fmhac_cache_entry *entry),
                               void *user) {
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(visit));
  if (status == FMHAC_OK)
    status = require_directory(context);
  if (status != FMHAC_OK)
    return status;
  const char *build;
  status = fmhac_build(context, &build);
  if (status == FMHAC_OUT_OF_MEMORY)
    return status;
  if (!build[0])
    fmhac_log(context, FMHAC_SEVERITY_WARNING,
              "looking at the cache: this build is not known, so every entry "
              "counts as one of another: %s",
              why_unknown(context, status));
  return visit_all(context, build, visit, user);
}

//===- Removing -----------------------------------------------------------===//

/// Before `function` removes anything.
static fmhac_status require_usage(const fmhac_context *context,
                                  const char *function,
                                  const fmhac_cache_usage *out_usage) {
  const fmhac_argument given[] = {FMHAC_GIVEN(context), FMHAC_GIVEN(out_usage)};
  fmhac_status status = fmhac_require(context, function, given, 2);
  return status == FMHAC_OK
             ? fmhac_require_size(
                   context, function, out_usage, sizeof *out_usage,
                   FMHAC_SIZE_THROUGH(fmhac_cache_usage, removed_bytes),
                   "fmhac_cache_usage")
             : status;
}

fmhac_status fmhac_cache_prune(fmhac_context *context, uint64_t limit_bytes,
                               fmhac_cache_usage *out_usage) {
  fmhac_status status = require_usage(context, __func__, out_usage);
  if (status == FMHAC_OK)
    status = require_directory(context);
  if (status != FMHAC_OK)
    return status;
  fmhac_disk disk = {.directory = context->options.cache_directory};
  fmhac_disk_usage usage;
  int error = fmhac_disk_evict(&disk, limit_bytes, &usage);
  if (error)
    return fail(context, &disk, error, "removing entries of");
  const fmhac_cache_usage known = {.entries = usage.entries,
                                   .bytes = usage.bytes,
                                   .removed = usage.removed,
                                   .removed_bytes = usage.removed_bytes};
  return FMHAC_REQUIRE_OUT(context, out_usage, fmhac_cache_usage, removed_bytes,
                           &known);
}

/// Whoever does not know its own build cannot tell those of others.
static fmhac_status require_build(fmhac_context *context,
                                  const char **out_build) {
  fmhac_status status = fmhac_build(context, out_build);
  if (status == FMHAC_OK && (*out_build)[0])
    return FMHAC_OK;
  return fmhac_fail(context, status == FMHAC_OK ? FMHAC_UNSUPPORTED : status,
                    "removing entries of other builds: this build is not "
                    "known, so nothing is removed: %s",
                    why_unknown(context, status));
}

typedef struct cleaner {
  fmhac_cache_usage *usage;
  bool others;
  int error;
} cleaner;

static bool clean(void *user, const fmhac_cache_entry *entry) {
  cleaner *c = user;
  bool goes = entry->fault || (c->others && !entry->is_current);
  if (goes && unlink(entry->path) != 0 && errno != ENOENT) {
    c->error = errno;
    goes = false;
  }
  *(goes ? &c->usage->removed : &c->usage->entries) += 1;
  *(goes ? &c->usage->removed_bytes : &c->usage->bytes) += entry->bytes;
  return true;
}

fmhac_status fmhac_cache_clean(fmhac_context *context, bool others,
                               fmhac_cache_usage *out_usage) {
  fmhac_status status = require_usage(context, __func__, out_usage);
  if (status == FMHAC_OK)
    status = require_directory(context);
  const char *build = "";
  if (status == FMHAC_OK && others)
    status = require_build(context, &build);
  if (status != FMHAC_OK)
    return status;
  fmhac_cache_usage usage = {.size = sizeof usage};
  cleaner c = {.usage = &usage, .others = others};
  status = visit_all(context, build, clean, &c);
  if (status == FMHAC_OK && c.error)
    status = fail(context, &(fmhac_disk){.directory = ""}, c.error,
                  "removing entries of");
  const fmhac_status given = FMHAC_REQUIRE_OUT(
      context, out_usage, fmhac_cache_usage, removed_bytes, &usage);
  return status == FMHAC_OK ? given : status;
}
