// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "artefact.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "whole_msgpack.h"

static const char magic[8] = {'F', 'M', 'H', 'A', 'C', 'A', 'R', 'T'};
enum {
  FORMAT_AT = 8,
  ZERO_AT = 12,
  PAYLOAD_BYTES_AT = 16,
  DIGEST_AT = 24,
  HEADER_BYTES = 40,
};

static void put_little(uint8_t *to, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_little(const uint8_t *from, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= (uint64_t)from[i] << 8 * i;
  return value;
}

char *fmhac_span_copy(fmhac_span span) {
  char *copy = malloc(span.bytes + 1);
  if (copy) {
    if (span.bytes)
      memcpy(copy, span.text, span.bytes);
    copy[span.bytes] = '\0';
  }
  return copy;
}

//===- The fields ---------------------------------------------------------===//

typedef enum field_kind { FIELD_TEXT, FIELD_BYTES, FIELD_U32, FIELD_U64 } kind;

static const struct {
  const char *key;
  kind kind;
  size_t offset;
} fields[] = {
    {"key", FIELD_TEXT, offsetof(fmhac_artefact, key)},
    {"code", FIELD_BYTES, offsetof(fmhac_artefact, code)},
    {"name", FIELD_TEXT, offsetof(fmhac_artefact, name)},
    {"schedule", FIELD_TEXT, offsetof(fmhac_artefact, schedule)},
    {"log", FIELD_TEXT, offsetof(fmhac_artefact, log)},
    {"tile_m", FIELD_U32, offsetof(fmhac_artefact, tile_m)},
    {"row_rounding", FIELD_U32, offsetof(fmhac_artefact, row_rounding)},
    {"block_threads", FIELD_U32, offsetof(fmhac_artefact, block_threads)},
    {"lds_bytes", FIELD_U32, offsetof(fmhac_artefact, lds_bytes)},
    {"required_args", FIELD_U64, offsetof(fmhac_artefact, required_args)},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void pack_field(msgpack_packer *packer, size_t i, const char *base) {
  const char *at = base + fields[i].offset;
  fmhac_span span;
  uint32_t narrow;
  uint64_t wide;
  msgpack_pack_str_with_body(packer, fields[i].key, strlen(fields[i].key));
  switch (fields[i].kind) {
  case FIELD_TEXT:
    memcpy(&span, at, sizeof span);
    msgpack_pack_str_with_body(packer, span.text, span.bytes);
    break;
  case FIELD_BYTES:
    memcpy(&span, at, sizeof span);
    msgpack_pack_bin_with_body(packer, span.text, span.bytes);
    break;
  case FIELD_U32:
    memcpy(&narrow, at, sizeof narrow);
    msgpack_pack_uint32(packer, narrow);
    break;
  case FIELD_U64:
    memcpy(&wide, at, sizeof wide);
    msgpack_pack_uint64(packer, wide);
    break;
  }
}

static bool read_field(const msgpack_object *value, size_t i, char *base) {
  char *at = base + fields[i].offset;
  fmhac_span span;
  uint32_t narrow;
  switch (fields[i].kind) {
  case FIELD_TEXT:
    if (value->type != MSGPACK_OBJECT_STR)
      return false;
    span = (fmhac_span){value->via.str.ptr, value->via.str.size};
    memcpy(at, &span, sizeof span);
    // Names become strings of C.
    return !memchr(span.text, 0, span.bytes);
  case FIELD_BYTES:
    if (value->type != MSGPACK_OBJECT_BIN)
      return false;
    span = (fmhac_span){value->via.bin.ptr, value->via.bin.size};
    memcpy(at, &span, sizeof span);
    return true;
  case FIELD_U32:
    narrow = (uint32_t)value->via.u64;
    memcpy(at, &narrow, sizeof narrow);
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER &&
           value->via.u64 <= UINT32_MAX;
  case FIELD_U64:
    memcpy(at, &value->via.u64, sizeof value->via.u64);
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
  }
  return false;
}

//===- Writing ------------------------------------------------------------===//

void *fmhac_artefact_write(const fmhac_artefact *artefact, size_t *out_bytes) {
  *out_bytes = 0;
  msgpack_sbuffer buffer;
  msgpack_packer packer;
  msgpack_sbuffer_init(&buffer);
  msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
  static const char room[HEADER_BYTES];
  bool ok = msgpack_sbuffer_write(&buffer, room, sizeof room) == 0;
  msgpack_pack_map(&packer, FIELDS);
  for (size_t i = 0; i < FIELDS; ++i)
    pack_field(&packer, i, (const char *)artefact);
  // The packer leaves out values for which it had no memory.
  fmhac_artefact check;
  const char *reason;
  if (ok) {
    uint8_t *header = (uint8_t *)buffer.data;
    size_t payload_bytes = buffer.size - HEADER_BYTES;
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(
        &digest, XXH3_128bits(header + HEADER_BYTES, payload_bytes));
    memcpy(header, magic, sizeof magic);
    put_little(header + FORMAT_AT, FMHAC_ARTEFACT_FORMAT, 4);
    put_little(header + ZERO_AT, 0, 4);
    put_little(header + PAYLOAD_BYTES_AT, payload_bytes, 8);
    memcpy(header + DIGEST_AT, &digest, sizeof digest);
    ok = fmhac_artefact_read(buffer.data, buffer.size, &check, &reason);
  }
  if (!ok) {
    msgpack_sbuffer_destroy(&buffer);
    return NULL;
  }
  *out_bytes = buffer.size;
  return msgpack_sbuffer_release(&buffer);
}

//===- Reading ------------------------------------------------------------===//

static const char *check_header(const uint8_t *bytes, size_t size) {
  if (size < HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0)
    return "not a kept kernel: it does not begin with FMHACART";
  if (get_little(bytes + FORMAT_AT, 4) != FMHAC_ARTEFACT_FORMAT ||
      get_little(bytes + ZERO_AT, 4) != 0)
    return "its format is that of another release of fmhac";
  uint64_t payload_bytes = get_little(bytes + PAYLOAD_BYTES_AT, 8);
  if (payload_bytes != size - HEADER_BYTES)
    return "its size is not the one in its header: it was cut, or is longer";
  XXH128_canonical_t digest;
  memcpy(&digest, bytes + DIGEST_AT, sizeof digest);
  XXH128_hash_t expected = XXH128_hashFromCanonical(&digest);
  XXH128_hash_t found = XXH3_128bits(bytes + HEADER_BYTES, payload_bytes);
  return XXH128_isEqual(expected, found)
             ? NULL
             : "the XXH3-128 digest of its contents is not that in its header: "
               "bytes have changed";
}

/// A map of exactly the fields, in order.
static bool read_map(const msgpack_object *map, fmhac_artefact *out) {
  if (map->type != MSGPACK_OBJECT_MAP || map->via.map.size != FIELDS)
    return false;
  for (size_t i = 0; i < FIELDS; ++i) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    size_t length = strlen(fields[i].key);
    if (pair->key.type != MSGPACK_OBJECT_STR ||
        pair->key.via.str.size != length ||
        memcmp(pair->key.via.str.ptr, fields[i].key, length) != 0 ||
        !read_field(&pair->val, i, (char *)out))
      return false;
  }
  return true;
}

bool fmhac_artefact_read(const void *bytes, size_t size, fmhac_artefact *out,
                         const char **out_reason) {
  *out = (fmhac_artefact){.tile_m = 0};
  *out_reason = check_header(bytes, size);
  if (*out_reason)
    return false;
  const char *payload = (const char *)bytes + HEADER_BYTES;
  size_t payload_bytes = size - HEADER_BYTES;
  // Texts and bytes stay where they are: only the map takes memory.
  msgpack_unpacked unpacked;
  bool ok = fmhac_unpack_whole(payload, payload_bytes, &unpacked) &&
            read_map(&unpacked.data, out);
  msgpack_unpacked_destroy(&unpacked);
  *out_reason = ok ? NULL : "its contents are not those of an artefact";
  return ok;
}
