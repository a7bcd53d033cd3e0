// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Artefacts: what is written is read, and nothing else is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <msgpack.h>
#include <xxhash.h>

#include "artefact.h"

enum { HEADER_BYTES = 40, DIGEST_AT = 24, PAYLOAD_BYTES_AT = 16 };

/// Two entries, every field of which has a value of its own.
static const fmhac_entry sample_entries[] = {
    {.kernel = "attn",
     .schedule = "generic",
     .grid = {"ceil(Sq / 128)", "Hq", "B"},
     .when = "Sk <= 256",
     .block_threads = 512,
     .tile_m = 128,
     .tile_n = 64,
     .row_rounding = 256,
     .lds_bytes = 163840,
     .matrix_flops = UINT64_C(0x8000000000000002),
     .required_args = UINT64_C(0x8000000000000001),
     .scale = "fma",
     .order = "longest_first"},
    {.kernel = "attn_2",
     .role = FMHAC_ROLE_MERGE,
     .schedule = "dualwave",
     .grid = {"1", "min(CUs, B * Hq)", "splits"},
     .block_threads = UINT32_MAX,
     .tile_m = 3,
     .tile_n = 5,
     .row_rounding = 7,
     .lds_bytes = 11,
     .matrix_flops = 13,
     .required_args = 17,
     .scale = "q",
     .order = "linear"}};
enum { ENTRIES = sizeof sample_entries / sizeof sample_entries[0] };

static fmhac_artefact sample(char *code, size_t code_bytes) {
  for (size_t i = 0; i < code_bytes; ++i)
    code[i] = (char)(i * 7 + (i >> 8));
  fmhac_artefact a = {.key = {"{\"dtype\":\"bf16\"}\nschedule", 25},
                      .code = {code, code_bytes},
                      .log = {"remark: a\n", 10},
                      .entry_count = ENTRIES};
  memcpy(a.entries, sample_entries, sizeof sample_entries);
  return a;
}

static void same_span(fmhac_span a, fmhac_span b) {
  assert_int_equal(a.bytes, b.bytes);
  assert_memory_equal(a.text, b.text, a.bytes);
}

static void same_entry(const fmhac_entry *a, const fmhac_entry *b) {
  assert_string_equal(a->kernel, b->kernel);
  assert_string_equal(a->schedule, b->schedule);
  for (int i = 0; i < 3; ++i)
    assert_string_equal(a->grid[i], b->grid[i]);
  assert_string_equal(a->when, b->when);
  assert_int_equal(a->block_threads, b->block_threads);
  assert_int_equal(a->tile_m, b->tile_m);
  assert_int_equal(a->tile_n, b->tile_n);
  assert_int_equal(a->row_rounding, b->row_rounding);
  assert_int_equal(a->lds_bytes, b->lds_bytes);
  assert_true(a->matrix_flops == b->matrix_flops);
  assert_true(a->required_args == b->required_args);
  assert_string_equal(a->scale, b->scale);
  assert_string_equal(a->order, b->order);
  assert_int_equal(a->role, b->role);
}

static void test_reads_what_was_written(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 255, 256, 65535, 65536, 1 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char *code = malloc(sizes[i] + 1);
    fmhac_artefact written = sample(code, sizes[i]), found;
    size_t bytes;
    const char *reason;
    void *file = fmhac_artefact_write(&written, &bytes);
    assert_non_null(file);
    assert_true(fmhac_artefact_read(file, bytes, &found, &reason));
    assert_null(reason);
    same_span(found.key, written.key);
    same_span(found.code, written.code);
    same_span(found.log, written.log);
    assert_int_equal(found.entry_count, ENTRIES);
    for (int entry = 0; entry < ENTRIES; ++entry)
      same_entry(&found.entries[entry], &sample_entries[entry]);
    // What is read lies in the file.
    assert_true(found.code.text >= (char *)file &&
                found.code.text + found.code.bytes <= (char *)file + bytes);
    free(file);
    free(code);
  }
}

/// From one entry to eight, whose texts fill their room.
static void test_number_of_entries(void **state) {
  (void)state;
  char code[1];
  for (size_t count = 0; count <= FMHAC_MOST_ENTRIES; ++count) {
    fmhac_artefact written = sample(code, sizeof code), found;
    written.entry_count = count;
    for (size_t i = 0; i < count; ++i) {
      fmhac_entry *e = &written.entries[i];
      *e = sample_entries[i % ENTRIES];
      memset(e->kernel, 'k', sizeof e->kernel - 1);
      memset(e->schedule, 's', sizeof e->schedule - 1);
      memset(e->grid[2], '1', sizeof e->grid[2] - 1);
      memset(e->when, 'w', sizeof e->when - 1);
      memset(e->scale, 'q', sizeof e->scale - 1);
      memset(e->order, 'o', sizeof e->order - 1);
      e->tile_m = (uint32_t)i;
    }
    size_t bytes;
    const char *reason;
    void *file = fmhac_artefact_write(&written, &bytes);
    // Nothing launches a code object without an entry.
    assert_int_equal(file != NULL, count > 0);
    if (!file)
      continue;
    assert_true(fmhac_artefact_read(file, bytes, &found, &reason));
    assert_int_equal(found.entry_count, count);
    for (size_t i = 0; i < count; ++i)
      same_entry(&found.entries[i], &written.entries[i]);
    free(file);
  }
}

static void refused(const void *bytes, size_t size, const char *words) {
  // From the heap, so that a sanitizer sees a byte too far.
  void *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  fmhac_artefact found;
  const char *reason = NULL;
  assert_false(fmhac_artefact_read(copy, size, &found, &reason));
  assert_non_null(reason);
  if (words && !strstr(reason, words))
    fail_msg("expected \"%s\", found \"%s\"", words, reason);
  free(copy);
}

static void test_refuses_every_flipped_bit_and_every_cut(void **state) {
  (void)state;
  char code[600];
  fmhac_artefact written = sample(code, sizeof code);
  size_t bytes;
  uint8_t *file = fmhac_artefact_write(&written, &bytes);
  assert_non_null(file);
  for (size_t i = 0; i < bytes; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      file[i] ^= (uint8_t)(1 << bit);
      refused(file, bytes, NULL);
      file[i] ^= (uint8_t)(1 << bit);
    }
  for (size_t size = 0; size < bytes; ++size)
    refused(file, size, NULL);
  uint8_t *longer = malloc(bytes + 1);
  memcpy(longer, file, bytes);
  longer[bytes] = 0;
  refused(longer, bytes + 1, "longer");
  free(longer);
  free(file);
}

/// A file with a true digest around any payload; the caller frees.
static uint8_t *wrap(const msgpack_sbuffer *payload) {
  uint8_t *file = calloc(1, HEADER_BYTES + payload->size);
  memcpy(file, "FMHACART\3", 9);
  for (int i = 0; i < 8; ++i)
    file[PAYLOAD_BYTES_AT + i] = (uint8_t)(payload->size >> 8 * i);
  if (payload->size)
    memcpy(file + HEADER_BYTES, payload->data, payload->size);
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest,
                           XXH3_128bits(file + HEADER_BYTES, payload->size));
  memcpy(file + DIGEST_AT, &digest, sizeof digest);
  return file;
}

static void refused_payload(const msgpack_sbuffer *payload) {
  uint8_t *file = wrap(payload);
  refused(file, HEADER_BYTES + payload->size, "contents");
  free(file);
}

static void text(msgpack_packer *packer, const char *word) {
  msgpack_pack_str_with_body(packer, word, strlen(word));
}

/// What is wrong with a field.
typedef enum fault_kind {
  FAULT_TYPE,  ///< nil
  FAULT_LARGE, ///< a number that has no room, a text that has none
  FAULT_NAME,
  FAULT_MISSING,
  FAULT_MORE, ///< a field after it
  FAULT_ZERO, ///< a text with a byte 0
  FAULTS,
  NO_FAULT
} fault_kind;

typedef enum field_form {
  FORM_TEXT,  ///< of any length
  FORM_ROOM,  ///< a text with room
  FORM_ROLE,  ///< one of a few words
  FORM_BYTES, ///< of the code
  FORM_GRID,
  FORM_U32,
  FORM_U64,
  FORM_ENTRIES
} field_form;

typedef struct field {
  const char *key;
  field_form form;
} field;

// The outer map, and the map of an entry, in their order.
static const field outer[] = {{"key", FORM_TEXT},
                              {"code", FORM_BYTES},
                              {"log", FORM_TEXT},
                              {"entries", FORM_ENTRIES}};
static const field inner[] = {
    {"kernel", FORM_ROOM},       {"schedule", FORM_ROOM},
    {"grid", FORM_GRID},         {"when", FORM_ROOM},
    {"block_threads", FORM_U32}, {"tile_m", FORM_U32},
    {"tile_n", FORM_U32},        {"row_rounding", FORM_U32},
    {"matrix_flops", FORM_U64},  {"required_args", FORM_U64},
    {"scale", FORM_ROOM},        {"order", FORM_ROOM},
    {"role", FORM_ROLE},         {"lds_bytes", FORM_U32}};
enum {
  OUTER = sizeof outer / sizeof *outer,
  INNER = sizeof inner / sizeof *inner
};

/// A payload with one fault: at a field, which is of the outer map below OUTER,
/// else of entry `entry`.
typedef struct faulty {
  int wrong, entry, entries, sides;
  fault_kind fault;
} faulty;

/// A text that no room of an entry holds.
static void pack_long(msgpack_packer *packer) {
  char longer[128];
  memset(longer, 'x', sizeof longer);
  msgpack_pack_str_with_body(packer, longer, sizeof longer);
}

static void pack_zero(msgpack_packer *packer) {
  msgpack_pack_str_with_body(packer, "a\0b", 3);
}

/// The fault is at the last side.
static void pack_grid(msgpack_packer *packer, const faulty *f,
                      fault_kind wrong) {
  msgpack_pack_array(packer, (size_t)f->sides);
  for (int i = 1; i < f->sides; ++i)
    text(packer, "Hq");
  if (wrong == FAULT_LARGE)
    pack_long(packer);
  else if (wrong == FAULT_ZERO)
    pack_zero(packer);
  else
    text(packer, "B");
}

static void pack_entries(msgpack_packer *packer, const faulty *f);

static void pack_value(msgpack_packer *packer, const faulty *f, field_form form,
                       fault_kind wrong) {
  if (wrong == FAULT_TYPE)
    msgpack_pack_nil(packer);
  else if (form == FORM_GRID)
    pack_grid(packer, f, wrong);
  else if (form == FORM_ENTRIES)
    pack_entries(packer, f);
  else if (wrong == FAULT_LARGE && form == FORM_U32)
    msgpack_pack_uint64(packer, UINT64_C(1) << 32);
  else if (wrong == FAULT_LARGE && (form == FORM_ROOM || form == FORM_ROLE))
    pack_long(packer);
  else if (wrong == FAULT_ZERO)
    pack_zero(packer);
  else if (form == FORM_BYTES)
    msgpack_pack_bin_with_body(packer, "code", 4);
  else if (form == FORM_ROLE)
    text(packer, "combine");
  else if (form == FORM_TEXT || form == FORM_ROOM)
    text(packer, "word");
  else
    msgpack_pack_uint32(packer, 1);
}

static void pack_map(msgpack_packer *packer, const faulty *f,
                     const field *fields, int count, int wrong) {
  const bool any = wrong >= 0 && wrong < count;
  msgpack_pack_map(packer, (size_t)(count - (any && f->fault == FAULT_MISSING) +
                                    (any && f->fault == FAULT_MORE)));
  for (int i = 0; i < count; ++i) {
    const fault_kind here = i == wrong ? f->fault : NO_FAULT;
    if (here == FAULT_MISSING)
      continue;
    text(packer, here == FAULT_NAME ? "x" : fields[i].key);
    pack_value(packer, f, fields[i].form, here);
    if (here == FAULT_MORE) {
      text(packer, "more");
      msgpack_pack_nil(packer);
    }
  }
}

static void pack_entries(msgpack_packer *packer, const faulty *f) {
  msgpack_pack_array(packer, (size_t)f->entries);
  for (int i = 0; i < f->entries; ++i)
    pack_map(packer, f, inner, INNER, i == f->entry ? f->wrong - OUTER : -1);
}

static void pack(msgpack_sbuffer *payload, const faulty *f) {
  msgpack_packer packer;
  msgpack_sbuffer_init(payload);
  msgpack_packer_init(&packer, payload, msgpack_sbuffer_write);
  pack_map(&packer, f, outer, OUTER, f->wrong);
}

/// Whether a field can have a fault.
static bool has_fault(field_form form, fault_kind fault) {
  const bool is_short =
      form == FORM_ROOM || form == FORM_ROLE || form == FORM_GRID;
  return fault == FAULT_LARGE  ? is_short || form == FORM_U32
         : fault == FAULT_ZERO ? is_short || form == FORM_TEXT
                               : true;
}

static void refused_faulty(faulty f) {
  msgpack_sbuffer payload;
  pack(&payload, &f);
  refused_payload(&payload);
  msgpack_sbuffer_destroy(&payload);
}

static void test_refuses_other_contents_under_a_true_digest(void **state) {
  (void)state;
  enum { SIDES = 3, ALL = OUTER + INNER, ROOM = FMHAC_MOST_ENTRIES };
  // Without a fault it is an artefact.
  msgpack_sbuffer payload;
  fmhac_artefact found;
  const char *reason;
  pack(&payload, &(faulty){-1, 0, ROOM, SIDES, NO_FAULT});
  uint8_t *file = wrap(&payload);
  assert_true(
      fmhac_artefact_read(file, HEADER_BYTES + payload.size, &found, &reason));
  assert_int_equal(found.entry_count, ROOM);
  free(file);
  msgpack_sbuffer_destroy(&payload);
  // One thing is wrong in each, in the first or in the last entry.
  for (int wrong = 0; wrong < ALL; ++wrong)
    for (int fault = 0; fault < FAULTS; ++fault)
      for (int entry = 0; entry < (wrong < OUTER ? 1 : 2); ++entry)
        if (has_fault(wrong < OUTER ? outer[wrong].form
                                    : inner[wrong - OUTER].form,
                      (fault_kind)fault))
          refused_faulty((faulty){wrong, entry, 2, SIDES, (fault_kind)fault});
  refused_faulty((faulty){-1, 0, 0, SIDES, NO_FAULT});
  refused_faulty((faulty){-1, 0, ROOM + 1, SIDES, NO_FAULT});
  refused_faulty((faulty){-1, 0, 1, SIDES - 1, NO_FAULT});
  refused_faulty((faulty){-1, 0, 1, SIDES + 1, NO_FAULT});
  // Sizes beyond the end of the file, and bytes after its end.
  static const char *const bytes[] = {"\xdf\xff\xff\xff\xff", "\xc0",
                                      "\x80\x80", ""};
  static const size_t sizes[] = {5, 1, 2, 0};
  for (int i = 0; i < 4; ++i) {
    msgpack_sbuffer_init(&payload);
    if (sizes[i])
      msgpack_sbuffer_write(&payload, bytes[i], sizes[i]);
    refused_payload(&payload);
    msgpack_sbuffer_destroy(&payload);
  }
}

/// A file of another format is one of another release, whatever it holds.
static void test_refuses_other_formats(void **state) {
  (void)state;
  char code[4];
  const fmhac_artefact written = sample(code, sizeof code);
  size_t bytes;
  uint8_t *file = fmhac_artefact_write(&written, &bytes);
  assert_int_equal(file[8], 3);
  for (int format = 0; format < 256; ++format) {
    file[8] = (uint8_t)format;
    if (format != 3)
      refused(file, bytes, "another release");
  }
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_number_of_entries),
      cmocka_unit_test(test_refuses_every_flipped_bit_and_every_cut),
      cmocka_unit_test(test_refuses_other_contents_under_a_true_digest),
      cmocka_unit_test(test_refuses_other_formats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
