// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "package.h"

#include <elf.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "arg_groups.h"
#include "fmhac.h"
#include "fmhac_abi.h"
#include "object.h"
#include "whole_msgpack.h"

/// Ends a hash: its 32 digits and a terminator.
static void end_hash(XXH3_state_t *state,
                     char out_text[FMHAC_DIGEST_DIGITS + 1]) {
  XXH128_hash_t digest = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  snprintf(out_text, FMHAC_DIGEST_DIGITS + 1, "%016llx%016llx",
           (unsigned long long)digest.high64, (unsigned long long)digest.low64);
}

static void pack_text(msgpack_packer *packer, const char *text) {
  msgpack_pack_str_with_body(packer, text, strlen(text));
}

static void pack_pair(msgpack_packer *packer, const char *key,
                      const char *value) {
  pack_text(packer, key);
  pack_text(packer, value);
}

static void pack_number(msgpack_packer *packer, const char *key,
                        uint64_t value) {
  pack_text(packer, key);
  msgpack_pack_uint64(packer, value);
}

// The end of the description, which sealing fills in. Source: MessagePack
// specification, "Formats": str 8.
static const char seal_room[] = "\xa6"
                                "digest\xd9\x20"
                                "00000000000000000000000000000000";
enum {
  SEAL_BYTES = sizeof seal_room - 1,
  SEAL_DIGEST_AT = SEAL_BYTES - FMHAC_DIGEST_DIGITS
};

void *fmhac_package_note(const fmhac_note_fields *fields, size_t *out_bytes) {
  *out_bytes = 0;
  msgpack_sbuffer payload;
  msgpack_packer packer;
  msgpack_sbuffer_init(&payload);
  msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
  enum { PAIRS = 8 };
  msgpack_pack_map(&packer, fields->from ? PAIRS + 1 : PAIRS);
  pack_pair(&packer, "config", fields->config);
  pack_pair(&packer, "score_mod_text", fields->score_mod_text);
  pack_pair(&packer, "pipeline", fields->pipeline);
  if (fields->from)
    pack_pair(&packer, "from", fields->from);
  pack_pair(&packer, "versions", fmhac_version_text());
  pack_number(&packer, "abi_version", FMHAC_ABI_VERSION);
  uint64_t required = 0;
  for (size_t i = 0; i < fields->entry_count; ++i)
    required |= fields->entries[i].required_args;
  pack_text(&packer, FMHAC_ARG_GROUPS_KEY);
  fmhac_arg_groups_pack(&packer, required);
  pack_text(&packer, "entries");
  msgpack_pack_array(&packer, fields->entry_count);
  for (size_t i = 0; i < fields->entry_count; ++i) {
    fmhac_entry_pack(&packer, &fields->entries[i]);
    pack_pair(&packer, "schedule_text", fields->schedule_texts[i]);
  }
  bool whole = msgpack_sbuffer_write(&payload, seal_room, SEAL_BYTES) == 0;
  // The packer leaves out values for which it had no memory.
  whole = whole &&
          fmhac_is_whole_value((const uint8_t *)payload.data, payload.size);

  // Name and description are padded to four bytes each.
  const size_t align = 4;
  Elf64_Nhdr header = {.n_namesz = sizeof FMHAC_NOTE_OWNER,
                       .n_descsz = (Elf64_Word)payload.size,
                       .n_type = FMHAC_NOTE_TYPE};
  size_t name_bytes = (sizeof FMHAC_NOTE_OWNER + align - 1) / align * align;
  size_t bytes =
      sizeof header + name_bytes + (payload.size + align - 1) / align * align;
  char *note = whole ? calloc(1, bytes) : NULL;
  if (note) {
    memcpy(note, &header, sizeof header);
    memcpy(note + sizeof header, FMHAC_NOTE_OWNER, sizeof FMHAC_NOTE_OWNER);
    memcpy(note + sizeof header + name_bytes, payload.data, payload.size);
    *out_bytes = bytes;
  }
  msgpack_sbuffer_destroy(&payload);
  return note;
}

//===- In a code object ---------------------------------------------------===//

bool fmhac_package_find_note(const void *code, size_t code_bytes,
                             fmhac_note_place *out_place) {
  *out_place = (fmhac_note_place){0};
  char ignored[1];
  isa_object object;
  if (isa_object_read(code, code_bytes, ignored, sizeof ignored, &object) !=
      FMHAC_OK)
    return false;
  *out_place =
      (fmhac_note_place){(size_t)object.note.offset, (size_t)object.note.bytes};
  isa_object_deinit(&object);
  return out_place->bytes > 0;
}

bool fmhac_package_digest(const void *code, size_t code_bytes, size_t note_end,
                          char out_digits[FMHAC_DIGEST_DIGITS]) {
  static const char zeros[] = "00000000000000000000000000000000";
  const char *bytes = code;
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return false;
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, bytes, note_end - FMHAC_DIGEST_DIGITS);
  XXH3_128bits_update(state, zeros, FMHAC_DIGEST_DIGITS);
  XXH3_128bits_update(state, bytes + note_end, code_bytes - note_end);
  char text[FMHAC_DIGEST_DIGITS + 1];
  end_hash(state, text);
  memcpy(out_digits, text, FMHAC_DIGEST_DIGITS);
  return true;
}

bool fmhac_package_seal(void *code, size_t code_bytes) {
  fmhac_note_place place;
  if (!fmhac_package_find_note(code, code_bytes, &place) ||
      place.bytes < SEAL_BYTES)
    return false;
  size_t end = place.offset + place.bytes;
  char *room = (char *)code + end - SEAL_BYTES;
  return memcmp(room, seal_room, SEAL_DIGEST_AT) == 0 &&
         fmhac_package_digest(code, code_bytes, end, room + SEAL_DIGEST_AT);
}
