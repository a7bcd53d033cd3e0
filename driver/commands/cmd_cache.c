// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac cache: the kept kernels.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"
#include "commands.h"
#include "fmhac_cache.h"
#include "fmhac_options.h"
#include "schedule_facts.h"
#include "session.h"
#include "streams.h"

/// The result of visiting all entries.
typedef struct census {
  cJSON *list;
  uint64_t entries, bytes;
  uint64_t faults, others; ///< entries that are damaged, or of other builds
} census;

static const char *state_of(const fmhac_cache_entry *e) {
  return e->fault ? "damaged" : e->is_current ? "current" : "other build";
}

static bool on_entry(void *user, const fmhac_cache_entry *e) {
  census *c = user;
  c->entries++;
  c->bytes += e->bytes;
  c->faults += e->fault != NULL;
  c->others += !e->fault && !e->is_current;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "path", e->path);
  cJSON_AddNumberToObject(object, "bytes", (double)e->bytes);
  cJSON_AddNumberToObject(object, "used_seconds", (double)e->used_seconds);
  cJSON_AddStringToObject(object, "state", state_of(e));
  if (e->fault) {
    cJSON_AddStringToObject(object, "fault", e->fault);
  } else {
    cJSON_AddStringToObject(object, "kernel", e->kernel);
    cJSON *config = cJSON_Parse(e->config);
    schedule_entries_json(object,
                          schedule_entries_of_list(e->schedule, config));
    cJSON_AddItemToObject(object, "config",
                          config ? config : cJSON_CreateNull());
  }
  cJSON_AddItemToArray(c->list, object);
  return true;
}

/// Whether a key of a configuration has its default of the table of options.
static bool is_default(const cJSON *item) {
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)); ++i)
    if (strcmp(info->key, item->string) == 0)
      return cJSON_IsString(item)
                 ? strcmp(item->valuestring, info->fallback) == 0
             : cJSON_IsNumber(item)
                 ? item->valuedouble == strtod(info->fallback, NULL)
                 : cJSON_IsFalse(item) || cJSON_IsNull(item);
  return false;
}

/// " mask=causal lse=true": the options of a kernel that are not at their
/// defaults. The schedule stands before them.
static void print_differences(const cJSON *config) {
  const cJSON *item;
  cJSON_ArrayForEach(item, config) {
    if (is_default(item) || strcmp(item->string, "schedule") == 0)
      continue;
    char *value = cJSON_IsString(item) ? NULL : cJSON_PrintUnformatted(item);
    printx(" %s=%s", item->string,
           cJSON_IsString(item) ? item->valuestring
           : value              ? value
                                : "");
    cJSON_free(value);
  }
}

static void print_entry(const cJSON *e) {
  char used[32] = "?";
  time_t seconds = (time_t)number_in(e, "used_seconds");
  struct tm local;
  if (localtime_r(&seconds, &local))
    strftime(used, sizeof used, "%Y-%m-%d %H:%M", &local);
  const cJSON *fault = json_get(e, "fault");
  printx("%s %10.0f  %-11s  %s", used, number_in(e, "bytes"),
         text_in(e, "state"),
         fault ? text_in(e, "path") : text_in(e, "kernel"));
  if (!fault) {
    char *label = schedule_label(e);
    printx("  schedule %s", label ? label : "");
    free(label);
    print_differences(json_get(e, "config"));
  }
  printx("\n");
}

static void add_numbers(cJSON *object, const fmhac_context *context,
                        const census *c) {
  cJSON_AddStringToObject(object, "directory",
                          fmhac_cache_get_directory(context));
  cJSON_AddNumberToObject(object, "limit_bytes",
                          (double)fmhac_cache_get_limit_bytes(context));
  cJSON_AddNumberToObject(object, "count", (double)c->entries);
  cJSON_AddNumberToObject(object, "bytes", (double)c->bytes);
  cJSON_AddNumberToObject(object, "damaged", (double)c->faults);
  cJSON_AddNumberToObject(object, "other_builds", (double)c->others);
}

static void print_numbers(const fmhac_context *context, const census *c) {
  printx("%s: %" PRIu64 " kernels, %" PRIu64 " bytes of at most %" PRIu64
         "; %" PRIu64 " of other builds, %" PRIu64 " damaged\n",
         fmhac_cache_get_directory(context), c->entries, c->bytes,
         fmhac_cache_get_limit_bytes(context), c->others, c->faults);
}

/// ls, info and verify differ in their output.
static int look(const session *s, const char *action) {
  census c = {.list = cJSON_CreateArray()};
  fmhac_status status = fmhac_cache_visit(s->context, on_entry, &c);
  if (status != FMHAC_OK) {
    cJSON_Delete(c.list);
    return session_fail(s, status);
  }
  bool lists = strcmp(action, "info") != 0,
       verifies = !strcmp(action, "verify");
  int code = verifies && c.faults ? EXIT_CHECK : EXIT_DONE;
  if (s->r->json) {
    cJSON *object = cJSON_CreateObject();
    add_numbers(object, s->context, &c);
    if (verifies)
      cJSON_AddBoolToObject(object, "ok", !c.faults);
    if (lists)
      cJSON_AddItemToObject(object, "entries", c.list);
    else
      cJSON_Delete(c.list);
    return report_json(object, code);
  }
  const cJSON *each;
  cJSON_ArrayForEach(each, c.list) {
    if (verifies && json_get(each, "fault"))
      fprintx(stderr, "fmhac cache: damaged: %s: %s\n", text_in(each, "path"),
              text_in(each, "fault"));
    else if (lists && !verifies)
      print_entry(each);
  }
  print_numbers(s->context, &c);
  cJSON_Delete(c.list);
  return code;
}

/// prune: entries that are of no use to this build, then those beyond the
/// limit; clear: everything.
static int clear_away(const session *s, bool everything) {
  fmhac_cache_usage cleaned = {.size = sizeof cleaned};
  fmhac_cache_usage pruned = {.size = sizeof pruned};
  // First, as the limit does not look at entries with a fault.
  fmhac_status status = fmhac_cache_clean(s->context, !everything, &cleaned);
  if (status == FMHAC_OK)
    status = fmhac_cache_prune(
        s->context, everything ? 0 : fmhac_cache_get_limit_bytes(s->context),
        &pruned);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  uint64_t removed = cleaned.removed + pruned.removed;
  uint64_t removed_bytes = cleaned.removed_bytes + pruned.removed_bytes;
  if (!s->r->json) {
    printx("%s: %" PRIu64 " removed, %" PRIu64 " bytes; %" PRIu64
           " left, %" PRIu64 " bytes\n",
           fmhac_cache_get_directory(s->context), removed, removed_bytes,
           pruned.entries, pruned.bytes);
    return EXIT_DONE;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "directory",
                          fmhac_cache_get_directory(s->context));
  cJSON_AddNumberToObject(object, "removed", (double)removed);
  cJSON_AddNumberToObject(object, "removed_bytes", (double)removed_bytes);
  cJSON_AddNumberToObject(object, "count", (double)pruned.entries);
  cJSON_AddNumberToObject(object, "bytes", (double)pruned.bytes);
  return report_json(object, EXIT_DONE);
}

int cmd_cache(int argc, char **argv) {
  static const char *const actions[] = {"ls", "info", "verify", "prune",
                                        "clear"};
  enum { ACTIONS = sizeof actions / sizeof actions[0] };
  const command cmd = {
      .name = "cache",
      .synopsis = "ls|info|verify|prune|clear",
      .summary = "Looks after the kernels that `fmhac run` and programs with "
                 "libfmhac keep.",
      .details =
          "ls lists the kernels: last use, bytes, whether this build compiled "
          "them, kernel, schedule\nand the options that are not at their "
          "defaults; info prints figures; verify\nreads every entry and exits "
          "with 1 if one is damaged (it would count as missing);\nprune "
          "removes damaged entries, those of other builds, and the least "
          "recently used\nones beyond the limit; clear removes "
          "all.\n\nFMHAC_CACHE, FMHAC_CACHE_DIR and FMHAC_CACHE_LIMIT set "
          "place and size\n(`fmhac doctor` shows them).",
      .least_positionals = 1,
      .most_positionals = 1,
  };
  report r = {0};
  args a;
  session s = {0};
  int code = args_parse(&cmd, argc, argv, &r, &a);
  size_t action = 0;
  while (code == ARGS_CONTINUE && action < ACTIONS &&
         strcmp(a.positionals[0], actions[action]) != 0)
    action++;
  if (code == ARGS_CONTINUE && action == ACTIONS) {
    const char *near =
        fmhac_nearest_spelling(a.positionals[0], actions, ACTIONS);
    code = report_error(
        &r, EXIT_USAGE,
        "expected ls, info, verify, prune or clear, found '%.40s'%s%s%s",
        a.positionals[0], MEANT(near));
  }
  if (code == ARGS_CONTINUE)
    code = session_open_context(&r, (session_options){.use_cache = true}, &s);
  if (code == ARGS_CONTINUE)
    code = action < 3 ? look(&s, actions[action]) : clear_away(&s, action == 4);
  session_close(&s);
  args_deinit(&a);
  return code;
}
