// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "package.h"

#include <elf.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fmhac.h"
#include "fmhac_abi.h"
#include "str.h"

void fmhac_package_abi_hash(char hash[FMHAC_ABI_HASH_BYTES]) {
  // Offsets stand in the text, so that padding counts.
  XXH3_state_t *state = XXH3_createState();
  hash[0] = '\0';
  if (!state)
    return;
  XXH3_128bits_reset(state);
#define FMHAC_ARG(type, name, group, doc)                                      \
  {                                                                            \
    char row[128];                                                             \
    int length = snprintf(row, sizeof row, "%s:%s@%zu;", #name, #type,         \
                          offsetof(fmhac_kernel_args, name));                  \
    XXH3_128bits_update(state, row, (size_t)length);                           \
  }
#include "fmhac_abi.def"
  XXH128_hash_t digest = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  snprintf(hash, FMHAC_ABI_HASH_BYTES, "%016llx%016llx",
           (unsigned long long)digest.high64, (unsigned long long)digest.low64);
}

static void pack_text(msgpack_packer *packer, const char *text) {
  size_t length = strlen(text);
  msgpack_pack_str(packer, length);
  msgpack_pack_str_body(packer, text, length);
}

static void pack_pair(msgpack_packer *packer, const char *key,
                      const char *value) {
  pack_text(packer, key);
  pack_text(packer, value);
}

void *fmhac_package_note(const fmhac_note_fields *fields, size_t *out_bytes) {
  *out_bytes = 0;
  char hash[FMHAC_ABI_HASH_BYTES];
  fmhac_package_abi_hash(hash);
  msgpack_sbuffer payload;
  msgpack_packer packer;
  msgpack_sbuffer_init(&payload);
  msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
  enum { PAIRS = 8 };
  msgpack_pack_map(&packer, PAIRS);
  pack_pair(&packer, "config", fields->config);
  pack_pair(&packer, "schedule", fields->schedule);
  pack_pair(&packer, "schedule_text", fields->schedule_text);
  pack_pair(&packer, "score_mod_text", fields->score_mod_text);
  pack_pair(&packer, "pipeline", fields->pipeline);
  pack_pair(&packer, "versions", fmhac_version_text());
  pack_text(&packer, "abi_version");
  msgpack_pack_uint32(&packer, FMHAC_ABI_VERSION);
  pack_pair(&packer, "abi_hash", hash);

  // Name and description are padded to four bytes each.
  const size_t align = 4;
  Elf64_Nhdr header = {.n_namesz = sizeof FMHAC_NOTE_OWNER,
                       .n_descsz = (Elf64_Word)payload.size,
                       .n_type = FMHAC_NOTE_TYPE};
  size_t name_bytes = (sizeof FMHAC_NOTE_OWNER + align - 1) / align * align;
  size_t bytes =
      sizeof header + name_bytes + (payload.size + align - 1) / align * align;
  char *note = calloc(1, bytes);
  if (note) {
    memcpy(note, &header, sizeof header);
    memcpy(note + sizeof header, FMHAC_NOTE_OWNER, sizeof FMHAC_NOTE_OWNER);
    memcpy(note + sizeof header + name_bytes, payload.data, payload.size);
    *out_bytes = bytes;
  }
  msgpack_sbuffer_destroy(&payload);
  return note;
}
