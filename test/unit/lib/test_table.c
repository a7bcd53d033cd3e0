// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of measurements: which row is taken, and the tables that are refused.
#include <stdio.h>
#include <stdlib.h>

#include "context.h"
#include "doubles.h"
#include "table.h"

#define COLUMNS                                                                \
  "dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,"     \
  "other,other_seconds,other_cycles,problem\n"
#define ALL_COLUMNS                                                            \
  "dtype,head_dim_qk,head_dim_v,mask,scores,page_size,scales,keys,q_rows,"     \
  "workgroups,schedule,seconds,cycles,other,other_seconds,other_cycles,"       \
  "problem\n"

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

/// Whether `schedule` is one of the words, with blanks between them, in `user`.
static bool is_among(void *user, const char *schedule) {
  const size_t length = strlen(schedule);
  for (const char *at = user; (at = strstr(at, schedule)); ++at)
    if ((at == (const char *)user || at[-1] == ' ') &&
        (!at[length] || at[length] == ' '))
      return true;
  return false;
}

static void read_whole(fmhac_table *table, const char *text) {
  fmhac_str error = {0};
  if (fmhac_table_read(table, text, strlen(text), "t.csv", &error) != FMHAC_OK)
    fail_msg("%s", error.text);
  fmhac_str_deinit(&error);
}

/// The rows of a table that a configuration gets, a line each: the reason, and
/// " if " and the condition, where there is one. Before them the lines on those
/// that are passed over. Caller frees.
static char *ask_for(fmhac_context *context, const char *text,
                     const char *serving, const char *json, size_t most) {
  fmhac_config_values values;
  if (fmhac_config_values_parse(context, json, &values) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  fmhac_table table;
  read_whole(&table, text);
  fmhac_str skipped = {0}, all = {0};
  fmhac_table_answer answers[FMHAC_MOST_ENTRIES];
  const size_t count =
      fmhac_table_find(&table, &values, is_among, (void *)(uintptr_t)serving,
                       most, answers, &skipped);
  assert_true(count <= most);
  fmhac_str_append(&all, skipped.text ? skipped.text : "");
  for (size_t i = 0; i < count; ++i) {
    fmhac_str why = {0};
    fmhac_schedule_choice figures;
    fmhac_table_explain(&table, answers[i].row, &figures, &why);
    assert_string_equal(figures.why, why.text);
    assert_int_equal(figures.line, answers[i].row->line);
    fmhac_str_appendf(&all, "%s%s%s%s", all.length ? "\n" : "", why.text,
                      answers[i].when[0] ? " if " : "", answers[i].when);
    fmhac_str_deinit(&why);
  }
  fmhac_str_deinit(&skipped);
  fmhac_table_deinit(&table);
  return fmhac_str_take(&all);
}

static char *ask(fmhac_context *context, const char *text, const char *serving,
                 const char *json) {
  return ask_for(context, text, serving, json, FMHAC_MOST_ENTRIES);
}

typedef struct expectation {
  const char *json, *why; ///< `why` is how the reason begins; "": no row
} expectation;

static void expect_rows(fmhac_context *context, const char *text,
                        const char *serving, const expectation *rows,
                        size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char *why = ask(context, text, serving, rows[i].json);
    if (strncmp(why, rows[i].why, strlen(rows[i].why)) != 0 ||
        !rows[i].why[0] != !why[0])
      fail_msg("%s: expected \"%s\", found \"%s\"", rows[i].json, rows[i].why,
               why);
    free(why);
  }
}
#define EXPECT_ROWS(context, text, serving, rows)                              \
  expect_rows(context, text, serving, rows, sizeof(rows) / sizeof *(rows))

//===- Which row is taken -------------------------------------------------===//

static const char four_rows[] =
    "# The figures are made up.\n" COLUMNS
    "bf16,65-128,*,none|causal,plain,1-256,generic,1e-5,2000,dualwave,2e-5,"
    "4000,B1 Sq128\n"
    "bf16,65-128,*,none|causal,plain,*,dualwave,0.00125,2154,generic,0.0025,"
    "2752.5,B1 Sq4096\n"
    "*,*,*,*,functions,*,dualwave,1,2,-,-,-,B2\n"
    "*,*,*,*,*,*,generic,1,2,-,-,-,B3\n";

/// Types, head sizes, mask and functions of scores each pass a row over. A row
/// for few keys is followed by those for the others, up to the first for all.
static void test_first_row_that_fits(void **state) {
  static const expectation rows[] = {
      {"{\"mask\":\"causal\"}",
       "schedule generic by t.csv:3 (bf16,65-128,*,none|causal,plain,1-256): "
       "0.0100 ms, 2000 cycles a KV tile, against 0.0200 ms and 4000 of "
       "dualwave, on B1 Sq128 if Sk <= 256\n"
       "schedule dualwave by t.csv:4 (bf16,65-128,*,none|causal,plain,*): "
       "1.2500 ms, 2154 cycles a KV tile, against 2.5000 ms and 2752 of "
       "generic, on B1 Sq4096"},
      {"{\"dtype\":\"f16\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:6 (*,*,*,*,*,*): 1000.0000 ms, 2 cycles a "
       "KV tile, on B3"},
      {"{\"head_dim_qk\":64,\"mask\":\"causal\"}",
       "schedule generic by t.csv:6 "},
      {"{\"mask\":\"window:9,0\"}", "schedule generic by t.csv:6 "},
      {"{\"softcap\":3}", "schedule dualwave by t.csv:5 (*,*,*,*,functions,"},
  };
  EXPECT_ROWS(*state, four_rows, "generic dualwave", rows);
}

/// The schedule of a row has to serve, else the next row is looked at.
static void test_row_that_cannot_serve(void **state) {
  static const expectation rows[] = {
      {"{}", "t.csv:4 (bf16,65-128,*,none|causal,plain,*) is passed over: "
             "schedule dualwave does not compile this configuration\n"
             "schedule generic by t.csv:3 (bf16,65-128,*,none|causal,plain,"
             "1-256): 0.0100 ms, 2000 cycles a KV tile, against 0.0200 ms and "
             "4000 of dualwave, on B1 Sq128 if Sk <= 256\n"
             "schedule generic by t.csv:6 "},
  };
  EXPECT_ROWS(*state, four_rows, "generic generic_wide", rows);
}

static void test_no_row(void **state) {
  static const expectation rows[] = {{"{\"head_dim_qk\":256}", ""},
                                     {"{\"dtype\":\"f16\"}", ""}};
  EXPECT_ROWS(*state,
              COLUMNS "bf16,128,128,none,plain,*,dualwave,1,1,-,-,-,"
                      "B1\n",
              "dualwave", rows);
}

/// A row is for problems all of whose functions it names: one function or both
/// of two, but not one of them with a third. `functions` is for any of them,
/// and for no plain scores.
static void test_functions_of_scores(void **state) {
  static const char text[] =
      "# The figures are made up.\n" COLUMNS
      "*,*,*,*,softcap|alibi,*,dualwave,1,2,-,-,-,B1\n"
      "*,*,*,*,plain|score_mod,*,dualwave_narrow,1,2,-,-,-,B2\n"
      "*,*,*,*,functions,*,generic,1,2,-,-,-,B3\n";
  static const expectation rows[] = {
      {"{\"softcap\":3}",
       "schedule dualwave by t.csv:3 (*,*,*,*,softcap|alibi,*)"},
      {"{\"alibi\":true}", "schedule dualwave by t.csv:3"},
      {"{\"softcap\":3,\"alibi\":true}", "schedule dualwave by t.csv:3"},
      {"{\"softcap\":3,\"bias\":true}",
       "schedule generic by t.csv:5 (*,*,*,*,functions,*)"},
      {"{\"bias\":true}", "schedule generic by t.csv:5"},
      {"{\"score_mod\":\"f.mlir\"}",
       "schedule dualwave_narrow by t.csv:4 (*,*,*,*,plain|score_mod,*)"},
      {"{\"softcap\":3,\"score_mod\":\"f.mlir\"}",
       "schedule generic by t.csv:5"},
      {"{}", "schedule dualwave_narrow by t.csv:4"},
  };
  EXPECT_ROWS(*state, text, "generic dualwave dualwave_narrow", rows);
}

/// Types of Q, K and V: one for all three, or each. A row for other types is
/// never taken.
static void test_types(void **state) {
  static const char text[] =
      COLUMNS "bf16/fp8/fp8,*,*,*,*,*,generic,1,2,-,-,-,B1\n"
              "f16|bf16/f16/bf16,*,*,*,*,*,dualwave,1,2,-,-,-,B2\n"
              "bf16 | fp8/fp8/fp8,*,*,causal,*,*,generic,1,2,-,-,-,B3\n"
              "f16/bf8/bf8,*,*,*,*,*,dualwave,1,2,-,-,-,B4\n";
  static const expectation rows[] = {
      {"{\"dtype\":\"bf16\"}", ""},
      {"{\"dtype\":\"fp8\"}", ""},
      {"{\"k_dtype\":\"fp8\",\"v_dtype\":\"fp8\"}",
       "schedule generic by t.csv:2 (bf16/fp8/fp8,"},
      {"{\"k_dtype\":\"fp8\",\"v_dtype\":\"bf8\"}", ""},
      {"{\"q_dtype\":\"f16\",\"k_dtype\":\"bf8\",\"v_dtype\":\"bf8\"}",
       "schedule dualwave by t.csv:5 (f16/bf8/bf8,"},
      {"{\"dtype\":\"f16\"}",
       "schedule dualwave by t.csv:3 (f16|bf16/f16/bf16,"},
      {"{\"dtype\":\"fp8\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:4 (bf16 | fp8/fp8/fp8,"},
      {"{\"dtype\":\"bf16\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:4"},
  };
  EXPECT_ROWS(*state, text, "generic dualwave", rows);
}

#define FP8 "\"dtype\":\"fp8\""
#define TABLE "\"page_table\":true,\"seqlens_kv\":true"

/// Columns that a table may leave out.
static void test_pages_and_scales(void **state) {
  static const char text[] = ALL_COLUMNS
      "*,*,*,*,*,16-64,*,*,*,*,dualwave,1,2,-,-,-,B3\n"
      "*,*,*,*,*,*,tensor|head,*,*,*,dualwave,1,2,-,-,-,B4\n"
      "*,*,*,*,*,0,none,*,*,*,generic,1,2,-,-,-,B5\n"
      "*,*,*,*,*,*,none|token|block,*,*,*,generic_wide,1,2,-,-,-,B6\n";
  static const expectation rows[] = {
      {"{}", "schedule generic by t.csv:4 (*,*,*,*,*,0,none,*,*,*): "},
      {"{\"page_size\":16," TABLE "}",
       "schedule dualwave by t.csv:2 (*,*,*,*,*,16-64,*,*,*,*): "},
      {"{" FP8 ",\"page_size\":64," TABLE ",\"k_scale\":\"head\","
       "\"k_scales\":true}",
       "schedule dualwave by t.csv:2 "},
      {"{\"page_size\":80," TABLE "}", "schedule generic_wide by t.csv:5 "},
      {"{" FP8 ",\"k_scale\":\"head\",\"k_scales\":true}",
       "schedule dualwave by t.csv:3 "},
      {"{" FP8 ",\"q_scale\":\"tensor\",\"v_scale\":\"head\","
       "\"q_scales\":true,\"v_scales\":true}",
       "schedule dualwave by t.csv:3 "},
      // One of them is not among the row's.
      {"{" FP8 ",\"q_scale\":\"tensor\",\"v_scale\":\"token\","
       "\"q_scales\":true,\"v_scales\":true}",
       ""},
      {"{" FP8 ",\"k_scale\":\"token\",\"v_scale\":\"block\","
       "\"k_scales\":true,\"v_scales\":true,\"scale_block\":8}",
       "schedule generic_wide by t.csv:5 "},
  };
  EXPECT_ROWS(*state, text, "generic generic_wide dualwave", rows);
}

/// K and V of 8 bits under a Q of 16: schedules that convert them are other
/// ones than those for a Q that the kernel rounds.
static void test_quantize_q(void **state) {
  static const char text[] =
      "quantize_q," COLUMNS "no,bf16/fp8/fp8,*,*,*,*,*,dualwave,1,2,-,-,-,B1\n"
      "yes,*,*,*,*,*,*,generic_wide,1,2,-,-,-,B2\n"
      "*,*,*,*,*,*,*,generic,1,2,-,-,-,B3\n";
#define KV8 "\"k_dtype\":\"fp8\",\"v_dtype\":\"fp8\""
  static const expectation rows[] = {
      {"{" KV8 "}",
       "schedule dualwave by t.csv:2 (bf16/fp8/fp8,*,*,*,*,no,*): "},
      {"{" KV8 ",\"quantize_q\":true}", "schedule generic_wide by t.csv:3 "},
      {"{\"dtype\":\"fp8\"}", "schedule generic by t.csv:4 "},
  };
  EXPECT_ROWS(*state, text, "generic generic_wide dualwave", rows);
#undef KV8
}

/// Without a column a row is for all that the column would tell apart; the
/// names say which column is which.
static void test_columns_by_name(void **state) {
  static const char text[] =
      "problem, keys ,schedule,cycles,seconds,other,other_cycles,"
      "other_seconds,scores,mask,head_dim_v,head_dim_qk,q_rows,dtype\r\n"
      "B1, 257 - 512 ,dualwave,7,0.5,generic,8,0.25,*,causal,64,128,*,f16\r\n"
      "B2,*,generic,7,0.5,-,-,-,*,*,*,*,1-16,*\r\n";
  static const expectation rows[] = {
      {"{\"dtype\":\"f16\",\"head_dim_v\":64,\"mask\":\"causal\","
       "\"page_size\":8," TABLE "}",
       "schedule dualwave by t.csv:2 (f16,128,64,causal,*,257 - 512,*): "
       "500.0000 ms, 7 cycles a KV tile, against 250.0000 ms and 8 of generic, "
       "on B1 if 257 <= Sk and Sk <= 512\n"
       "schedule generic by t.csv:3 (*,*,*,*,*,*,1-16): 500.0000 ms, 7 cycles "
       "a KV tile, on B2 if Sq <= 16"},
      {"{\"dtype\":\"f16\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:3 (*,*,*,*,*,*,1-16): "},
  };
  EXPECT_ROWS(*state, text, "generic dualwave", rows);
  // A table without any of the columns that the problem meets.
  static const char without[] =
      "dtype,head_dim_qk,head_dim_v,mask,scores,schedule,seconds,cycles,other,"
      "other_seconds,other_cycles,problem\n"
      "*,*,*,*,*,generic,1,2,-,-,-,B1\n";
  static const expectation all[] = {
      {"{}", "schedule generic by t.csv:2 (*,*,*,*,*): 1000.0000 ms, 2 cycles "
             "a KV tile, on B1"}};
  EXPECT_ROWS(*state, without, "generic", all);
}

//===- Conditions on the problem ------------------------------------------===//

/// What one row with these cells asks of the problem: its condition, "*" if it
/// is for all problems, "-" if for none. Caller frees.
static char *condition(fmhac_context *context, const char *cells,
                       const char *mask) {
  char text[600], json[80];
  snprintf(text, sizeof text,
           ALL_COLUMNS "*,*,*,*,*,*,*,%s,generic,1,2,-,-,-,B1\n", cells);
  snprintf(json, sizeof json, "{\"mask\":\"%s\"}", mask);
  char *found = ask(context, text, "generic", json);
  const char *when = strstr(found, " if ");
  const bool is_none = !found[0] || strstr(found, " is passed over: expected a "
                                                  "condition of at most 127 ");
  char *answer = strdup(is_none ? "-" : when ? when + 4 : "*");
  free(found);
  return answer;
}

typedef struct asked {
  const char *cells, *mask, *when;
} asked;

static void expect_conditions(fmhac_context *context, const asked *rows,
                              size_t count) {
  for (size_t i = 0; i < count; ++i) {
    char *when = condition(context, rows[i].cells, rows[i].mask);
    if (strcmp(when, rows[i].when) != 0)
      fail_msg("%s with mask %s: expected \"%s\", found \"%s\"", rows[i].cells,
               rows[i].mask, rows[i].when, when);
    free(when);
  }
}
#define EXPECT_CONDITIONS(context, rows)                                       \
  expect_conditions(context, rows, sizeof(rows) / sizeof *(rows))

/// Ranges of keys, rows of Q and workgroups become comparisons; an end that no
/// problem passes asks nothing.
static void test_ranges(void **state) {
  static const asked rows[] = {
      {"*,*,*", "none", "*"},
      {"1-2147483647,1-2147483647,1-2147483647", "none", "*"},
      {"1-256,*,*", "none", "Sk <= 256"},
      {"257-2147483647,*,*", "none", "257 <= Sk"},
      {"257-1024,*,*", "none", "257 <= Sk and Sk <= 1024"},
      {"256,*,*", "none", "256 <= Sk and Sk <= 256"},
      {"1,*,*", "none", "Sk <= 1"},
      {"2147483647,*,*", "none", "2147483647 <= Sk"},
      {"*,1,*", "none", "Sq <= 1"},
      {"*,2-16,*", "none", "2 <= Sq and Sq <= 16"},
      {"*,17-2147483647,*", "causal", "17 <= Sq"},
      {"*,*,1-8", "none", "B * Hq <= 8"},
      {"*,*,9-2147483647", "none", "9 <= B * Hq"},
      {"*,*,9-12", "none", "9 <= B * Hq and B * Hq <= 12"},
      {"1-256,1,1-8", "none", "Sk <= 256 and Sq <= 1 and B * Hq <= 8"},
      {"2-3,4-5,6-7", "none",
       "2 <= Sk and Sk <= 3 and 4 <= Sq and Sq <= 5 and 6 <= B * Hq and B * Hq "
       "<= 7"},
      // As long as a condition can be: 127 bytes. One more has no room.
      {"214748364-2147483646,2147483645-2147483646,214748364-2147483646",
       "none",
       "214748364 <= Sk and Sk <= 2147483646 and 2147483645 <= Sq and Sq <= "
       "2147483646 and 214748364 <= B * Hq and B * Hq <= 2147483646"},
      {"2147483645-2147483646,2147483645-2147483646,214748364-2147483646",
       "none", "-"},
  };
  EXPECT_CONDITIONS(*state, rows);
}

/// The most keys that a row sees are Sk, or fewer by the mask: then it decides
/// about the row, or leaves less to ask.
static void test_masks_that_bound_the_keys(void **state) {
  static const asked rows[] = {
      // 10 keys, of any Sk.
      {"1-256,*,*", "window:9,0", "*"},
      {"1-10,*,*", "window:9,0", "*"},
      {"1-9,*,*", "window:9,0", "Sk <= 9"},
      {"10-256,*,*", "window:9,0", "10 <= Sk"},
      {"11-256,*,*", "window:9,0", "-"},
      {"257-2147483647,*,*", "window:9,0", "-"},
      {"257-2147483647,1,*", "window:9,0", "-"},
      {"1-256,1,*", "window:9,0", "Sq <= 1"},
      // 256 and 257 keys.
      {"1-256,*,*", "window:255,0", "*"},
      {"1-256,*,*", "window:200,55", "*"},
      {"257-2147483647,*,*", "window:200,55", "-"},
      {"1-256,*,*", "window:256,0", "Sk <= 256"},
      {"257-2147483647,*,*", "window:256,0", "257 <= Sk"},
      {"1-256,*,*", "window:200,56", "Sk <= 256"},
      // A side without a bound.
      {"1-256,*,*", "window:-1,0", "Sk <= 256"},
      {"1-256,*,*", "window:0,-1", "Sk <= 256"},
      {"257-2147483647,*,*", "window:-1,-1", "257 <= Sk"},
      // A sum beyond 31 bits.
      {"1-256,*,*", "window:2147483647,2147483647", "Sk <= 256"},
      {"1-256,*,*", "window:2147483646,0", "Sk <= 256"},
      {"1-2147483646,*,*", "window:2147483645,0", "*"},
      {"1-256,*,*", "chunked:256", "*"},
      {"257-2147483647,*,*", "chunked:256", "-"},
      {"1-256,*,*", "chunked:257", "Sk <= 256"},
      {"257-2147483647,*,*", "chunked:257", "257 <= Sk"},
      // Other masks bound nothing.
      {"1-256,*,*", "causal", "Sk <= 256"},
      {"1-256,*,*", "causal-top-left", "Sk <= 256"},
      {"257-2147483647,*,*", "causal", "257 <= Sk"},
  };
  EXPECT_CONDITIONS(*state, rows);
}

/// max_seqlen_q bounds the rows of Q as a mask bounds keys.
static void test_promise_that_bounds_the_rows(void **state) {
  static const struct {
    const char *q_rows;
    int most;
    const char *when; ///< after the reason; NULL: the row is not taken
  } rows[] = {{"1-8", 0, " if Sq <= 8"},
              {"1-8", 9, " if Sq <= 8"},
              {"1-8", 8, ""},
              {"1-8", 1, ""},
              {"5-8", 8, " if 5 <= Sq"},
              {"9-2147483647", 9, " if 9 <= Sq"},
              {"9-2147483647", 8, NULL},
              {"*", 8, ""}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char text[600], json[80];
    snprintf(text, sizeof text,
             ALL_COLUMNS "*,*,*,*,*,*,*,*,%s,*,generic,1,2,-,-,-,B1\n",
             rows[i].q_rows);
    snprintf(json, sizeof json, "{\"max_seqlen_q\":%d}", rows[i].most);
    char *found = ask(*state, text, "generic", json);
    const char *when = strstr(found, " if ");
    if (!rows[i].when != !found[0] ||
        (rows[i].when && strcmp(when ? when : "", rows[i].when) != 0))
      fail_msg("%s with %s: expected \"%s\", found \"%s\"", rows[i].q_rows,
               json, rows[i].when ? rows[i].when : "no row", found);
    free(found);
  }
}

/// Rows of all heads of a group, of configurations that divide keys.
static void test_rows_of_a_group(void **state) {
  static const struct {
    const char *cells; ///< split_kv, group_rows
    const char *json;
    const char *when; ///< after the reason; NULL: the row is not taken
  } rows[] = {
      {"*,1-16", "{}", " if Sq * Hq <= 16 * Hk"},
      {"*,17-32", "{}", " if 17 * Hk <= Sq * Hq and Sq * Hq <= 32 * Hk"},
      {"*,*", "{}", ""},
      {"none,*", "{}", ""},
      {"auto|fixed,*", "{}", NULL},
      {"auto,1-8", "{\"work\":\"list\",\"split_kv\":\"auto\"}",
       " if Sq * Hq <= 8 * Hk"},
      {"none|fixed,*", "{\"work\":\"list\",\"split_kv\":\"auto\"}", NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char text[600];
    snprintf(
        text, sizeof text,
        "dtype,head_dim_qk,head_dim_v,mask,scores,split_kv,group_rows,"
        "schedule,seconds,cycles,other,other_seconds,other_cycles,problem\n"
        "*,*,*,*,*,%s,generic,1,2,-,-,-,B1\n",
        rows[i].cells);
    char *found = ask(*state, text, "generic", rows[i].json);
    const char *when = strstr(found, " if ");
    if (!rows[i].when != !found[0] ||
        (rows[i].when && strcmp(when ? when : "", rows[i].when) != 0))
      fail_msg("%s with %s: expected \"%s\", found \"%s\"", rows[i].cells,
               rows[i].json, rows[i].when ? rows[i].when : "no row", found);
    free(found);
  }
}

/// As many rows as are asked for; none after one that is for all; those that do
/// not serve count for nothing.
static void test_number_of_rows(void **state) {
  static const char text[] =
      COLUMNS "*,*,*,*,*,1-16,generic,1,2,-,-,-,B1\n"
              "*,*,*,*,*,1-32,dualwave,1,2,-,-,-,B2\n"
              "*,*,*,*,*,1-64,generic_wide,1,2,-,-,-,B3\n"
              "*,*,*,*,*,*,dualwave_narrow,1,2,-,-,-,B4\n"
              "*,*,*,*,*,*,dualwave_sums,1,2,-,-,-,B5\n";
  static const struct {
    size_t most;
    const char *serving, *names[5];
  } rows[] = {
      {8,
       "generic dualwave generic_wide dualwave_narrow dualwave_sums",
       {"generic", "dualwave", "generic_wide", "dualwave_narrow"}},
      {3,
       "generic dualwave generic_wide dualwave_narrow",
       {"generic", "dualwave", "generic_wide"}},
      {1, "generic dualwave", {"generic"}},
      {0, "generic dualwave", {NULL}},
      {8,
       "generic generic_wide dualwave_sums",
       {"generic", "generic_wide", "dualwave_sums"}},
      {2, "generic_wide dualwave_sums", {"generic_wide", "dualwave_sums"}},
      {8, "dualwave", {"dualwave"}},
      {8, "none", {NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char *found = ask_for(*state, text, rows[i].serving, "{}", rows[i].most);
    const char *at = found;
    for (size_t k = 0; rows[i].names[k]; ++k) {
      char begin[40];
      snprintf(begin, sizeof begin, "schedule %s by ", rows[i].names[k]);
      at = strstr(at, begin);
      if (!at)
        fail_msg("row %zu: no \"%s\" in \"%s\"", i, begin, found);
      ++at;
    }
    assert_null(strstr(at, "\nschedule "));
    free(found);
  }
}

//===- Refused tables -----------------------------------------------------===//

static void refuse_bytes(const char *text, size_t length, const char *words) {
  fmhac_table table;
  fmhac_str error = {0};
  if (fmhac_table_read(&table, text, length, "t.csv", &error) !=
      FMHAC_INVALID_INPUT)
    fail_msg("expected \"%s\", found a table: %s", words, text);
  assert_contains(error.text, words);
  fmhac_str_deinit(&error);
  fmhac_table_deinit(&table);
}

static void refuse(const char *text, const char *words) {
  refuse_bytes(text, strlen(text), words);
}

/// A table is refused at its line, with what was expected and what was found.
static void test_refused_cells(void **state) {
  (void)state;
  static const struct {
    const char *row, *words;
  } rows[] = {
      {"bf16|f64,128,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of bf16|f16|fp8|bf8, each alone or as "
       "Q/K/V in "
       "column dtype, found 'bf16|f64'"},
      {"bf16/fp8,128,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16/fp8'"},
      {"bf16/fp8/fp8/fp8,128,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16/fp8/fp8/fp8'"},
      {"bf16//fp8,128,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16//fp8'"},
      {"bf16|,128,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16|'"},
      {"bf16,0,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected *, a head size or two of them, LOW-HIGH with 1 <= "
       "LOW <= HIGH <= 1024 in column "
       "head_dim_qk, found '0'"},
      {"bf16,1025,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column head_dim_qk, found '1025'"},
      {"bf16,99999999999999999999,128,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column head_dim_qk, found '99999999999999999999'"},
      {"bf16,128,128-64,none,plain,*,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected *, a head size or two of them, LOW-HIGH with 1 <= "
       "LOW <= HIGH <= 1024 in column "
       "head_dim_v, found '128-64'"},
      {"bf16,128,-64,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '-64'"},
      {"bf16,128,64-,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '64-'"},
      {"bf16,128,0x40,none,plain,*,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '0x40'"},
      {"bf16,128,128,none|diagonal,plain,*,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of "
       "none|causal|causal-top-left|window|chunked in column mask, found "
       "'none|diagonal'"},
      {"bf16,128,128,none,softcaps,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of "
       "plain|softcap|alibi|bias|score_mod|functions in column scores, found "
       "'softcaps'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected *, a number of keys or two of them, LOW-HIGH with 1 "
       "<= LOW <= HIGH <= 2147483647 in "
       "column keys, found 'any'"},
      {"bf16,128,128,none,plain,*,dualwaves,1,1,-,-,-,B1",
       "t.csv:2: expected a built-in schedule (generic, generic_wide, "
       "dualwave, "
       "dualwave_narrow, dualwave_sums, dualwave_fp8_d256, latent_decode, "
       "latent_decode_m64, latent_decode_m128, latent_decode_fp8, "
       "latent_decode_fp8_m64, latent_decode_fp8_m128) or a file "
       "(contains '/' or ends in "
       ".mlir) in column schedule, found 'dualwaves'"},
      {"bf16,128,128,none,plain,*,dualwave,0,1,-,-,-,B1",
       "t.csv:2: expected a number above 0 in column seconds, found '0'"},
      {"bf16,128,128,none,plain,*,dualwave,-1,1,-,-,-,B1",
       "in column seconds, found '-1'"},
      {"bf16,128,128,none,plain,*,dualwave,1e16,1,-,-,-,B1",
       "in column seconds, found '1e16'"},
      {"bf16,128,128,none,plain,*,dualwave,1e999,1,-,-,-,B1",
       "in column seconds, found '1e999'"},
      {"bf16,128,128,none,plain,*,dualwave,1.5.,1,-,-,-,B1",
       "in column seconds, found '1.5.'"},
      {"bf16,128,128,none,plain,*,dualwave,1,many,-,-,-,B1",
       "t.csv:2: expected a number above 0 in column cycles, found 'many'"},
      {"bf16,128,128,none,plain,*,dualwave,1,inf,-,-,-,B1",
       "in column cycles, found 'inf'"},
      {"bf16,128,128,none,plain,*,dualwave,1,0x10,-,-,-,B1",
       "in column cycles, found '0x10'"},
      {"bf16,128,128,none,plain,*,dualwave,1,,-,-,-,B1",
       "in column cycles, found ''"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,-,-",
       "t.csv:2: expected 13 cells (dtype,head_dim_qk,head_dim_v,mask,scores,"
       "keys,schedule,seconds,cycles,other,other_seconds,other_cycles,"
       "problem), found '12 in bf16,128,128,none,plain,*,dualwave,1,1,-,-,-"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,-,-,B1,B2",
       "expected 13 cells"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,2,-,B1",
       "t.csv:2: expected - as in column other in column other_seconds, found "
       "'2'"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,-,3,B1",
       "t.csv:2: expected - as in column other in column other_cycles, found "
       "'3'"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,generics,2,3,B1",
       "or a file (contains '/' or ends in .mlir) in column other, found "
       "'generics'"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,generic,-,3,B1",
       "t.csv:2: expected a number above 0 in column other_seconds, found '-'"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,generic,2,nan,B1",
       "t.csv:2: expected a number above 0 in column other_cycles, found "
       "'nan'"},
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,-,-, ",
       "t.csv:2: expected the problem that was measured in column problem, "
       "found ''"},
      // The line is that of the text, comments and empty lines included.
      {"# one\n\n\t\r\nbf16,128,128,none,plain,*,dualwaves,1,1,-,-,-,B1",
       "t.csv:5: "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    char text[600];
    snprintf(text, sizeof text, COLUMNS "%s\n", rows[i].row);
    refuse(text, rows[i].words);
  }
}

static void test_refused_other_cells(void **state) {
  (void)state;
  static const struct {
    const char *cells, *words;
  } rows[] = {
      {"sixteen,*,*,*,*", "t.csv:2: expected *, a number of keys or two of "
                          "them, LOW-HIGH with 0 <= LOW <= HIGH <= 65536 in "
                          "column page_size, found 'sixteen'"},
      {"65537,*,*,*,*", "in column page_size, found '65537'"},
      {"64-16,*,*,*,*", "in column page_size, found '64-16'"},
      {"*,heads,*,*,*",
       "t.csv:2: expected * or some of none|tensor|head|token|block in column "
       "scales, found 'heads'"},
      {"*,*,0,*,*", "t.csv:2: expected *, a number of keys or two of them, "
                    "LOW-HIGH with 1 <= LOW <= HIGH <= 2147483647 in "
                    "column keys, found '0'"},
      {"*,*,short,*,*", "in column keys, found 'short'"},
      {"*,*,256-1,*,*", "in column keys, found '256-1'"},
      {"*,*,1-2147483648,*,*", "in column keys, found '1-2147483648'"},
      {"*,*,1-,*,*", "in column keys, found '1-'"},
      {"*,*,-256,*,*", "in column keys, found '-256'"},
      {"*,*,1-2-3,*,*", "in column keys, found '1-2-3'"},
      {"*,*,,*,*", "in column keys, found ''"},
      {"*,*,1|2,*,*", "in column keys, found '1|2'"},
      {"*,*,*,few,*", "t.csv:2: expected *, a number of rows of Q or two of "
                      "them, LOW-HIGH with 1 <= LOW <= HIGH <= 2147483647 in "
                      "column q_rows, found 'few'"},
      {"*,*,*,0-4,*", "in column q_rows, found '0-4'"},
      {"*,*,*,*,many",
       "t.csv:2: expected *, a number of heads of all batches or two of them, "
       "LOW-HIGH with 1 <= LOW <= HIGH <= 2147483647 in column workgroups, "
       "found 'many'"},
      {"*,*,*,*,99999999999", "in column workgroups, found '99999999999'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    char text[600];
    snprintf(text, sizeof text,
             ALL_COLUMNS "*,*,*,*,*,%s,generic,1,1,-,-,-,B1\n", rows[i].cells);
    refuse(text, rows[i].words);
  }
}

static void test_refused_columns(void **state) {
  (void)state;
#define EXPECTED                                                               \
  "t.csv:1: expected the line of columns dtype,head_dim_qk,head_dim_v,mask,"   \
  "scores,schedule,seconds,cycles,other,other_seconds,other_cycles,problem "   \
  "(and perhaps page_size,scales,quantize_q,split_kv,keys,q_rows,group_rows,"  \
  "workgroups), found "
  static const struct {
    const char *text, *words;
  } tables[] = {
      {"bf16,128,128,none,plain,*,dualwave,1,1,-,-,-,B1\n",
       EXPECTED "'bf16,128,128,none,plain,*,dualwave,1,1,-,-,-,B1'"},
      {"dtype,head_dim\n", EXPECTED "'head_dim'"},
      {"dtype\n", EXPECTED "'no head_dim_qk'"},
      {"dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,"
       "cycles,other,other_seconds,other_cycles,problem\n",
       EXPECTED "'lengths'"},
      {"dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,"
       "cycles,other,other_seconds,other_cycles\n",
       EXPECTED "'no problem'"},
      {"dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,"
       "cycles,other,other_seconds,other_cycles,problem,pages\n",
       EXPECTED "'pages'"},
      {"dtype,head_dim_qk,dtype,head_dim_v,mask,scores,keys,schedule,"
       "seconds,cycles,other,other_seconds,other_cycles,problem\n",
       "t.csv:1: expected each column once, found 'dtype'"},
      {"dtype,\n", EXPECTED "''"},
      {"", EXPECTED "'the end of the file'"},
      {"# nothing\n", EXPECTED "'the end of the file'"},
  };
#undef EXPECTED
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i)
    refuse(tables[i].text, tables[i].words);
}

/// A NUL character does not end a cell, and a long name is not cut.
static void test_refused_bytes(void **state) {
  (void)state;
  static const char text[] =
      COLUMNS "bf16\0f16,128,128,none,plain,*,dualwave,1,1,-,-,-,B1\n";
  refuse_bytes(text, sizeof text - 1,
               "t.csv:2: expected a line of text, found 'a NUL character'");
  static char table[3000];
  strcpy(table, COLUMNS "*,*,*,*,*,*,./");
  memset(table + strlen(table), 'n', FMHAC_TEXT_BYTES - 3);
  char *end = table + strlen(table);
  strcpy(end, ",1,1,-,-,-,B1\n");
  fmhac_table longest;
  read_whole(&longest, table);
  assert_int_equal(longest.row_count, 1);
  fmhac_table_deinit(&longest);
  strcpy(end, "n,1,1,-,-,-,B1\n");
  refuse(table, "t.csv:2: expected the path of a schedule of at most 1023 "
                "bytes in column schedule, found './nnn");
}

/// A row that no problem comes to is not taken: one before it has them all.
static void test_hidden_rows(void **state) {
  static const char text[] =
      ALL_COLUMNS "*,*,*,*,*,*,*,1-256,*,*,generic,1,2,-,-,-,B1\n"
                  "*,*,*,*,*,*,*,1-256,*,*,dualwave,1,2,-,-,-,B2\n"
                  "*,*,*,*,*,*,*,1-64,1,*,dualwave,1,2,-,-,-,B3\n"
                  "*,*,*,*,*,*,*,256,*,1-8,generic,1,2,-,-,-,B4\n"
                  "*,*,*,*,*,*,*,256-257,*,*,dualwave,1,2,-,-,-,B5\n"
                  "*,*,*,*,*,*,*,*,1-16,*,generic_wide,1,2,-,-,-,B6\n"
                  "*,*,*,*,*,*,*,257-512,1-16,*,dualwave,1,2,-,-,-,B7\n"
                  "*,*,*,*,*,*,*,*,*,*,dualwave_narrow,1,2,-,-,-,B8\n";
#define PASSED_OVER(name)                                                      \
  " is passed over: schedule " name " does not compile this configuration\n"
#define FIGURES "1000.0000 ms, 2 cycles a KV tile, on "
  static const expectation rows[] = {
      {"{}",
       "schedule generic by t.csv:2 (*,*,*,*,*,*,*,1-256,*,*): " FIGURES
       "B1 if Sk <= 256\n"
       "schedule dualwave by t.csv:6 (*,*,*,*,*,*,*,256-257,*,*): " FIGURES
       "B5 if 256 <= Sk and Sk <= 257\n"
       "schedule generic_wide by t.csv:7 (*,*,*,*,*,*,*,*,1-16,*): " FIGURES
       "B6 if Sq <= 16\n"
       "schedule dualwave_narrow by t.csv:9 "}};
  EXPECT_ROWS(*state, text, "generic dualwave generic_wide dualwave_narrow",
              rows);
  // A row that cannot serve hides nothing.
  static const expectation
      others[] = {{"{}",
                   "t.csv:2 (*,*,*,*,*,*,*,1-256,*,*)" PASSED_OVER("generic") "t.csv:7 (*,*,*,*,*,*,*,*,1-16,*)" PASSED_OVER(
                       "generic_wide") "t.csv:9 "
                                       "(*,*,*,*,*,*,*,*,*,*)" PASSED_OVER(
                                           "dua"
                                           "lwa"
                                           "ve_"
                                           "nar"
                                           "ro"
                                           "w") "schedule dualwave by t.csv:3 "
                                                "(*,*,*,*,*,*,*,1-256,*,*):"
                                                " " FIGURES "B2 if Sk <= 256\n"
                                                "schedule dualwave by "
                                                "t.csv:6 "}};
  EXPECT_ROWS(*state, text, "dualwave", others);
#undef FIGURES
#undef PASSED_OVER
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_first_row_that_fits),
      TEST(test_row_that_cannot_serve),
      TEST(test_no_row),
      TEST(test_functions_of_scores),
      TEST(test_types),
      TEST(test_pages_and_scales),
      TEST(test_quantize_q),
      TEST(test_columns_by_name),
      TEST(test_ranges),
      TEST(test_masks_that_bound_the_keys),
      TEST(test_promise_that_bounds_the_rows),
      TEST(test_rows_of_a_group),
      TEST(test_number_of_rows),
      TEST(test_hidden_rows),
      TEST(test_refused_cells),
      TEST(test_refused_other_cells),
      TEST(test_refused_columns),
      TEST(test_refused_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
