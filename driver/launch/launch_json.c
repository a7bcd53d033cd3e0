// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_options.h"
#include "json_fields.h"

typedef struct parser {
  json_fields fields;
  launch_description *out;
  launch_start *start; ///< that is read, of `out`
  char where[24];      ///< "launches[2]", or "" if there is one at the top
} parser;

/// "launches[2].grid", or "grid".
static const char *place_of(const parser *p, const char *key,
                            char out[JSON_WHERE_BYTES]) {
  snprintf(out, JSON_WHERE_BYTES, "%s%s%s", p->where, p->where[0] ? "." : "",
           key);
  return out;
}

static bool parse_buffer(parser *p, const cJSON *item, launch_buffer *b) {
  static const char *const keys[] = {"bytes", "file", "fill",
                                     "out",   "base", NULL};
  char where[JSON_WHERE_BYTES];
  uint64_t x = 0;
  bool has_base;
  snprintf(where, sizeof where, "buffers.%.100s", item->string);
  if (!json_object(&p->fields, item, where, keys))
    return false;
  b->name = strdup(item->string);
  if (!b->name)
    return json_fail(&p->fields, "out of memory");
  if (!json_member_integer(&p->fields, item, where, "bytes", 1ull << 46,
                           &b->bytes, &b->has_bytes) ||
      !json_member_file_path(&p->fields, item, where, "file", &b->file) ||
      !json_member_file_path(&p->fields, item, where, "out", &b->out))
    return false;
  if (b->file && json_get(item, "fill"))
    return json_fail(&p->fields, "%s: \"file\" and \"fill\" exclude each other",
                     where);
  if (!json_member_integer(&p->fields, item, where, "fill", 255, &x,
                           &b->has_fill) ||
      !json_member_integer(&p->fields, item, where, "base", (1ull << 48) - 1,
                           &b->base, &has_base))
    return false;
  b->fill = (uint8_t)x;
  if (has_base && !b->base)
    return json_fail(&p->fields, "%s.base: expected at least 1, found 0",
                     where);
  if (!b->has_bytes && !b->file)
    return json_fail(
        &p->fields, "%s: expected \"bytes\" or \"file\", found neither", where);
  return true;
}

/// Memory for the members of an object or array; NULL with the reason.
static void *new_list(const parser *p, const cJSON *list, const char *where,
                      int type, size_t member_bytes) {
  if (!json_check_list(&p->fields, list, where, type))
    return NULL;
  void *out = calloc((size_t)cJSON_GetArraySize(list) + 1, member_bytes);
  if (!out)
    json_fail(&p->fields, "out of memory");
  return out;
}

static bool parse_buffers(parser *p, const cJSON *object) {
  if (!object)
    return true;
  p->out->buffers =
      new_list(p, object, "buffers", cJSON_Object, sizeof *p->out->buffers);
  if (!p->out->buffers)
    return false;
  for (const cJSON *item = object->child; item; item = item->next) {
    launch_buffer *b = &p->out->buffers[p->out->buffer_count++];
    if (!parse_buffer(p, item, b))
      return false;
    for (const launch_buffer *a = p->out->buffers; b->out && a < b; ++a)
      if (a->out && strcmp(a->out, b->out) == 0)
        return json_fail(
            &p->fields,
            "buffers.%.60s.out: expected a file of its own, found that "
            "of \"%.60s\", %.100s",
            b->name, a->name, b->out);
  }
  return true;
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
  char field[JSON_WHERE_BYTES];
  a->kind = LAUNCH_BITS;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const cJSON *f = json_get(item, kinds[k].key);
    double d = 0;
    if (!f)
      continue;
    if (a->bytes)
      return json_fail(&p->fields, "%s: expected one value, found more", where);
    a->bytes = kinds[k].bytes;
    json_key_of(where, kinds[k].key, field);
    unsigned bits = 8u * a->bytes;
    if (kinds[k].kind == 'u') {
      if (!json_integer(&p->fields, f, field,
                        bits == 64 ? UINT64_MAX : (1ull << bits) - 1, &a->bits))
        return false;
    } else if (kinds[k].kind == 'i') {
      if (!json_signed_integer(&p->fields, f, field, bits, &a->bits))
        return false;
    } else {
      if (!json_number(&p->fields, f, field, &d))
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

/// Finds a buffer by its name.
static bool find_buffer(const parser *p, const char *where, const char *name,
                        size_t *out_index) {
  for (size_t i = 0; i < p->out->buffer_count; i++)
    if (strcmp(p->out->buffers[i].name, name) == 0) {
      *out_index = i;
      return true;
    }
  const launch_description *o = p->out;
  const char **names = calloc(o->buffer_count + 1, sizeof *names);
  if (!names)
    return json_fail(&p->fields, "out of memory");
  for (size_t i = 0; i < o->buffer_count; ++i)
    names[i] = o->buffers[i].name;
  const char *near = fmhac_nearest_spelling(name, names, o->buffer_count);
  json_fail(&p->fields, "%s: no buffer is named \"%.60s\"%s%s%s", where, name,
            near ? "; did you mean \"" : "", near ? near : "",
            near ? "\"?" : "");
  free(names);
  return false;
}

static bool parse_argument(parser *p, const cJSON *item, int at,
                           launch_argument *a) {
  static const char *const keys[] = {"offset", "buffer", "add", "u8",
                                     "u16",    "u32",    "u64", "i32",
                                     "i64",    "f32",    "f64", NULL};
  char where[64], field[JSON_WHERE_BYTES];
  uint64_t x;
  bool has_offset;
  snprintf(where, sizeof where, "%s%skernarg[%d]", p->where,
           p->where[0] ? "." : "", at);
  if (!json_object(&p->fields, item, where, keys) ||
      !json_member_integer(&p->fields, item, where, "offset", 1 << 20, &x,
                           &has_offset))
    return false;
  if (!has_offset)
    return json_fail(&p->fields, "%s: \"offset\" is missing", where);
  a->offset = (uint32_t)x;
  if (!parse_value(p, item, where, a))
    return false;
  const cJSON *f = json_get(item, "buffer");
  if (f) {
    if (a->bytes)
      return json_fail(&p->fields,
                       "%s: expected a buffer or a value, found both", where);
    if (!cJSON_IsString(f))
      return json_fail(&p->fields, "%s: \"buffer\": expected a name, found %s",
                       where, json_type_name(f));
    a->kind = LAUNCH_BUFFER;
    a->bytes = 8;
    if (!find_buffer(p, where, f->valuestring, &a->index))
      return false;
    f = json_get(item, "add");
    return !f ||
           json_signed_integer(&p->fields, f, json_key_of(where, "add", field),
                               53, &a->bits);
  }
  if (json_get(item, "add"))
    return json_fail(&p->fields, "%s: \"add\" goes with \"buffer\"", where);
  return a->bytes ? true
                  : json_fail(&p->fields,
                              "%s: no value: expected one of buffer, u8, "
                              "u16, u32, u64, i32, i64, f32, f64",
                              where);
}

static bool parse_arguments(parser *p, const cJSON *array) {
  if (!array)
    return true;
  int i = 0;
  char where[JSON_WHERE_BYTES];
  launch_argument *list = new_list(p, array, place_of(p, "kernarg", where),
                                   cJSON_Array, sizeof *list);
  p->start->arguments = list;
  if (!list)
    return false;
  for (const cJSON *item = array->child; item; item = item->next, i++) {
    if (!parse_argument(p, item, i, &list[i]))
      return false;
    p->start->argument_count++;
    for (int k = 0; k < i; k++)
      if (list[k].offset < list[i].offset + list[i].bytes &&
          list[i].offset < list[k].offset + list[k].bytes)
        return json_fail(&p->fields,
                         "%s[%d] at offset %u overlaps kernarg[%d] at %u",
                         where, i, list[i].offset, k, list[k].offset);
    if (p->start->has_kernarg_bytes &&
        list[i].offset + list[i].bytes > p->start->kernarg_bytes)
      return json_fail(
          &p->fields, "%s[%d] ends at byte %u, \"kernarg_bytes\" is %u", where,
          i, list[i].offset + list[i].bytes, p->start->kernarg_bytes);
  }
  return true;
}

static bool parse_tensors(parser *p, const cJSON *object) {
  if (!object)
    return true;
  p->out->tensors =
      new_list(p, object, "tensors", cJSON_Object, sizeof *p->out->tensors);
  if (!p->out->tensors)
    return false;
  for (const cJSON *item = object->child; item; item = item->next) {
    launch_tensor *t = &p->out->tensors[p->out->tensor_count++];
    char where[JSON_WHERE_BYTES];
    snprintf(where, sizeof where, "tensors.%.100s", item->string);
    const char *buffer = item->string;
    if (!launch_tensor_parse(&p->fields, item, where, t, &buffer) ||
        !find_buffer(p, where, buffer, &t->buffer))
      return false;
  }
  return true;
}

static bool parse_workgroups(parser *p, const cJSON *array) {
  launch_start *start = p->start;
  char where[JSON_WHERE_BYTES];
  if (!array)
    return true;
  place_of(p, "workgroups", where);
  if (!cJSON_IsArray(array) || !array->child)
    return json_fail(&p->fields, "%s: expected a non-empty array of [x,y,z]",
                     where);
  size_t n = (size_t)cJSON_GetArraySize(array);
  start->workgroups = calloc(n, sizeof *start->workgroups);
  if (!start->workgroups)
    return json_fail(&p->fields, "out of memory");
  for (const cJSON *item = array->child; item; item = item->next) {
    uint32_t *id = start->workgroups[start->workgroup_count++];
    if (!json_triple(&p->fields, item, where, 0, id))
      return false;
    for (int i = 0; i < 3; i++)
      if (id[i] >= start->grid[i])
        return json_fail(&p->fields,
                         "%s: [%u,%u,%u] lies outside the grid [%u,%u,%u]",
                         where, id[0], id[1], id[2], start->grid[0],
                         start->grid[1], start->grid[2]);
  }
  return true;
}

/// The keys of one start, in the top object or in a member of "launches".
static const char *const start_keys[] = {
    "kernel",       "grid",          "block",      "dynamic_lds", "kernarg",
    "kernarg_file", "kernarg_bytes", "workgroups", NULL};

static bool parse_start(parser *p, const cJSON *item, launch_start *o) {
  uint64_t dynamic_lds = 0, kernarg_bytes = 0;
  char where[JSON_WHERE_BYTES];
  const cJSON *f;
  p->start = o;
  static const char *const required[] = {"grid", "block"};
  for (int i = 0; i < 2; i++)
    if (!json_get(item, required[i]))
      return json_fail(&p->fields, "%s%skey \"%s\" is missing", p->where,
                       p->where[0] ? ": " : "", required[i]);
  if (((f = json_get(item, "kernel")) &&
       !json_string(&p->fields, f, place_of(p, "kernel", where), &o->kernel)) ||
      !json_triple(&p->fields, json_get(item, "grid"),
                   place_of(p, "grid", where), 1, o->grid) ||
      !json_triple(&p->fields, json_get(item, "block"),
                   place_of(p, "block", where), 1, o->block))
    return false;
  if (!json_member_integer(&p->fields, item, p->where, "dynamic_lds", 1 << 20,
                           &dynamic_lds, NULL) ||
      !json_member_integer(&p->fields, item, p->where, "kernarg_bytes", 1 << 20,
                           &kernarg_bytes, &o->has_kernarg_bytes))
    return false;
  o->dynamic_lds = (uint32_t)dynamic_lds;
  o->kernarg_bytes = (uint32_t)kernarg_bytes;
  if (json_get(item, "kernarg_file") &&
      (json_get(item, "kernarg") || o->has_kernarg_bytes))
    return json_fail(&p->fields,
                     "%s%s\"kernarg_file\" excludes \"kernarg\" and "
                     "\"kernarg_bytes\"",
                     p->where, p->where[0] ? ": " : "");
  return json_member_file_path(&p->fields, item, p->where, "kernarg_file",
                               &o->kernarg_file) &&
         parse_arguments(p, json_get(item, "kernarg")) &&
         parse_workgroups(p, json_get(item, "workgroups"));
}

/// "launches", or the one start of the top object.
static bool parse_starts(parser *p, const cJSON *root) {
  const cJSON *list = json_get(root, "launches");
  launch_description *o = p->out;
  o->has_list = list != NULL;
  if (!list) {
    o->starts = calloc(1, sizeof *o->starts);
    if (!o->starts)
      return json_fail(&p->fields, "out of memory");
    o->start_count = 1;
    return parse_start(p, root, &o->starts[0]);
  }
  for (size_t i = 0; start_keys[i]; ++i)
    if (json_get(root, start_keys[i]))
      return json_fail(&p->fields,
                       "\"launches\" excludes \"%s\": each of its members "
                       "has one",
                       start_keys[i]);
  o->starts = new_list(p, list, "launches", cJSON_Array, sizeof *o->starts);
  if (!o->starts)
    return false;
  if (!list->child)
    return json_fail(&p->fields, "launches: expected at least one launch");
  for (const cJSON *item = list->child; item; item = item->next) {
    snprintf(p->where, sizeof p->where, "launches[%zu]", o->start_count);
    if (!json_object(&p->fields, item, p->where, start_keys) ||
        !parse_start(p, item, &o->starts[o->start_count++]))
      return false;
  }
  return true;
}

static bool parse_root(parser *p, const cJSON *root) {
  static const char *const keys[] = {
      "code_object", "kernel",        "grid",    "block",
      "dynamic_lds", "buffers",       "kernarg", "kernarg_file",
      "workgroups",  "kernarg_bytes", "tensors", "launches",
      NULL};
  if (!cJSON_IsObject(root))
    return json_fail(&p->fields, "expected an object, found %s",
                     json_type_name(root));
  if (!json_check_keys(&p->fields, root, "launch", keys))
    return false;
  if (!json_get(root, "code_object"))
    return json_fail(&p->fields, "key \"code_object\" is missing");
  return json_member_file_path(&p->fields, root, "", "code_object",
                               &p->out->code_object) &&
         parse_buffers(p, json_get(root, "buffers")) &&
         parse_tensors(p, json_get(root, "tensors")) && parse_starts(p, root);
}

bool launch_description_parse(const char *path, const char *text,
                              size_t text_bytes, launch_description *out,
                              char *error, size_t error_bytes) {
  memset(out, 0, sizeof *out);
  parser p = {.fields = {path, error, error_bytes}, .out = out};
  cJSON *root = json_parse(&p.fields, text, text_bytes);
  bool ok = root && parse_root(&p, root);
  cJSON_Delete(root);
  return ok;
}

void launch_description_free(launch_description *l) {
  for (size_t i = 0; i < l->buffer_count; i++) {
    free(l->buffers[i].name);
    free(l->buffers[i].file);
    free(l->buffers[i].out);
  }
  for (size_t i = 0; i < l->tensor_count; i++)
    launch_tensor_deinit(&l->tensors[i]);
  for (size_t i = 0; i < l->start_count; i++) {
    free(l->starts[i].kernel);
    free(l->starts[i].arguments);
    free(l->starts[i].kernarg_file);
    free(l->starts[i].workgroups);
  }
  free(l->buffers);
  free(l->tensors);
  free(l->starts);
  free(l->code_object);
  memset(l, 0, sizeof *l);
}
