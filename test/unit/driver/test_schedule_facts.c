// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the note of a code object says of its schedule.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "schedule_facts.h"

/// Whether workgroups keep their places under a mask, with a line of a
/// schedule.
static bool keeps(const char *line, const char *mask) {
  char text[200], config[100];
  snprintf(
      text, sizeof text,
      "// grid = of_a_comment\n#fmha.schedule<tile_m = 256,\n %s\n k = <>>",
      line);
  snprintf(config, sizeof config, "{\"head_dim_qk\":64,\"mask\":\"%s\"}", mask);
  cJSON *note = cJSON_CreateObject();
  cJSON_AddStringToObject(note, "schedule_text", text);
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
    assert_true(keeps("grid = longest_first,", uniform[i]));
    assert_true(keeps("grid = linear,", uniform[i]));
    assert_false(keeps("grid = head_major,", uniform[i]));
  }
  for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; ++i) {
    assert_false(keeps("grid = longest_first,", ordered[i]));
    assert_true(keeps("grid = linear,", ordered[i]));
    assert_true(keeps("packed = auto,", ordered[i]));
    assert_false(keeps("grid = head_major,", ordered[i]));
  }
  // An order that is not known here: nobody knows which workgroup takes what.
  assert_false(keeps("grid = linear_backwards,", "none"));
}

/// Whether Q is rounded with a line of a schedule and a member of the
/// configuration.
static bool rounds_q(const char *line, const char *member) {
  char text[200], config[100];
  snprintf(text, sizeof text,
           "// scale = q in a comment\n#fmha.schedule<rescale = start,\n %s\n "
           "grid = linear>",
           line);
  snprintf(config, sizeof config, "{\"head_dim_qk\":64%s}", member);
  cJSON *note = cJSON_CreateObject();
  cJSON_AddStringToObject(note, "schedule_text", text);
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
  static const char *const rounding[] = {"scale = q,", "scale = start,"};
  static const char *const leaving[] = {"", "scale = fma,"};
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders),
                                     cmocka_unit_test(rounding_of_q)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
