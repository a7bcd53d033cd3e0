// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_compile(): from memory, from disk, or from the compiler.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "compiler.h"
#include "disk.h"
#include "jit.h"
#include "kernel_artefact.h"
#include "key_text.h"
#include "memory_cache.h"
#include "package.h"
#include "pass_table.h"
#include "remote.h"
#include "require.h"

//===- Keys ---------------------------------------------------------------===//

/// If a table chose the schedule and it does not fit, another one may replace
/// it.
static void append_chooser(fmhac_str *out, const fmhac_config *config) {
  fmhac_key_text_append(out, "chooser", config->row_count ? "table" : NULL);
}

/// Everything that the code depends on, as text. Empty where the disk is left
/// alone.
static void make_key_text(fmhac_context *context, const fmhac_config *config,
                          const fmhac_choice *choice,
                          const fmhac_sources *sources, fmhac_str *out) {
  const char *build;
  const fmhac_status status = fmhac_build(context, &build);
  if (!build[0]) {
    fmhac_log(
        context, FMHAC_SEVERITY_WARNING, "cache directories are left alone: %s",
        status == FMHAC_OK ? FMHAC_NO_BUILD_ID : fmhac_last_error(context));
    return;
  }
  char *pipeline = fmhac_pipeline_print(choice->builtins.text,
                                        !context->options.no_line_tables);
  fmhac_key_text_append(out, "build", build);
  fmhac_key_text_append(out, "config", config->canonical);
  for (size_t i = 0; i < choice->count; ++i) {
    fmhac_str bases = {0};
    fmhac_schedule_append_bases(choice->entries[i].text, &bases);
    fmhac_key_text_append(out, "when", choice->entries[i].when);
    fmhac_key_text_append(out, "schedule", choice->entries[i].text);
    fmhac_key_text_append(out, "bases", bases.text);
    out->failed |= bases.failed;
    fmhac_str_deinit(&bases);
  }
  fmhac_key_text_append(out, "score_mod", sources->score_mod.text);
  append_chooser(out, config);
  fmhac_key_text_append(out, "pipeline", pipeline);
  if (context->options.no_audit)
    fmhac_key_text_append(out, "audit", "none");
  out->failed |= !pipeline;
  free(pipeline);
}

/// The key of the kernels that the context keeps in memory.
static fmhac_span request_of(const fmhac_config *config,
                             const fmhac_sources *sources, fmhac_str *room) {
  bool has_files = sources->score_mod.text;
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    has_files |= sources->schedules[i].text != NULL;
  if (!has_files)
    return (fmhac_span){config->canonical, strlen(config->canonical)};
  fmhac_key_text_append(room, "config", config->canonical);
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    if (sources->schedules[i].text)
      fmhac_key_text_append(room, "schedule", sources->schedules[i].text);
  fmhac_key_text_append(room, "score_mod", sources->score_mod.text);
  append_chooser(room, config);
  return (fmhac_span){room->text, room->length};
}

//===- The disk -----------------------------------------------------------===//

/// Looks into one directory; any fault there is a miss and a warning, unless
/// the warning was given before.
static bool look_up(fmhac_context *context, fmhac_disk *disk,
                    const fmhac_cache_key *key, bool quiet,
                    fmhac_kernel *kernel) {
  void *bytes;
  size_t size;
  int error = fmhac_disk_read(disk, key, &bytes, &size);
  if (error == ENOENT)
    return false;
  fmhac_artefact artefact;
  const char *reason = NULL;
  bool found = false;
  if (error)
    reason = fmhac_disk_explain(disk, error);
  else if (!fmhac_artefact_read(bytes, size, &artefact, &reason))
    ;
  else if (artefact.key.bytes != key->text.bytes ||
           memcmp(artefact.key.text, key->text.text, key->text.bytes) != 0)
    reason = "compiled from something else";
  else if (!fmhac_kernel_from_artefact(&artefact, kernel))
    reason = "out of memory";
  else
    found = true;
  if (!found && !quiet)
    fmhac_log(context, FMHAC_SEVERITY_WARNING,
              "cache entry %s in %s counts as missing: %s", key->hash,
              disk->directory, reason);
  free(bytes);
  return found;
}

static void warn(fmhac_context *context, const fmhac_disk *disk, int error,
                 const char *what) {
  fmhac_log(context, FMHAC_SEVERITY_WARNING, "cache directory %s: %s: %s",
            disk->directory, what, fmhac_disk_explain(disk, error));
}

static void keep(fmhac_context *context, const fmhac_cache_key *key,
                 const fmhac_kernel *kernel) {
  fmhac_disk disk = {.directory = context->options.cache_directory};
  size_t size;
  void *bytes = fmhac_kernel_to_artefact(kernel, key->text, &size);
  int error = bytes ? fmhac_disk_write(&disk, key, bytes, size) : ENOMEM;
  free(bytes);
  if (error) {
    warn(context, &disk, error, "the kernel is not kept");
    return;
  }
  fmhac_disk_usage usage;
  error = fmhac_disk_evict(&disk, fmhac_cache_limit_bytes(context), &usage);
  if (error && error != EAGAIN)
    warn(context, &disk, error, "nothing is evicted");
}

/// `own` is the directory that kernels are kept in, if there is one.
static bool look_everywhere(fmhac_context *context, fmhac_disk *own,
                            const fmhac_cache_key *key, fmhac_kernel *kernel) {
  const fmhac_context_options *o = &context->options;
  if (own->directory && look_up(context, own, key, false, kernel))
    return true;
  for (size_t i = 0; i < o->read_only_cache_directory_count; ++i) {
    fmhac_disk other = {.directory = o->read_only_cache_directories[i],
                        .read_only = true};
    if (look_up(context, &other, key, false, kernel))
      return true;
  }
  return false;
}

//===- The way down -------------------------------------------------------===//

/// The state of one call.
typedef struct request {
  const fmhac_config *config;
  const fmhac_choice *choice; ///< made before the kernel is
  const fmhac_sources *sources;
  fmhac_control *control; ///< may be NULL
} request;

static fmhac_status from_compiler(fmhac_context *context, const request *r,
                                  fmhac_kernel *kernel) {
  const fmhac_order order = {.task = FMHAC_TASK_COMPILE,
                             .config = r->config,
                             .choice = r->choice,
                             .sources = r->sources,
                             .rung = FMHAC_RUNG_HSACO,
                             .control = r->control};
  fmhac_product product = {.kernel = kernel};
  fmhac_status status = fmhac_order_run(context, &order, &product);
  if (status == FMHAC_OK)
    atomic_fetch_add(&context->counters.compiles, 1);
  return status;
}

static void count_disk_hit(fmhac_context *context) {
  atomic_fetch_add(&context->counters.disk_hits, 1);
}

static bool is_cancelled(void *control) {
  return fmhac_control_is_cancelled(control);
}

/// Compiles unless another process has done so while this one waited for it.
static fmhac_status compile_once(fmhac_context *context, const request *r,
                                 const fmhac_cache_key *key,
                                 fmhac_kernel *kernel) {
  fmhac_disk disk = {.directory = context->options.cache_directory};
  // Most kernels take less than a second. If one takes longer than this, two
  // processes may compile the same kernel, which only costs time.
  enum { MOST_SECONDS = 60 };
  int lock = -1;
  int error = fmhac_disk_lock(&disk, key, is_cancelled, r->control,
                              MOST_SECONDS, &lock);
  if (error == ECANCELED)
    return fmhac_fail(context, FMHAC_CANCELLED,
                      "compiling: cancelled while another process compiled "
                      "the same kernel");
  if (error)
    warn(context, &disk, error, "other processes may compile the same kernel");
  else if (look_up(context, &disk, key, true, kernel)) {
    count_disk_hit(context);
    fmhac_disk_unlock(lock);
    return FMHAC_OK;
  }
  fmhac_status status = from_compiler(context, r, kernel);
  if (status == FMHAC_OK)
    keep(context, key, kernel);
  fmhac_disk_unlock(lock);
  return status;
}

static fmhac_status from_disk_or_compiler(fmhac_context *context,
                                          const request *r,
                                          fmhac_kernel *kernel) {
  const fmhac_context_options *o = &context->options;
  fmhac_str text = {0};
  fmhac_status status = FMHAC_OK;
  if (o->cache_directory || o->read_only_cache_directory_count)
    make_key_text(context, r->config, r->choice, r->sources, &text);
  if (!text.text || text.failed) {
    status = from_compiler(context, r, kernel);
  } else {
    const fmhac_cache_key key =
        fmhac_cache_key_of((fmhac_span){text.text, text.length});
    fmhac_disk own = {.directory = o->cache_directory};
    if (look_everywhere(context, &own, &key, kernel))
      count_disk_hit(context);
    else if (own.directory && !own.folder_refused) // which has been said
      status = compile_once(context, r, &key, kernel);
    else
      status = from_compiler(context, r, kernel);
  }
  fmhac_str_deinit(&text);
  return status;
}

/// Gives a kernel the texts that it was made from.
static bool keep_sources(fmhac_kernel *kernel, const fmhac_sources *sources) {
  const fmhac_allocator a = kernel->context->allocator;
  const fmhac_str *from = sources->schedules;
  for (size_t i = 0; i <= FMHAC_MOST_ENTRIES; ++i) {
    const bool is_mod = i == FMHAC_MOST_ENTRIES;
    const fmhac_str *text = is_mod ? &sources->score_mod : &from[i];
    char **to = is_mod ? &kernel->score_mod_text : &kernel->schedule_texts[i];
    if (text->text && !(*to = fmhac_duplicate(a, text->text, text->length)))
      return false;
  }
  return true;
}

/// A kernel that the context does not have.
static fmhac_status make(fmhac_context *context, const request *r,
                         fmhac_kernel **out) {
  fmhac_kernel *kernel = fmhac_kernel_create(context);
  if (!kernel)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for a kernel");
  fmhac_status status = from_disk_or_compiler(context, r, kernel);
  if (status == FMHAC_OK && !keep_sources(kernel, r->sources))
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "compiling: no memory for the user's files");
  if (status != FMHAC_OK) {
    fmhac_kernel_destroy(kernel);
    return status;
  }
  kernel->config = r->config->values;
  *out = kernel;
  return FMHAC_OK;
}

// A schedule is chosen only for a kernel that is not found, because that takes
// longer than the look-up.
static fmhac_status find_or_make(fmhac_context *context, request *r,
                                 fmhac_span asked, fmhac_kernel **out) {
  fmhac_claim claim;
  switch (fmhac_memory_cache_claim(context->compiler->memory, asked, r->control,
                                   &claim, out)) {
  case FMHAC_CLAIM_FOUND:
    atomic_fetch_add(&context->counters.memory_hits, 1);
    return FMHAC_OK;
  case FMHAC_CLAIM_CANCELLED:
    return fmhac_fail(context, FMHAC_CANCELLED,
                      "compiling: cancelled while another thread compiled the "
                      "same kernel");
  case FMHAC_CLAIM_OWN:
    return fmhac_fail(context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  case FMHAC_CLAIM_MADE:
    break;
  }
  fmhac_choice choice;
  r->choice = &choice;
  fmhac_status status = fmhac_choose(context, r->config, r->sources, &choice);
  if (status == FMHAC_OK)
    status = make(context, r, out);
  fmhac_choice_deinit(&choice);
  fmhac_memory_cache_settle(context->compiler->memory, &claim, *out);
  return status;
}

fmhac_status fmhac_jit_compile(fmhac_context *context,
                               const fmhac_config *config,
                               fmhac_control *control,
                               fmhac_kernel **out_kernel) {
  *out_kernel = NULL;
  fmhac_sources sources = {0};
  fmhac_str room = {0};
  fmhac_status status = fmhac_sources_read(context, config, &sources);
  fmhac_span asked = {0};
  if (status == FMHAC_OK)
    asked = request_of(config, &sources, &room);
  if (room.failed)
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "compiling: no memory for the request");
  request r = {.config = config, .sources = &sources, .control = control};
  if (status == FMHAC_OK)
    status = find_or_make(context, &r, asked, out_kernel);
  fmhac_str_deinit(&room);
  fmhac_sources_deinit(&sources);
  return status;
}

fmhac_status fmhac_compile(fmhac_context *context, const fmhac_config *config,
                           fmhac_kernel **out_kernel) {
  FMHAC_CLEAR(out_kernel);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
                    FMHAC_GIVEN(out_kernel));
  return status == FMHAC_OK
             ? fmhac_jit_compile(context, config, NULL, out_kernel)
             : status;
}
