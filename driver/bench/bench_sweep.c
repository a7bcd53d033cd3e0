// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_sweep.h"
#include "fmhac_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

static bool same_option(const char *a, const char *b) {
  for (; *a && *b; ++a, ++b)
    if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
      return false;
  return *a == *b;
}

/// "KEY=V1,V2" into its parts.
static bool read_axis(const char *text, sweep_axis *axis,
                      char error[ERROR_BYTES]) {
  axis->text = strdup(text);
  if (!axis->text)
    return ERROR_SET(error, "no memory for --sweep");
  char *equals = strchr(axis->text, '=');
  if (!equals || equals == axis->text || !equals[1])
    return ERROR_SET(error, "--sweep: expected KEY=V1,V2,…, found '%.80s'",
                     text);
  *equals = 0;
  axis->key = axis->text;
  const char *separator = strchr(equals + 1, ';') ? ";" : ",";
  char *rest = equals + 1;
  for (char *value; (value = strsep(&rest, separator));) {
    if (!*value)
      return ERROR_SET(error, "--sweep: %.60s has an empty value", axis->key);
    if (axis->count == SWEEP_VALUES)
      return ERROR_SET(error, "--sweep: %.60s has more than %d values",
                       axis->key, SWEEP_VALUES);
    axis->values[axis->count++] = value;
  }
  return true;
}

/// The name of the option if it exists, else the nearest spelling.
static bool check_key(const char *key, char error[ERROR_BYTES]) {
  enum { MOST_OPTIONS = 128 };
  const char *names[MOST_OPTIONS];
  size_t count = 0;
  const fmhac_option_info *info;
  for (size_t i = 0; (info = fmhac_option_get(i)) && count < MOST_OPTIONS;
       ++i) {
    if (same_option(info->key, key))
      return true;
    names[count++] = info->key;
  }
  const char *near = fmhac_nearest_spelling(key, names, count);
  return ERROR_SET(
      error, "--sweep: no option '%.60s' of CONFIG or PROBLEM%s%s%s", key,
      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool sweep_parse(const text_list *list, sweep *out_sweep,
                 char error[ERROR_BYTES]) {
  *out_sweep = (sweep){.points = 1};
  for (size_t i = 0; i < list->count; ++i) {
    sweep_axis *axis = &out_sweep->axes[out_sweep->axis_count++];
    if (!read_axis(list->items[i], axis, error) || !check_key(axis->key, error))
      return false;
    for (size_t j = 0; j < i; ++j)
      if (same_option(out_sweep->axes[j].key, axis->key))
        return ERROR_SET(error, "--sweep: %.60s is given twice", axis->key);
    out_sweep->points *= axis->count;
    if (out_sweep->points > SWEEP_POINTS)
      return ERROR_SET(error,
                       "--sweep: expected at most %d points, found %zu or more",
                       SWEEP_POINTS, out_sweep->points);
  }
  return true;
}

void sweep_deinit(sweep *s) {
  for (size_t i = 0; i < s->axis_count; ++i)
    free(s->axes[i].text);
  *s = (sweep){0};
}

/// The value of an axis at a point.
static const char *value_at(const sweep *s, size_t axis, size_t point) {
  for (size_t i = s->axis_count; --i > axis;)
    point /= s->axes[i].count;
  return s->axes[axis].values[point % s->axes[axis].count];
}

args sweep_point(const sweep *s, const args *a, size_t point) {
  args copy = *a;
  copy.options = cJSON_Duplicate(a->options, true);
  for (size_t i = 0; copy.options && i < s->axis_count; ++i) {
    char key[64];
    snprintf(key, sizeof key, "%s", s->axes[i].key);
    for (char *c = key; *c; ++c)
      if (*c == '-')
        *c = '_';
    args_set_option(&copy, key, value_at(s, i, point));
  }
  return copy;
}

void sweep_label(const sweep *s, size_t point, char *label, size_t bytes) {
  size_t used = 0;
  label[0] = 0;
  for (size_t i = 0; i < s->axis_count && used < bytes; ++i) {
    int n = snprintf(label + used, bytes - used, "%s%s=%s", i ? " " : "",
                     s->axes[i].key, value_at(s, i, point));
    used += n > 0 ? (size_t)n : 0;
  }
}

void sweep_progress(const sweep *s, size_t point) {
  enum { WIDTH = 30 };
  if (s->points < 2 || !isatty(STDERR_FILENO))
    return;
  if (point == s->points) {
    fputs("\r\033[K", stderr);
    return;
  }
  char bar[WIDTH + 1], label[120];
  size_t done = point * WIDTH / s->points;
  memset(bar, '.', WIDTH);
  memset(bar, '#', done);
  bar[WIDTH] = 0;
  sweep_label(s, point, label, sizeof label);
  fprintx(stderr, "\r\033[K[%s] %zu of %zu: %s", bar, point + 1, s->points,
          label);
}
