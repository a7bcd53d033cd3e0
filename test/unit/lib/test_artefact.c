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

static fmhac_artefact sample(char *code, size_t code_bytes) {
  for (size_t i = 0; i < code_bytes; ++i)
    code[i] = (char)(i * 7 + (i >> 8));
  return (fmhac_artefact){.key = {"{\"dtype\":\"bf16\"}\nschedule", 25},
                          .code = {code, code_bytes},
                          .name = {"attn", 4},
                          .schedule = {"generic", 7},
                          .log = {"remark: a\n", 10},
                          .tile_m = 128,
                          .row_rounding = 256,
                          .block_threads = 512,
                          .lds_bytes = 163840,
                          .required_args = UINT64_C(0x8000000000000001)};
}

static void same_span(fmhac_span a, fmhac_span b) {
  assert_int_equal(a.bytes, b.bytes);
  assert_memory_equal(a.text, b.text, a.bytes);
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
    same_span(found.name, written.name);
    same_span(found.schedule, written.schedule);
    same_span(found.log, written.log);
    assert_int_equal(found.tile_m, 128);
    assert_int_equal(found.row_rounding, 256);
    assert_int_equal(found.block_threads, 512);
    assert_int_equal(found.lds_bytes, 163840);
    assert_true(found.required_args == UINT64_C(0x8000000000000001));
    // What is read lies in the file.
    assert_true(found.code.text >= (char *)file &&
                found.code.text + found.code.bytes <= (char *)file + bytes);
    free(file);
    free(code);
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

/// A file with a true digest around any payload.
static void refused_payload(const msgpack_sbuffer *payload) {
  uint8_t *file = calloc(1, HEADER_BYTES + payload->size);
  memcpy(file, "FMHACART\2", 9);
  for (int i = 0; i < 8; ++i)
    file[PAYLOAD_BYTES_AT + i] = (uint8_t)(payload->size >> 8 * i);
  if (payload->size)
    memcpy(file + HEADER_BYTES, payload->data, payload->size);
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest,
                           XXH3_128bits(file + HEADER_BYTES, payload->size));
  memcpy(file + DIGEST_AT, &digest, sizeof digest);
  refused(file, HEADER_BYTES + payload->size, "contents");
  free(file);
}

static void text(msgpack_packer *packer, const char *word) {
  msgpack_pack_str_with_body(packer, word, strlen(word));
}

static void test_refuses_other_contents_under_a_true_digest(void **state) {
  (void)state;
  static const char *const keys[] = {
      "key",    "code",         "name",          "schedule",  "log",
      "tile_m", "row_rounding", "block_threads", "lds_bytes", "required_args"};
  enum { KEYS = 10, CODE = 1, LAST_TEXT = 4, REQUIRED_ARGS = 9, SHAPES = 6 };
  // One thing is wrong in each: a value's type, a number too large, a name, a
  // field too few, a field too many, a text with a zero.
  for (int wrong = 0; wrong < KEYS; ++wrong)
    for (int shape = 0; shape < SHAPES; ++shape) {
      if (shape == 1 && (wrong <= LAST_TEXT || wrong == REQUIRED_ARGS))
        continue; // texts; 64 bits
      if (shape == 5 && (wrong == CODE || wrong > LAST_TEXT))
        continue;
      msgpack_sbuffer payload;
      msgpack_packer packer;
      msgpack_sbuffer_init(&payload);
      msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
      msgpack_pack_map(&packer, KEYS - (shape == 3) + (shape == 4));
      for (int i = 0; i < KEYS; ++i) {
        bool bad = i == wrong;
        if (bad && shape == 3)
          continue;
        text(&packer, bad && shape == 2 ? "x" : keys[i]);
        if (bad && shape == 0)
          msgpack_pack_nil(&packer);
        else if (bad && shape == 1)
          msgpack_pack_uint64(&packer, UINT64_C(1) << 32);
        else if (bad && shape == 5)
          msgpack_pack_str_with_body(&packer, "a\0b", 3);
        else if (i == CODE)
          msgpack_pack_bin_with_body(&packer, "code", 4);
        else if (i <= LAST_TEXT)
          text(&packer, "word");
        else
          msgpack_pack_uint32(&packer, 1);
        if (bad && shape == 4) {
          text(&packer, "more");
          msgpack_pack_nil(&packer);
        }
      }
      refused_payload(&payload);
      msgpack_sbuffer_destroy(&payload);
    }
  // Sizes beyond the end of the file, and bytes after its end.
  static const char *const bytes[] = {"\xdf\xff\xff\xff\xff", "\xc0",
                                      "\x80\x80", ""};
  static const size_t sizes[] = {5, 1, 2, 0};
  for (int i = 0; i < 4; ++i) {
    msgpack_sbuffer payload;
    msgpack_sbuffer_init(&payload);
    if (sizes[i])
      msgpack_sbuffer_write(&payload, bytes[i], sizes[i]);
    refused_payload(&payload);
    msgpack_sbuffer_destroy(&payload);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_refuses_every_flipped_bit_and_every_cut),
      cmocka_unit_test(test_refuses_other_contents_under_a_true_digest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
