// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json_fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_options.h"

bool json_fail(const json_fields *p, const char *format, ...) {
  int n = snprintf(p->error, p->error_bytes, "%s: ", p->path);
  va_list args;
  va_start(args, format);
  if (n >= 0 && (size_t)n < p->error_bytes)
    vsnprintf(p->error + n, p->error_bytes - (size_t)n, format, args);
  va_end(args);
  // One line, whatever the keys and names that it quotes hold.
  for (char *c = p->error; p->error_bytes && *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = '?';
  return false;
}

/// How many of the bytes can be shown in a message: a short line's worth.
static size_t shown(const char *text, size_t bytes) {
  size_t n = 0;
  while (n < bytes && n < 24 && text[n] >= 0x20 && text[n] < 0x7f)
    n++;
  return n;
}

/// "malformed JSON at LINE:COLUMN: EXPECTED", and the text at that place. NULL,
/// always.
static cJSON *fail_at(const json_fields *p, const char *text, size_t bytes,
                      size_t at, const char *expected) {
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at && i < bytes; i++) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n';
  }
  if (at >= bytes)
    json_fail(p,
              "malformed JSON at %zu:%zu: expected more, found the end of the "
              "file",
              line, column);
  else if (!shown(text + at, bytes - at))
    json_fail(p, "malformed JSON at %zu:%zu: %s byte 0x%02x", line, column,
              expected, (unsigned char)text[at]);
  else
    json_fail(p, "malformed JSON at %zu:%zu: %s '%.*s'", line, column, expected,
              (int)shown(text + at, bytes - at), text + at);
  return NULL;
}

cJSON *json_parse(const json_fields *p, const char *text, size_t bytes) {
  const char *end = NULL;
  // The zero after the text lets cJSON distinguish the end from a bad last
  // byte.
  cJSON *root = cJSON_ParseWithLengthOpts(text, bytes + 1, &end, false);
  if (!root)
    return fail_at(p, text, bytes,
                   end && end >= text ? (size_t)(end - text) : 0,
                   "a value, ',' or a bracket is wrong or missing at");
  for (const char *c = end; c < text + bytes; c++)
    if (*c && !strchr(" \t\r\n", *c)) {
      cJSON_Delete(root);
      return fail_at(
          p, text, bytes, (size_t)(c - text),
          "expected the end of the file after the JSON value, found");
    }
  return root;
}

bool json_check_keys(const json_fields *p, const cJSON *object,
                     const char *where, const char *const *known) {
  for (const cJSON *item = object->child; item; item = item->next) {
    bool ok = false;
    for (const char *const *k = known; *k; k++)
      ok |= strcmp(item->string, *k) == 0;
    if (!ok) {
      size_t count = 0;
      while (known[count])
        count++;
      const char *near = fmhac_nearest_spelling(item->string, known, count);
      char all[256] = "";
      for (const char *const *k = known; *k; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", *k);
      return near ? json_fail(p, "%s: unknown key \"%s\"; did you mean \"%s\"?",
                              where, item->string, near)
                  : json_fail(p, "%s: unknown key \"%s\"; known are:%s", where,
                              item->string, all);
    }
    for (const cJSON *twin = item->next; twin; twin = twin->next)
      if (strcmp(item->string, twin->string) == 0)
        return json_fail(p, "%s: key \"%s\" occurs twice", where, item->string);
  }
  return true;
}

bool json_object(const json_fields *p, const cJSON *item, const char *where,
                 const char *const *known) {
  return cJSON_IsObject(item) ? json_check_keys(p, item, where, known)
                              : json_fail(p, "%s: expected an object, found %s",
                                          where, json_type_name(item));
}

bool json_check_list(const json_fields *p, const cJSON *list, const char *where,
                     int type) {
  enum { MOST = 4096 };
  if ((list->type & 0xff) != type)
    return json_fail(p, "%s: expected an %s, found %s", where,
                     type == cJSON_Object ? "object" : "array",
                     json_type_name(list));
  int n = cJSON_GetArraySize(list);
  if (n > MOST)
    return json_fail(p, "%s: expected at most %d members, found %d", where,
                     MOST, n);
  if (type != cJSON_Object)
    return true;
  for (const cJSON *item = list->child; item; item = item->next)
    for (const cJSON *twin = item->next; twin; twin = twin->next)
      if (strcmp(item->string, twin->string) == 0)
        return json_fail(p, "%s: \"%s\" occurs twice", where, item->string);
  return true;
}

const char *json_type_name(const cJSON *item) {
  return cJSON_IsString(item)   ? "a string"
         : cJSON_IsNumber(item) ? "a number"
         : cJSON_IsArray(item)  ? "an array"
         : cJSON_IsObject(item) ? "an object"
         : cJSON_IsNull(item)   ? "null"
                                : "a boolean";
}

bool json_integer(const json_fields *p, const cJSON *item, const char *where,
                  uint64_t limit, uint64_t *out) {
  if (cJSON_IsNumber(item)) {
    double d = item->valuedouble;
    if (d < 0 || d != floor(d))
      return json_fail(p,
                       "%s: expected a whole number of at least 0, found %.15g",
                       where, d);
    if (d > 0x1p53 && d > (double)limit)
      return json_fail(p, "%s: %g is too large; at most %llu is allowed", where,
                       d, (unsigned long long)limit);
    if (d > 0x1p53)
      return json_fail(p,
                       "%s: expected a whole number from 0 to 2^53, found %g; "
                       "write larger ones as a string",
                       where, d);
    *out = (uint64_t)d;
  } else if (cJSON_IsString(item)) {
    char *end;
    const char *s = item->valuestring;
    errno = 0;
    *out = strtoull(s, &end, 0);
    // strtoull accepts blanks and a sign, and clamps numbers that are too
    // large.
    if (*s < '0' || *s > '9' || *end || errno)
      return json_fail(p,
                       "%s: expected a whole number below 2^64, such as "
                       "\"0x130000000000\", found \"%.60s\"",
                       where, s);
  } else {
    return json_fail(p, "%s: expected a whole number, found %s", where,
                     json_type_name(item));
  }
  if (*out > limit)
    return json_fail(p, "%s: %llu is too large; at most %llu is allowed", where,
                     (unsigned long long)*out, (unsigned long long)limit);
  return true;
}

bool json_member_integer(const json_fields *p, const cJSON *object,
                         const char *where, const char *key, uint64_t limit,
                         uint64_t *out, bool *out_has) {
  char field[JSON_WHERE_BYTES];
  const cJSON *item = json_get(object, key);
  if (out_has)
    *out_has = item != NULL;
  return !item ||
         json_integer(p, item, json_key_of(where, key, field), limit, out);
}

bool json_string(const json_fields *p, const cJSON *item, const char *where,
                 char **out) {
  if (!cJSON_IsString(item) || !item->valuestring[0])
    return json_fail(p, "%s: expected a non-empty string, found %s", where,
                     cJSON_IsString(item) ? "an empty one"
                                          : json_type_name(item));
  *out = strdup(item->valuestring);
  return *out ? true : json_fail(p, "out of memory");
}

bool json_member_file_path(const json_fields *p, const cJSON *object,
                           const char *where, const char *key, char **out) {
  char field[JSON_WHERE_BYTES];
  const cJSON *item = json_get(object, key);
  if (!item)
    return true;
  if (!json_string(p, item, json_key_of(where, key, field), out))
    return false;
  const char *slash = strrchr(p->path, '/');
  if ((*out)[0] == '/' || !slash)
    return true;
  size_t n = (size_t)(slash - p->path) + 1, m = strlen(*out);
  char *full = malloc(n + m + 1);
  if (!full)
    return json_fail(p, "out of memory");
  memcpy(full, p->path, n);
  memcpy(full + n, *out, m + 1);
  free(*out);
  *out = full;
  return true;
}

bool json_triple(const json_fields *p, const cJSON *item, const char *where,
                 uint32_t minimum, uint32_t out[3]) {
  if (!cJSON_IsArray(item))
    return json_fail(p, "%s: expected three numbers [x,y,z], found %s", where,
                     json_type_name(item));
  if (cJSON_GetArraySize(item) != 3)
    return json_fail(p, "%s: expected three numbers [x,y,z], found %d", where,
                     cJSON_GetArraySize(item));
  for (int i = 0; i < 3; i++) {
    uint64_t x;
    if (!json_integer(p, cJSON_GetArrayItem(item, i), where, UINT32_MAX, &x))
      return false;
    if (x < minimum)
      return json_fail(p, "%s: expected extents of at least %u, found %u",
                       where, minimum, (unsigned)x);
    out[i] = (uint32_t)x;
  }
  return true;
}

const char *json_key_of(const char *where, const char *key,
                        char out[JSON_WHERE_BYTES]) {
  snprintf(out, JSON_WHERE_BYTES, "%.140s%s%s", where, where[0] ? "." : "",
           key);
  return out;
}

bool json_number(const json_fields *p, const cJSON *item, const char *where,
                 double *out) {
  if (cJSON_IsNumber(item)) {
    *out = item->valuedouble;
    return true;
  }
  char *end;
  if (cJSON_IsString(item) && item->valuestring[0]) {
    *out = strtod(item->valuestring, &end); // "inf", "nan", "0x1p-3"
    if (!*end)
      return true;
  }
  if (cJSON_IsString(item))
    return json_fail(
        p, "%s: expected a number, \"inf\" or \"nan\", found \"%.60s\"", where,
        item->valuestring);
  return json_fail(p, "%s: expected a number, found %s", where,
                   json_type_name(item));
}

bool json_signed_integer(const json_fields *p, const cJSON *item,
                         const char *where, unsigned bits, uint64_t *out) {
  double limit = ldexp(1.0, (int)bits - 1);
  if (cJSON_IsNumber(item) && item->valuedouble < 0) {
    double d = item->valuedouble;
    if (d != floor(d) || d < -limit)
      return json_fail(p, "%s: %g is not a whole number of %u bits", where, d,
                       bits);
    *out = (uint64_t)(int64_t)d;
    return true;
  }
  return json_integer(p, item, where, (1ull << (bits - 1)) - 1, out);
}
