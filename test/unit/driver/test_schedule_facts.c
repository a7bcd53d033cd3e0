// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the note of a code object says of its schedule.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_schedule.h"
#include "schedule_facts.h"

/// A note with two entries: of @other, with the value `other` for a key, and
/// of @attn, with `value`.
static cJSON *note_of(const char *config, const char *key, const char *other,
                      const char *value) {
  cJSON *note = cJSON_CreateObject();
  cJSON *entries = cJSON_AddArrayToObject(note, "entries");
  const char *const texts[][2] = {{"other", other}, {"attn", value}};
  for (int i = 0; i < 2; ++i) {
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "kernel", texts[i][0]);
    cJSON_AddStringToObject(entry, key, texts[i][1]);
    cJSON_AddItemToArray(entries, entry);
  }
  cJSON_AddStringToObject(note, "config", config);
  return note;
}

/// Whether workgroups keep their places under a mask, with an order of the
/// grid.
static bool keeps(const char *grid, const char *mask) {
  char config[100];
  snprintf(config, sizeof config, "{\"head_dim_qk\":64,\"mask\":\"%s\"}", mask);
  cJSON *note = note_of(config, "order", "linear", grid);
  // The other entry is linear; without a name it is the first that is asked.
  assert_true(schedule_keeps_places(note, "other"));
  assert_true(schedule_keeps_places(note, NULL));
  assert_false(schedule_keeps_places(note, "none"));
  bool found = schedule_keeps_places(note, "attn");
  cJSON_Delete(note);
  return found;
}

// docs/compiler.md, Grid: which masks give tiles of Q an order by length.
static const char *const uniform[] = {"none", "chunked:256", "window:128,64",
                                      "window:0,0", "window:-1,-1"};
static const char *const ordered[] = {"causal", "causal-top-left",
                                      "window:-1,0", "window:128,-1"};

static void orders(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof uniform / sizeof uniform[0]; ++i) {
    assert_true(keeps("longest_first", uniform[i]));
    assert_true(keeps("linear", uniform[i]));
    assert_false(keeps("head_major", uniform[i]));
  }
  for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; ++i) {
    assert_false(keeps("longest_first", ordered[i]));
    assert_true(keeps("linear", ordered[i]));
    assert_false(keeps("head_major", ordered[i]));
  }
  // An order that is not known here: nobody knows which workgroup takes what.
  assert_false(keeps("linear_backwards", "none"));
}

/// Whether Q is rounded with a word of the schedule and a member of the
/// configuration.
static bool rounds_q(const char *scale, const char *member) {
  char config[100];
  snprintf(config, sizeof config, "{\"head_dim_qk\":64%s}", member);
  cJSON *note = note_of(config, "scale", "fma", scale);
  assert_false(schedule_rounds_q(note, "other"));
  assert_false(schedule_rounds_q(note, NULL));
  assert_false(schedule_rounds_q(note, "none"));
  bool found = schedule_rounds_q(note, "attn");
  cJSON_Delete(note);
  return found;
}

// docs/compiler.md, Scale: q and start round Q, but where a function takes each
// score times the scale.
static void rounding_of_q(void **state) {
  (void)state;
  static const char *const functions[] = {",\"softcap\":30", ",\"alibi\":true",
                                          ",\"bias\":true",
                                          ",\"score_mod\":\"f.mlir\""};
  static const char *const others[] = {
      "", ",\"softcap\":0,\"alibi\":false,\"bias\":false,\"score_mod\":\"\"",
      ",\"sink\":true,\"lse\":true"};
  static const char *const rounding[] = {"q", "start"};
  static const char *const leaving[] = {"", "fma"};
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < sizeof others / sizeof others[0]; ++j) {
      assert_true(rounds_q(rounding[i], others[j]));
      assert_false(rounds_q(leaving[i], others[j]));
    }
    for (size_t j = 0; j < sizeof functions / sizeof functions[0]; ++j) {
      assert_false(rounds_q(rounding[i], functions[j]));
      assert_false(rounds_q(leaving[i], functions[j]));
    }
  }
  assert_false(schedule_rounds_q(NULL, "attn"));
}

static void tiles(void **state) {
  (void)state;
  cJSON *note = cJSON_Parse(
      "{\"entries\":[{\"kernel\":\"a\",\"tile_m\":256,\"tile_n\":64,"
      "\"matrix_flops\":6291456},{\"kernel\":\"b\",\"tile_m\":128,"
      "\"tile_n\":32,\"matrix_flops\":7}]}");
  kernel_tile tile = kernel_tile_of(note, "a");
  assert_int_equal(tile.rows, 256);
  assert_int_equal(tile.keys, 64);
  assert_true(tile.matrix_flops == 6291456);
  tile = kernel_tile_of(note, NULL);
  assert_int_equal(tile.rows, 256);
  tile = kernel_tile_of(note, "b");
  assert_int_equal(tile.rows, 128);
  assert_int_equal(tile.keys, 32);
  assert_true(tile.matrix_flops == 7);
  tile = kernel_tile_of(note, "c");
  assert_true(tile.rows == 0 && tile.keys == 0 && tile.matrix_flops == 0);
  // Half of it tells nothing.
  cJSON *entries = cJSON_GetObjectItem(note, "entries");
  cJSON_DeleteItemFromObject(cJSON_GetArrayItem(entries, 1), "tile_n");
  tile = kernel_tile_of(note, "b");
  assert_true(tile.rows == 0 && tile.keys == 0 && tile.matrix_flops == 0);
  tile = kernel_tile_of(NULL, "a");
  assert_true(tile.rows == 0 && tile.keys == 0 && tile.matrix_flops == 0);
  cJSON_Delete(note);
}

/// The file that an entry's schedule came from, by the list of the
/// configuration; NULL: none.
static void expect_file(const cJSON *note, const char *kernel,
                        const char *file) {
  char *found = schedule_file_of(note, kernel);
  if (!found != !file || (file && strcmp(found, file) != 0))
    fail_msg("%s: expected %s, found %s", kernel ? kernel : "first",
             file ? file : "none", found ? found : "none");
  free(found);
}

static void files(void **state) {
  (void)state;
  const char *const builtin = fmhac_schedule_text("generic");
  assert_non_null(builtin);
  cJSON *note = cJSON_CreateObject();
  cJSON_AddStringToObject(
      note, "config",
      "{\"schedule\":\"a if b.mlir if Sk <= 1;  /c if d/e   if B <= 2; generic "
      "if Sq <= 3; f if g.mlir\"}");
  cJSON *entries = cJSON_AddArrayToObject(note, "entries");
  for (int i = 0; i < 4; ++i) {
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "kernel",
                            (const char[]){(char)('a' + i), 0});
    cJSON_AddStringToObject(entry, "schedule", i == 2 ? "generic" : "mine");
    cJSON_AddStringToObject(entry, "schedule_text", i == 2 ? builtin : "text");
    cJSON_AddItemToArray(entries, entry);
  }
  expect_file(note, NULL, "a if b.mlir");
  expect_file(note, "a", "a if b.mlir");
  expect_file(note, "b", "/c if d/e");
  expect_file(note, "c", NULL);
  expect_file(note, "d", "f if g.mlir");
  expect_file(note, "e", NULL);
  expect_file(NULL, "a", NULL);
  // The tables chose those after the first: they are built in.
  cJSON_ReplaceItemInObject(
      note, "config",
      cJSON_CreateString("{\"schedule\":\"mine.mlir  if Sk <= 1; auto\"}"));
  expect_file(note, "a", "mine.mlir");
  expect_file(note, "b", NULL);
  expect_file(note, "c", NULL);
  cJSON_Delete(note);
}

/// What became of a configuration, by the list of schedules that it got.
static void lists(void **state) {
  (void)state;
  static const struct {
    const char *list, *config, *label, *json;
  } rows[] = {
      {"mine", "{\"schedule\":\"./a.mlir\"}", "mine (./a.mlir)",
       "{\"schedule\":\"mine\",\"schedule_file\":\"./a.mlir\",\"entries\":[{"
       "\"schedule\":\"mine\",\"when\":\"\",\"schedule_file\":\"./a.mlir\"}]}"},
      {"mine if Sk <= 9; generic",
       "{\"schedule\":\"./a.mlir  if Sk <= 9; auto\"}",
       "mine (./a.mlir) if Sk <= 9; generic",
       "{\"schedule\":\"mine if Sk <= 9; generic\",\"schedule_file\":null,"
       "\"entries\":[{\"schedule\":\"mine\",\"when\":\"Sk <= 9\","
       "\"schedule_file\":\"./a.mlir\"},{\"schedule\":\"generic\",\"when\":"
       "\"\",\"schedule_file\":null}]}"},
      // The usual one, because one of the two did not fit.
      {"generic", "{\"schedule\":\"./a.mlir if Sk <= 9; generic\"}", "generic",
       "{\"schedule\":\"generic\",\"schedule_file\":null,\"entries\":[{"
       "\"schedule\":\"generic\",\"when\":\"\",\"schedule_file\":null}]}"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    cJSON *config = cJSON_Parse(rows[i].config), *object = cJSON_CreateObject();
    schedule_entries_json(object,
                          schedule_entries_of_list(rows[i].list, config));
    char *json = cJSON_PrintUnformatted(object);
    char *label = schedule_label(object);
    assert_string_equal(json, rows[i].json);
    assert_string_equal(label, rows[i].label);
    free(label);
    cJSON_free(json);
    cJSON_Delete(object);
    cJSON_Delete(config);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders), cmocka_unit_test(tiles),
      cmocka_unit_test(files), cmocka_unit_test(lists),
      cmocka_unit_test(rounding_of_q)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
