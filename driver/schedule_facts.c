// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_facts.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"

/// What follows "KEY =" outside of comments, or NULL.
static const char *find_value(const char *text, const char *key) {
  size_t length = strlen(key);
  for (; *text; ++text) {
    if (strncmp(text, "//", 2) == 0) {
      text += strcspn(text, "\n");
      if (!*text)
        break;
    }
    if (strncmp(text, key, length) != 0)
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

bool schedule_keeps_heads(const cJSON *note) {
  const char *text = cJSON_GetStringValue(
      cJSON_GetObjectItemCaseSensitive(note, "schedule_text"));
  const char *order = text ? find_value(text, "grid") : NULL;
  if (!order)
    return true;
  static const char usual[] = "linear";
  order += strspn(order, " \n");
  return strncmp(order, usual, sizeof usual - 1) == 0;
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
