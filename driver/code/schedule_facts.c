// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "fmhac_abi.h"
#include "fmhac_schedule.h"
#include "mask.h"

const cJSON *note_entry(const cJSON *note, const char *kernel) {
  const cJSON *entry;
  cJSON_ArrayForEach(entry, json_get(note, "entries")) {
    if (!kernel || strcmp(text_in(entry, "kernel"), kernel) == 0)
      return entry;
  }
  return NULL;
}

/// Whether a key of an entry is one of two words.
static bool is_either(const cJSON *entry, const char *key, const char *word,
                      const char *other) {
  const char *found = text_in(entry, key);
  return strcmp(found, word) == 0 || strcmp(found, other) == 0;
}

/// Whether tiles of Q under the mask have an order by the keys that they see:
/// only where one end of the rows sees more (docs/compiler.md, Grid).
static bool orders_tiles(const attention_mask *mask) {
  switch (mask->kind) {
  case MASK_NONE:
  case MASK_CHUNKED:
    return false;
  case MASK_CAUSAL:
  case MASK_CAUSAL_TOP_LEFT:
    return true;
  case MASK_WINDOW:
    return (mask->left >= 0) != (mask->right >= 0);
  }
  return true;
}

bool schedule_keeps_places(const cJSON *note, const char *kernel) {
  const cJSON *entry = note_entry(note, kernel);
  if (!is_either(entry, "order", "longest_first", "linear"))
    return false;
  if (strcmp(text_in(entry, "order"), "linear") == 0)
    return true;
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  attention_mask mask;
  bool keeps = config &&
               attention_mask_parse(option_text(config, "mask"), &mask) &&
               !orders_tiles(&mask);
  cJSON_Delete(config);
  return keeps;
}

/// Whether something is done to scores after the scale.
static bool has_function_of_scores(const cJSON *config) {
  const cJSON *alibi = json_get(config, "alibi");
  const cJSON *bias = json_get(config, "bias");
  return option_real(config, "softcap") > 0 || cJSON_IsTrue(alibi) ||
         cJSON_IsTrue(bias) || option_text(config, "score_mod")[0] != '\0';
}

bool schedule_rounds_q(const cJSON *note, const char *kernel) {
  if (!is_either(note_entry(note, kernel), "scale", "q", "start"))
    return false;
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  bool rounds = config && !has_function_of_scores(config);
  cJSON_Delete(config);
  return rounds;
}

kernel_tile kernel_tile_of(const cJSON *note, const char *kernel) {
  const cJSON *entry = note_entry(note, kernel);
  const uint64_t groups = (uint64_t)number_in(entry, "required_args");
  const kernel_tile tile = {.rows = (int64_t)number_in(entry, "tile_m"),
                            .keys = (int64_t)number_in(entry, "tile_n"),
                            .matrix_flops = number_in(entry, "matrix_flops"),
                            .packs_heads =
                                groups >> FMHAC_ARGS_HEAD_GROUP_BIT & 1};
  return tile.rows > 0 && tile.keys > 0 ? tile : (kernel_tile){0};
}

/// Item `number` of a list in the words of the key schedule, "NAME if
/// CONDITION; NAME", as {schedule, when}. NULL: there are fewer.
static cJSON *schedule_item(const char *list, size_t number) {
  static const char condition[] = " if ", path[] = ".mlir";
  for (; number; --number) {
    list = strchr(list, ';');
    if (!list)
      return NULL;
    ++list;
  }
  list += strspn(list, " ");
  char *item = strndup(list, strcspn(list, ";"));
  size_t length = item ? strlen(item) : 0;
  while (length && item[length - 1] == ' ')
    item[--length] = '\0';
  char *at = item ? strstr(item, condition) : NULL;
  const bool is_path = length >= sizeof path - 1 &&
                       strcmp(item + length - (sizeof path - 1), path) == 0;
  for (char *next; at && (next = strstr(at + 1, condition));)
    at = next; // the last
  const char *when = "";
  if (at && !is_path) {
    when = at + sizeof condition - 1 + strspn(at + sizeof condition - 1, " ");
    *at = '\0';
    for (size_t end = strlen(item); end && item[end - 1] == ' ';)
      item[--end] = '\0';
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "schedule", item ? item : "");
  cJSON_AddStringToObject(object, "when", when);
  free(item);
  return object;
}

/// The path that a configuration names as schedule `number`; malloc'ed. NULL:
/// it names a built-in one there, or none.
static char *path_of(const cJSON *config, size_t number) {
  cJSON *item = schedule_item(text_in(config, "schedule"), number);
  const char *name = text_in(item, "schedule");
  char *path =
      name[0] && strcmp(name, "auto") != 0 && !fmhac_schedule_text(name)
          ? strdup(name)
          : NULL;
  cJSON_Delete(item);
  return path;
}

char *schedule_file_of(const cJSON *note, const char *kernel) {
  const cJSON *entry = note_entry(note, kernel);
  const bool is_only = cJSON_GetArraySize(json_get(note, "entries")) == 1;
  // The pipeline takes a built-in schedule by its name, which may have come in
  // the place of a file's that did not fit.
  if (!entry || (is_only && strstr(text_in(note, "pipeline"), "{schedule=")))
    return NULL;
  size_t number = 0;
  for (const cJSON *at = entry->prev; at->next; at = at->prev)
    ++number; // the first's prev is the last, which has no next
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  char *file = path_of(config, number);
  cJSON_Delete(config);
  return file;
}

void schedule_file_json(cJSON *object, const char *file) {
  json_add_text(object, "schedule_file", file);
}

/// {schedule, when, schedule_file}; takes the file.
static void add_entry(cJSON *entries, const cJSON *from, char *file) {
  cJSON *entry = cJSON_CreateObject();
  cJSON_AddStringToObject(entry, "schedule", text_in(from, "schedule"));
  cJSON_AddStringToObject(entry, "when", text_in(from, "when"));
  schedule_file_json(entry, file);
  cJSON_AddItemToArray(entries, entry);
  free(file);
}

cJSON *schedule_entries_of_note(const cJSON *note) {
  cJSON *entries = cJSON_CreateArray();
  const cJSON *from;
  cJSON_ArrayForEach(from, json_get(note, "entries"))
      add_entry(entries, from, schedule_file_of(note, text_in(from, "kernel")));
  return entries;
}

cJSON *schedule_entries_of_list(const char *list, const cJSON *config) {
  cJSON *entries = cJSON_CreateArray();
  // One that came in the place of several is none of them.
  const bool is_other =
      !strchr(list, ';') && strchr(text_in(config, "schedule"), ';');
  cJSON *item;
  for (size_t i = 0; (item = schedule_item(list, i)); ++i) {
    add_entry(entries, item, is_other ? NULL : path_of(config, i));
    cJSON_Delete(item);
  }
  return entries;
}

/// Whether an entry before it has the schedule for the same problems: of two
/// kernels, one takes its work from lists.
static bool is_again(const cJSON *entries, const cJSON *entry) {
  const cJSON *before;
  cJSON_ArrayForEach(before, entries) {
    if (before == entry)
      break;
    if (strcmp(text_in(before, "schedule"), text_in(entry, "schedule")) == 0 &&
        strcmp(text_in(before, "when"), text_in(entry, "when")) == 0)
      return true;
  }
  return false;
}

/// The entries in the words of the key schedule, perhaps with their files;
/// malloc'ed.
static char *list_entries(const cJSON *entries, bool with_files) {
  char *list = strdup("");
  const cJSON *entry;
  cJSON_ArrayForEach(entry, entries) {
    if (!text_in(entry, "schedule")[0] || is_again(entries, entry))
      continue; // the combination, the planner
    const char *when = text_in(entry, "when");
    const char *file = with_files ? text_in(entry, "schedule_file") : "";
    char *longer;
    if (asprintf(&longer, "%s%s%s%s%s%s%s%s", list ? list : "",
                 list && list[0] ? "; " : "", text_in(entry, "schedule"),
                 file[0] ? " (" : "", file, file[0] ? ")" : "",
                 when[0] ? " if " : "", when) < 0)
      longer = NULL;
    free(list);
    list = longer;
  }
  return list;
}

void schedule_entries_json(cJSON *object, cJSON *entries) {
  char *list = list_entries(entries, false);
  cJSON_AddStringToObject(object, "schedule", list ? list : "");
  const char *file = cJSON_GetArraySize(entries) == 1
                         ? text_in(entries->child, "schedule_file")
                         : "";
  schedule_file_json(object, file[0] ? file : NULL);
  cJSON_AddItemToObject(object, "entries", entries);
  free(list);
}

char *schedule_label(const cJSON *object) {
  const cJSON *entries = json_get(object, "entries");
  if (cJSON_GetArraySize(entries) > 1)
    return list_entries(entries, true);
  const char *name = text_in(object, "schedule");
  const char *file = text_in(object, "schedule_file");
  char *label = NULL;
  return asprintf(&label, "%s%s%s%s", name, file[0] ? " (" : "", file,
                  file[0] ? ")" : "") < 0
             ? NULL
             : label;
}
