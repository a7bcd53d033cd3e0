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

/// Whether FMHAC_TEST_FULL asks for every change of each byte.
static bool is_full(void) {
  const char *full = getenv("FMHAC_TEST_FULL");
  return full && full[0] && strcmp(full, "0") != 0;
}

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
  // Of each byte two bits, of the next byte the next two.
  const int every = is_full() ? 1 : 4;
  for (size_t i = f->note_begin; i < f->note_end - DIGITS; ++i)
    for (int bit = (int)(i % (size_t)every); bit < 8; bit += every) {
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
  // Each byte takes one of the values, the next byte the next one; a value that
  // it has already changes nothing, and the one after it comes instead.
  static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
  const size_t count = is_full() ? sizeof values : 1;
  for (size_t i = 0; i < f->bytes; ++i) {
    if (i >= f->note_begin && i < f->note_end)
      continue;
    uint8_t was = f->code[i];
    for (size_t v = 0; v < count; ++v) {
      const uint8_t value = values[(i + v) % sizeof values];
      f->code[i] = value != was ? value : values[(i + v + 1) % sizeof values];
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
      {"required_args\x01", "required_args\x03", 14, FMHAC_INVALID_INPUT,
       "required_args = 0 of entry attn_bf16_d128_causal", "found 2"},
      {"required_args\x01", "required_args\x00", 14, FMHAC_INVALID_INPUT,
       "required_args = 1 of its entries", "found 0"},
      {"ceil(Sq / 128)", "ceil(Sq , 128)", 14, FMHAC_INVALID_INPUT,
       "grid of entry attn_bf16_d128_causal",
       "an expression like ceil(Sq / 256), found 'ceil(Sq , 128)'"},
      {"\xa2Hq\xa1"
       "B",
       "\xa2Hx\xa1"
       "B",
       5, FMHAC_INVALID_INPUT, "grid of entry", "found 'Hx'"},
      {"\xa2Hq\xa1"
       "B",
       "\xa2Hq\xa1"
       "C",
       5, FMHAC_INVALID_INPUT, "grid of entry", "found 'C'"},
      {"entries\x91", "entriez\x91", 8, FMHAC_UNSUPPORTED, "'entries'",
       "compile it anew"},
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

//===- Two entries --------------------------------------------------------===//

/// What is launched for so many keys, by name; its grid in x.
static const char *launched(fixture *f, const fmhac_kernel *kernel,
                            uint32_t keys, uint32_t *out_grid) {
  const fmhac_problem problem = {sizeof problem, 1, 1, 1, 515, keys, 0, 0};
  fmhac_plan *plan;
  if (fmhac_plan_create(kernel, &problem, &plan) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  fmhac_rt_launch launch = {.size = sizeof launch};
  fmhac_kernel_args args;
  assert_int_equal(fmhac_tensors_dense(plan, &problem, 16, 32, 48, 64, 0, &t),
                   FMHAC_OK);
  assert_int_equal(fmhac_plan_pack(plan, 0, &t, 0, &args, sizeof args, &launch),
                   FMHAC_OK);
  *out_grid = launch.grid[0];
  fmhac_plan_destroy(plan);
  return launch.kernel;
}

/// A code object of two kernels has both entries, and each is launched for its
/// problems.
static void test_two_entries(void **state) {
  fixture *f = *state;
  fmhac_kernel *taken;
  if (code_take(f, f->code, f->bytes, &taken) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  code_assert_same_launch(f->context, f->kernel, taken);
  assert_int_equal(fmhac_kernel_entry_count(taken), 2);
  static const char *const schedules[] = {"generic", "generic_wide"};
  static const char *const whens[] = {"Sk <= 256", ""};
  const char *names[2];
  for (size_t i = 0; i < 2; ++i) {
    fmhac_kernel_info a = {.size = sizeof a}, b = {.size = sizeof b};
    assert_int_equal(fmhac_kernel_get_info(f->kernel, i, &a), FMHAC_OK);
    assert_int_equal(fmhac_kernel_get_info(taken, i, &b), FMHAC_OK);
    assert_string_equal(b.schedule, schedules[i]);
    assert_string_equal(b.when, whens[i]);
    assert_string_equal(b.name, a.name);
    for (int side = 0; side < 3; ++side)
      assert_string_equal(b.grid[side], a.grid[side]);
    assert_int_equal(b.block_threads, a.block_threads);
    assert_int_equal(b.tile_rows, a.tile_rows);
    assert_int_equal(b.lds_bytes, a.lds_bytes);
    assert_int_equal(b.vgprs, a.vgprs);
    assert_int_equal(b.args_mask, 1);
    names[i] = b.name;
    // 515 rows.
    uint32_t grid;
    assert_string_equal(launched(f, taken, i ? 257 : 256, &grid), b.name);
    assert_int_equal(grid, (515 + b.tile_rows - 1) / b.tile_rows);
  }
  assert_string_not_equal(names[0], names[1]);
  fmhac_kernel_destroy(taken);
}

/// Where the value of a key begins, of an entry in the note.
static size_t value_of(const fixture *f, const char *key, int entry) {
  char packed[40];
  // Source: MessagePack specification, "Formats": fixstr.
  const int length =
      snprintf(packed, sizeof packed, "%c%s", 0xa0 + (int)strlen(key), key);
  static const char list[] = "\xa7"
                             "entries";
  for (size_t at = code_find(f, list, sizeof list - 1); at < f->note_end; ++at)
    if (memcmp(f->code + at, packed, (size_t)length) == 0 && entry-- == 0)
      return at + (size_t)length;
  fail_msg("no %s in the note", key);
  return 0;
}

/// Writes a number in the bytes that one of another value takes.
static void put_number(uint8_t *at, uint64_t value) {
  // Source: MessagePack specification, "Formats": uint 8 to 64.
  const int bytes = *at < 0x80 ? 0 : 1 << (*at - 0xcc);
  if (!bytes)
    *at = (uint8_t)value;
  for (int i = 0; i < bytes; ++i)
    at[bytes - i] = (uint8_t)(value >> 8 * i);
}

/// Every field of every entry has to be there, and what the code contradicts
/// is refused with the entry's name.
static void test_fields_of_entries(void **state) {
  fixture *f = *state;
  static const char *const keys[] = {
      "kernel",        "schedule",      "grid",   "when",
      "block_threads", "tile_m",        "tile_n", "row_rounding",
      "matrix_flops",  "required_args", "scale",  "order"};
  static const struct {
    const char *key;
    uint64_t value;
    const char *words;
  } numbers[] = {{"tile_m", 0, "tile_m of entry "},
                 {"row_rounding", 1, "row_rounding of entry "},
                 {"block_threads", 64, "block_threads = "},
                 {"block_threads", 65, "block_threads = "},
                 {"required_args", 2, "required_args = 0 of entry "}};
  fmhac_kernel_info info = {.size = sizeof info};
  for (int entry = 0; entry < 2; ++entry) {
    assert_int_equal(fmhac_kernel_get_info(f->kernel, (size_t)entry, &info),
                     FMHAC_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
      const size_t at = value_of(f, keys[i], entry) - 1;
      const uint8_t was = f->code[at];
      char words[40];
      snprintf(words, sizeof words, "does not say '%s'", keys[i]);
      f->code[at] = 'X';
      code_reseal(f);
      code_refused(f, f->code, f->bytes, FMHAC_UNSUPPORTED, words);
      f->code[at] = was;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
      const size_t at = value_of(f, numbers[i].key, entry);
      uint8_t was[9];
      memcpy(was, f->code + at, sizeof was);
      put_number(f->code + at, numbers[i].value);
      code_reseal(f);
      code_refused(f, f->code, f->bytes, FMHAC_INVALID_INPUT, numbers[i].words);
      if (!strstr(fmhac_last_error(f->context), info.name))
        fail_msg("no %s in %s", info.name, fmhac_last_error(f->context));
      memcpy(f->code + at, was, sizeof was);
    }
    // The name of a kernel that is not in the code.
    const size_t at = value_of(f, "kernel", entry) + 3;
    f->code[at] ^= 1;
    code_reseal(f);
    code_refused(f, f->code, f->bytes, FMHAC_INVALID_INPUT, "found none");
    f->code[at] ^= 1;
  }
  // The condition of the first, which has nine letters.
  static const char *const whens[] = {"Sk << 256", "Sk <= 25x", "Sk + 2560",
                                      ("Sk <= 2\0"
                                       "6")};
  const size_t at = value_of(f, "when", 0) + 1;
  for (size_t i = 0; i < sizeof whens / sizeof *whens; ++i) {
    memcpy(f->code + at, whens[i], 9);
    code_reseal(f);
    code_refused(f, f->code, f->bytes,
                 i == 3 ? FMHAC_UNSUPPORTED : FMHAC_INVALID_INPUT,
                 i == 3 ? "does not say 'when'" : "when of entry ");
  }
  // None, with another pair in its place.
  const size_t map = value_of(f, "kernel", 0) - sizeof "kernel" - 1;
  assert_int_equal(f->code[map], 0x8e);
  f->code[map] = 0x8f;
  memcpy(f->code + at - 1, "\xa0\xa7padding\xa0", 10);
  code_reseal(f);
  code_refused(f, f->code, f->bytes, FMHAC_INVALID_INPUT,
               "to be a condition, as of each but the last, found ''");
  f->code[map] = 0x8e;
  f->code[at - 1] = 0xa9;
  // Another one that can be read is the note's own to say.
  memcpy(f->code + at, "Sk <= 258", 9);
  code_reseal(f);
  fmhac_kernel *taken;
  uint32_t grid;
  assert_int_equal(code_take(f, f->code, f->bytes, &taken), FMHAC_OK);
  assert_string_equal(launched(f, taken, 257, &grid),
                      fmhac_kernel_get_name(taken));
  fmhac_kernel_destroy(taken);
  memcpy(f->code + at, "Sk <= 256", 9);
  code_reseal(f);
}

/// Notes of earlier builds have no role: their entries are of attention. One
/// that nobody knows is refused.
static void test_roles_of_entries(void **state) {
  fixture *f = *state;
  const size_t at = value_of(f, "role", 0);
  static const char attention[] = "\xa9"
                                  "attention";
  assert_memory_equal(f->code + at, attention, sizeof attention - 1);
  f->code[at + 1] = 'A';
  code_reseal(f);
  code_refused(f, f->code, f->bytes, FMHAC_UNSUPPORTED, "does not say 'role'");
  f->code[at + 1] = 'a';
  f->code[at - 1] = 'X'; // the last letter of the key
  code_reseal(f);
  fmhac_kernel *taken;
  assert_int_equal(code_take(f, f->code, f->bytes, &taken), FMHAC_OK);
  fmhac_kernel_info info = {.size = sizeof info};
  assert_int_equal(fmhac_kernel_get_info(taken, 0, &info), FMHAC_OK);
  assert_string_equal(info.role, "attention");
  uint32_t grid;
  assert_string_equal(launched(f, taken, 256, &grid), info.name);
  fmhac_kernel_destroy(taken);
  f->code[at - 1] = 'e';
  code_reseal(f);
}

/// From one entry to eight, and no other value.
static void test_number_of_entries(void **state) {
  fixture *f = *state;
  static const char list[] = "\xa7"
                             "entries",
                    end[] = "\xa6"
                            "digest";
  const size_t from = code_find(f, list, sizeof list - 1) + sizeof list - 1;
  const size_t to = code_find(f, end, sizeof end - 1);
  enum { MOST = 20 };
  const size_t both = to - from - 1; // bytes of two entries
  // The first, which has a condition, ends where the map of the second begins.
  const size_t first =
      value_of(f, "kernel", 1) - sizeof "kernel" - 1 - from - 1;
  uint8_t *bytes = malloc(3 + MOST * both);
  for (unsigned count = 0; count <= MOST; ++count) {
    // Source: MessagePack specification, "Formats": array 16.
    bytes[0] = 0xdc;
    bytes[1] = 0;
    bytes[2] = (uint8_t)count;
    size_t end_at = 3;
    for (unsigned i = 0; i < count; ++i) {
      const bool is_last = i + 1 == count;
      const size_t length = is_last ? both - first : first;
      memcpy(bytes + end_at, f->code + from + 1 + (is_last ? first : 0),
             length);
      end_at += length;
    }
    fixture g = code_with_bytes(f, from, to, bytes, end_at);
    fmhac_kernel *taken;
    if (count < 1 || count > 8) {
      code_refused(&g, g.code, g.bytes, FMHAC_UNSUPPORTED,
                   "does not say 'entries'");
    } else {
      assert_int_equal(code_take(&g, g.code, g.bytes, &taken), FMHAC_OK);
      assert_int_equal(fmhac_kernel_entry_count(taken), count);
      fmhac_kernel_destroy(taken);
    }
    free(g.code);
  }
  static const struct {
    const char *bytes, *words;
  } others[] = {{"\xc0", "'entries'"},    {"\x80", "'entries'"},
                {"\xa1x", "'entries'"},   {"\x91\xc0", "'kernel'"},
                {"\x91\x80", "'kernel'"}, {"\x91\x91\xc0", "'kernel'"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    fixture g =
        code_with_bytes(f, from, to, others[i].bytes, strlen(others[i].bytes));
    code_refused(&g, g.code, g.bytes, FMHAC_UNSUPPORTED, others[i].words);
    free(g.code);
  }
  free(bytes);
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
  const struct CMUnitTest of_two[] = {
      cmocka_unit_test(test_two_entries),
      cmocka_unit_test(test_fields_of_entries),
      cmocka_unit_test(test_roles_of_entries),
      cmocka_unit_test(test_number_of_entries),
      cmocka_unit_test(test_flips_under_a_true_digest),
  };
  return cmocka_run_group_tests(tests, code_set_up, code_tear_down) +
         cmocka_run_group_tests(of_two, code_set_up_two, code_tear_down);
}
