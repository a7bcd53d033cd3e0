// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "entry.h"

#include <stddef.h>
#include <string.h>

#include "fmhac_abi.h"
#include "whole_msgpack.h"

typedef enum field_kind {
  FIELD_TEXT,
  FIELD_GRID,
  FIELD_U32,
  FIELD_U64,
  FIELD_ROLE
} kind;

static const struct {
  const char *key;
  kind kind;
  size_t offset, bytes; ///< bytes: of a text, or of a side
} fields[] = {
#define FIELD(key, kind)                                                       \
  { #key, kind, offsetof(fmhac_entry, key), sizeof(((fmhac_entry *)0)->key) }
    FIELD(kernel, FIELD_TEXT),       FIELD(schedule, FIELD_TEXT),
    FIELD(grid, FIELD_GRID),         FIELD(when, FIELD_TEXT),
    FIELD(block_threads, FIELD_U32), FIELD(tile_m, FIELD_U32),
    FIELD(tile_n, FIELD_U32),        FIELD(row_rounding, FIELD_U32),
    FIELD(matrix_flops, FIELD_U64),  FIELD(required_args, FIELD_U64),
    FIELD(scale, FIELD_TEXT),        FIELD(order, FIELD_TEXT),
    FIELD(role, FIELD_ROLE)
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof fields[0], SIDES = 3 };
_Static_assert((int)FIELDS == (int)FMHAC_ENTRY_PAIRS,
               "entry.h counts the fields");

static void pack_text(msgpack_packer *packer, const char *text) {
  msgpack_pack_str_with_body(packer, text, strlen(text));
}

void fmhac_entry_pack(msgpack_packer *packer, const fmhac_entry *entry) {
  msgpack_pack_map(packer, FIELDS + 1);
  for (size_t i = 0; i < FIELDS; ++i) {
    const char *at = (const char *)entry + fields[i].offset;
    uint32_t narrow;
    uint64_t wide;
    pack_text(packer, fields[i].key);
    switch (fields[i].kind) {
    case FIELD_TEXT:
      pack_text(packer, at);
      break;
    case FIELD_GRID:
      msgpack_pack_array(packer, SIDES);
      for (int side = 0; side < SIDES; ++side)
        pack_text(packer, entry->grid[side]);
      break;
    case FIELD_U32:
      memcpy(&narrow, at, sizeof narrow);
      msgpack_pack_uint32(packer, narrow);
      break;
    case FIELD_U64:
      memcpy(&wide, at, sizeof wide);
      msgpack_pack_uint64(packer, wide);
      break;
    case FIELD_ROLE:
      pack_text(packer, fmhac_role_name(entry->role));
      break;
    }
  }
}

/// A text without a byte 0 that has room.
static bool read_text(const msgpack_object *value, char *out, size_t bytes) {
  if (value->type != MSGPACK_OBJECT_STR || value->via.str.size >= bytes ||
      memchr(value->via.str.ptr, 0, value->via.str.size))
    return false;
  memcpy(out, value->via.str.ptr, value->via.str.size);
  out[value->via.str.size] = '\0';
  return true;
}

static bool read_role(const msgpack_object *value, fmhac_role *out) {
  char name[FMHAC_SCHEDULE_NAME_BYTES];
  if (!read_text(value, name, sizeof name))
    return false;
  for (int role = 0; role < FMHAC_ROLES; ++role)
    if (strcmp(name, fmhac_role_name((fmhac_role)role)) == 0) {
      *out = (fmhac_role)role;
      return true;
    }
  return false;
}

static bool read_field(const msgpack_object *value, size_t i,
                       fmhac_entry *out) {
  char *at = (char *)out + fields[i].offset;
  uint32_t narrow;
  bool ok = value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
  switch (fields[i].kind) {
  case FIELD_TEXT:
    return read_text(value, at, fields[i].bytes);
  case FIELD_GRID:
    ok = value->type == MSGPACK_OBJECT_ARRAY && value->via.array.size == SIDES;
    for (int side = 0; ok && side < SIDES; ++side)
      ok = read_text(&value->via.array.ptr[side], out->grid[side],
                     sizeof out->grid[side]);
    return ok;
  case FIELD_U32:
    narrow = (uint32_t)value->via.u64;
    memcpy(at, &narrow, sizeof narrow);
    return ok && value->via.u64 <= UINT32_MAX;
  case FIELD_U64:
    memcpy(at, &value->via.u64, sizeof value->via.u64);
    return ok;
  case FIELD_ROLE:
    return read_role(value, &out->role);
  }
  return false;
}

bool fmhac_entry_read(const msgpack_object *map, fmhac_entry *out,
                      const char **out_key) {
  *out = (fmhac_entry){.block_threads = 0};
  for (size_t i = 0; i < FIELDS; ++i) {
    const msgpack_object *value = fmhac_msgpack_find(map, fields[i].key);
    *out_key = fields[i].key;
    if (!value && fields[i].kind == FIELD_ROLE)
      continue; // attention
    if (!value || !read_field(value, i, out))
      return false;
  }
  return true;
}

bool fmhac_entry_packs_heads(const fmhac_entry *entry) {
  return entry->required_args >> FMHAC_ARGS_HEAD_GROUP_BIT & 1;
}
