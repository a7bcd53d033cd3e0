// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose notes were written for other tables of arguments: taken if the
// groups that they require are the same here, refused with the difference
// otherwise.
#include <stdio.h>
#include <stdlib.h>

#include "code_fixture.h"
#include "fmhac_inspect.h"

// The fields that every kernel requires, as the manual page of fmhac_abi.h has
// them: u32 and f32 take four bytes, all others eight.
#define CORE_FRONT "u64 field_mask@0, ptr q@8, ptr k@16, ptr v@24, ptr o@32, "
#define CORE_MIDDLE                                                            \
  "u32 batch@40, u32 heads_q@44, u32 heads_kv@48, u32 seqlen_q@52, "           \
  "u32 seqlen_kv@56, f32 scale@60, u64 kv_head_reciprocal@64, "                \
  "u64 q_batch_stride@72, u64 q_head_stride@80, u64 q_row_stride@88, "         \
  "u64 k_batch_stride@96, u64 k_head_stride@104, u64 k_row_stride@112, "       \
  "u64 v_batch_stride@120, u64 v_head_stride@128, u64 v_row_stride@136, "
#define CORE_BACK                                                              \
  "u64 o_batch_stride@144, u64 o_head_stride@152, u64 o_row_stride@160"
#define CORE CORE_FRONT CORE_MIDDLE CORE_BACK
#define LSE "ptr lse@168, u64 lse_batch_stride@176, u64 lse_head_stride@184"

/// Groups of a note, as name and fields by turns.
enum { MOST_WORDS = 8 };
typedef const char *words[MOST_WORDS];

//===- Notes of other tables ----------------------------------------------===//

/// A value of MessagePack under construction.
typedef struct value {
  uint8_t bytes[8192];
  size_t size;
} value;

static void put(value *v, const void *bytes, size_t size) {
  assert_true(v->size + size <= sizeof v->bytes);
  memcpy(v->bytes + v->size, bytes, size);
  v->size += size;
}

/// Source: MessagePack specification, "Formats": str 16.
static void put_text(value *v, const char *text) {
  const size_t length = strlen(text);
  put(v, (const uint8_t[]){0xda, (uint8_t)(length >> 8), (uint8_t)length}, 3);
  put(v, text, length);
}

static value map_of(const words groups) {
  value v = {.size = 0};
  uint8_t count = 0;
  while (count < MOST_WORDS && groups[count])
    ++count;
  put(&v, (const uint8_t[]){(uint8_t)(0x80 | count / 2)}, 1); // fixmap
  for (int i = 0; i < count; ++i)
    put_text(&v, groups[i]);
  return v;
}

/// The code object with another value of `arg_groups` in its note, sealed.
static fixture with_groups(const fixture *f, const value *groups) {
  static const char key[] = "\xaa"
                            "arg_groups";
  // After it, in the order of package.c.
  static const char next[] = "\xa7"
                             "entries";
  const size_t from = code_find(f, key, sizeof key - 1) + sizeof key - 1;
  const size_t to = code_find(f, next, sizeof next - 1);
  return code_with_bytes(f, from, to, groups->bytes, groups->size);
}

/// The code object for a block of arguments of another size, as the compiler
/// of another table writes it: in the descriptor and in the metadata.
static fixture with_block(const fixture *f, uint32_t bytes) {
  fixture g = *f;
  g.code = malloc(f->bytes);
  memcpy(g.code, f->code, f->bytes);
  static const char key[] = ".kernarg_segment_size\xcd"; // uint 16
  const uint32_t had = sizeof(fmhac_kernel_args);
  uint8_t *at = g.code + code_find(f, key, sizeof key - 1) + sizeof key - 1;
  assert_int_equal(at[0] << 8 | at[1], had);
  at[0] = (uint8_t)(bytes >> 8);
  at[1] = (uint8_t)bytes;
  fmhac_kernel_info info = {.size = sizeof info};
  assert_int_equal(fmhac_kernel_get_info(f->kernel, 0, &info), FMHAC_OK);
  // LLVM "User Guide for AMDGPU Backend", "Code Object V3+ Kernel Descriptor":
  // LDS, private memory and arguments, each as four bytes.
  const uint32_t was[] = {info.lds_bytes, 0, had};
  memcpy(g.code + code_find(f, was, sizeof was) + 8, &bytes, sizeof bytes);
  code_reseal(&g);
  return g;
}

//===- What is taken ------------------------------------------------------===//

enum { ROWS = 70, HEADS = 2, DIM = 128, ELEMENTS = ROWS * HEADS * DIM };

/// O of a problem, from the emulator.
static void run(fmhac_context *context, const fmhac_kernel *kernel,
                uint16_t o[ELEMENTS]) {
  enum { BYTES = 2 * ELEMENTS };
  static uint16_t host[ELEMENTS];
  fmhac_rt_device *device;
  fmhac_plan *plan;
  const fmhac_problem problem = {sizeof problem, 1,    HEADS, HEADS,
                                 ROWS,           ROWS, 0,     0};
  fmhac_device_ptr memory[4];
  fmhac_tensors t;
  assert_int_equal(fmhac_rt_device_open("emu", &device), FMHAC_OK);
  assert_int_equal(fmhac_plan_create(kernel, &problem, &plan), FMHAC_OK);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(fmhac_rt_alloc(device, BYTES, &memory[i]), FMHAC_OK);
    // Numbers of bf16 between -2 and 2.
    for (unsigned j = 0; j < ELEMENTS; ++j)
      host[j] = (uint16_t)(0x3f00 + (j * 37 + (unsigned)i * 101) % 256 +
                           (j % 3 ? 0x8000 : 0));
    assert_int_equal(fmhac_rt_copy_in(device, memory[i], host, BYTES),
                     FMHAC_OK);
  }
  t = (fmhac_tensors)FMHAC_TENSORS_INIT;
  assert_int_equal(fmhac_tensors_dense(plan, &problem, memory[0], memory[1],
                                       memory[2], memory[3], 0, &t),
                   FMHAC_OK);
  if (fmhac_launch(plan, device, &t, NULL, NULL) != FMHAC_OK ||
      fmhac_rt_synchronize(device) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  assert_int_equal(fmhac_rt_copy_out(device, memory[3], o, BYTES), FMHAC_OK);
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
}

/// The other code object, which goes, gives the same launches and the same O.
static void taken(fixture *f, fixture other) {
  static uint16_t expected[ELEMENTS], found[ELEMENTS];
  fmhac_kernel *kernel;
  if (code_take(f, other.code, other.bytes, &kernel) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  code_assert_same_launch(f->context, f->kernel, kernel);
  run(f->context, f->kernel, expected);
  run(f->context, kernel, found);
  assert_memory_equal(found, expected, sizeof found);
  fmhac_kernel_destroy(kernel);
  free(other.code);
}

static void test_takes_its_own(void **state) {
  fixture *f = *state;
  const value own = map_of((words){"CORE", CORE});
  taken(f, with_groups(f, &own));
}

// The tables of older and of newer builds have other groups as well. A kernel
// that requires none of them shows it by the size of its block alone.
static void test_takes_an_older_one(void **state) {
  fixture *f = *state;
  taken(f, with_block(f, 168)); // the table ends with CORE
}

static void test_takes_a_newer_one(void **state) {
  fixture *f = *state;
  taken(f, with_block(f, sizeof(fmhac_kernel_args) + 72));
}

// With a group that the configuration requires besides.
static void test_takes_two_groups(void **state) {
  fixture *f = *state;
  fmhac_kernel *kernel = code_compile(f->context, "{\"lse\": true}");
  const void *code;
  size_t bytes;
  assert_int_equal(fmhac_kernel_get_code(kernel, &code, &bytes), FMHAC_OK);
  const fixture g = {.code = (uint8_t *)(uintptr_t)code, .bytes = bytes};
  static const char groups[] = "\x82\xa4"
                               "CORE";
  code_find(&g, groups, sizeof groups - 1);
  code_find(&g, LSE, sizeof LSE - 1);
  fmhac_kernel *again;
  assert_int_equal(code_take(f, code, bytes, &again), FMHAC_OK);
  fmhac_kernel_destroy(again);
  fmhac_kernel_destroy(kernel);
}

//===- What is not --------------------------------------------------------===//

static void test_names_the_difference(void **state) {
  fixture *f = *state;
  static const struct {
    words groups;
    fmhac_status status;
    const char *parts[3];
  } rows[] = {
      // A field of the group moved.
      {{"CORE", "u64 field_mask@0, u64 more@8, ptr q@16, ptr k@24, ptr v@32"},
       FMHAC_UNSUPPORTED,
       {"argument group CORE", "q at byte 16, expected 8", "compile it anew"}},
      {{"CORE", CORE_FRONT CORE_MIDDLE
        "u64 o_batch_stride@152, u64 o_head_stride@144, u64 o_row_stride@160"},
       FMHAC_UNSUPPORTED,
       {"CORE", "o_batch_stride at byte 152, expected 144", NULL}},
      {{"CORE", CORE, "LSE", "ptr lse@176, u64 lse_batch_stride@184"},
       FMHAC_UNSUPPORTED,
       {"argument group LSE", "lse at byte 176, expected 168", NULL}},
      // Another type, a field less, a field more, another order.
      {{"CORE", CORE, "LSE",
        "u64 lse@168, u64 lse_batch_stride@176, u64 lse_head_stride@184"},
       FMHAC_UNSUPPORTED,
       {"LSE", "lse as u64, expected ptr", NULL}},
      {{"CORE", CORE, "LSE", "ptr lse@168, u64 lse_head_stride@184"},
       FMHAC_UNSUPPORTED,
       {"LSE", "no lse_batch_stride",
        "expected u64 lse_batch_stride at byte "
        "176"}},
      {{"CORE", CORE ", u32 window@500"},
       FMHAC_UNSUPPORTED,
       {"CORE", "'u32 window@500', expected no such field", NULL}},
      {{"CORE", CORE, "LSE",
        "u64 lse_batch_stride@176, ptr lse@168, u64 lse_head_stride@184"},
       FMHAC_UNSUPPORTED,
       {"LSE", "order of memory", NULL}},
      {{"CORE", CORE ", "}, FMHAC_UNSUPPORTED, {"CORE", "order", NULL}},
      // A group of a newer table.
      {{"CORE", CORE, "WORK_QUEUE", "ptr work_queue@500"},
       FMHAC_UNSUPPORTED,
       {"requires the argument group WORK_QUEUE", "does not know",
        "compile it anew"}},
      {{"core", CORE}, FMHAC_UNSUPPORTED, {"argument group core", NULL, NULL}},
      // What the configuration and `required_args` contradict.
      {{"CORE", CORE, "LSE", LSE},
       FMHAC_INVALID_INPUT,
       {"required_args = 3", "arg_groups", "found 1"}},
      {{NULL}, FMHAC_INVALID_INPUT, {"required_args = 0", "found 1", NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const value v = map_of(rows[i].groups);
    fixture g = with_groups(f, &v);
    for (int part = 0; part < 3 && rows[i].parts[part]; ++part)
      code_refused(f, g.code, g.bytes, rows[i].status, rows[i].parts[part]);
    free(g.code);
  }
}

// What no compiler writes.
static void test_refuses_other_values(void **state) {
  fixture *f = *state;
  static char longest[4096];
  memset(longest, 'x', sizeof longest - 1);
  const words texts[] = {{"CORE", ""},
                         {"CORE", ","},
                         {"CORE", "@"},
                         {"CORE", ", , ,"},
                         {"CORE", "u64 field_mask"},
                         {"CORE", "u64 field_mask@"},
                         {"CORE", "u64 field_mask@99999999999999999999"},
                         {"CORE", longest},
                         {"", CORE},
                         {longest, CORE}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const value v = map_of(texts[i]);
    fixture g = with_groups(f, &v);
    code_refused(f, g.code, g.bytes, FMHAC_UNSUPPORTED, "argument group");
    free(g.code);
  }
  // Source: MessagePack specification, "Formats".
  static const struct {
    const char *bytes;
    size_t size;
    fmhac_status status;
    const char *words;
  } values[] = {
      {"\x90", 1, FMHAC_UNSUPPORTED, "'arg_groups'"}, // array
      {"\xc0", 1, FMHAC_UNSUPPORTED, "'arg_groups'"}, // nil
      {"\xa0", 1, FMHAC_UNSUPPORTED, "'arg_groups'"}, // text
      {"\x81\x01\xa0", 3, FMHAC_INVALID_INPUT, "something else"},
      {"\x81\xa4"
       "CORE\x01",
       7, FMHAC_INVALID_INPUT, "something else"},
      {"\x81\xa4"
       "CORE\xc4\x00",
       8, FMHAC_INVALID_INPUT, "something else"}, // bytes
      {"\x81\xa4"
       "CO\0E\xa0",
       7, FMHAC_INVALID_INPUT, "something else"},
      {"\x81\xa4"
       "CORE\xa3q\0q",
       10, FMHAC_INVALID_INPUT, "something else"},
      // Announces more than there is.
      {"\xdf\xff\xff\xff\xff", 5, FMHAC_INVALID_INPUT, "one MessagePack value"},
      {"\x81\xa4"
       "CORE\xdb\xff\xff\xff\xff",
       11, FMHAC_INVALID_INPUT, "one MessagePack value"}};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    value v = {.size = 0};
    put(&v, values[i].bytes, values[i].size);
    fixture g = with_groups(f, &v);
    code_refused(f, g.code, g.bytes, values[i].status, values[i].words);
    free(g.code);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_takes_its_own),
      cmocka_unit_test(test_takes_an_older_one),
      cmocka_unit_test(test_takes_a_newer_one),
      cmocka_unit_test(test_takes_two_groups),
      cmocka_unit_test(test_names_the_difference),
      cmocka_unit_test(test_refuses_other_values),
  };
  return cmocka_run_group_tests(tests, code_set_up, code_tear_down);
}
