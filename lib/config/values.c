// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===- Mask ---------------------------------------------------------------===//

static const struct {
  const char *name;
  fmhac_mask_kind kind;
} plain_masks[] = {
    {"none", FMHAC_MASK_NONE},
    {"causal", FMHAC_MASK_CAUSAL},
    {"causal-top-left", FMHAC_MASK_CAUSAL_TOP_LEFT},
};

/// Reads an integer in [low, high] at `*text` and moves past it.
static bool read_integer(const char **text, int64_t low, int64_t high,
                         int64_t *out_integer) {
  // strtoll would also take blanks and a plus sign.
  if (**text != '-' && (**text < '0' || **text > '9'))
    return false;
  char *end;
  errno = 0;
  long long integer = strtoll(*text, &end, 10);
  if (end == *text || errno || integer < low || integer > high)
    return false;
  *text = end;
  *out_integer = integer;
  return true;
}

static bool read_keys(const char **text, int64_t low, int64_t *out_keys) {
  return read_integer(text, low, FMHAC_MAX_MASK_KEYS, out_keys);
}

static bool parse_mask(const char *text, fmhac_mask *out_mask) {
  *out_mask = (fmhac_mask){0};
  for (size_t i = 0; i < sizeof plain_masks / sizeof plain_masks[0]; ++i)
    if (strcmp(text, plain_masks[i].name) == 0) {
      out_mask->kind = plain_masks[i].kind;
      return true;
    }
  fmhac_mask mask = {0};
  if (strncmp(text, "window:", 7) == 0) {
    mask.kind = FMHAC_MASK_WINDOW;
    text += 7;
    if (!read_keys(&text, -1, &mask.window_left) || *text++ != ',' ||
        !read_keys(&text, -1, &mask.window_right) || *text)
      return false;
  } else if (strncmp(text, "chunked:", 8) == 0) {
    mask.kind = FMHAC_MASK_CHUNKED;
    text += 8;
    if (!read_keys(&text, 1, &mask.chunk) || *text)
      return false;
  } else {
    return false;
  }
  *out_mask = mask;
  return true;
}

void fmhac_mask_print(const fmhac_mask *mask, char *text, size_t bytes) {
  switch (mask->kind) {
  case FMHAC_MASK_WINDOW:
    snprintf(text, bytes, "window:%" PRId64 ",%" PRId64, mask->window_left,
             mask->window_right);
    return;
  case FMHAC_MASK_CHUNKED:
    snprintf(text, bytes, "chunked:%" PRId64, mask->chunk);
    return;
  default:
    for (size_t i = 0; i < sizeof plain_masks / sizeof plain_masks[0]; ++i)
      if (plain_masks[i].kind == mask->kind)
        snprintf(text, bytes, "%s", plain_masks[i].name);
  }
}

//===- One value ----------------------------------------------------------===//

/// "B,S,H", each within the bounds of the row.
static bool is_strides(const fmhac_option_row *row, const char *text) {
  for (int i = 0; i < 3; ++i) {
    int64_t stride;
    if ((i && *text++ != ',') ||
        !read_integer(&text, (int64_t)row->low, (int64_t)row->high, &stride))
      return false;
  }
  return !*text;
}

bool fmhac_value_parse_text(const fmhac_option_row *row, const char *text,
                            void *place) {
  const char *const *choices = fmhac_option_choices(row->kind);
  if (choices) {
    for (int i = 0; choices[i]; ++i)
      if (strcmp(text, choices[i]) == 0) {
        // Every choice is an enum of int's size, numbered from 0 like its
        // names.
        _Static_assert(sizeof(fmhac_dtype) == sizeof(int), "enum is an int");
        memcpy(place, &i, sizeof i);
        return true;
      }
    return false;
  }
  // Strides belong to one run: they are checked and not stored.
  if (row->kind == FMHAC_KIND_STRIDES)
    return is_strides(row, text);
  if (row->kind == FMHAC_KIND_MASK)
    return parse_mask(text, place);
  if (row->kind == FMHAC_KIND_TEXT && strlen(text) < FMHAC_TEXT_BYTES) {
    // Zeros after the text, because values are compared by their bytes.
    memset(place, 0, FMHAC_TEXT_BYTES);
    memcpy(place, text, strlen(text));
    return true;
  }
  return false;
}

bool fmhac_value_parse_number(const fmhac_option_row *row, double number,
                              void *place) {
  // Also refuses NaN.
  if (!(number >= row->low && number <= row->high))
    return false;
  if (row->kind == FMHAC_KIND_INTEGER) {
    if (number != floor(number))
      return false;
    int64_t integer = (int64_t)number;
    memcpy(place, &integer, sizeof integer);
  } else {
    memcpy(place, &number, sizeof number);
  }
  return true;
}

//===- Defaults -----------------------------------------------------------===//

/// Stores what a row has where nothing else is given.
static void store_default(const fmhac_option_row *row, void *place) {
  // Switches and inputs are off in a struct of zeros.
  if (row->info.is_switch || row->kind == FMHAC_KIND_INPUT)
    return;
  if (row->info.is_integer || row->info.is_real)
    fmhac_value_parse_number(row, strtod(row->info.fallback, NULL), place);
  else
    fmhac_value_parse_text(row, row->info.fallback, place);
}

void fmhac_config_values_init(fmhac_config_values *values) {
  memset(values, 0, sizeof *values);
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count; ++i)
    if (rows[i].offset != FMHAC_NOT_STORED)
      store_default(&rows[i], (char *)values + rows[i].offset);
}

bool fmhac_value_is_default(const fmhac_config_values *values,
                            const fmhac_option_row *row) {
  if (row->offset == FMHAC_NOT_STORED)
    return true;
  const char *value = (const char *)values + row->offset;
  fmhac_any_value fallback;
  memset(&fallback, 0, sizeof fallback);
  store_default(row, &fallback);
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
    return memcmp(value, &fallback, sizeof(int64_t)) == 0;
  case FMHAC_KIND_REAL:
    return *(const double *)(const void *)value == fallback.real;
  case FMHAC_KIND_SWITCH:
  case FMHAC_KIND_INPUT:
    return !*(const bool *)value;
  case FMHAC_KIND_TEXT:
    return strcmp(value, fallback.text) == 0;
  case FMHAC_KIND_MASK:
    return memcmp(value, &fallback, sizeof(fmhac_mask_kind)) == 0;
  default:
    return memcmp(value, &fallback, sizeof(int)) == 0;
  }
}
