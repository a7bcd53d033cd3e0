// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choose.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "float_environment.h"
#include "fmhac_schedule.h"
#include "launch_when.h"
#include "schedule_list.h"
#include "support.h"
#include "table.h"
#include "work.h"

static fmhac_status no_memory(fmhac_context *context) {
  return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                    "choosing a schedule: out of memory");
}

/// The rows of a table that take a configuration.
typedef struct found_rows {
  fmhac_chosen rows[FMHAC_MOST_ENTRIES]; ///< without texts
  fmhac_str whys[FMHAC_MOST_ENTRIES];    ///< their reasons at full length
  size_t count;
  bool is_whole;     ///< the last is for all problems
  fmhac_str remarks; ///< a line for each row that is passed over
} found_rows;

/// Whether the condition `a` holds for no problem but those of `b`, which both
/// have the same words up to the last bound: "Sk <= 16", "Sk <= 256". False
/// where that is not seen.
static bool is_part(const char *a, const char *b) {
  static const char at_most[] = "<= ";
  const size_t word = sizeof at_most - 1;
  size_t same = 0;
  while (a[same] && a[same] == b[same])
    ++same;
  if (!b[0] || (!a[same] && !b[same]))
    return true;
  while (same && isdigit((unsigned char)a[same - 1]))
    --same;
  const char *bound_a = a + same, *bound_b = b + same;
  char *end_a, *end_b;
  if (same < word || memcmp(bound_a - word, at_most, word) != 0 ||
      !isdigit((unsigned char)*bound_a) || !isdigit((unsigned char)*bound_b))
    return false;
  const unsigned long long most_a = strtoull(bound_a, &end_a, 10);
  const unsigned long long most_b = strtoull(bound_b, &end_b, 10);
  return !*end_a && !*end_b && most_a <= most_b;
}

/// Adds a schedule after those of a choice, unless they leave it no problem.
/// Problems go where they would go if each place had a kernel of its own:
/// places become one with another of the same schedule only if that changes
/// nothing. Whether it was added.
static bool add(fmhac_chosen *entries, size_t *count,
                const fmhac_chosen *added) {
  for (size_t i = 0; i < *count; ++i)
    if (is_part(added->when, entries[i].when))
      return false;
  while (*count && strcmp(entries[*count - 1].name, added->name) == 0 &&
         is_part(entries[*count - 1].when, added->when))
    --*count;
  entries[(*count)++] = *added;
  return true;
}

static void found_rows_deinit(found_rows *found) {
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    fmhac_str_deinit(&found->whys[i]);
  fmhac_str_deinit(&found->remarks);
}

/// Adds a row and its reason, which it takes.
static void add_found(found_rows *found, const fmhac_chosen *added,
                      fmhac_str *why) {
  found->remarks.failed |= why->failed;
  if (!add(found->rows, &found->count, added)) {
    fmhac_str_deinit(why);
    return;
  }
  // Its place, and those of the rows that it has become one with.
  for (size_t i = found->count - 1; i < FMHAC_MOST_ENTRIES; ++i)
    fmhac_str_deinit(&found->whys[i]);
  found->whys[found->count - 1] = *why;
}

static void take_row(const fmhac_table *table, const fmhac_table_answer *answer,
                     found_rows *found) {
  fmhac_chosen chosen = {.is_file = false};
  fmhac_str why = {0};
  fmhac_table_explain(table, answer->row, &chosen.reason, &why);
  snprintf(chosen.name, sizeof chosen.name, "%s",
           answer->row->cells[FMHAC_COLUMN_SCHEDULE]);
  memcpy(chosen.when, answer->when, sizeof chosen.when);
  add_found(found, &chosen, &why);
  found->is_whole = !answer->when[0];
}

/// found_rows_deinit() is due in any case.
static fmhac_status look_up(fmhac_context *context, const char *text,
                            size_t length, const char *name,
                            const fmhac_config_values *values,
                            fmhac_serves serves, void *user,
                            found_rows *found) {
  *found = (found_rows){.count = 0};
  fmhac_table table;
  fmhac_str error = {0};
  // Figures are read and written alike, however the caller rounds.
  fenv_t caller;
  fmhac_float_begin(&caller);
  fmhac_status status = fmhac_table_read(&table, text, length, name, &error);
  if (status == FMHAC_OK) {
    fmhac_table_answer answers[FMHAC_MOST_ENTRIES - 1];
    const size_t count =
        fmhac_table_find(&table, values, serves, user, FMHAC_MOST_ENTRIES - 1,
                         answers, &found->remarks);
    if (found->remarks.length)
      fmhac_str_append(&found->remarks, "\n");
    for (size_t i = 0; i < count; ++i)
      take_row(&table, &answers[i], found);
    if (found->remarks.failed)
      status = no_memory(context);
  } else {
    status = fmhac_fail(context, status, "reading the table of schedules: %s",
                        status == FMHAC_INVALID_INPUT ? error.text
                                                      : "out of memory");
  }
  fmhac_float_end(&caller);
  fmhac_table_deinit(&table);
  fmhac_str_deinit(&error);
  return status;
}

//===- The user's table ---------------------------------------------------===//

typedef struct question {
  fmhac_context *context;
  const fmhac_config_values *values;
  fmhac_status status; ///< of asking
} question;

/// Whether the configuration is one that this build compiles with a schedule
/// that it names.
static bool compiles(void *user, const char *schedule) {
  question *q = user;
  fmhac_schedule_list list = {.count = 1};
  snprintf(list.items[0].name, sizeof list.items[0].name, "%s", schedule);
  fmhac_support support;
  fmhac_status status =
      fmhac_support_find(q->context, q->values, &list, &support, NULL);
  if (status != FMHAC_OK)
    q->status = status;
  return status == FMHAC_OK && support.supported;
}

/// Writes the path of a schedule file that a table names. False: too long.
static bool place_beside(const char *table, const char *schedule,
                         char out[FMHAC_TEXT_BYTES]) {
  const char *slash = strrchr(table, '/');
  int length = schedule[0] == '/' || !slash
                   ? snprintf(out, FMHAC_TEXT_BYTES, "%s", schedule)
                   : snprintf(out, FMHAC_TEXT_BYTES, "%.*s/%s",
                              (int)(slash - table), table, schedule);
  return length > 0 && length < FMHAC_TEXT_BYTES;
}

/// Appends the reason for a schedule, as a line.
static void append_reason(const fmhac_str *why, fmhac_str *remarks) {
  fmhac_str_appendf(remarks, "%s\n", why->text ? why->text : "");
}

/// Each line to the log.
static void tell_lines(fmhac_context *context, const char *lines) {
  for (const char *at = lines; at && *at;) {
    const size_t length = strcspn(at, "\n");
    fmhac_log(context, FMHAC_SEVERITY_REMARK, "%.*s", (int)length, at);
    at += length + (at[length] == '\n');
  }
}

/// Puts the schedules of the rows into the values; the built-in table has those
/// of the problems that they leave.
static fmhac_status adopt(fmhac_context *context, const char *path,
                          const found_rows *found,
                          fmhac_config_values *values) {
  fmhac_str list = {0};
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < found->count && status == FMHAC_OK; ++i) {
    const fmhac_chosen *row = &found->rows[i];
    char file[FMHAC_TEXT_BYTES];
    const bool is_file = fmhac_schedule_is_path(row->name);
    if (is_file && !place_beside(path, row->name, file))
      status = fmhac_fail(
          context, FMHAC_INVALID_INPUT,
          "reading the table of schedules: %s:%u: expected the path of a "
          "schedule of at most %d bytes, found '%.60s…'",
          path, row->reason.line, FMHAC_TEXT_BYTES - 1, row->name);
    else if (is_file && strchr(file, ';'))
      status = fmhac_fail(
          context, FMHAC_INVALID_INPUT,
          "reading the table of schedules: %s:%u: expected the path of a "
          "schedule without ';', found '%s'",
          path, row->reason.line, file);
    else
      fmhac_schedule_list_append(is_file ? file : row->name, row->when, &list);
  }
  if (!found->is_whole)
    fmhac_schedule_list_append(FMHAC_SCHEDULE_AUTO, "", &list);
  if (status == FMHAC_OK && list.failed)
    status = no_memory(context);
  if (status == FMHAC_OK && list.length >= sizeof values->schedule)
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "reading the table of schedules: %s: expected rows for "
                        "a configuration whose schedules have at most %zu "
                        "bytes together, found %zu",
                        path, sizeof values->schedule - 1, list.length);
  if (status == FMHAC_OK) {
    // Zeros after the text, because values are compared by their bytes.
    memset(values->schedule, 0, sizeof values->schedule);
    memcpy(values->schedule, list.text, list.length);
  }
  fmhac_str_deinit(&list);
  return status;
}

fmhac_status fmhac_choose_by_users_table(fmhac_context *context,
                                         fmhac_config *config) {
  fmhac_config_values *values = &config->values;
  const char *path = context ? context->options.dispatch_table : NULL;
  config->row_count = 0;
  if (!path || values->role != FMHAC_ROLE_ATTENTION ||
      !fmhac_schedule_is_auto(values->schedule))
    return FMHAC_OK;
  fmhac_str text = {0};
  found_rows found = {.count = 0};
  question q = {.context = context, .values = values};
  fmhac_status status =
      fmhac_source_read(context, "table of schedules", path, &text);
  if (status == FMHAC_OK)
    status = look_up(context, text.text, text.length, path, values, compiles,
                     &q, &found);
  if (status == FMHAC_OK)
    status = q.status;
  for (size_t i = 0; i < found.count; ++i)
    append_reason(&found.whys[i], &found.remarks);
  if (status == FMHAC_OK && found.remarks.failed)
    status = no_memory(context);
  if (status == FMHAC_OK)
    tell_lines(context, found.remarks.text);
  if (status == FMHAC_OK && found.count)
    status = adopt(context, path, &found, values);
  if (status == FMHAC_OK) {
    config->row_count = found.count;
    for (size_t i = 0; i < found.count; ++i)
      config->rows[i] = found.rows[i].reason;
  }
  found_rows_deinit(&found);
  fmhac_str_deinit(&text);
  return status;
}

//===- The choice ---------------------------------------------------------===//

static bool serves(void *user, const char *schedule) {
  return fmhac_support_serves(user, schedule);
}

/// Adds one of the built-in table. The last place is for one that takes all
/// problems: a row that would need it is passed over.
static void add_open(const fmhac_chosen *added, const fmhac_str *why,
                     fmhac_choice *out) {
  fmhac_chosen grown[FMHAC_MOST_ENTRIES + 1];
  size_t count = out->count;
  memcpy(grown, out->entries, count * sizeof *grown);
  if (!add(grown, &count, added))
    return;
  if (count < FMHAC_MOST_ENTRIES || !added->when[0]) {
    memcpy(out->entries, grown, count * sizeof *grown);
    out->count = count;
    append_reason(why, &out->remarks);
  } else {
    fmhac_str_appendf(&out->remarks,
                      "schedule %.60s if %s is passed over: a code object "
                      "holds at most %d kernels\n",
                      added->name, added->when, FMHAC_MOST_ENTRIES);
  }
}

/// Adds the schedules of the built-in table, and `otherwise`, the usual one,
/// for the problems that it leaves.
static fmhac_status choose_open(fmhac_context *context,
                                const fmhac_config_values *values,
                                const char *otherwise, fmhac_choice *out) {
  const char *table = fmhac_builtin_table();
  found_rows found;
  fmhac_config_values open = *values;
  snprintf(open.schedule, sizeof open.schedule, "auto");
  fmhac_status status =
      look_up(context, table, strlen(table), FMHAC_BUILTIN_TABLE, &open, serves,
              &open, &found);
  if (status == FMHAC_OK && !found.is_whole) {
    fmhac_chosen usual = {.is_file = false};
    snprintf(usual.name, sizeof usual.name, "%s", otherwise);
    snprintf(
        usual.reason.why, sizeof usual.reason.why,
        "schedule %.60s, the usual one: no row of a table has one for this "
        "problem that compiles it",
        usual.name);
    fmhac_str why = {0};
    fmhac_str_append(&why, usual.reason.why);
    add_found(&found, &usual, &why);
  }
  fmhac_str_append(&out->remarks, found.remarks.text ? found.remarks.text : "");
  for (size_t i = 0; i < found.count && status == FMHAC_OK; ++i)
    add_open(&found.rows[i], &found.whys[i], out);
  if (status == FMHAC_OK && (found.remarks.failed || out->remarks.failed))
    status = no_memory(context);
  found_rows_deinit(&found);
  return status;
}

/// The usual schedule, for all problems, replaces those of tables where one
/// does not fit. Only a function of the user, or a list or run of work, can
/// need so many registers. NULL: nothing replaces them, as the user named one,
/// or they are the usual one.
static const char *next_after(const fmhac_choice *choice,
                              const fmhac_config *config, const char *usual) {
  const size_t named = fmhac_schedule_list_count_named(&config->schedules);
  const bool may_not_fit = config->values.score_mod[0] ||
                           fmhac_config_takes_lists(&config->values) ||
                           fmhac_config_finds_runs(&config->values);
  return may_not_fit && named == config->row_count &&
                 (choice->count > 1 ||
                  strcmp(usual, choice->entries[0].name) != 0)
             ? usual
             : NULL;
}

static fmhac_status refuse(fmhac_context *context,
                           const fmhac_support *support) {
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "unsupported configuration: %s: %s; nearest supported: %s",
                    support->field, support->reason, support->nearest);
}

/// `file` is the text of a schedule file, or NULL.
static void attach_text(const fmhac_str *file, fmhac_chosen *chosen) {
  chosen->is_file = fmhac_schedule_is_path(chosen->name);
  if (!chosen->is_file) {
    chosen->text = fmhac_schedule_text(chosen->name);
    chosen->text_bytes = chosen->text ? strlen(chosen->text) : 0;
  } else if (file) {
    chosen->text = file->text;
    chosen->text_bytes = file->length;
  }
}

/// Adds the schedules that the configuration names, and those of the built-in
/// table for what it leaves open.
static fmhac_status choose_all(fmhac_context *context,
                               const fmhac_config *config,
                               const fmhac_sources *sources, const char *usual,
                               fmhac_choice *out) {
  const fmhac_schedule_list *list = &config->schedules;
  for (size_t i = 0; i < list->count; ++i) {
    const fmhac_schedule_item *item = &list->items[i];
    if (fmhac_schedule_is_auto(item->name))
      return choose_open(context, &config->values, usual, out);
    fmhac_chosen named = {.is_file = false};
    memcpy(named.name, item->name, sizeof named.name);
    memcpy(named.when, item->when, sizeof named.when);
    if (i < config->row_count)
      named.reason = config->rows[i];
    else
      snprintf(named.reason.why, sizeof named.reason.why,
               "schedule %.200s was asked for", item->name);
    attach_text(sources ? &sources->schedules[i] : NULL, &named);
    out->entries[out->count++] = named;
  }
  return FMHAC_OK;
}

/// Of schedules that tables chose, those that parts of a fixed length allow:
/// the bytes of a sequence depend on its own rows alone. So the last one, for
/// all others, and where rows have lengths in memory those for few rows. The
/// first ones, which the user named, stay.
static void keep_by_rows(fmhac_context *context,
                         const fmhac_config_values *values, size_t named,
                         fmhac_choice *choice) {
  // The keys of every built-in schedule's tile divide it.
  enum { TILE_KEYS = 128 };
  size_t kept = 0;
  for (size_t i = 0; i < choice->count; ++i) {
    const fmhac_chosen *entry = &choice->entries[i];
    fmhac_row_bound bound;
    const bool stays = i < named || i + 1 == choice->count;
    if (!stays && (!fmhac_config_has_row_lengths(values) ||
                   !fmhac_when_bounds_rows(entry->when, &bound)))
      continue;
    if (!stays && !entry->is_file && values->split_chunk % TILE_KEYS) {
      fmhac_log(context, FMHAC_SEVERITY_REMARK,
                "schedule %s, for %s, is left out: expected a split_chunk that "
                "is a multiple of %d, found %lld",
                entry->name, entry->when, TILE_KEYS,
                (long long)values->split_chunk);
      continue;
    }
    choice->entries[kept++] = choice->entries[i];
  }
  choice->count = kept;
}

/// Each kernel that takes lists has a planner beside it, and a code object has
/// room for so many. Of schedules that tables chose, for few sizes each and the
/// last one for all others, some of the few go; those that the user named stay.
static void keep_few(fmhac_context *context, const fmhac_config *config,
                     fmhac_choice *choice) {
  const fmhac_config_values *values = &config->values;
  const size_t named =
      config->row_count ? 0
                        : fmhac_schedule_list_count_named(&config->schedules);
  if (!fmhac_config_takes_lists(values))
    return;
  if (values->split_kv == FMHAC_SPLIT_KV_FIXED)
    keep_by_rows(context, values, named, choice);
  const size_t each = fmhac_config_has_both_forms(values) ? 3 : 2;
  const size_t combines = values->split_kv != FMHAC_SPLIT_KV_NONE;
  const size_t most = (FMHAC_MOST_ENTRIES - combines) / each;
  if (choice->count <= most || named >= most)
    return;
  for (size_t i = most - 1; i + 1 < choice->count; ++i)
    fmhac_log(context, FMHAC_SEVERITY_REMARK,
              "schedule %s, for %s, is left out: kernels that take lists leave "
              "room for %zu schedules",
              choice->entries[i].name, choice->entries[i].when, most);
  choice->entries[most - 1] = choice->entries[choice->count - 1];
  choice->count = most;
}

/// Completes what a caller reads.
static void describe(fmhac_chosen *chosen) {
  fmhac_schedule_choice *reason = &chosen->reason;
  snprintf(reason->schedule, sizeof reason->schedule, "%s", chosen->name);
  snprintf(reason->when, sizeof reason->when, "%s", chosen->when);
}

fmhac_status fmhac_choose(fmhac_context *context, const fmhac_config *config,
                          const fmhac_sources *sources, fmhac_choice *out) {
  *out = (fmhac_choice){0};
  const fmhac_config_values *values = &config->values;
  fmhac_support support;
  const char *usual;
  fmhac_status status =
      fmhac_support_find(context, values, &config->schedules, &support, &usual);
  if (status == FMHAC_OK && !support.supported)
    status = refuse(context, &support);
  // Other roles have no schedule.
  if (status == FMHAC_OK && values->role != FMHAC_ROLE_ATTENTION)
    return FMHAC_OK;
  if (status == FMHAC_OK)
    status = choose_all(context, config, sources, usual, out);
  if (status != FMHAC_OK)
    return status;
  keep_few(context, config, out);
  out->next = next_after(out, config, usual);
  if (fmhac_schedule_is_auto(values->schedule) && out->next) {
    char *why = out->entries[0].reason.why;
    const size_t used = strlen(why);
    snprintf(why + used, sizeof out->entries[0].reason.why - used,
             "; %s where %s does not fit with the %s", out->next,
             out->count > 1 ? "one of them" : "it",
             values->score_mod[0]              ? "function of scores"
             : fmhac_config_finds_runs(values) ? "search for its work"
                                               : "list of work");
  }
  for (size_t i = 0; i < out->count; ++i) {
    if (!out->entries[i].text)
      attach_text(NULL, &out->entries[i]);
    describe(&out->entries[i]);
  }
  return fmhac_choice_complete(out, values) ? FMHAC_OK : no_memory(context);
}

bool fmhac_choice_complete(fmhac_choice *choice,
                           const fmhac_config_values *values) {
  const size_t forms = fmhac_config_has_both_forms(values) ? 2 : 1;
  for (size_t i = 0; i < choice->count; ++i)
    fmhac_schedule_list_append(choice->entries[i].name, choice->entries[i].when,
                               &choice->list);
  for (size_t i = 0; i < forms * choice->count; ++i) {
    const fmhac_chosen *entry = &choice->entries[i % choice->count];
    if (!entry->is_file)
      fmhac_str_appendf(&choice->builtins, "%s%s",
                        choice->builtins.length ? "," : "", entry->name);
  }
  return !choice->list.failed && !choice->builtins.failed;
}

void fmhac_choice_deinit(fmhac_choice *choice) {
  fmhac_str_deinit(&choice->builtins);
  fmhac_str_deinit(&choice->list);
  fmhac_str_deinit(&choice->remarks);
  *choice = (fmhac_choice){0};
}
