// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch_tensors.h"

#include <stdlib.h>
#include <string.h>

//===- Reading ------------------------------------------------------------===//

/// An array with so many members; 0: the number of axes is found here.
static bool parse_array(const json_fields *p, const cJSON *item,
                        const char *where, uint32_t axes, const char *of) {
  if (!cJSON_IsArray(item))
    return json_fail(p, "%s: expected an array of %s, found %s", where, of,
                     item ? json_type_name(item) : "nothing");
  int n = cJSON_GetArraySize(item);
  if (axes ? n != (int)axes : n < 1 || n > FMHAC_EMU_TENSOR_AXES)
    return axes ? json_fail(p, "%s: expected %u %s, found %d", where, axes, of,
                            n)
                : json_fail(p, "%s: expected 1 to %d %s, found %d", where,
                            FMHAC_EMU_TENSOR_AXES, of, n);
  return true;
}

static bool parse_axes(const json_fields *p, const cJSON *item,
                       const char *where, fmhac_emu_tensor *t) {
  if (!parse_array(p, item, where, 0, "names"))
    return false;
  for (const cJSON *name = item->child; name; name = name->next) {
    char *copy = NULL;
    if (!json_string(p, name, where, &copy))
      return false;
    t->axis[t->axes++] = copy;
  }
  return true;
}

static bool parse_numbers(const json_fields *p, const cJSON *item,
                          const char *where, const char *of, uint32_t axes,
                          uint64_t *out) {
  if (!parse_array(p, item, where, axes, of))
    return false;
  for (const cJSON *x = item->child; x; x = x->next)
    if (!json_integer(p, x, where, UINT64_MAX, out++))
      return false;
  return true;
}

/// One block, the last axis contiguous. A size beyond 64 bits is refused as an
/// extent, where the tensor is declared.
static void set_dense(fmhac_emu_tensor *t) {
  uint64_t stride = t->element_bytes;
  for (uint32_t i = t->axes; i-- > 0;) {
    t->strides_bytes[i] = stride;
    if (t->shape[i] > 1 && __builtin_mul_overflow(stride, t->shape[i], &stride))
      stride = UINT64_MAX;
  }
}

static bool parse_ragged(const json_fields *p, const cJSON *item,
                         const char *where, fmhac_emu_tensor *t) {
  static const char *const keys[] = {"axis", "lengths", "starts", NULL};
  char field[JSON_WHERE_BYTES];
  if (!json_object(p, item, where, keys))
    return false;
  const cJSON *axis = json_get(item, "axis");
  if (!cJSON_IsString(axis))
    return json_fail(p, "%s.axis: expected the name of an axis, found %s",
                     where, axis ? json_type_name(axis) : "nothing");
  while (t->ragged_axis < t->axes &&
         strcmp(t->axis[t->ragged_axis], axis->valuestring) != 0)
    t->ragged_axis++;
  if (t->ragged_axis == t->axes)
    return json_fail(p, "%s.axis: no axis is named \"%.60s\"", where,
                     axis->valuestring);
  const cJSON *lengths = json_get(item, "lengths");
  const cJSON *starts = json_get(item, "starts");
  const cJSON *rows = lengths ? lengths : starts;
  if (!lengths == !starts || !cJSON_IsArray(rows))
    return json_fail(p,
                     "%s: expected \"lengths\" or \"starts\", an array of "
                     "numbers of rows",
                     where);
  t->ragged = lengths ? FMHAC_EMU_RAGGED_LENGTHS : FMHAC_EMU_RAGGED_STARTS;
  uint64_t *list = calloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof *list);
  if (!list)
    return json_fail(p, "out of memory");
  t->ragged_rows = list;
  json_key_of(where, lengths ? "lengths" : "starts", field);
  for (const cJSON *x = rows->child; x; x = x->next)
    if (!json_integer(p, x, field, UINT64_MAX, &list[t->ragged_count++]))
      return false;
  return true;
}

bool launch_tensor_parse(const json_fields *p, const cJSON *item,
                         const char *where, launch_tensor *out,
                         const char **buffer) {
  static const char *const keys[] = {"buffer", "add",    "element_bytes",
                                     "axes",   "shape",  "strides_bytes",
                                     "ragged", "output", NULL};
  char field[JSON_WHERE_BYTES];
  fmhac_emu_tensor *t = &out->tensor;
  uint64_t x = 0;
  bool has_element_bytes;
  const cJSON *f;
  *out = (launch_tensor){.tensor = {.size = sizeof *t}};
  if (!json_object(p, item, where, keys))
    return false;
  t->name = strdup(item->string);
  if (!t->name)
    return json_fail(p, "out of memory");
  if (!json_member_integer(p, item, where, "element_bytes", 16, &x,
                           &has_element_bytes))
    return false;
  if (!has_element_bytes)
    return json_fail(p, "%s: \"element_bytes\" is missing", where);
  t->element_bytes = (uint32_t)x;
  if (!parse_axes(p, json_get(item, "axes"), json_key_of(where, "axes", field),
                  t) ||
      !parse_numbers(p, json_get(item, "shape"),
                     json_key_of(where, "shape", field), "extents", t->axes,
                     t->shape))
    return false;
  set_dense(t);
  if ((f = json_get(item, "strides_bytes")) &&
      !parse_numbers(p, f, json_key_of(where, "strides_bytes", field),
                     "strides", t->axes, t->strides_bytes))
    return false;
  if (!json_member_integer(p, item, where, "add", 1ull << 46, &t->base, NULL) ||
      ((f = json_get(item, "ragged")) &&
       !parse_ragged(p, f, json_key_of(where, "ragged", field), t)))
    return false;
  if ((f = json_get(item, "output")) && !cJSON_IsBool(f))
    return json_fail(p, "%s.output: expected true or false, found %s", where,
                     json_type_name(f));
  t->is_output = cJSON_IsTrue(f);
  if ((f = json_get(item, "buffer")) && !cJSON_IsString(f))
    return json_fail(p, "%s.buffer: expected a name, found %s", where,
                     json_type_name(f));
  *buffer = f ? f->valuestring : *buffer;
  return true;
}

void launch_tensor_deinit(launch_tensor *tensor) {
  fmhac_emu_tensor *t = &tensor->tensor;
  for (uint32_t i = 0; i < t->axes; i++)
    free((char *)(uintptr_t)t->axis[i]);
  free((char *)(uintptr_t)t->name);
  free((uint64_t *)(uintptr_t)t->ragged_rows);
  *tensor = (launch_tensor){0};
}

//===- Declaring and writing ----------------------------------------------===//

fmhac_status launch_tensor_declare(const launch_tensor *tensor,
                                   uint64_t address, fmhac_rt_device *device) {
  fmhac_emu_tensor t = tensor->tensor;
  t.base += address;
  return fmhac_emu_declare_tensor(device, &t);
}

static void add_numbers(cJSON *object, const char *key, const uint64_t *numbers,
                        uint64_t count) {
  cJSON *array = cJSON_AddArrayToObject(object, key);
  for (uint64_t i = 0; i < count; i++)
    cJSON_AddItemToArray(array, cJSON_CreateNumber((double)numbers[i]));
}

void launch_tensor_add(const launch_tensor *tensor, const char *buffer,
                       cJSON *tensors) {
  const fmhac_emu_tensor *t = &tensor->tensor;
  cJSON *object = cJSON_AddObjectToObject(tensors, t->name);
  cJSON_AddStringToObject(object, "buffer", buffer);
  if (t->base)
    cJSON_AddNumberToObject(object, "add", (double)t->base);
  cJSON_AddNumberToObject(object, "element_bytes", t->element_bytes);
  cJSON_AddItemToObject(object, "axes",
                        cJSON_CreateStringArray(t->axis, (int)t->axes));
  add_numbers(object, "shape", t->shape, t->axes);
  add_numbers(object, "strides_bytes", t->strides_bytes, t->axes);
  if (t->ragged != FMHAC_EMU_RAGGED_NONE) {
    cJSON *ragged = cJSON_AddObjectToObject(object, "ragged");
    cJSON_AddStringToObject(ragged, "axis", t->axis[t->ragged_axis]);
    add_numbers(ragged,
                t->ragged == FMHAC_EMU_RAGGED_LENGTHS ? "lengths" : "starts",
                t->ragged_rows, t->ragged_count);
  }
  if (t->is_output)
    cJSON_AddTrueToObject(object, "output");
}
