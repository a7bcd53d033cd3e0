// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notes of a code object: the metadata of its kernels ("AMDGPU") and
// fmhac's own note ("fmhac"). Both are MessagePack. The metadata completes the
// descriptors; of two sizes of the kernarg segment the larger one is used.
#include <cjson/cJSON.h>
#include <gelf.h>
#include <libelf.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "whole_msgpack.h"

enum {
  NOTE_METADATA = 32, ///< NT_AMDGPU_METADATA
  NOTE_FMHAC = 1,
  MOST_KERNARG_BYTES = 1 << 20,
  MAX_NESTING = 32
};

//===- Values of MessagePack ----------------------------------------------===//

/// False if the value is missing or does not fit.
static bool get_u32(const msgpack_object *map, const char *key, uint32_t *out) {
  const msgpack_object *o = fmhac_msgpack_find(map, key);
  bool fits = o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER &&
              o->via.u64 <= UINT32_MAX;
  *out = fits ? (uint32_t)o->via.u64 : 0;
  return fits;
}

static cJSON *json_of(const msgpack_object *object, int depth);

/// Takes ownership of `item`; false: out of memory.
static bool add_item(cJSON *json, const char *key, cJSON *item) {
  if (item && (key ? cJSON_AddItemToObject(json, key, item)
                   : cJSON_AddItemToArray(json, item)))
    return true;
  cJSON_Delete(item);
  return false;
}

/// Keys that are no strings are left out.
static bool add_member(cJSON *json, const msgpack_object_kv *pair, int depth) {
  if (pair->key.type != MSGPACK_OBJECT_STR)
    return true;
  char *key = strndup(pair->key.via.str.ptr, pair->key.via.str.size);
  bool ok = key && add_item(json, key, json_of(&pair->val, depth));
  free(key);
  return ok;
}

/// The same value as JSON. Binary and extension types become null. NULL: out of
/// memory.
static cJSON *json_of(const msgpack_object *object, int depth) {
  if (depth > MAX_NESTING)
    return cJSON_CreateNull();
  cJSON *json;
  char *text;
  bool ok = true;
  switch (object->type) {
  case MSGPACK_OBJECT_BOOLEAN:
    return cJSON_CreateBool(object->via.boolean);
  case MSGPACK_OBJECT_POSITIVE_INTEGER:
    return cJSON_CreateNumber((double)object->via.u64);
  case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    return cJSON_CreateNumber((double)object->via.i64);
  case MSGPACK_OBJECT_FLOAT32:
  case MSGPACK_OBJECT_FLOAT64:
    return cJSON_CreateNumber(object->via.f64);
  case MSGPACK_OBJECT_STR:
    text = strndup(object->via.str.ptr, object->via.str.size);
    json = text ? cJSON_CreateString(text) : NULL;
    free(text);
    return json;
  case MSGPACK_OBJECT_ARRAY:
    json = cJSON_CreateArray();
    for (uint32_t i = 0; json && ok && i < object->via.array.size; ++i)
      ok = add_item(json, NULL, json_of(&object->via.array.ptr[i], depth + 1));
    break;
  case MSGPACK_OBJECT_MAP:
    json = cJSON_CreateObject();
    for (uint32_t i = 0; json && ok && i < object->via.map.size; ++i)
      ok = add_member(json, &object->via.map.ptr[i], depth + 1);
    break;
  default:
    return cJSON_CreateNull();
  }
  if (ok)
    return json;
  cJSON_Delete(json);
  return NULL;
}

/// NULL: out of memory.
static char *json_text(const msgpack_object *object) {
  cJSON *json = json_of(object, 0);
  char *text = json ? cJSON_PrintUnformatted(json) : NULL;
  cJSON_Delete(json);
  return text;
}

/// False if the bytes do not begin with a whole value; `out` is then empty.
static bool unpack(const uint8_t *bytes, size_t size, msgpack_unpacked *out) {
  msgpack_unpacked_init(out);
  return fmhac_is_whole_value(bytes, size) &&
         msgpack_unpack_next(out, (const char *)bytes, size, NULL) ==
             MSGPACK_UNPACK_SUCCESS;
}

//===- Metadata -----------------------------------------------------------===//

static bool read_arguments(isa_kernel *k, const msgpack_object *list) {
  k->arguments = calloc(list->via.array.size + 1, sizeof *k->arguments);
  if (!k->arguments)
    return false;
  for (uint32_t i = 0; i < list->via.array.size; i++) {
    const msgpack_object *from = &list->via.array.ptr[i];
    const msgpack_object *kind = fmhac_msgpack_find(from, ".value_kind");
    isa_argument *to = &k->arguments[k->argument_count];
    if (!kind || kind->type != MSGPACK_OBJECT_STR)
      continue;
    get_u32(from, ".offset", &to->offset);
    get_u32(from, ".size", &to->bytes);
    to->kind = strndup(kind->via.str.ptr, kind->via.str.size);
    if (!to->kind)
      return false;
    k->argument_count++;
    // HIP's hidden size, OpenCL's __local pointers.
    k->dynamic_lds |= strcmp(to->kind, "hidden_dynamic_lds_size") == 0 ||
                      strcmp(to->kind, "dynamic_shared_pointer") == 0;
  }
  return true;
}

/// The name of the kernel that an entry of the metadata describes: of its
/// symbol, "NAME.kd", else its name. NULL: there is none.
static const char *kernel_name(const msgpack_object *entry, size_t *out_bytes) {
  static const char suffix[] = ".kd";
  const size_t suffix_bytes = sizeof suffix - 1;
  const msgpack_object *name = fmhac_msgpack_find(entry, ".symbol");
  size_t bytes = 0;
  if (name && name->type == MSGPACK_OBJECT_STR &&
      name->via.str.size > suffix_bytes &&
      memcmp(name->via.str.ptr + name->via.str.size - suffix_bytes, suffix,
             suffix_bytes) == 0)
    bytes = name->via.str.size - suffix_bytes;
  else if ((name = fmhac_msgpack_find(entry, ".name")) &&
           name->type == MSGPACK_OBJECT_STR)
    bytes = name->via.str.size;
  *out_bytes = bytes;
  return bytes && !memchr(name->via.str.ptr, 0, bytes) ? name->via.str.ptr
                                                       : NULL;
}

/// False: out of memory.
static bool read_kernel(isa_object *object, const msgpack_object *entry) {
  size_t bytes;
  const char *name = kernel_name(entry, &bytes);
  if (!name)
    return true;
  isa_kernel *k = isa_object_add_kernel(object, name, bytes);
  if (!k)
    return false;
  if (k->has_metadata)
    return true;
  k->has_metadata = true;
  uint32_t kernarg_bytes;
  if (get_u32(entry, ".kernarg_segment_size", &kernarg_bytes) &&
      kernarg_bytes < MOST_KERNARG_BYTES)
    k->kernarg_bytes = kernarg_bytes;
  get_u32(entry, ".vgpr_count", &k->vgprs);
  get_u32(entry, ".agpr_count", &k->agprs);
  get_u32(entry, ".sgpr_count", &k->sgprs);
  bool spills = get_u32(entry, ".vgpr_spill_count", &k->vgpr_spills);
  spills = get_u32(entry, ".sgpr_spill_count", &k->sgpr_spills) && spills;
  k->has_counts =
      get_u32(entry, ".max_flat_workgroup_size", &k->max_threads) && spills;
  const msgpack_object *dynamic =
      fmhac_msgpack_find(entry, ".uses_dynamic_stack");
  if (dynamic && dynamic->type == MSGPACK_OBJECT_BOOLEAN)
    k->dynamic_stack |= dynamic->via.boolean;
  const msgpack_object *arguments = fmhac_msgpack_find(entry, ".args");
  return !arguments || arguments->type != MSGPACK_OBJECT_ARRAY ||
         read_arguments(k, arguments);
}

static fmhac_status read_metadata(isa_object *object, const uint8_t *bytes,
                                  size_t size, char *text, size_t text_bytes) {
  msgpack_unpacked unpacked;
  fmhac_status status = FMHAC_OK;
  if (!unpack(bytes, size, &unpacked)) {
    snprintf(text, text_bytes,
             "the metadata note (NT_AMDGPU_METADATA, %zu bytes) is not valid "
             "msgpack",
             size);
    status = FMHAC_INVALID_INPUT;
  }
  object->has_metadata = status == FMHAC_OK;
  const msgpack_object *list =
      object->has_metadata
          ? fmhac_msgpack_find(&unpacked.data, "amdhsa.kernels")
          : NULL;
  const msgpack_object *target =
      object->has_metadata ? fmhac_msgpack_find(&unpacked.data, "amdhsa.target")
                           : NULL;
  const uint32_t count =
      list && list->type == MSGPACK_OBJECT_ARRAY ? list->via.array.size : 0;
  if (count > ISA_MOST_KERNELS) {
    snprintf(text, text_bytes,
             "expected at most %d kernels, found metadata of %u",
             ISA_MOST_KERNELS, count);
    status = FMHAC_INVALID_INPUT;
  } else if (target && target->type == MSGPACK_OBJECT_STR &&
             !(object->target =
                   strndup(target->via.str.ptr, target->via.str.size))) {
    snprintf(text, text_bytes, "out of memory for the target");
    status = FMHAC_OUT_OF_MEMORY;
  }
  for (uint32_t i = 0; status == FMHAC_OK && i < count; i++)
    if (!read_kernel(object, &list->via.array.ptr[i])) {
      snprintf(text, text_bytes, "out of memory for the metadata of %u kernels",
               count);
      status = FMHAC_OUT_OF_MEMORY;
    }
  msgpack_unpacked_destroy(&unpacked);
  return status;
}

//===- Notes --------------------------------------------------------------===//

static bool is_owner(const Elf_Data *data, const GElf_Nhdr *note, size_t at,
                     const char *owner) {
  const size_t bytes = strlen(owner) + 1; // with its terminator
  return note->n_namesz == bytes &&
         memcmp((const char *)data->d_buf + at, owner, bytes) == 0;
}

fmhac_status isa_object_read_notes(isa_object *object, char *text,
                                   size_t text_bytes) {
  fmhac_status status = FMHAC_OK;
  for (Elf_Scn *s = NULL;
       status == FMHAC_OK && (s = elf_nextscn(object->elf, s));) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(s, &header) || header.sh_type != SHT_NOTE ||
        !(data = elf_getdata(s, NULL)))
      continue;
    size_t at = 0, next, owner_at, text_at;
    GElf_Nhdr note;
    while (status == FMHAC_OK &&
           (next = gelf_getnote(data, at, &note, &owner_at, &text_at)) > 0) {
      at = next;
      if (note.n_type == NOTE_METADATA && !object->has_metadata &&
          is_owner(data, &note, owner_at, "AMDGPU")) {
        object->metadata =
            (isa_range){header.sh_offset + text_at, note.n_descsz};
        status = read_metadata(object, (const uint8_t *)data->d_buf + text_at,
                               note.n_descsz, text, text_bytes);
      } else if (note.n_type == NOTE_FMHAC && !object->note.bytes &&
                 is_owner(data, &note, owner_at, "fmhac"))
        object->note = (isa_range){header.sh_offset + text_at, note.n_descsz};
    }
  }
  return status;
}

bool isa_object_arguments_json(const isa_object *object, char **out) {
  msgpack_unpacked unpacked;
  bool ok = true;
  const msgpack_object *list =
      unpack(object->bytes + object->metadata.offset,
             (size_t)object->metadata.bytes, &unpacked)
          ? fmhac_msgpack_find(&unpacked.data, "amdhsa.kernels")
          : NULL;
  const bool is_list = list && list->type == MSGPACK_OBJECT_ARRAY;
  for (uint32_t i = 0; ok && is_list && i < list->via.array.size; i++) {
    size_t bytes;
    const msgpack_object *entry = &list->via.array.ptr[i];
    const char *name = kernel_name(entry, &bytes);
    const msgpack_object *arguments = fmhac_msgpack_find(entry, ".args");
    const size_t kernel = name && arguments
                              ? isa_object_find_name(object, name, bytes)
                              : object->kernel_count;
    if (kernel == object->kernel_count || out[kernel])
      continue;
    out[kernel] = json_text(arguments);
    ok = out[kernel];
  }
  msgpack_unpacked_destroy(&unpacked);
  return ok;
}

bool isa_object_note_json(const isa_object *object, char **out) {
  msgpack_unpacked unpacked;
  const bool is_whole = unpack(object->bytes + object->note.offset,
                               (size_t)object->note.bytes, &unpacked);
  *out = is_whole ? json_text(&unpacked.data) : NULL;
  msgpack_unpacked_destroy(&unpacked);
  return *out || !is_whole;
}

uint64_t isa_object_required_args(const isa_object *object,
                                  const char *kernel) {
  msgpack_unpacked unpacked;
  uint64_t required = 0;
  const size_t bytes = strlen(kernel);
  const msgpack_object *list =
      unpack(object->bytes + object->note.offset, (size_t)object->note.bytes,
             &unpacked)
          ? fmhac_msgpack_find(&unpacked.data, "entries")
          : NULL;
  const bool is_list = list && list->type == MSGPACK_OBJECT_ARRAY;
  for (uint32_t i = 0; is_list && i < list->via.array.size; i++) {
    const msgpack_object *entry = &list->via.array.ptr[i];
    const msgpack_object *name = fmhac_msgpack_find(entry, "kernel");
    const msgpack_object *groups = fmhac_msgpack_find(entry, "required_args");
    if (name && name->type == MSGPACK_OBJECT_STR &&
        name->via.str.size == bytes &&
        memcmp(name->via.str.ptr, kernel, bytes) == 0 && groups &&
        groups->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
      required = groups->via.u64;
  }
  msgpack_unpacked_destroy(&unpacked);
  return required;
}
