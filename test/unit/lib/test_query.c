// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_query(), what is in the way, and that the nearest configuration is one;
// and fmhac_choose(), of which it is an answer.
#include <stdio.h>

#include "choose.h"
#include "context.h"
#include "doubles.h"
#include "fmhac_schedule.h"

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

static fmhac_status query(fmhac_context *context, const char *json,
                          fmhac_support *out_support) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  *out_support = (fmhac_support){.size = sizeof *out_support};
  fmhac_status status = fmhac_query(context, config, out_support);
  fmhac_config_destroy(config);
  return status;
}

/// Why a configuration that can be compiled gets its schedule.
static fmhac_schedule_choice choice_of(fmhac_context *context,
                                       const char *json) {
  fmhac_config *config;
  fmhac_schedule_choice choice = {.size = sizeof choice};
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  assert_int_equal(fmhac_query_schedule(context, config, &choice), FMHAC_OK);
  fmhac_config_destroy(config);
  return choice;
}

static void test_default_is_supported(void **state) {
  fmhac_support support;
  assert_int_equal(query(*state, "{}", &support), FMHAC_OK);
  assert_true(support.supported);
  assert_true(support.schedule[0] != '\0');
  assert_int_equal(query(*state, "{\"mask\":\"causal\"}", &support), FMHAC_OK);
  assert_true(support.supported);
}

/// Head sizes that no table will ever have, and names reserved for later.
static void test_nearest_is_supported(void **state) {
  static const struct {
    const char *json, *field;
  } table[] = {
      {"{\"head_dim\":7}", "head_dim_qk"},
      {"{\"head_dim_v\":1023}", "head_dim_v"},
      {"{\"head_dim_v\":7,\"mask\":\"chunked:3\",\"dtype\":\"fp8\"}", NULL},
      {"{\"q_scale\":\"head\"}", "q_scale"},
      {"{\"k_scale\":\"block\",\"head_dim\":7}", "k_scale"},
      {"{\"page_table\":\"t.npy\"}", "page_table"},
      {"{\"split_kv\":\"auto\"}", "split_kv"},
      {"{\"split_chunk\":512}", "split_chunk"},
      {"{\"splits\":4}", "splits"},
      {"{\"workspace\":1}", "workspace"},
      {"{\"dropout\":0.1,\"head_dim\":7}", "dropout"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    fmhac_support support, nearest;
    assert_int_equal(query(*state, table[i].json, &support), FMHAC_OK);
    assert_false(support.supported);
    if (table[i].field)
      assert_string_equal(support.field, table[i].field);
    assert_contains(support.reason, support.field);
    assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
    assert_true(nearest.supported);
  }
}

/// The largest heads change their schedule when a function of scores wants
/// registers, unless one is asked for.
static void test_score_functions(void **state) {
  static const char *const functions[] = {"\"softcap\":2", "\"alibi\":true",
                                          "\"bias\":\"b.npy\"",
                                          "\"score_mod\":\"f.mlir\""};
  fmhac_support plain, with;
  assert_int_equal(query(*state, "{\"head_dim\":256}", &plain), FMHAC_OK);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    char json[160];
    snprintf(json, sizeof json, "{\"head_dim\":256,%s}", functions[i]);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    assert_true(with.supported);
    assert_string_not_equal(with.schedule, plain.schedule);
    snprintf(json, sizeof json, "{\"head_dim\":256,%s,\"schedule\":\"%s\"}",
             functions[i], plain.schedule);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    assert_true(with.supported);
    assert_string_equal(with.schedule, plain.schedule);
    snprintf(json, sizeof json, "{\"head_dim\":64,%s}", functions[i]);
    assert_int_equal(query(*state, json, &with), FMHAC_OK);
    assert_string_equal(with.schedule, "generic");
  }
}

static void test_schedule(void **state) {
  fmhac_support support;
  assert_int_equal(query(*state, "{\"schedule\":\"genric\"}", &support),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "did you mean \"generic\"");
  assert_int_equal(query(*state, "{\"schedule\":\"generic\"}", &support),
                   FMHAC_OK);
  assert_true(support.supported);
  // A file is the compiler's to read.
  assert_int_equal(query(*state, "{\"schedule\":\"./none.mlir\"}", &support),
                   FMHAC_OK);
  assert_true(support.supported);
  assert_string_equal(support.schedule, "./none.mlir");
}

/// A table has the last word, among what can serve.
static void test_table(void **state) {
  fmhac_support support;
  assert_int_equal(query(*state, "{\"lengths\":\"short\"}", &support),
                   FMHAC_OK);
  assert_string_equal(support.schedule, "generic");
  fmhac_schedule_choice choice = choice_of(*state, "{\"lengths\":\"short\"}");
  assert_int_equal(choice.line, 0);
  assert_contains(choice.why, "generic");
  assert_int_equal(query(*state, "{\"lengths\":\"long\"}", &support), FMHAC_OK);
  assert_string_equal(support.schedule, "dualwave");
  choice = choice_of(*state, "{\"lengths\":\"long\"}");
  assert_int_equal(choice.line, 2);
  // What is asked for by name is taken, and so is what the row cannot serve.
  assert_int_equal(query(*state,
                         "{\"lengths\":\"long\",\"schedule\":\"generic\"}",
                         &support),
                   FMHAC_OK);
  assert_string_equal(support.schedule, "generic");
  assert_int_equal(
      query(*state, "{\"lengths\":\"long\",\"bias\":true}", &support),
      FMHAC_OK);
  assert_string_equal(support.schedule, "generic");
}

/// Makes the choice of a configuration; `line`: a row of a user's table has put
/// the schedule into it.
static fmhac_status choose(fmhac_context *context, const char *json,
                           uint32_t line, const fmhac_sources *sources,
                           fmhac_choice *out) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(context, json, &config), FMHAC_OK);
  config->choice.line = line;
  fmhac_status status = fmhac_choose(context, config, sources, out);
  fmhac_config_destroy(config);
  return status;
}

/// The usual schedule replaces a table's schedule that leaves a user's function
/// too few registers. Nothing replaces a schedule that was asked for.
static void test_next(void **state) {
  static const struct {
    const char *json;
    uint32_t line;
    const char *next;
  } table[] = {
      {"{\"lengths\":\"long\",\"score_mod\":\"f.mlir\"}", 0, "generic"},
      {"{\"lengths\":\"long\"}", 0, NULL},
      {"{\"lengths\":\"short\",\"score_mod\":\"f.mlir\"}", 0, NULL},
      {"{\"schedule\":\"dualwave\",\"score_mod\":\"f.mlir\"}", 0, NULL},
      {"{\"schedule\":\"dualwave\",\"score_mod\":\"f.mlir\"}", 3, "generic"},
      {"{\"schedule\":\"./a.mlir\",\"score_mod\":\"f.mlir\"}", 3, "generic"},
      {"{\"schedule\":\"dualwave\"}", 3, NULL},
      {"{\"schedule\":\"generic\",\"score_mod\":\"f.mlir\"}", 3, NULL},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    fmhac_choice choice;
    assert_int_equal(
        choose(*state, table[i].json, table[i].line, NULL, &choice), FMHAC_OK);
    if (table[i].next)
      assert_string_equal(choice.next, table[i].next);
    else
      assert_null(choice.next);
    if (!table[i].line)
      assert_int_equal(strstr(choice.reason.why, "does not fit") != NULL,
                       table[i].next != NULL);
    fmhac_choice_deinit(&choice);
  }
}

/// The choice as the compiler gets it: name, text, and lines for the log.
static void test_choice(void **state) {
  static const struct {
    const char *json, *name, *text, *why, *remarks;
  } table[] = {
      {"{\"lengths\":\"long\"}", "dualwave", "dualwave",
       "schedule dualwave by built-in table:2 (*,*,*,*,*,long): 500.0000 ms, "
       "100 cycles a KV tile, against 1000.0000 ms and 200 of generic, on made "
       "up",
       "schedule dualwave by built-in table:2 (*,*,*,*,*,long): 500.0000 ms, "
       "100 cycles a KV tile, against 1000.0000 ms and 200 of generic, on made "
       "up"},
      // A row that cannot serve is passed over, and that is said first.
      {"{\"lengths\":\"long\",\"bias\":true}", "generic", "generic",
       "schedule generic, the usual one: no row of a table has one for this "
       "problem that compiles it",
       "built-in table:2 (*,*,*,*,*,long) is passed over: schedule dualwave "
       "does not compile this configuration\n"
       "schedule generic, the usual one: no row of a table has one for this "
       "problem that compiles it"},
      // Nothing was chosen where the user named one.
      {"{\"lengths\":\"long\",\"schedule\":\"generic_wide\"}", "generic_wide",
       "generic_wide", "schedule generic_wide was asked for", ""},
      {"{\"schedule\":\"./a.mlir\"}", "./a.mlir", "the text of a file",
       "schedule ./a.mlir was asked for", ""},
  };
  char text[] = "the text of a file";
  const fmhac_sources sources = {
      .schedule = {.text = text, .length = strlen(text)}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    fmhac_choice choice;
    assert_int_equal(choose(*state, table[i].json, 0, &sources, &choice),
                     FMHAC_OK);
    assert_string_equal(choice.name, table[i].name);
    assert_string_equal(choice.text, table[i].text);
    assert_int_equal(choice.text_bytes, strlen(table[i].text));
    assert_int_equal(choice.is_file, choice.text == text);
    assert_string_equal(choice.reason.why, table[i].why);
    assert_string_equal(choice.remarks.text ? choice.remarks.text : "",
                        table[i].remarks);
    fmhac_choice_deinit(&choice);
  }
  fmhac_choice choice;
  assert_int_equal(choose(*state, "{\"lengths\":\"long\"}", 0, NULL, &choice),
                   FMHAC_OK);
  assert_string_equal(choice.reason.other, "generic");
  assert_true(choice.reason.seconds == 0.5 && choice.reason.cycles == 100);
  assert_true(choice.reason.other_seconds == 1);
  assert_true(choice.reason.other_cycles == 200);
  assert_string_equal(choice.reason.problem, "made up");
  fmhac_choice_deinit(&choice);
}

/// A problem whose types have no row is refused: it gets neither the row of
/// other types, nor that of a table for all types, nor a file.
static void test_types_without_a_row(void **state) {
  static const char *const rows[] = {
      "{\"dtype\":\"fp8\"}",
      "{\"dtype\":\"fp8\",\"lengths\":\"long\"}",
      "{\"dtype\":\"fp8\",\"schedule\":\"generic\"}",
      "{\"dtype\":\"fp8\",\"schedule\":\"./a.mlir\"}",
      // dualwave_sums has a row for bf16 only.
      "{\"dtype\":\"f16\",\"schedule\":\"dualwave_sums\"}",
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_choice choice;
    fmhac_support support;
    assert_int_equal(choose(*state, rows[i], 0, NULL, &choice),
                     FMHAC_UNSUPPORTED);
    assert_contains(fmhac_last_error(*state),
                    "unsupported configuration: dtype");
    assert_string_equal(choice.name, "");
    fmhac_choice_deinit(&choice);
    assert_int_equal(query(*state, rows[i], &support), FMHAC_OK);
    assert_false(support.supported);
    assert_string_equal(support.field, "dtype");
  }
}

/// A nearest configuration that does not fit is given without the file name.
/// A schedule that there is and that does not serve the configuration: what
/// stands in the way is the other key.
static void test_schedule_that_does_not_serve(void **state) {
  static const struct {
    const char *json, *field, *reason;
  } rows[] = {
      {"{\"schedule\":\"dualwave_narrow\",\"head_dim\":128}", "head_dim_qk",
       "schedule dualwave_narrow serves head_dim_qk multiples of 8 in 8..64, "
       "found 128"},
      {"{\"schedule\":\"dualwave\",\"head_dim_qk\":64,\"head_dim_v\":192}",
       "head_dim_v",
       "schedule dualwave serves head_dim_v multiples of 8 in 8..128, found "
       "192"},
      {"{\"schedule\":\"dualwave\",\"bias\":true}", "bias",
       "schedule dualwave takes no bias"},
      {"{\"schedule\":\"dualwave_narrow\",\"head_dim\":64,\"alibi\":true}",
       "alibi", "schedule dualwave_narrow takes no alibi"},
      {"{\"schedule\":\"dualwave_sums\",\"head_dim\":64,\"lse\":true}", "lse",
       "schedule dualwave_sums takes no lse"},
      {"{\"schedule\":\"dualwave_sums\",\"dtype\":\"f16\"}", "dtype",
       "schedule dualwave_sums serves dtype bf16, found f16"},
      // What no schedule serves is not a matter of the schedule.
      {"{\"schedule\":\"dualwave\",\"head_dim\":512}", "head_dim_qk",
       "head_dim_qk 512: this build compiles multiples of 8 in 8..256"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_support support;
    assert_int_equal(query(*state, rows[i].json, &support), FMHAC_OK);
    assert_false(support.supported);
    assert_string_equal(support.field, rows[i].field);
    assert_string_equal(support.reason, rows[i].reason);
    // The nearest is the same problem with another schedule, where there is.
    if (strncmp(support.reason, "schedule ", 9) == 0)
      assert_non_null(strstr(support.nearest, "\"schedule\":\"auto\""));
    fmhac_support near;
    assert_int_equal(query(*state, support.nearest, &near), FMHAC_OK);
    assert_true(near.supported);
  }
}

static void test_long_schedule_name(void **state) {
  static char json[1100];
  strcpy(json, "{\"head_dim\":7,\"schedule\":\"");
  memset(json + strlen(json), 'd', 1000);
  strcat(json, "/x\"}");
  fmhac_support support, nearest;
  assert_int_equal(query(*state, json, &support), FMHAC_OK);
  assert_false(support.supported);
  assert_int_equal(query(*state, support.nearest, &nearest), FMHAC_OK);
  assert_true(nearest.supported);
}

static void test_refused(void **state) {
  fmhac_choice choice;
  fmhac_support support;
  assert_int_equal(choose(*state, "{}", 0, NULL, &choice), FMHAC_OK);
  fmhac_choice_deinit(&choice);
  assert_int_equal(choose(*state, "{\"head_dim_v\":7}", 0, NULL, &choice),
                   FMHAC_UNSUPPORTED);
  fmhac_choice_deinit(&choice);
  assert_contains(fmhac_last_error(*state), "head_dim_v");
  assert_int_equal(query(*state, "{\"head_dim_v\":7}", &support), FMHAC_OK);
  assert_contains(fmhac_last_error(*state), support.nearest);
}

static void test_struct_size(void **state) {
  fmhac_config *config;
  assert_int_equal(fmhac_config_create_json(*state, "{}", &config), FMHAC_OK);
  fmhac_support support = {.size = 1};
  assert_int_equal(fmhac_query(*state, config, &support), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(*state), "fmhac_support.size");
  fmhac_config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_default_is_supported),
      TEST(test_nearest_is_supported),
      TEST(test_score_functions),
      TEST(test_schedule),
      TEST(test_schedule_that_does_not_serve),
      TEST(test_long_schedule_name),
      TEST(test_refused),
      TEST(test_struct_size),
      TEST(test_table),
      TEST(test_next),
      TEST(test_choice),
      TEST(test_types_without_a_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
