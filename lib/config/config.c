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
#include "latent.h"
#include "operands.h"
#include "pages.h"
#include "str.h"
#include "values.h"
#include "work.h"

enum { MAX_ROWS = 96, EXPECTED_BYTES = 160 };

//===- One value ----------------------------------------------------------===//

/// Takes a JSON value of the right type and range; false otherwise.
static bool parse_item(const fmhac_option_row *row, const cJSON *item,
                       void *place) {
  switch (row->kind) {
  case FMHAC_KIND_INTEGER:
  case FMHAC_KIND_REAL:
    return cJSON_IsNumber(item) &&
           fmhac_value_parse_number(row, item->valuedouble, place);
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
    return cJSON_IsString(item) &&
           fmhac_value_parse_text(row, item->valuestring, place);
  }
}

static void *place_of(fmhac_config_values *values,
                      const fmhac_option_row *row) {
  return (char *)values + row->offset;
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
             FMHAC_MAX_MASK_KEYS);
  else if (strncmp(mask, "chunked:", 8) == 0)
    snprintf(text, EXPECTED_BYTES, "chunked:N with N from 1 to %d keys",
             FMHAC_MAX_MASK_KEYS);
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
      fmhac_value_parse_number(part, item->valuedouble, place_of(values, part));
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
  fmhac_any_value unused; // of rows that are checked and not stored
  void *place =
      row->offset == FMHAC_NOT_STORED ? &unused : place_of(values, row);
  if (!parse_item(row, item, place))
    return fail_value(context, row, item);
  if (row->shorthand[0])
    return apply_shorthand(context, root, row, item, values);
  return FMHAC_OK;
}

/// Equal types print equally: `dtype` becomes Q's, and K and V have one of
/// their own only where it is another.
static void settle_types(fmhac_config_values *values) {
  _Static_assert(FMHAC_OPERAND_DTYPE_BF16 == FMHAC_DTYPE_BF16 + 1 &&
                     FMHAC_OPERAND_DTYPE_FP8 == FMHAC_DTYPE_FP8 + 1,
                 "the types of an operand are those of all, and same");
  fmhac_operand_dtype *const others[] = {&values->k_dtype, &values->v_dtype};
  const size_t count = sizeof others / sizeof others[0];
  for (size_t i = 0; i < count; ++i)
    if (*others[i] == FMHAC_OPERAND_DTYPE_SAME)
      *others[i] = (fmhac_operand_dtype)((int)values->dtype + 1);
  if (values->q_dtype != FMHAC_OPERAND_DTYPE_SAME)
    values->dtype = (fmhac_dtype)((int)values->q_dtype - 1);
  values->q_dtype = FMHAC_OPERAND_DTYPE_SAME;
  for (size_t i = 0; i < count; ++i)
    if ((int)*others[i] == (int)values->dtype + 1)
      *others[i] = FMHAC_OPERAND_DTYPE_SAME;
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
  if (status == FMHAC_OK)
    status = fmhac_latent_settle(context, out_values);
  if (status == FMHAC_OK)
    settle_types(out_values);
  const bool checks = !fmhac_find_reserved(out_values);
  if (status == FMHAC_OK && checks)
    status = fmhac_check_operands(context, out_values);
  if (status == FMHAC_OK && checks)
    status = fmhac_check_latent(context, out_values);
  if (status == FMHAC_OK && checks)
    status = fmhac_check_pages(context, out_values);
  if (status == FMHAC_OK && checks)
    status = fmhac_check_work(context, out_values);
  // Strides tell the two apart.
  if (out_values->kv_layout == FMHAC_KV_LAYOUT_HND)
    out_values->kv_layout = FMHAC_KV_LAYOUT_NHD;
  cJSON_Delete(root);
  return status;
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

/// The keys by which every configuration is told.
static bool tells(const char *key) {
  static const char *const keys[] = {"dtype", "head_dim_qk", "head_dim_v",
                                     "mask",  "lse",         "schedule"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
    if (strcmp(keys[i], key) == 0)
      return true;
  return false;
}

/// Rows that came after configurations were kept: of attention they change
/// neither the text nor the names of kernels, which have a hash of it.
static bool is_late(const char *key) {
  static const char *const late[] = {"role",        "work",     "split_kv",
                                     "split_chunk", "rope_dim", "v_in_k",
                                     "max_seqlen_q"};
  for (size_t i = 0; i < sizeof late / sizeof late[0]; ++i)
    if (strcmp(key, late[i]) == 0)
      return true;
  return false;
}

/// Without `all`, rows at their default only if they tell a configuration.
static char *print(const fmhac_config_values *given, bool all) {
  fmhac_config_values own = *given, *values = &own;
  fmhac_latent_forget_v(values);
  cJSON *root = cJSON_CreateObject();
  bool ok = root != NULL;
  size_t count;
  const fmhac_option_row *rows = fmhac_option_rows(&count);
  for (size_t i = 0; i < count && ok; ++i) {
    if (rows[i].offset == FMHAC_NOT_STORED)
      continue;
    const bool always = all && rows[i].info.works && !is_late(rows[i].info.key);
    if (always || tells(rows[i].info.key) ||
        !fmhac_value_is_default(values, &rows[i]))
      ok = add_value(root, &rows[i], values);
  }
  char *text = ok ? cJSON_PrintUnformatted(root) : NULL;
  cJSON_Delete(root);
  return text;
}

char *fmhac_config_values_print(const fmhac_config_values *values) {
  return print(values, true);
}

char *fmhac_config_values_print_changes(const fmhac_config_values *values) {
  return print(values, false);
}

char *fmhac_config_values_print_code(const fmhac_config_values *values) {
  fmhac_config_values code = *values;
  memset(code.schedule, 0, sizeof code.schedule);
  strcpy(code.schedule, FMHAC_SCHEDULE_AUTO);
  memset(code.score_mod, 0, sizeof code.score_mod);
  // A promise to plans, which shapes code by the schedule that it leads to.
  code.max_seqlen_q = 0;
  return fmhac_config_values_print(&code);
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
