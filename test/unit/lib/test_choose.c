// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_choose(): the schedules of a configuration, from its own key, the
// user's table and the built-in one, which doubles.c has.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "choose.h"
#include "context.h"
#include "doubles.h"
#include "fmhac_schedule.h"

typedef struct fixture {
  fmhac_context *context;
  char table[32]; ///< path of the user's table
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->table, "/tmp/fmhac_choose_XXXXXX");
  const int file = mkstemp(f->table);
  if (file < 0 || close(file) != 0)
    return 1;
  *state = f;
  return fmhac_context_create(NULL, &f->context) != FMHAC_OK;
}

static int tear_down(void **state) {
  fixture *f = *state;
  fmhac_context_destroy(f->context);
  unlink(f->table);
  free(f);
  return 0;
}

static fmhac_config *config_of(fmhac_context *context, const char *json) {
  fmhac_config *config;
  if (fmhac_config_create_json(context, json, &config) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(context));
  return config;
}

//===- The built-in table -------------------------------------------------===//

#define ROW                                                                    \
  "schedule dualwave by built-in table:2 (*,*,*,*,*,257-2147483647): "         \
  "500.0000 ms, 100 cycles a KV tile, against 1000.0000 ms and 200 of "        \
  "generic, on made up"
#define USUAL                                                                  \
  "schedule generic, the usual one: no row of a table has one for this "       \
  "problem that compiles it"

typedef struct expected_entry {
  const char *name, *when, *why;
  uint32_t line;
} expected_entry;

/// The choice as the compiler gets it: names, conditions, texts, reasons, and
/// lines for the log; and the same by fmhac_query() and fmhac_query_schedule().
static void test_choice(void **state) {
  fixture *f = *state;
  enum { MOST = 4 };
  static const struct {
    const char *json, *list, *remarks;
    expected_entry entries[MOST];
  } rows[] = {
      {"{}",
       "dualwave if 257 <= Sk; generic",
       ROW "\n" USUAL "\n",
       {{"dualwave", "257 <= Sk", ROW, 2}, {"generic", "", USUAL, 0}}},
      // No row of it sees so many keys.
      {"{\"mask\":\"chunked:256\"}",
       "generic",
       USUAL "\n",
       {{"generic", "", USUAL, 0}}},
      {"{\"mask\":\"window:99,100\"}",
       "generic",
       USUAL "\n",
       {{"generic", "", USUAL, 0}}},
      // A row that cannot serve is passed over, and that is said first.
      {"{\"bias\":true}",
       "generic",
       "built-in table:2 (*,*,*,*,*,257-2147483647) is passed over: schedule "
       "dualwave does not compile this configuration\n" USUAL "\n",
       {{"generic", "", USUAL, 0}}},
      // Nothing was chosen where the user named one.
      {"{\"schedule\":\"generic_wide\"}",
       "generic_wide",
       "",
       {{"generic_wide", "", "schedule generic_wide was asked for", 0}}},
      {"{\"schedule\":\"./a.mlir if Sk <= 9; generic if B <= 2\"}",
       "./a.mlir if Sk <= 9; generic if B <= 2",
       "",
       {{"./a.mlir", "Sk <= 9", "schedule ./a.mlir was asked for", 0},
        {"generic", "B <= 2", "schedule generic was asked for", 0}}},
      // The table has those of the problems that the user leaves.
      {"{\"schedule\":\"./a.mlir if Sq <= 1; auto\"}",
       "./a.mlir if Sq <= 1; dualwave if 257 <= Sk; generic",
       ROW "\n" USUAL "\n",
       {{"./a.mlir", "Sq <= 1", "schedule ./a.mlir was asked for", 0},
        {"dualwave", "257 <= Sk", ROW, 2},
        {"generic", "", USUAL, 0}}},
      // A schedule that the table has, too, keeps the user's condition.
      {"{\"schedule\":\"dualwave if Sk <= 16; auto\"}",
       "dualwave if Sk <= 16; dualwave if 257 <= Sk; generic",
       ROW "\n" USUAL "\n",
       {{"dualwave", "Sk <= 16", "schedule dualwave was asked for", 0},
        {"dualwave", "257 <= Sk", ROW, 2},
        {"generic", "", USUAL, 0}}},
      {"{\"schedule\":\"generic if Sk <= 1024; auto\"}",
       "generic if Sk <= 1024; dualwave if 257 <= Sk; generic",
       ROW "\n" USUAL "\n",
       {{"generic", "Sk <= 1024", "schedule generic was asked for", 0},
        {"dualwave", "257 <= Sk", ROW, 2},
        {"generic", "", USUAL, 0}}},
      // No problem would be left for dualwave.
      {"{\"schedule\":\"./a.mlir if 257 <= Sk; auto\"}",
       "./a.mlir if 257 <= Sk; generic",
       USUAL "\n",
       {{"./a.mlir", "257 <= Sk", "schedule ./a.mlir was asked for", 0},
        {"generic", "", USUAL, 0}}},
      // All that are left go to it, too: one kernel is enough.
      {"{\"schedule\":\"generic if Sk <= 9; auto\",\"bias\":true}",
       "generic",
       "built-in table:2 (*,*,*,*,*,257-2147483647) is passed over: schedule "
       "dualwave does not compile this configuration\n" USUAL "\n",
       {{"generic", "", USUAL, 0}}},
  };
  char text[] = "the text of a file";
  const fmhac_sources sources = {
      .schedules = {{.text = text, .length = strlen(text)}}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_config *config = config_of(f->context, rows[i].json);
    fmhac_choice choice;
    fmhac_support support = {.size = sizeof support};
    fmhac_schedule_choice asked = {.size = sizeof asked};
    assert_int_equal(fmhac_choose(f->context, config, &sources, &choice),
                     FMHAC_OK);
    assert_int_equal(fmhac_query(f->context, config, &support), FMHAC_OK);
    const char *list = choice.list.text;
    assert_string_equal(list, rows[i].list);
    assert_string_equal(support.schedule, rows[i].list);
    assert_string_equal(choice.remarks.text ? choice.remarks.text : "",
                        rows[i].remarks);
    size_t count = 0;
    for (; count < MOST && rows[i].entries[count].name; ++count) {
      const expected_entry *e = &rows[i].entries[count];
      const fmhac_chosen *c = &choice.entries[count];
      const bool is_file = e->name[0] == '.';
      assert_string_equal(c->name, e->name);
      assert_string_equal(c->when, e->when);
      assert_string_equal(c->text, is_file ? text : e->name);
      assert_int_equal(c->text_bytes, strlen(c->text));
      assert_int_equal(c->is_file, is_file);
      assert_string_equal(c->reason.why, e->why);
      assert_int_equal(fmhac_query_schedule(f->context, config, count, &asked),
                       FMHAC_OK);
      assert_string_equal(asked.schedule, e->name);
      assert_string_equal(asked.when, e->when);
      assert_string_equal(asked.why, e->why);
      assert_int_equal(asked.line, e->line);
    }
    assert_int_equal(choice.count, count);
    assert_int_equal(support.entry_count, count);
    assert_int_equal(fmhac_query_schedule(f->context, config, count, &asked),
                     FMHAC_INVALID_INPUT);
    char words[60];
    snprintf(words, sizeof words, "an entry below %zu, found %zu", count,
             count);
    assert_contains(fmhac_last_error(f->context), words);
    fmhac_choice_deinit(&choice);
    fmhac_config_destroy(config);
  }
}

static void test_figures(void **state) {
  fixture *f = *state;
  fmhac_config *config = config_of(f->context, "{}");
  fmhac_schedule_choice asked = {.size = sizeof asked};
  assert_int_equal(fmhac_query_schedule(f->context, config, 0, &asked),
                   FMHAC_OK);
  assert_string_equal(asked.other, "generic");
  assert_true(asked.seconds == 0.5 && asked.cycles == 100);
  assert_true(asked.other_seconds == 1);
  assert_true(asked.other_cycles == 200);
  assert_string_equal(asked.problem, "made up");
  assert_int_equal(fmhac_query_schedule(f->context, config, 1, &asked),
                   FMHAC_OK);
  assert_true(asked.seconds == 0 && asked.cycles == 0 && !asked.other[0]);
  fmhac_config_destroy(config);
}

/// The built-in schedules, as the pass takes them that attaches them.
static void test_builtins(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json, *builtins;
  } rows[] = {
      {"{}", "dualwave,generic"},
      {"{\"schedule\":\"./a.mlir if Sk <= 1; generic\"}", "generic"},
      {"{\"schedule\":\"generic if Sk <= 1; ./a.mlir if B <= 1; dualwave\"}",
       "generic,dualwave"},
      {"{\"schedule\":\"./a.mlir\"}", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_config *config = config_of(f->context, rows[i].json);
    fmhac_choice choice;
    assert_int_equal(fmhac_choose(f->context, config, NULL, &choice), FMHAC_OK);
    assert_string_equal(choice.builtins.text ? choice.builtins.text : "",
                        rows[i].builtins);
    fmhac_choice_deinit(&choice);
    fmhac_config_destroy(config);
  }
}

/// Of what the tables add to seven schedules of the user's only the one for all
/// problems has room, and the log says so.
static void test_most_entries(void **state) {
  fixture *f = *state;
  static const struct {
    const char *json;
    size_t count;
  } rows[] = {
      {"{\"schedule\":\"./1.mlir if Sk <= 1; ./2.mlir if Sk <= 2; ./3.mlir if "
       "Sk <= 3; ./4.mlir if Sk <= 4; ./5.mlir if Sk <= 5; ./6.mlir if Sk <= "
       "6; ./7.mlir if Sk <= 7; ./8.mlir\"}",
       8},
      {"{\"schedule\":\"./1.mlir if Sk <= 1; ./2.mlir if Sk <= 2; ./3.mlir if "
       "Sk <= 3; ./4.mlir if Sk <= 4; ./5.mlir if Sk <= 5; ./6.mlir if Sk <= "
       "6; auto\"}",
       8},
      {"{\"mask\":\"chunked:256\",\"schedule\":\"./1.mlir if Sk <= 1; ./2.mlir "
       "if Sk <= 2; ./3.mlir if Sk <= 3; ./4.mlir if Sk <= 4; ./5.mlir if Sk "
       "<= 5; ./6.mlir if Sk <= 6; ./7.mlir if Sk <= 7; auto\"}",
       8},
      {"{\"schedule\":\"./1.mlir if Sk <= 1; ./2.mlir if Sk <= 2; ./3.mlir if "
       "Sk <= 3; ./4.mlir if Sk <= 4; ./5.mlir if Sk <= 5; ./6.mlir if Sk <= "
       "6; ./7.mlir if Sk <= 7; auto\"}",
       8},
      // The last of the seven becomes the one for all problems.
      {"{\"schedule\":\"./1.mlir if Sk <= 1; ./2.mlir if Sk <= 2; ./3.mlir if "
       "Sk <= 3; ./4.mlir if Sk <= 4; ./5.mlir if Sk <= 5; ./6.mlir if Sk <= "
       "6; generic if Sk <= 7; auto\"}",
       7},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fmhac_config *config = config_of(f->context, rows[i].json);
    fmhac_choice choice;
    const fmhac_status status = fmhac_choose(f->context, config, NULL, &choice);
    if (status != FMHAC_OK)
      fail_msg("row %zu: %s", i, fmhac_last_error(f->context));
    assert_int_equal(choice.count, rows[i].count);
    const char *remarks = choice.remarks.text ? choice.remarks.text : "";
    const bool is_full =
        strstr(remarks, "schedule dualwave if 257 <= Sk is passed over: a code "
                        "object holds at most 8 kernels\n") != NULL;
    assert_int_equal(is_full, i >= 3);
    // What is passed over was not taken.
    assert_int_equal(strstr(remarks, ROW) != NULL, i == 1);
    if (is_full) {
      assert_string_equal(choice.entries[choice.count - 1].name, "generic");
      assert_string_equal(choice.entries[choice.count - 1].when, "");
    }
    fmhac_choice_deinit(&choice);
    fmhac_config_destroy(config);
  }
}

//===- The user's table ---------------------------------------------------===//

#define HEADER                                                                 \
  "dtype,head_dim_qk,head_dim_v,mask,scores,keys,q_rows,workgroups,schedule,"  \
  "seconds,cycles,other,other_seconds,other_cycles,problem\n"

/// The schedules of a configuration by a user's table with these rows; how many
/// of them are its. Caller frees.
static char *by_table(fixture *f, const char *rows, const char *json,
                      size_t *out_rows) {
  FILE *file = fopen(f->table, "w");
  assert_non_null(file);
  assert_true(fprintf(file, HEADER "%s", rows) > 0);
  assert_int_equal(fclose(file), 0);
  fmhac_context *context;
  const fmhac_context_options options = {.size = sizeof options,
                                         .dispatch_table = f->table};
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  fmhac_config *config = config_of(context, json);
  fmhac_choice choice;
  if (fmhac_choose(context, config, NULL, &choice) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  char *list = fmhac_str_take(&choice.list);
  *out_rows = config->row_count;
  for (size_t i = 0; i < choice.count; ++i) {
    const bool is_builtin =
        strstr(choice.entries[i].reason.why, "built-in table") != NULL;
    assert_int_equal(strstr(choice.entries[i].reason.why, f->table) != NULL,
                     i < config->row_count && !is_builtin);
  }
  fmhac_choice_deinit(&choice);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return list;
}

/// A sink that keeps all lines.
static void keep_line(void *user, fmhac_severity severity, const char *text) {
  (void)severity;
  fmhac_str_appendf(user, "%s\n", text);
}

/// The remark on a row is whole, however long its path and its problem are, and
/// only rows that are taken have one.
static void test_long_reasons(void **state) {
  fixture *f = *state;
  enum { LONG = 700 };
  char first[LONG + 1], second[LONG + 1], third[LONG + 1];
  memset(first, 'x', LONG);
  memset(second, 'y', LONG);
  memset(third, 'z', LONG);
  first[LONG] = second[LONG] = third[LONG] = '\0';
  FILE *file = fopen(f->table, "w");
  assert_non_null(file);
  // The second becomes one with the third; no problem is left for the last.
  assert_true(fprintf(file,
                      HEADER "*,*,*,*,*,*,1-8,*,dualwave,1,2,-,-,-,%s\n"
                             "*,*,*,*,*,1-64,*,*,generic,1,2,-,-,-,%s\n"
                             "*,*,*,*,*,*,*,*,generic,1,2,-,-,-,%s\n"
                             "*,*,*,*,*,*,*,*,dualwave,1,2,-,-,-,last\n",
                      first, second, third) > 0);
  assert_int_equal(fclose(file), 0);
  fmhac_str lines = {0}, expected = {0};
  fmhac_context *context;
  const fmhac_context_options options = {.size = sizeof options,
                                         .dispatch_table = f->table,
                                         .log = keep_line,
                                         .log_user = &lines};
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  fmhac_config_destroy(config_of(context, "{}"));
  fmhac_str_appendf(&expected,
                    "schedule dualwave by %s:2 (*,*,*,*,*,*,1-8,*): "
                    "1000.0000 ms, 2 cycles a KV tile, on %s\n"
                    "schedule generic by %s:4 (*,*,*,*,*,*,*,*): 1000.0000 ms, "
                    "2 cycles a KV tile, on %s\n",
                    f->table, first, f->table, third);
  assert_string_equal(lines.text, expected.text);
  fmhac_str_deinit(&lines);
  fmhac_str_deinit(&expected);
  fmhac_context_destroy(context);
}

typedef struct by_table_row {
  const char *rows, *json, *list;
  size_t count; ///< of the user's
} by_table_row;

/// Rows for classes of problems become entries with conditions; rows of one
/// schedule are one entry where no problem sees a difference; what no row takes
/// falls to the built-in table.
static void test_users_table(void **state) {
  fixture *f = *state;
#define REST ",1,2,-,-,-,by hand\n"
#define FIXED "{\"work\":\"list\",\"split_kv\":\"fixed\",\"split_chunk\":128"
#define FEW_ROWS                                                               \
  "*,*,*,*,*,*,1-16,*,dualwave" REST "*,*,*,*,*,1-64,*,*,generic_wide" REST    \
  "*,*,*,*,*,*,*,*,generic" REST
  static const by_table_row rows[] = {
      {"*,*,*,*,*,1-64,*,*,generic_wide" REST "*,*,*,*,*,*,*,*,generic" REST,
       "{}", "generic_wide if Sk <= 64; generic", 2},
      {"*,*,*,*,*,*,*,*,generic" REST "*,*,*,*,*,1-64,*,*,generic_wide" REST,
       "{}", "generic", 1},
      {"*,*,*,*,*,*,1,1-8,generic_wide" REST
       "*,*,*,*,*,65-128,*,*,dualwave" REST "*,*,*,*,*,*,*,*,generic" REST,
       "{}",
       "generic_wide if Sq <= 1 and B * Hq <= 8; dualwave if 65 <= Sk and Sk "
       "<= 128; generic",
       3},
      // Conditions alone: the rest is `auto`.
      {"*,*,*,*,*,1-64,*,*,generic_wide" REST, "{}",
       "generic_wide if Sk <= 64; dualwave if 257 <= Sk; generic", 1},
      {"*,*,*,*,*,1-64,*,*,generic" REST, "{}",
       "generic if Sk <= 64; dualwave if 257 <= Sk; generic", 1},
      // Rows that the mask or the configuration rules out.
      {"*,*,*,*,*,65-128,*,*,generic_wide" REST "*,*,*,*,*,*,*,*,dualwave" REST,
       "{\"mask\":\"chunked:64\"}", "dualwave", 1},
      {"*,*,*,*,*,1-64,*,*,generic_wide" REST "*,*,*,*,*,*,*,*,dualwave" REST,
       "{\"mask\":\"chunked:64\"}", "generic_wide", 1},
      {"*,*,*,*,*,1-64,*,*,dualwave" REST "*,*,*,*,*,*,*,*,generic_wide" REST,
       "{\"bias\":true}", "generic_wide", 1},
      {"f16,*,*,*,*,1-64,*,*,generic_wide" REST, "{}",
       "dualwave if 257 <= Sk; generic", 0},
      // Rows of one schedule.
      {"*,*,*,*,*,1-64,*,*,generic" REST "*,*,*,*,*,*,*,*,generic" REST, "{}",
       "generic", 1},
      {"*,*,*,*,*,1-64,*,*,generic" REST "*,*,*,*,*,*,1,*,dualwave" REST
       "*,*,*,*,*,*,*,*,generic" REST,
       "{}", "generic if Sk <= 64; dualwave if Sq <= 1; generic", 3},
      // The last takes in all of its schedule before it.
      {"*,*,*,*,*,1-64,*,*,generic" REST "*,*,*,*,*,*,1,*,generic" REST
       "*,*,*,*,*,*,*,*,generic" REST,
       "{}", "generic", 1},
      // A row that another schedule's leaves no problem.
      {"*,*,*,*,*,1-64,*,*,dualwave" REST "*,*,*,*,*,1-16,*,*,generic" REST
       "*,*,*,*,*,*,*,*,generic_wide" REST,
       "{}", "dualwave if Sk <= 64; generic_wide", 2},
      // A wider row takes in the narrower one before it, not one in between.
      {"*,*,*,*,*,1-64,*,*,generic" REST "*,*,*,*,*,1-256,*,*,generic" REST,
       "{}", "generic if Sk <= 256; dualwave if 257 <= Sk; generic", 1},
      {"*,*,*,*,*,1-256,*,*,generic" REST "*,*,*,*,*,1-1024,*,*,dualwave" REST
       "*,*,*,*,*,*,*,*,generic" REST,
       "{}", "generic if Sk <= 256; dualwave if Sk <= 1024; generic", 3},
      // Divided keys leave room for three kernels: what is named, or the first
      // rows, and the last.
      {"*,*,*,*,*,1-64,*,*,generic_wide" REST "*,*,*,*,*,*,1-2,*,dualwave" REST
       "*,*,*,*,*,*,1-9,*,generic" REST "*,*,*,*,*,*,*,*,generic_wide" REST,
       "{\"work\":\"list\",\"split_kv\":\"auto\"}",
       "generic_wide if Sk <= 64; dualwave if Sq <= 2; generic_wide", 4},
      {"",
       "{\"work\":\"list\",\"split_kv\":\"auto\","
       "\"schedule\":\"generic_wide if Sq <= 9; generic if Sq <= 16; auto\"}",
       "generic_wide if Sq <= 9; generic if Sq <= 16; generic", 0},
      // With parts of a fixed length the kernel of a sequence depends on its
      // rows alone, where these are in memory.
      {FEW_ROWS, FIXED ",\"seqlens_q\":true}", "dualwave if Sq <= 16; generic",
       3},
      {FEW_ROWS, FIXED ",\"cu_seqlens_q\":true}",
       "dualwave if Sq <= 16; generic", 3},
      {FEW_ROWS, FIXED ",\"seqlens_kv\":true}", "generic", 3},
      // Tiles of built-in schedules have up to 128 keys.
      {FEW_ROWS,
       "{\"work\":\"list\",\"split_kv\":\"fixed\",\"split_chunk\":64,"
       "\"seqlens_q\":true}",
       "generic", 3},
      {"",
       FIXED ",\"seqlens_q\":true,\"schedule\":\"generic_wide if Sq <= 16; "
             "auto\"}",
       "generic_wide if Sq <= 16; generic", 0},
      // What is named is not asked of a table.
      {"*,*,*,*,*,1-64,*,*,generic_wide" REST, "{\"schedule\":\"generic\"}",
       "generic", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    size_t count;
    char *list = by_table(f, rows[i].rows, rows[i].json, &count);
    if (strcmp(list, rows[i].list) != 0 || count != rows[i].count)
      fail_msg("row %zu: expected %zu rows and \"%s\", found %zu and \"%s\"", i,
               rows[i].count, rows[i].list, count, list);
    free(list);
  }
#undef FEW_ROWS
#undef FIXED
#undef REST
}

//===- The next one -------------------------------------------------------===//

/// The usual schedule replaces those of tables where one leaves a user's
/// function too few registers. Nothing replaces a schedule that was asked for.
static void test_next(void **state) {
  fixture *f = *state;
#define SCORE_MOD "\"score_mod\":\"f.mlir\""
  static const struct {
    const char *json;
    size_t rows; ///< of a user's table, that put the schedules into it
    const char *next;
  } table[] = {
      {"{" SCORE_MOD ",\"mask\":\"chunked:9\"}", 0, NULL}, // is the usual one
      {"{}", 0, NULL},
      {"{\"schedule\":\"dualwave\"," SCORE_MOD "}", 0, NULL},
      {"{\"schedule\":\"dualwave\"," SCORE_MOD "}", 1, "generic"},
      {"{\"schedule\":\"./a.mlir\"," SCORE_MOD "}", 1, "generic"},
      {"{\"schedule\":\"dualwave\"}", 1, NULL},
      {"{\"schedule\":\"generic\"," SCORE_MOD "}", 1, NULL},
      {"{\"schedule\":\"dualwave if Sk <= 9; generic\"," SCORE_MOD "}", 2,
       "generic"},
      {"{" SCORE_MOD "}", 0, "generic"}, // dualwave for long ones
      // The first was asked for.
      {"{\"schedule\":\"dualwave if Sk <= 9; auto\"," SCORE_MOD "}", 0, NULL},
  };
#undef SCORE_MOD
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    fmhac_choice choice;
    fmhac_config *config = config_of(f->context, table[i].json);
    config->row_count = table[i].rows;
    assert_int_equal(fmhac_choose(f->context, config, NULL, &choice), FMHAC_OK);
    if (table[i].next)
      assert_string_equal(choice.next, table[i].next);
    else
      assert_null(choice.next);
    if (!table[i].rows)
      assert_int_equal(strstr(choice.entries[0].reason.why, "does not fit") !=
                           NULL,
                       table[i].next != NULL);
    fmhac_choice_deinit(&choice);
    fmhac_config_destroy(config);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_choice),       TEST(test_figures),     TEST(test_builtins),
      TEST(test_most_entries), TEST(test_users_table), TEST(test_next),
      TEST(test_long_reasons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
