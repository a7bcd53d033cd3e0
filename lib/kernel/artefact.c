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

enum { PAIRS = 4 };
static const char lds_key[] = "lds_bytes";

static void pack_key(msgpack_packer *packer, const char *key) {
  msgpack_pack_str_with_body(packer, key, strlen(key));
}

static void pack_text(msgpack_packer *packer, const char *key,
                      fmhac_span text) {
  pack_key(packer, key);
  msgpack_pack_str_with_body(packer, text.text, text.bytes);
}

static void pack_all(msgpack_packer *packer, const fmhac_artefact *artefact) {
  msgpack_pack_map(packer, PAIRS);
  pack_text(packer, "key", artefact->key);
  pack_key(packer, "code");
  msgpack_pack_bin_with_body(packer, artefact->code.text, artefact->code.bytes);
  pack_text(packer, "log", artefact->log);
  pack_key(packer, "entries");
  msgpack_pack_array(packer, artefact->entry_count);
  for (size_t i = 0; i < artefact->entry_count; ++i) {
    fmhac_entry_pack(packer, &artefact->entries[i]);
    pack_key(packer, lds_key);
    msgpack_pack_uint32(packer, artefact->entries[i].lds_bytes);
  }
}

static bool is_key(const msgpack_object *name, const char *key) {
  return name->type == MSGPACK_OBJECT_STR &&
         name->via.str.size == strlen(key) &&
         memcmp(name->via.str.ptr, key, name->via.str.size) == 0;
}

static bool read_bytes(const msgpack_object_kv *pair, const char *key,
                       fmhac_span *out) {
  *out = (fmhac_span){pair->val.via.bin.ptr, pair->val.via.bin.size};
  return is_key(&pair->key, key) && pair->val.type == MSGPACK_OBJECT_BIN;
}

/// A text becomes a string of C.
static bool read_text(const msgpack_object_kv *pair, const char *key,
                      fmhac_span *out) {
  *out = (fmhac_span){pair->val.via.str.ptr, pair->val.via.str.size};
  return is_key(&pair->key, key) && pair->val.type == MSGPACK_OBJECT_STR &&
         !memchr(out->text, 0, out->bytes);
}

/// The map of an entry ends with its LDS, and has no field besides.
static bool read_entry(const msgpack_object *map, fmhac_entry *out) {
  const char *key;
  if (!fmhac_entry_read(map, out, &key) || !fmhac_msgpack_find(map, "role") ||
      map->via.map.size != FMHAC_ENTRY_PAIRS + 1)
    return false;
  const msgpack_object_kv *last = &map->via.map.ptr[map->via.map.size - 1];
  out->lds_bytes = (uint32_t)last->val.via.u64;
  return is_key(&last->key, lds_key) &&
         last->val.type == MSGPACK_OBJECT_POSITIVE_INTEGER &&
         last->val.via.u64 <= UINT32_MAX;
}

static bool read_entries(const msgpack_object_kv *pair, fmhac_artefact *out) {
  const msgpack_object_array *list = &pair->val.via.array;
  if (!is_key(&pair->key, "entries") ||
      pair->val.type != MSGPACK_OBJECT_ARRAY || !list->size ||
      list->size > FMHAC_MOST_ENTRIES)
    return false;
  out->entry_count = list->size;
  for (size_t i = 0; i < list->size; ++i)
    if (!read_entry(&list->ptr[i], &out->entries[i]))
      return false;
  return true;
}

/// A map of exactly the fields, in order.
static bool read_map(const msgpack_object *map, fmhac_artefact *out) {
  const msgpack_object_kv *pairs = map->via.map.ptr;
  return map->type == MSGPACK_OBJECT_MAP && map->via.map.size == PAIRS &&
         read_text(&pairs[0], "key", &out->key) &&
         read_bytes(&pairs[1], "code", &out->code) &&
         read_text(&pairs[2], "log", &out->log) && read_entries(&pairs[3], out);
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
  pack_all(&packer, artefact);
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

bool fmhac_artefact_read(const void *bytes, size_t size, fmhac_artefact *out,
                         const char **out_reason) {
  *out = (fmhac_artefact){.entry_count = 0};
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
