// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the note of a code object says of its schedule.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "schedule_facts.h"

/// Whether workgroups keep their places under a mask, with an order of the
/// grid.
static bool keeps(const char *grid, const char *mask) {
  char config[100];
  snprintf(config, sizeof config, "{\"head_dim_qk\":64,\"mask\":\"%s\"}", mask);
  cJSON *note = cJSON_CreateObject();
  cJSON_AddStringToObject(note, "grid", grid);
  cJSON_AddStringToObject(note, "config", config);
  bool found = schedule_keeps_places(note);
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
  cJSON *note = cJSON_CreateObject();
  cJSON_AddStringToObject(note, "scale", scale);
  cJSON_AddStringToObject(note, "config", config);
  bool found = schedule_rounds_q(note);
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
  assert_false(schedule_rounds_q(NULL));
}

static void tiles(void **state) {
  (void)state;
  cJSON *note =
      cJSON_Parse("{\"tile_m\":256,\"tile_n\":64,\"matrix_flops\":6291456}");
  kernel_tile tile = kernel_tile_of(note);
  assert_int_equal(tile.rows, 256);
  assert_int_equal(tile.keys, 64);
  assert_true(tile.matrix_flops == 6291456);
  // Half of it tells nothing.
  cJSON_DeleteItemFromObject(note, "tile_n");
  tile = kernel_tile_of(note);
  assert_true(tile.rows == 0 && tile.keys == 0 && tile.matrix_flops == 0);
  tile = kernel_tile_of(NULL);
  assert_true(tile.rows == 0 && tile.keys == 0 && tile.matrix_flops == 0);
  cJSON_Delete(note);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                     cmocka_unit_test(tiles),
                                     cmocka_unit_test(rounding_of_q)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
