// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the payload of a cache entry, under a true header, as only such pass
// the digest; and the same bytes as a whole file. What is read is written, and
// must be the same file again; parts of its key are looked up.
#include "artefact.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fuzz.h"
#include "key_text.h"

enum { HEADER_BYTES = 40, PAYLOAD_BYTES_AT = 16, DIGEST_AT = 24 };

static bool is_inside(fmhac_span part, const void *bytes, size_t size) {
  const char *first = bytes;
  return part.text >= first && part.text <= first + size &&
         part.bytes <= (size_t)(first + size - part.text);
}

static void check(const void *bytes, size_t size) {
  fmhac_artefact a;
  const char *reason = NULL;
  bool ok = fmhac_artefact_read(bytes, size, &a, &reason);
  FUZZ_CHECK(ok == !reason, "a reason with success, or none with failure");
  if (!ok)
    return;
  FUZZ_CHECK(is_inside(a.key, bytes, size) && is_inside(a.code, bytes, size) &&
                 is_inside(a.log, bytes, size),
             "a part lies outside");
  static const char *const names[] = {"build", "config", "schedule", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    fmhac_span part;
    if (fmhac_key_text_find(a.key, names[i], &part))
      FUZZ_CHECK(is_inside(part, a.key.text, a.key.bytes),
                 "a part of the key lies outside");
  }
  size_t again_bytes;
  void *again = fmhac_artefact_write(&a, &again_bytes);
  fmhac_artefact b;
  FUZZ_CHECK(again && fmhac_artefact_read(again, again_bytes, &b, &reason),
             "what was written cannot be read");
  FUZZ_CHECK(b.code.bytes == a.code.bytes && b.key.bytes == a.key.bytes &&
                 memcmp(b.code.text, a.code.text, a.code.bytes) == 0 &&
                 memcmp(b.key.text, a.key.text, a.key.bytes) == 0 &&
                 b.entry_count == a.entry_count &&
                 memcmp(b.entries, a.entries,
                        a.entry_count * sizeof a.entries[0]) == 0,
             "another artefact comes back");
  FUZZ_CHECK(a.entry_count >= 1 && a.entry_count <= FMHAC_MOST_ENTRIES,
             "%zu entries", a.entry_count);
  free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // From the heap, and at its end, so that a byte too far is seen.
  uint8_t *file = malloc(HEADER_BYTES + size);
  if (!file)
    abort();
  memset(file, 0, HEADER_BYTES);
  memcpy(file, "FMHACART", 8);
  file[8] = FMHAC_ARTEFACT_FORMAT;
  for (int i = 0; i < 8; ++i)
    file[PAYLOAD_BYTES_AT + i] = (uint8_t)((uint64_t)size >> 8 * i);
  if (size)
    memcpy(file + HEADER_BYTES, data, size);
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits(file + HEADER_BYTES, size));
  memcpy(file + DIGEST_AT, &digest, sizeof digest);
  check(file, HEADER_BYTES + size);
  check(file + HEADER_BYTES, size);
  free(file);
  return 0;
}
