// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels from code objects alone: the same launches as the kernel that was
// compiled, and nothing from bytes that are not those of a compile.
#include <stdio.h>
#include <stdlib.h>

#include <elf.h>

#include "code_fixture.h"
#include "fmhac_inspect.h"

//===- What is whole ------------------------------------------------------===//

static void test_launches_as_the_compiled_kernel(void **state) {
  fixture *f = *state;
  static const char *const configs[] = {
      "{}", "{\"dtype\": \"f16\", \"head_dim\": 64, \"lse\": true}",
      "{\"head_dim_qk\": 192, \"mask\": \"window:128,0\", \"alibi\": true}",
      "{\"head_dim_v\": 64, \"lse\": true, \"out_dtype\": \"f32\"}",
      "{\"cu_seqlens_q\": true, \"cu_seqlens_kv\": true, \"softcap\": 30.5}"};
  for (size_t i = 0; i < sizeof configs / sizeof *configs; ++i) {
    fmhac_kernel *compiled = code_compile(f->context, configs[i]), *taken;
    const void *code, *again;
    size_t bytes, again_bytes;
    assert_int_equal(fmhac_kernel_get_code(compiled, &code, &bytes), FMHAC_OK);
    // At an odd address, and gone afterwards.
    char *copy = malloc(bytes + 1);
    memcpy(copy + 1, code, bytes);
    fmhac_status status =
        fmhac_kernel_create_from_code(f->context, copy + 1, bytes, &taken);
    memset(copy, 0xee, bytes + 1);
    free(copy);
    if (status != FMHAC_OK)
      fail_msg("%s: %s", configs[i], fmhac_last_error(f->context));
    assert_int_equal(fmhac_kernel_get_code(taken, &again, &again_bytes),
                     FMHAC_OK);
    assert_int_equal(again_bytes, bytes);
    assert_memory_equal(again, code, bytes);
    code_assert_same_launch(f->context, compiled, taken);
    fmhac_kernel_destroy(taken);
    fmhac_kernel_destroy(compiled);
  }
}

//===- What is not --------------------------------------------------------===//

static void test_refuses_every_cut(void **state) {
  fixture *f = *state;
  for (size_t bytes = 0; bytes < f->bytes; ++bytes) {
    uint8_t *cut = malloc(bytes ? bytes : 1);
    memcpy(cut, f->code, bytes);
    code_refused(f, cut, bytes, FMHAC_INVALID_INPUT, "code object");
    free(cut);
  }
  uint8_t *longer = calloc(1, f->bytes + 1);
  memcpy(longer, f->code, f->bytes);
  code_refused(f, longer, f->bytes + 1, FMHAC_INVALID_INPUT, "digest");
  free(longer);
}

static void test_refuses_every_flip(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < f->bytes; ++i)
    // Each bit of the note, each byte of the rest.
    for (int bit = 0; bit < 8; ++bit) {
      bool in_note = i >= f->note_begin && i < f->note_end;
      uint8_t flip = in_note ? (uint8_t)(1 << bit) : 0xff;
      if (bit && !in_note)
        break;
      f->code[i] ^= flip;
      fmhac_kernel *kernel;
      fmhac_status status = code_take(f, f->code, f->bytes, &kernel);
      if (status != FMHAC_INVALID_INPUT && status != FMHAC_UNSUPPORTED)
        fail_msg("byte %zu, flip 0x%02x: status %d", i, flip, status);
      f->code[i] ^= flip;
    }
}

// Somebody who makes the digest true as well may change what only the note
// says, and nothing that the code contradicts.
static void test_flips_under_a_true_digest(void **state) {
  fixture *f = *state;
  fmhac_rt_launch whole = {.size = sizeof whole},
                  found = {.size = sizeof found};
  fmhac_kernel_args args;
  bool packed;
  code_pack(f->kernel, f->context, &whole, &args, &packed);
  assert_true(packed);
  uint64_t groups = args.field_mask;
  int taken = 0;
  for (size_t i = f->note_begin; i < f->note_end - DIGITS; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      f->code[i] ^= (uint8_t)(1 << bit);
      code_reseal(f);
      fmhac_kernel *kernel;
      if (code_take(f, f->code, f->bytes, &kernel) == FMHAC_OK) {
        ++taken;
        assert_string_equal(fmhac_kernel_get_name(kernel),
                            fmhac_kernel_get_name(f->kernel));
        code_pack(kernel, f->context, &found, &args, &packed);
        if (packed) {
          assert_memory_equal(found.block, whole.block, sizeof found.block);
          assert_int_equal(args.field_mask, groups);
          assert_true(found.grid[0] >= 1);
        }
        fmhac_kernel_destroy(kernel);
      }
      f->code[i] ^= (uint8_t)(1 << bit);
    }
  assert_true(taken > 0); // texts that tell where it comes from
  code_reseal(f);
}

static void test_refuses_damage_beneath_a_true_digest(void **state) {
  fixture *f = *state;
  // ELF header, program headers, sections, symbols, descriptor, metadata.
  static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < f->bytes; ++i) {
    if (i >= f->note_begin && i < f->note_end)
      continue;
    uint8_t was = f->code[i];
    for (size_t v = 0; v < sizeof values; ++v) {
      f->code[i] = values[v];
      code_reseal(f);
      fmhac_kernel *kernel;
      if (code_take(f, f->code, f->bytes, &kernel) == FMHAC_OK) {
        code_assert_same_launch(f->context, f->kernel, kernel);
        fmhac_kernel_destroy(kernel);
      }
    }
    f->code[i] = was;
  }
  code_reseal(f);
}

static void test_names_what_contradicts(void **state) {
  fixture *f = *state;
  // `to` has the length of `from`; the text must hold `words` and `more`.
  static const struct {
    const char *from, *to;
    size_t bytes;
    fmhac_status status;
    const char *words, *more;
  } rows[] = {
      {"abi_version\x01", "abi_version\x02", 12, FMHAC_UNSUPPORTED,
       "arguments of version 2", "fills in version 1"},
      {"arg_groups\x81", "arg_groupz\x81", 11, FMHAC_UNSUPPORTED,
       "'arg_groups'", "compile it anew"},
      {"tile_m\xcc\x80", "tile_x\xcc\x80", 8, FMHAC_UNSUPPORTED, "'tile_m'",
       "compile it anew"},
      {"tile_m\xcc\x80", "tile_m\xcc\x00", 8, FMHAC_INVALID_INPUT, "tile_m",
       "found 0"},
      {"tile_m\xcc\x80", "tile_m\xcc\xff", 8, FMHAC_INVALID_INPUT,
       "row_rounding", "found 128"},
      {"row_rounding\xcc\x80", "row_rounding\xcc\x7f", 14, FMHAC_INVALID_INPUT,
       "row_rounding", "found 127"},
      {"block_threads\xcd\x01\x00", "block_threads\xcd\x02\x00", 16,
       FMHAC_INVALID_INPUT, "block_threads = 256", "found 512"},
      {"lds_bytes\xce\x00\x00", "lds_bytes\xce\x00\x01", 12,
       FMHAC_INVALID_INPUT, "lds_bytes", "descriptor"},
      {"required_args\x01", "required_args\x03", 14, FMHAC_INVALID_INPUT,
       "required_args = 1", "found 3"},
      {"\"dtype\":\"bf16\"", "\"dtypo\":\"bf16\"", 14, FMHAC_INVALID_INPUT,
       "dtypo", "configuration"},
      {"\"dtype\":\"bf16\"", "\"dtype\":\"bf17\"", 14, FMHAC_INVALID_INPUT,
       "bf17", "configuration"},
      {"kernel\xbe"
       "attn",
       "kernel\xbe"
       "bttn",
       11, FMHAC_INVALID_INPUT, "bttn_bf16_d128_causal", "none"},
      {"\xa8versions", "\xa8versionz", 9, FMHAC_INVALID_INPUT, "version",
       "none"},
      {"\1\0\0\0fmhac", "\1\0\0\0fmhag", 9, FMHAC_INVALID_INPUT, "fmhac's note",
       "something else"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const size_t at = code_find(f, rows[i].from, rows[i].bytes);
    memcpy(f->code + at, rows[i].to, rows[i].bytes);
    code_reseal(f);
    code_refused(f, f->code, f->bytes, rows[i].status, rows[i].words);
    if (!strstr(fmhac_last_error(f->context), rows[i].more))
      fail_msg("expected \"%s\" in \"%s\"", rows[i].more,
               fmhac_last_error(f->context));
    memcpy(f->code + at, rows[i].from, rows[i].bytes);
  }
  code_reseal(f);
}

static void test_refuses_other_files(void **state) {
  fixture *f = *state;
  code_refused(f, "", 0, FMHAC_INVALID_INPUT, "an empty file");
  static const char text[] =
      "hello, this is a text and it has more bytes than a header has, by far";
  code_refused(f, text, sizeof text, FMHAC_INVALID_INPUT, "something else");
  Elf64_Ehdr header;
  memcpy(&header, f->code, sizeof header);
  Elf64_Ehdr other = header;
  other.e_machine = EM_X86_64;
  memcpy(f->code, &other, sizeof other);
  code_refused(f, f->code, f->bytes, FMHAC_INVALID_INPUT, "machine 62");
  other = header;
  other.e_flags = 0x54c; // gfx942
  memcpy(f->code, &other, sizeof other);
  code_refused(f, f->code, f->bytes, FMHAC_INVALID_INPUT,
               "found gfx942 (0x4c)");
  memcpy(f->code, &header, sizeof header);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_launches_as_the_compiled_kernel),
      cmocka_unit_test(test_refuses_every_cut),
      cmocka_unit_test(test_refuses_every_flip),
      cmocka_unit_test(test_flips_under_a_true_digest),
      cmocka_unit_test(test_refuses_damage_beneath_a_true_digest),
      cmocka_unit_test(test_names_what_contradicts),
      cmocka_unit_test(test_refuses_other_files),
  };
  return cmocka_run_group_tests(tests, code_set_up, code_tear_down);
}
