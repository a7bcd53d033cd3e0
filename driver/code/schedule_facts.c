// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_facts.h"

#include <stdio.h>
#include <string.h>

#include "args.h"
#include "fmhac_schedule.h"
#include "mask.h"

/// Whether a key of the note is one of two words.
static bool is_either(const cJSON *note, const char *key, const char *word,
                      const char *other) {
  const char *found = text_in(note, key);
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

bool schedule_keeps_places(const cJSON *note) {
  if (!is_either(note, "grid", "longest_first", "linear"))
    return false;
  if (strcmp(text_in(note, "grid"), "linear") == 0)
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

bool schedule_rounds_q(const cJSON *note) {
  if (!is_either(note, "scale", "q", "start"))
    return false;
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  bool rounds = config && !has_function_of_scores(config);
  cJSON_Delete(config);
  return rounds;
}

kernel_tile kernel_tile_of(const cJSON *note) {
  const kernel_tile tile = {.rows = (int64_t)number_in(note, "tile_m"),
                            .keys = (int64_t)number_in(note, "tile_n"),
                            .matrix_flops = number_in(note, "matrix_flops")};
  return tile.rows > 0 && tile.keys > 0 ? tile : (kernel_tile){0};
}

const char *schedule_path_of(const cJSON *config) {
  const char *path = text_in(config, "schedule");
  const bool is_name = !path[0] || strcmp(path, "auto") == 0;
  return is_name || fmhac_schedule_text(path) ? NULL : path;
}

char *schedule_file_of(const cJSON *note) {
  // The pipeline takes a built-in schedule by its name, which may have come in
  // the place of a file's that did not fit.
  if (!note || strstr(text_in(note, "pipeline"), "{schedule="))
    return NULL;
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  const char *path = schedule_path_of(config);
  char *file = path ? strdup(path) : NULL;
  cJSON_Delete(config);
  return file;
}

void schedule_file_json(cJSON *object, const char *file) {
  json_add_text(object, "schedule_file", file);
}

char *schedule_label(const cJSON *object) {
  const char *name = text_in(object, "schedule");
  const char *file = text_in(object, "schedule_file");
  char *label = NULL;
  return asprintf(&label, "%s%s%s%s", name, file[0] ? " (" : "", file,
                  file[0] ? ")" : "") < 0
             ? NULL
             : label;
}
