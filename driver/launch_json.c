// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"

typedef struct parser {
  const char *path;
  launch_description *out;
  char *error;
  size_t error_bytes;
} parser;

static bool fail(parser *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(parser *p, const char *format, ...) {
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

// Every key must be known, and stand once.
static bool check_keys(parser *p, const cJSON *object, const char *where,
                       const char *const *known) {
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
      return near ? fail(p, "%s: unknown key \"%s\"; did you mean \"%s\"?",
                         where, item->string, near)
                  : fail(p, "%s: unknown key \"%s\"; known are:%s", where,
                         item->string, all);
    }
    for (const cJSON *twin = item->next; twin; twin = twin->next)
      if (strcmp(item->string, twin->string) == 0)
        return fail(p, "%s: key \"%s\" stands twice", where, item->string);
  }
  return true;
}

static const cJSON *get(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *type_name(const cJSON *item) {
  return cJSON_IsString(item)   ? "a string"
         : cJSON_IsNumber(item) ? "a number"
         : cJSON_IsArray(item)  ? "an array"
         : cJSON_IsObject(item) ? "an object"
         : cJSON_IsNull(item)   ? "null"
                                : "a boolean";
}

// An integer: a JSON number up to 2^53, or a string in decimal or 0x form.
static bool integer(parser *p, const cJSON *item, const char *where,
                    uint64_t limit, uint64_t *out) {
  if (cJSON_IsNumber(item)) {
    double d = item->valuedouble;
    if (d < 0 || d != floor(d) || d > 9007199254740992.0)
      return fail(p,
                  "%s: expected a whole number from 0 to 2^53, found %g; "
                  "write larger ones as a string",
                  where, d);
    *out = (uint64_t)d;
  } else if (cJSON_IsString(item)) {
    char *end;
    const char *s = item->valuestring;
    errno = 0;
    *out = strtoull(s, &end, 0);
    // strtoull takes blanks and a sign, and bends what is too large.
    if (*s < '0' || *s > '9' || *end || errno)
      return fail(p,
                  "%s: expected a whole number below 2^64, such as "
                  "\"0x130000000000\", found \"%.60s\"",
                  where, s);
  } else {
    return fail(p, "%s: expected a whole number, found %s", where,
                type_name(item));
  }
  if (*out > limit)
    return fail(p, "%s: %llu is too large; at most %llu is allowed", where,
                (unsigned long long)*out, (unsigned long long)limit);
  return true;
}

static bool string(parser *p, const cJSON *item, const char *where,
                   char **out) {
  if (!cJSON_IsString(item) || !item->valuestring[0])
    return fail(p, "%s: expected a non-empty string, found %s", where,
                cJSON_IsString(item) ? "an empty one" : type_name(item));
  *out = strdup(item->valuestring);
  return *out ? true : fail(p, "out of memory");
}

// A path relative to the JSON file.
static bool file_path(parser *p, const cJSON *item, const char *where,
                      char **out) {
  if (!string(p, item, where, out))
    return false;
  const char *slash = strrchr(p->path, '/');
  if ((*out)[0] == '/' || !slash)
    return true;
  size_t n = (size_t)(slash - p->path) + 1, m = strlen(*out);
  char *full = malloc(n + m + 1);
  if (!full)
    return fail(p, "out of memory");
  memcpy(full, p->path, n);
  memcpy(full + n, *out, m + 1);
  free(*out);
  *out = full;
  return true;
}

static bool triple(parser *p, const cJSON *item, const char *where,
                   uint32_t minimum, uint32_t out[3]) {
  if (!cJSON_IsArray(item))
    return fail(p, "%s: expected three numbers [x,y,z], found %s", where,
                type_name(item));
  if (cJSON_GetArraySize(item) != 3)
    return fail(p, "%s: expected three numbers [x,y,z], found %d", where,
                cJSON_GetArraySize(item));
  for (int i = 0; i < 3; i++) {
    uint64_t x;
    if (!integer(p, cJSON_GetArrayItem(item, i), where, UINT32_MAX, &x))
      return false;
    if (x < minimum)
      return fail(p, "%s: expected extents of at least %u, found %u", where,
                  minimum, (unsigned)x);
    out[i] = (uint32_t)x;
  }
  return true;
}

enum { WHERE_BYTES = 160 };

/// "WHERE.KEY" in `out`, which is returned.
static const char *of(const char *where, const char *key,
                      char out[WHERE_BYTES]) {
  snprintf(out, WHERE_BYTES, "%.140s.%s", where, key);
  return out;
}

static bool parse_buffer(parser *p, const cJSON *item, launch_buffer *b) {
  static const char *const keys[] = {"bytes", "file", "fill",
                                     "out",   "base", NULL};
  char where[WHERE_BYTES], field[WHERE_BYTES];
  uint64_t x;
  snprintf(where, sizeof where, "buffers.%.100s", item->string);
  if (!cJSON_IsObject(item))
    return fail(p, "%s: expected an object, found %s", where, type_name(item));
  if (!check_keys(p, item, where, keys))
    return false;
  b->name = strdup(item->string);
  if (!b->name)
    return fail(p, "out of memory");
  const cJSON *f;
  if ((f = get(item, "bytes"))) {
    if (!integer(p, f, of(where, "bytes", field), 1ull << 46, &b->bytes))
      return false;
    b->has_bytes = true;
  }
  if ((f = get(item, "file")) &&
      !file_path(p, f, of(where, "file", field), &b->file))
    return false;
  if ((f = get(item, "out")) &&
      !file_path(p, f, of(where, "out", field), &b->out))
    return false;
  if ((f = get(item, "fill"))) {
    if (b->file)
      return fail(p, "%s: \"file\" and \"fill\" exclude each other", where);
    if (!integer(p, f, of(where, "fill", field), 255, &x))
      return false;
    b->has_fill = true;
    b->fill = (uint8_t)x;
  }
  if ((f = get(item, "base"))) {
    if (!integer(p, f, of(where, "base", field), (1ull << 48) - 1, &b->base))
      return false;
    if (!b->base)
      return fail(p, "%s.base: expected at least 1, found 0", where);
  }
  if (!b->has_bytes && !b->file)
    return fail(p, "%s: expected \"bytes\" or \"file\", found neither", where);
  return true;
}

static bool parse_buffers(parser *p, const cJSON *object) {
  if (!object)
    return true;
  if (!cJSON_IsObject(object))
    return fail(p, "buffers: expected an object, found %s", type_name(object));
  int n = cJSON_GetArraySize(object);
  p->out->buffers = calloc((size_t)n + 1, sizeof *p->out->buffers);
  if (!p->out->buffers)
    return fail(p, "out of memory");
  for (const cJSON *item = object->child; item; item = item->next) {
    for (const cJSON *twin = item->next; twin; twin = twin->next)
      if (strcmp(item->string, twin->string) == 0)
        return fail(p, "buffers: \"%s\" stands twice", item->string);
    launch_buffer *b = &p->out->buffers[p->out->buffer_count++];
    if (!parse_buffer(p, item, b))
      return false;
    for (const launch_buffer *a = p->out->buffers; b->out && a < b; ++a)
      if (a->out && strcmp(a->out, b->out) == 0)
        return fail(p,
                    "buffers.%.60s.out: expected a file of its own, found that "
                    "of \"%.60s\", %.100s",
                    b->name, a->name, b->out);
  }
  return true;
}

static bool number(parser *p, const cJSON *item, const char *where,
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
    return fail(p, "%s: expected a number, \"inf\" or \"nan\", found \"%.60s\"",
                where, item->valuestring);
  return fail(p, "%s: expected a number, found %s", where, type_name(item));
}

static bool signed_integer(parser *p, const cJSON *item, const char *where,
                           unsigned bits, uint64_t *out) {
  double limit = ldexp(1.0, (int)bits - 1);
  if (cJSON_IsNumber(item) && item->valuedouble < 0) {
    double d = item->valuedouble;
    if (d != floor(d) || d < -limit)
      return fail(p, "%s: %g is not a whole number of %u bits", where, d, bits);
    *out = (uint64_t)(int64_t)d;
    return true;
  }
  return integer(p, item, where, (1ull << (bits - 1)) - 1, out);
}

static bool parse_value(parser *p, const cJSON *item, const char *where,
                        launch_argument *a) {
  static const struct {
    const char *key;
    uint8_t bytes;
    char kind;
  } kinds[] = {{"u8", 1, 'u'},  {"u16", 2, 'u'}, {"u32", 4, 'u'},
               {"u64", 8, 'u'}, {"i32", 4, 'i'}, {"i64", 8, 'i'},
               {"f32", 4, 'f'}, {"f64", 8, 'f'}};
  char field[WHERE_BYTES];
  a->kind = LAUNCH_BITS;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const cJSON *f = get(item, kinds[k].key);
    double d = 0;
    if (!f)
      continue;
    if (a->bytes)
      return fail(p, "%s: expected one value, found more", where);
    a->bytes = kinds[k].bytes;
    of(where, kinds[k].key, field);
    unsigned bits = 8u * a->bytes;
    if (kinds[k].kind == 'u') {
      if (!integer(p, f, field, bits == 64 ? UINT64_MAX : (1ull << bits) - 1,
                   &a->bits))
        return false;
    } else if (kinds[k].kind == 'i') {
      if (!signed_integer(p, f, field, bits, &a->bits))
        return false;
    } else {
      if (!number(p, f, field, &d))
        return false;
      float s = (float)d;
      if (bits == 32)
        memcpy(&a->bits, &s, 4);
      else
        memcpy(&a->bits, &d, 8);
    }
  }
  return true;
}

static bool no_buffer(parser *p, const char *where, const char *name) {
  const launch_description *o = p->out;
  const char **names = calloc(o->buffer_count + 1, sizeof *names);
  if (!names)
    return fail(p, "out of memory");
  for (size_t i = 0; i < o->buffer_count; ++i)
    names[i] = o->buffers[i].name;
  const char *near = fmhac_nearest_spelling(name, names, o->buffer_count);
  fail(p, "%s: no buffer is named \"%.60s\"%s%s%s", where, name,
       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  free(names);
  return false;
}

static bool parse_argument(parser *p, const cJSON *item, int at,
                           launch_argument *a) {
  static const char *const keys[] = {"offset", "buffer", "add", "u8",
                                     "u16",    "u32",    "u64", "i32",
                                     "i64",    "f32",    "f64", NULL};
  char where[64], field[WHERE_BYTES];
  uint64_t x;
  snprintf(where, sizeof where, "kernarg[%d]", at);
  if (!cJSON_IsObject(item))
    return fail(p, "%s: expected an object, found %s", where, type_name(item));
  if (!check_keys(p, item, where, keys))
    return false;
  const cJSON *f = get(item, "offset");
  if (!f)
    return fail(p, "%s: \"offset\" is missing", where);
  if (!integer(p, f, of(where, "offset", field), 1 << 20, &x))
    return false;
  a->offset = (uint32_t)x;
  if (!parse_value(p, item, where, a))
    return false;
  f = get(item, "buffer");
  if (f) {
    if (a->bytes)
      return fail(p, "%s: expected a buffer or a value, found both", where);
    if (!cJSON_IsString(f))
      return fail(p, "%s: \"buffer\" wants a name, found %s", where,
                  type_name(f));
    a->kind = LAUNCH_BUFFER;
    a->bytes = 8;
    for (a->index = 0; a->index < p->out->buffer_count; a->index++)
      if (strcmp(p->out->buffers[a->index].name, f->valuestring) == 0)
        break;
    if (a->index == p->out->buffer_count)
      return no_buffer(p, where, f->valuestring);
    f = get(item, "add");
    return !f || signed_integer(p, f, of(where, "add", field), 53, &a->bits);
  }
  if (get(item, "add"))
    return fail(p, "%s: \"add\" goes with \"buffer\"", where);
  return a->bytes ? true
                  : fail(p,
                         "%s: no value: expected one of buffer, u8, "
                         "u16, u32, u64, i32, i64, f32, f64",
                         where);
}

static bool parse_arguments(parser *p, const cJSON *array) {
  if (!array)
    return true;
  if (!cJSON_IsArray(array))
    return fail(p, "kernarg: expected an array, found %s", type_name(array));
  int n = cJSON_GetArraySize(array), i = 0;
  launch_argument *list = calloc((size_t)n + 1, sizeof *list);
  p->out->arguments = list;
  if (!list)
    return fail(p, "out of memory");
  for (const cJSON *item = array->child; item; item = item->next, i++) {
    if (!parse_argument(p, item, i, &list[i]))
      return false;
    p->out->argument_count++;
    for (int k = 0; k < i; k++)
      if (list[k].offset < list[i].offset + list[i].bytes &&
          list[i].offset < list[k].offset + list[k].bytes)
        return fail(p, "kernarg[%d] at offset %u overlaps kernarg[%d] at %u", i,
                    list[i].offset, k, list[k].offset);
    if (p->out->has_kernarg_bytes &&
        list[i].offset + list[i].bytes > p->out->kernarg_bytes)
      return fail(p, "kernarg[%d] ends at byte %u, \"kernarg_bytes\" is %u", i,
                  list[i].offset + list[i].bytes, p->out->kernarg_bytes);
  }
  return true;
}

static bool parse_workgroups(parser *p, const cJSON *array) {
  if (!array)
    return true;
  if (!cJSON_IsArray(array) || !array->child)
    return fail(p, "workgroups: expected a non-empty array of [x,y,z]");
  size_t n = (size_t)cJSON_GetArraySize(array);
  p->out->workgroups = calloc(n, sizeof *p->out->workgroups);
  if (!p->out->workgroups)
    return fail(p, "out of memory");
  for (const cJSON *item = array->child; item; item = item->next) {
    uint32_t *id = p->out->workgroups[p->out->workgroup_count++];
    if (!triple(p, item, "workgroups", 0, id))
      return false;
    for (int i = 0; i < 3; i++)
      if (id[i] >= p->out->grid[i])
        return fail(p,
                    "workgroups: [%u,%u,%u] lies outside the grid "
                    "[%u,%u,%u]",
                    id[0], id[1], id[2], p->out->grid[0], p->out->grid[1],
                    p->out->grid[2]);
  }
  return true;
}

static bool parse_root(parser *p, const cJSON *root) {
  static const char *const keys[] = {
      "code_object", "kernel",        "grid",    "block",
      "dynamic_lds", "buffers",       "kernarg", "kernarg_file",
      "workgroups",  "kernarg_bytes", NULL};
  launch_description *o = p->out;
  uint64_t x;
  const cJSON *f;
  if (!cJSON_IsObject(root))
    return fail(p, "expected an object, found %s", type_name(root));
  if (!check_keys(p, root, "launch", keys))
    return false;
  static const char *const required[] = {"code_object", "grid", "block"};
  for (int i = 0; i < 3; i++)
    if (!get(root, required[i]))
      return fail(p, "key \"%s\" is missing", required[i]);
  if (!file_path(p, get(root, "code_object"), "code_object", &o->code_object))
    return false;
  if ((f = get(root, "kernel")) && !string(p, f, "kernel", &o->kernel))
    return false;
  if (!triple(p, get(root, "grid"), "grid", 1, o->grid) ||
      !triple(p, get(root, "block"), "block", 1, o->block))
    return false;
  if ((f = get(root, "dynamic_lds"))) {
    if (!integer(p, f, "dynamic_lds", 1 << 20, &x))
      return false;
    o->dynamic_lds = (uint32_t)x;
  }
  if ((f = get(root, "kernarg_bytes"))) {
    if (!integer(p, f, "kernarg_bytes", 1 << 20, &x))
      return false;
    o->has_kernarg_bytes = true;
    o->kernarg_bytes = (uint32_t)x;
  }
  if ((f = get(root, "kernarg_file"))) {
    if (get(root, "kernarg") || o->has_kernarg_bytes)
      return fail(p, "\"kernarg_file\" excludes \"kernarg\" and "
                     "\"kernarg_bytes\"");
    if (!file_path(p, f, "kernarg_file", &o->kernarg_file))
      return false;
  }
  return parse_buffers(p, get(root, "buffers")) &&
         parse_arguments(p, get(root, "kernarg")) &&
         parse_workgroups(p, get(root, "workgroups"));
}

/// How many of the bytes can be shown in a message: a short line's worth.
static size_t shown(const char *text, size_t bytes) {
  size_t n = 0;
  while (n < bytes && n < 24 && text[n] >= 0x20 && text[n] < 0x7f)
    n++;
  return n;
}

bool launch_description_parse(const char *path, const char *text,
                              size_t text_bytes, launch_description *out,
                              char *error, size_t error_bytes) {
  memset(out, 0, sizeof *out);
  parser p = {path, out, error, error_bytes};
  const char *end = NULL;
  // With the zero behind the text cJSON tells its end from a bad last byte.
  cJSON *root = cJSON_ParseWithLengthOpts(text, text_bytes + 1, &end, false);
  if (!root) {
    size_t at = end && end >= text ? (size_t)(end - text) : 0;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < text_bytes; i++) {
      column = text[i] == '\n' ? 1 : column + 1;
      line += text[i] == '\n';
    }
    return at >= text_bytes
               ? fail(&p,
                      "malformed JSON at %zu:%zu: expected more, found the end "
                      "of the file",
                      line, column)
               : fail(&p,
                      "malformed JSON at %zu:%zu: a value, ',' or a bracket is "
                      "wrong or missing at '%.*s'",
                      line, column, (int)shown(text + at, text_bytes - at),
                      text + at);
  }
  bool ok = true;
  for (const char *c = end; ok && c < text + text_bytes; c++)
    if (*c && !strchr(" \t\r\n", *c))
      ok = fail(&p,
                "expected the end of the file after the JSON object, found "
                "'%.*s'",
                (int)shown(c, (size_t)(text + text_bytes - c)), c);
  ok = ok && parse_root(&p, root);
  cJSON_Delete(root);
  return ok;
}

void launch_description_free(launch_description *l) {
  for (size_t i = 0; i < l->buffer_count; i++) {
    free(l->buffers[i].name);
    free(l->buffers[i].file);
    free(l->buffers[i].out);
  }
  free(l->buffers);
  free(l->arguments);
  free(l->workgroups);
  free(l->code_object);
  free(l->kernel);
  free(l->kernarg_file);
  memset(l, 0, sizeof *l);
}
