// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "context.h"
#include "float_environment.h"
#include "fmhac_options.h"
#include "json_check.h"
#include "str.h"

enum { MAX_MASK_KEYS = INT32_MAX, MAX_ROWS = 64, EXPECTED_BYTES = 160 };

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
  return read_integer(text, low, MAX_MASK_KEYS, out_keys);
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

/// Stores the value that a text means; false if it means none.
static bool parse_text(const fmhac_option_row *row, const char *text,
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

static bool parse_number(const fmhac_option_row *row, double number,
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

/// Takes a JSON value of the right type and range; false otherwise.
static bool parse_item(const fmhac_option_row *row, const cJSON *item,
                       void *place) {
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
  case FMHAC_KIND_REAL:
    return cJSON_IsNumber(item) && parse_number(row, item->valuedouble, place);
  case FMHAC_KIND_SWITCH: {
    bool on = cJSON_IsTrue(item);
    memcpy(place, &on, sizeof on);
    return cJSON_IsBool(item);
  }
  case FMHAC_KIND_INPUT: {
    // The canonical form has false where the user gives nothing.
    bool named = cJSON_IsString(item) && item->valuestring[0];
    bool given = named || cJSON_IsTrue(item);
    memcpy(place, &given, sizeof given);
    return named || cJSON_IsBool(item);
  }
  default:
    return cJSON_IsString(item) && parse_text(row, item->valuestring, place);
  }
}

/// Room for a value of any kind, for rows that are checked and not stored.
typedef union any_value {
  fmhac_mask mask;
  double real;
  int64_t integer;
  int choice;
  bool on;
  fmhac_value_TEXT text;
} any_value;

static void *place_of(fmhac_config_values *values,
                      const fmhac_option_row *row) {
  return (char *)values + row->offset;
}

void fmhac_config_values_init(fmhac_config_values *values) {
  memset(values, 0, sizeof *values);
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count; ++i) {
    // Switches and inputs are off in a struct of zeros.
    if (rows[i].offset == FMHAC_NOT_STORED || rows[i].info.is_switch ||
        rows[i].kind == FMHAC_KIND_INPUT)
      continue;
    void *place = place_of(values, &rows[i]);
    if (rows[i].info.is_integer || rows[i].info.is_real)
      parse_number(&rows[i], strtod(rows[i].info.fallback, NULL), place);
    else
      parse_text(&rows[i], rows[i].info.fallback, place);
  }
}

//===- Errors -------------------------------------------------------------===//

/// "integer in [1, 1024] elements", "one of bf16|f16|fp8".
static void describe_expected(const fmhac_option_row *row, char *text,
                              size_t bytes) {
  const char *space = row->unit[0] ? " " : "";
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
    snprintf(text, bytes, "an integer in [%.0f, %.0f]%s%s", row->low, row->high,
             space, row->unit);
    return;
  case FMHAC_KIND_REAL:
    snprintf(text, bytes, "a number in [%g, %g]%s%s", row->low, row->high,
             space, row->unit);
    return;
  case FMHAC_KIND_SWITCH:
    snprintf(text, bytes, "true or false");
    return;
  case FMHAC_KIND_TEXT:
    snprintf(text, bytes, "a string of at most %d bytes", FMHAC_TEXT_BYTES - 1);
    return;
  case FMHAC_KIND_INPUT:
    snprintf(text, bytes, "the name of a file, or true or false");
    return;
  case FMHAC_KIND_STRIDES:
    snprintf(text, bytes, "three integers \"%s\" in [%.0f, %.0f]%s%s",
             row->info.metavar, row->low, row->high, space, row->unit);
    return;
  default:
    snprintf(text, bytes, "one of %s", row->info.metavar);
  }
}

/// The value as written, cut to a readable length; free().
static char *describe_found(const cJSON *item) {
  enum { SHOWN = 60 };
  char *text = cJSON_PrintUnformatted(item);
  if (text && strlen(text) > SHOWN)
    strcpy(text + SHOWN - 4, " ...");
  return text;
}

/// The kind of mask that was perhaps meant; NULL if none is near, or the kind
/// is right and its numbers are not.
static const char *nearest_mask(const char *text) {
  static const char *const names[] = {"none", "causal", "causal-top-left",
                                      "window:", "chunked:"};
  char kind[32];
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) + 1 : strlen(text);
  if (length >= sizeof kind)
    return NULL;
  memcpy(kind, text, length);
  kind[length] = '\0';
  const char *near =
      fmhac_nearest_spelling(kind, names, sizeof names / sizeof names[0]);
  return near && strcmp(near, kind) != 0 ? near : NULL;
}

/// The bounds of a mask's numbers, for a mask of a known kind.
static bool describe_range(const cJSON *item, char text[EXPECTED_BYTES]) {
  const char *mask = cJSON_IsString(item) ? item->valuestring : "";
  if (strncmp(mask, "window:", 7) == 0)
    snprintf(text, EXPECTED_BYTES,
             "window:L,R with L and R from 0 to %d keys, or -1 for no bound",
             MAX_MASK_KEYS);
  else if (strncmp(mask, "chunked:", 8) == 0)
    snprintf(text, EXPECTED_BYTES, "chunked:N with N from 1 to %d keys",
             MAX_MASK_KEYS);
  else
    return false;
  return true;
}

static fmhac_status fail_value(fmhac_context *context,
                               const fmhac_option_row *row, const cJSON *item) {
  char expected[EXPECTED_BYTES];
  if (row->kind != FMHAC_KIND_MASK || !describe_range(item, expected))
    describe_expected(row, expected, sizeof expected);
  char *found = describe_found(item);
  const char *near = NULL;
  const char *const *choices = fmhac_option_choices(row->kind);
  if (choices && cJSON_IsString(item)) {
    size_t count = 0;
    while (choices[count])
      ++count;
    near = fmhac_nearest_spelling(item->valuestring, choices, count);
  }
  if (row->kind == FMHAC_KIND_MASK && cJSON_IsString(item))
    near = nearest_mask(item->valuestring);
  fmhac_status status = fmhac_fail(
      context, FMHAC_INVALID_INPUT,
      "configuration: key \"%s\": expected %s, found %s%s%s%s", row->info.key,
      expected, found ? found : "?", near ? "; did you mean \"" : "",
      near ? near : "", near ? "\"?" : "");
  cJSON_free(found);
  return status;
}

static fmhac_status fail_unknown_key(fmhac_context *context, const char *key) {
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  const char *keys[MAX_ROWS];
  count = count < MAX_ROWS ? count : MAX_ROWS;
  for (size_t i = 0; i < count; ++i)
    keys[i] = rows[i].info.key;
  const char *near = fmhac_nearest_spelling(key, keys, count);
  if (near)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: unknown key \"%.60s\"; did you mean "
                      "\"%s\"?",
                      key, near);
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "configuration: unknown key \"%.60s\"; the keys are the "
                    "flags of `fmhac compile --help` with '_' for '-'",
                    key);
}

//===- JSON ---------------------------------------------------------------===//

/// A shorthand sets both of its keys; one of them given beside it must agree.
static fmhac_status apply_shorthand(fmhac_context *context, const cJSON *root,
                                    const fmhac_option_row *row,
                                    const cJSON *item,
                                    fmhac_config_values *values) {
  for (int i = 0; i < 2; ++i) {
    const fmhac_option_row *part = fmhac_option_find(row->shorthand[i]);
    const cJSON *other =
        cJSON_GetObjectItemCaseSensitive(root, row->shorthand[i]);
    if (other && cJSON_IsNumber(other) &&
        other->valuedouble != item->valuedouble)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "configuration: \"%s\": %.17g contradicts \"%s\": "
                        "%.17g; give \"%s\" alone, or \"%s\" and \"%s\"",
                        row->info.key, item->valuedouble, part->info.key,
                        other->valuedouble, row->info.key, row->shorthand[0],
                        row->shorthand[1]);
    if (part->offset != FMHAC_NOT_STORED)
      parse_number(part, item->valuedouble, place_of(values, part));
  }
  return FMHAC_OK;
}

static fmhac_status parse_member(fmhac_context *context, const cJSON *root,
                                 const cJSON *item,
                                 fmhac_config_values *values) {
  for (const cJSON *earlier = root->child; earlier != item;
       earlier = earlier->next)
    if (strcmp(earlier->string, item->string) == 0)
      return fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "configuration: key \"%.60s\" is given twice",
                        item->string);
  const fmhac_option_row *row = fmhac_option_find(item->string);
  if (!row)
    return fail_unknown_key(context, item->string);
  any_value unused;
  void *place =
      row->offset == FMHAC_NOT_STORED ? &unused : place_of(values, row);
  if (!parse_item(row, item, place))
    return fail_value(context, row, item);
  if (row->shorthand[0])
    return apply_shorthand(context, root, row, item, values);
  return FMHAC_OK;
}

/// A tensor is packed or padded: its rows have one source of lengths.
static fmhac_status check_exclusions(fmhac_context *context,
                                     const fmhac_config_values *values) {
  const char *packed = NULL, *padded = NULL;
  if (values->cu_seqlens_q && values->seqlens_q) {
    packed = "cu_seqlens_q";
    padded = "seqlens_q";
  } else if (values->cu_seqlens_kv && values->seqlens_kv) {
    packed = "cu_seqlens_kv";
    padded = "seqlens_kv";
  }
  if (!packed)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "configuration: \"%s\" and \"%s\" exclude each other: the "
                    "first is for sequences packed one after the other, the "
                    "second for padded batches",
                    packed, padded);
}

fmhac_status fmhac_config_values_parse(fmhac_context *context, const char *json,
                                       fmhac_config_values *out_values) {
  fmhac_config_values_init(out_values);
  json = fmhac_skip_mark(json);
  fmhac_json_error error;
  if (!fmhac_json_check(json, &error))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: malformed JSON at %zu:%zu: expected %s, "
                      "found %s",
                      error.line, error.column, error.expected, error.found);
  cJSON *root = cJSON_Parse(json);
  fmhac_status status = FMHAC_OK;
  // The text is well formed, so only memory can be missing.
  if (!root)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "configuration: no memory for %zu bytes of JSON",
                      strlen(json));
  if (!cJSON_IsObject(root)) {
    char *found = describe_found(root);
    status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                        "configuration: expected one JSON object, found %s",
                        found ? found : "?");
    cJSON_free(found);
  }
  if (status == FMHAC_OK)
    for (const cJSON *item = root->child; item && status == FMHAC_OK;
         item = item->next)
      status = parse_member(context, root, item, out_values);
  if (status == FMHAC_OK)
    status = check_exclusions(context, out_values);
  cJSON_Delete(root);
  return status;
}

static bool is_default(const fmhac_config_values *values,
                       const fmhac_config_values *defaults,
                       const fmhac_option_row *row) {
  const char *value = (const char *)values + row->offset;
  const char *fallback = (const char *)defaults + row->offset;
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
    return memcmp(value, fallback, sizeof(int64_t)) == 0;
  case FMHAC_KIND_REAL:
    return *(const double *)(const void *)value ==
           *(const double *)(const void *)fallback;
  case FMHAC_KIND_SWITCH:
  case FMHAC_KIND_INPUT:
    return *(const bool *)value == *(const bool *)fallback;
  case FMHAC_KIND_TEXT:
    return strcmp(value, fallback) == 0;
  case FMHAC_KIND_MASK:
    return memcmp(value, fallback, sizeof(fmhac_mask_kind)) == 0;
  default:
    return memcmp(value, fallback, sizeof(int)) == 0;
  }
}

bool fmhac_config_values_is_default(const fmhac_config_values *values,
                                    const fmhac_option_row *row) {
  fmhac_config_values defaults;
  fmhac_config_values_init(&defaults);
  return row->offset == FMHAC_NOT_STORED || is_default(values, &defaults, row);
}

static bool add_value(cJSON *root, const fmhac_option_row *row,
                      const fmhac_config_values *values) {
  const void *place = (const char *)values + row->offset;
  const char *key = row->info.key;
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
    return cJSON_AddNumberToObject(root, key,
                                   (double)*(const int64_t *)place) != NULL;
  case FMHAC_KIND_REAL: {
    // cJSON may print a neighbour; equal configurations must print equally.
    char text[32];
    double real = *(const double *)place;
    for (int digits = 15; digits <= 17; ++digits) {
      snprintf(text, sizeof text, "%.*g", digits, real);
      if (strtod(text, NULL) == real)
        break;
    }
    // The caller's locale may have another decimal point.
    char *point = strchr(text, ',');
    if (point)
      *point = '.';
    return cJSON_AddRawToObject(root, key, text) != NULL;
  }
  case FMHAC_KIND_SWITCH:
  case FMHAC_KIND_INPUT:
    return cJSON_AddBoolToObject(root, key, *(const bool *)place) != NULL;
  case FMHAC_KIND_TEXT:
    return cJSON_AddStringToObject(root, key, place) != NULL;
  case FMHAC_KIND_MASK: {
    char text[64] = "";
    fmhac_mask_print(place, text, sizeof text);
    return cJSON_AddStringToObject(root, key, text) != NULL;
  }
  default:
    return cJSON_AddStringToObject(
               root, key,
               fmhac_option_choices(row->kind)[*(const int *)place]) != NULL;
  }
}

char *fmhac_config_values_print(const fmhac_config_values *values) {
  fmhac_config_values defaults;
  fmhac_config_values_init(&defaults);
  cJSON *root = cJSON_CreateObject();
  bool ok = root != NULL;
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count && ok; ++i) {
    if (rows[i].offset == FMHAC_NOT_STORED)
      continue;
    if (rows[i].info.works || !is_default(values, &defaults, &rows[i]))
      ok = add_value(root, &rows[i], values);
  }
  char *text = ok ? cJSON_PrintUnformatted(root) : NULL;
  cJSON_Delete(root);
  return text;
}

bool fmhac_schedule_is_path(const char *schedule) {
  size_t length = strlen(schedule);
  return strchr(schedule, '/') ||
         (length >= 5 && strcmp(schedule + length - 5, ".mlir") == 0);
}

float fmhac_scale_of(float scale, uint32_t head_dim_qk) {
  if (scale != 0)
    return scale;
  fenv_t caller;
  fmhac_float_begin(&caller);
  const float usual = (float)(1 / sqrt((double)head_dim_qk));
  fmhac_float_end(&caller);
  return usual;
}
