// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_facts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "mask.h"

static bool is_word_character(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/// What follows "KEY =" outside of comments, or NULL.
static const char *find_value(const char *text, const char *key) {
  size_t length = strlen(key);
  for (const char *start = text; *text; ++text) {
    if (strncmp(text, "//", 2) == 0) {
      text += strcspn(text, "\n");
      if (!*text)
        break;
    }
    // "scale" is no part of "rescale".
    bool is_inside = text > start && is_word_character(text[-1]);
    if (is_inside || strncmp(text, key, length) != 0)
      continue;
    const char *value = text + length;
    value += strspn(value, " ");
    if (*value == '=')
      return value + 1;
  }
  return NULL;
}

int64_t schedule_integer(const char *text, const char *key) {
  const char *value = find_value(text, key);
  return value ? strtoll(value, NULL, 10) : 0;
}

/// Member `name` of "KEY = <m = 32, n = 32, k = 16>"; 0 if there is none.
static int64_t shape_member(const char *text, const char *key,
                            const char *name) {
  const char *value = find_value(text, key);
  if (!value)
    return 0;
  value += strspn(value, " ");
  if (*value != '<')
    return 0;
  char shape[64];
  size_t length = strcspn(value, ">");
  if (length >= sizeof shape)
    return 0;
  memcpy(shape, value, length);
  shape[length] = 0;
  return schedule_integer(shape, name);
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

/// Whether a text begins with a word.
static bool is_word(const char *text, const char *word) {
  size_t length = strlen(word);
  return strncmp(text, word, length) == 0 && !is_word_character(text[length]);
}

bool schedule_keeps_places(const cJSON *note) {
  const char *text = cJSON_GetStringValue(
      cJSON_GetObjectItemCaseSensitive(note, "schedule_text"));
  const char *order = text ? find_value(text, "grid") : NULL;
  if (!order)
    return true;
  order += strspn(order, " \n");
  if (!is_word(order, "longest_first"))
    return is_word(order, "linear");
  const char *given =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(note, "config"));
  cJSON *config = given ? cJSON_Parse(given) : NULL;
  attention_mask mask;
  bool keeps = config &&
               attention_mask_parse(option_text(config, "mask"), &mask) &&
               !orders_tiles(&mask);
  cJSON_Delete(config);
  return keeps;
}

/// Whether something is done to scores after the scale.
static bool has_function_of_scores(const cJSON *config) {
  const cJSON *alibi = cJSON_GetObjectItemCaseSensitive(config, "alibi");
  const cJSON *bias = cJSON_GetObjectItemCaseSensitive(config, "bias");
  return option_real(config, "softcap") > 0 || cJSON_IsTrue(alibi) ||
         cJSON_IsTrue(bias) || option_text(config, "score_mod")[0] != '\0';
}

bool schedule_rounds_q(const cJSON *note) {
  const char *text = cJSON_GetStringValue(
      cJSON_GetObjectItemCaseSensitive(note, "schedule_text"));
  const char *scale = text ? find_value(text, "scale") : NULL;
  if (!scale)
    return false;
  scale += strspn(scale, " \n");
  if (!is_word(scale, "q") && !is_word(scale, "start"))
    return false;
  const char *given =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(note, "config"));
  cJSON *config = given ? cJSON_Parse(given) : NULL;
  bool rounds = config && !has_function_of_scores(config);
  cJSON_Delete(config);
  return rounds;
}

static int64_t padded(int64_t size, int64_t step) {
  return (size + step - 1) / step * step;
}

kernel_tile kernel_tile_of(const cJSON *note) {
  kernel_tile tile = {0};
  const char *text = cJSON_GetStringValue(
      cJSON_GetObjectItemCaseSensitive(note, "schedule_text"));
  if (!text)
    return tile;
  tile.rows = schedule_integer(text, "tile_m");
  tile.keys = schedule_integer(text, "tile_n");
  if (tile.rows <= 0 || tile.keys <= 0)
    return (kernel_tile){0};
  // QK sums over Dqk in steps of its k; PV makes Dv in steps of its n.
  int64_t step_qk = shape_member(text, "qk", "k");
  int64_t step_v = shape_member(text, "pv", "n");
  const char *given =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(note, "config"));
  cJSON *config = given ? cJSON_Parse(given) : NULL;
  if (config && step_qk > 0 && step_v > 0)
    tile.matrix_flops =
        2.0 * (double)tile.rows * (double)tile.keys *
        (double)(padded(option_integer(config, "head_dim_qk"), step_qk) +
                 padded(option_integer(config, "head_dim_v"), step_v));
  cJSON_Delete(config);
  return tile;
}

static const char *text_of(const cJSON *object, const char *key) {
  const char *text =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text ? text : "";
}

const char *schedule_path_of(const cJSON *config) {
  const char *path = text_of(config, "schedule");
  const bool is_name = !path[0] || strcmp(path, "auto") == 0;
  return is_name || fmhac_schedule_text(path) ? NULL : path;
}

char *schedule_file_of(const cJSON *note) {
  const char *builtin = fmhac_schedule_text(text_of(note, "schedule"));
  if (!note ||
      (builtin && strcmp(builtin, text_of(note, "schedule_text")) == 0))
    return NULL;
  cJSON *config = cJSON_Parse(text_of(note, "config"));
  const char *path = schedule_path_of(config);
  char *file = path ? strdup(path) : NULL;
  cJSON_Delete(config);
  return file;
}

void schedule_file_json(cJSON *object, const char *file) {
  if (file)
    cJSON_AddStringToObject(object, "schedule_file", file);
  else
    cJSON_AddNullToObject(object, "schedule_file");
}

char *schedule_label(const cJSON *object) {
  const char *name = text_of(object, "schedule");
  const char *file = text_of(object, "schedule_file");
  char *label = NULL;
  return asprintf(&label, "%s%s%s%s", name, file[0] ? " (" : "", file,
                  file[0] ? ")" : "") < 0
             ? NULL
             : label;
}
