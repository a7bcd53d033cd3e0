// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of measurements: which row is taken, and the tables that are refused.
#include <stdio.h>
#include <stdlib.h>

#include "context.h"
#include "doubles.h"
#include "table.h"

#define COLUMNS                                                                \
  "dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,cycles,"  \
  "other,other_seconds,other_cycles,problem\n"
#define ALL_COLUMNS                                                            \
  "dtype,head_dim_qk,head_dim_v,mask,scores,page_size,scales,lengths,q_rows,"  \
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

/// The reason for the row of a table that a configuration gets, "" without a
/// row; the lines on those that are passed over, before it. Caller frees.
static char *ask(fmhac_context *context, const char *text, const char *serving,
                 const char *json) {
  fmhac_config_values values;
  if (fmhac_config_values_parse(context, json, &values) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  fmhac_table table;
  read_whole(&table, text);
  fmhac_str skipped = {0}, why = {0}, both = {0};
  fmhac_schedule_choice figures;
  const fmhac_table_row *row = fmhac_table_find(
      &table, &values, is_among, (void *)(uintptr_t)serving, &skipped);
  if (row)
    fmhac_table_explain(&table, row, &figures, &why);
  fmhac_str_appendf(&both, "%s%s%s", skipped.text ? skipped.text : "",
                    skipped.text ? "\n" : "", why.text ? why.text : "");
  fmhac_str_deinit(&skipped);
  fmhac_str_deinit(&why);
  fmhac_table_deinit(&table);
  return fmhac_str_take(&both);
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
    "bf16,65-128,*,none|causal,plain,short,generic,1e-5,2000,dualwave,2e-5,"
    "4000,B1 Sq128\n"
    "bf16,65-128,*,none|causal,plain,any,dualwave,0.00125,2154,generic,0.0025,"
    "2752.5,B1 Sq4096\n"
    "*,*,*,*,functions,any,dualwave,1,2,-,-,-,B2\n"
    "*,*,*,*,*,any,generic,1,2,-,-,-,B3\n";

/// The class of lengths is part of the conditions of a row; a row for any is
/// for all. Types, head sizes, mask and functions of scores each pass a row
/// over.
static void test_first_row_that_fits(void **state) {
  static const expectation rows[] = {
      {"{\"lengths\":\"short\"}",
       "schedule generic by t.csv:3 (bf16,65-128,*,none|causal,plain,short): "
       "0.0100 ms, 2000 cycles a KV tile, against 0.0200 ms and 4000 of "
       "dualwave, on B1 Sq128"},
      {"{\"mask\":\"causal\"}",
       "schedule dualwave by t.csv:4 (bf16,65-128,*,none|causal,plain,any): "
       "1.2500 ms, 2154 cycles a KV tile, against 2.5000 ms and 2752 of "
       "generic, on B1 Sq4096"},
      {"{\"lengths\":\"long\"}", "schedule dualwave by t.csv:4 "},
      {"{\"dtype\":\"f16\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:6 (*,*,*,*,*,any): 1000.0000 ms, 2 cycles a "
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
      {"{}", "t.csv:4 (bf16,65-128,*,none|causal,plain,any) is passed over: "
             "schedule dualwave does not compile this configuration\n"
             "schedule generic by t.csv:6 "},
  };
  EXPECT_ROWS(*state, four_rows, "generic generic_wide", rows);
}

static void test_no_row(void **state) {
  static const expectation rows[] = {{"{\"head_dim_qk\":256}", ""},
                                     {"{\"dtype\":\"f16\"}", ""}};
  EXPECT_ROWS(*state,
              COLUMNS "bf16,128,128,none,plain,any,dualwave,1,1,-,-,-,"
                      "B1\n",
              "dualwave", rows);
}

/// A row is for problems all of whose functions it names: one function or both
/// of two, but not one of them with a third. `functions` is for any of them,
/// and for no plain scores.
static void test_functions_of_scores(void **state) {
  static const char text[] =
      "# The figures are made up.\n" COLUMNS
      "*,*,*,*,softcap|alibi,any,dualwave,1,2,-,-,-,B1\n"
      "*,*,*,*,plain|score_mod,any,dualwave_narrow,1,2,-,-,-,B2\n"
      "*,*,*,*,functions,any,generic,1,2,-,-,-,B3\n";
  static const expectation rows[] = {
      {"{\"softcap\":3}",
       "schedule dualwave by t.csv:3 (*,*,*,*,softcap|alibi,any)"},
      {"{\"alibi\":true}", "schedule dualwave by t.csv:3"},
      {"{\"softcap\":3,\"alibi\":true}", "schedule dualwave by t.csv:3"},
      {"{\"softcap\":3,\"bias\":true}",
       "schedule generic by t.csv:5 (*,*,*,*,functions,any)"},
      {"{\"bias\":true}", "schedule generic by t.csv:5"},
      {"{\"score_mod\":\"f.mlir\"}",
       "schedule dualwave_narrow by t.csv:4 (*,*,*,*,plain|score_mod,any)"},
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
      COLUMNS "bf16/fp8/fp8,*,*,*,*,any,generic,1,2,-,-,-,B1\n"
              "f16|bf16/f16/bf16,*,*,*,*,any,dualwave,1,2,-,-,-,B2\n"
              "bf16 | fp8/fp8/fp8,*,*,causal,*,any,generic,1,2,-,-,-,B3\n";
  static const expectation rows[] = {
      {"{\"dtype\":\"bf16\"}", ""},
      {"{\"dtype\":\"fp8\"}", ""},
      {"{\"dtype\":\"f16\"}",
       "schedule dualwave by t.csv:3 (f16|bf16/f16/bf16,"},
      {"{\"dtype\":\"fp8\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:4 (bf16 | fp8/fp8/fp8,"},
      {"{\"dtype\":\"bf16\",\"mask\":\"causal\"}",
       "schedule generic by t.csv:4"},
  };
  EXPECT_ROWS(*state, text, "generic dualwave", rows);
}

/// The columns that a table may leave out. No configuration says yet how many
/// rows of Q or workgroups there will be: rows for few or many are not taken.
static void test_columns_to_come(void **state) {
  static const char text[] = ALL_COLUMNS
      "*,*,*,*,*,*,*,any,few,any,dualwave,1,2,-,-,-,B1\n"
      "*,*,*,*,*,*,*,any,many,any,dualwave,1,2,-,-,-,B1\n"
      "*,*,*,*,*,*,*,any,any,few,dualwave,1,2,-,-,-,B2\n"
      "*,*,*,*,*,*,*,any,any,many,dualwave,1,2,-,-,-,B2\n"
      "*,*,*,*,*,16-64,*,any,any,any,dualwave,1,2,-,-,-,B3\n"
      "*,*,*,*,*,*,tensor|head,any,any,any,dualwave,1,2,-,-,-,B4\n"
      "*,*,*,*,*,0,none,any,any,any,generic,1,2,-,-,-,B5\n"
      "*,*,*,*,*,*,none|token|block,any,any,any,generic_wide,1,2,-,-,-,B6\n";
  static const expectation rows[] = {
      {"{}", "schedule generic by t.csv:8 (*,*,*,*,*,0,none,any,any,any): "},
      {"{\"lengths\":\"short\"}", "schedule generic by t.csv:8 "},
      {"{\"page_size\":16}",
       "schedule dualwave by t.csv:6 (*,*,*,*,*,16-64,*,any,any,any): "},
      {"{\"page_size\":64,\"k_scale\":\"head\"}",
       "schedule dualwave by t.csv:6 "},
      {"{\"page_size\":65}", "schedule generic_wide by t.csv:9 "},
      {"{\"k_scale\":\"head\"}", "schedule dualwave by t.csv:7 "},
      {"{\"q_scale\":\"tensor\",\"v_scale\":\"head\"}",
       "schedule dualwave by t.csv:7 "},
      // One of them is not among the row's.
      {"{\"q_scale\":\"tensor\",\"v_scale\":\"token\"}", ""},
      {"{\"k_scale\":\"token\",\"v_scale\":\"block\"}",
       "schedule generic_wide by t.csv:9 "},
  };
  EXPECT_ROWS(*state, text, "generic generic_wide dualwave", rows);
}

/// Without a column a row is for all that the column would tell apart; the
/// names say which column is which.
static void test_columns_by_name(void **state) {
  static const char text[] =
      "problem, lengths ,schedule,cycles,seconds,other,other_cycles,"
      "other_seconds,scores,mask,head_dim_v,head_dim_qk,q_rows,dtype\r\n"
      "B1,long,dualwave,7,0.5,generic,8,0.25,*,causal,64,128,any,f16\r\n"
      "B2,any,generic,7,0.5,-,-,-,*,*,*,*,any,*\r\n";
  static const expectation rows[] = {
      {"{\"dtype\":\"f16\",\"head_dim_v\":64,\"mask\":\"causal\",\"lengths\":"
       "\"long\",\"page_size\":8,\"k_scale\":\"token\"}",
       "schedule dualwave by t.csv:2 (f16,128,64,causal,*,long,any): 500.0000 "
       "ms, 7 cycles a KV tile, against 250.0000 ms and 8 of generic, on B1"},
      {"{\"dtype\":\"f16\",\"mask\":\"causal\",\"lengths\":\"long\"}",
       "schedule generic by t.csv:3 (*,*,*,*,*,any,any): "},
  };
  EXPECT_ROWS(*state, text, "generic dualwave", rows);
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
      {"bf16|f64,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of bf16|f16|fp8, each alone or as Q/K/V in "
       "column dtype, found 'bf16|f64'"},
      {"bf16/fp8,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16/fp8'"},
      {"bf16/fp8/fp8/fp8,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16/fp8/fp8/fp8'"},
      {"bf16//fp8,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16//fp8'"},
      {"bf16|,128,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column dtype, found 'bf16|'"},
      {"bf16,0,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected *, a head size or two of them, LOW-HIGH in column "
       "head_dim_qk, found '0'"},
      {"bf16,1025,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column head_dim_qk, found '1025'"},
      {"bf16,99999999999999999999,128,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column head_dim_qk, found '99999999999999999999'"},
      {"bf16,128,128-64,none,plain,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected *, a head size or two of them, LOW-HIGH in column "
       "head_dim_v, found '128-64'"},
      {"bf16,128,-64,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '-64'"},
      {"bf16,128,64-,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '64-'"},
      {"bf16,128,0x40,none,plain,any,dualwave,1,1,-,-,-,B1",
       "in column head_dim_v, found '0x40'"},
      {"bf16,128,128,none|diagonal,plain,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of "
       "none|causal|causal-top-left|window|chunked in column mask, found "
       "'none|diagonal'"},
      {"bf16,128,128,none,softcaps,any,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected * or some of "
       "plain|softcap|alibi|bias|score_mod|functions in column scores, found "
       "'softcaps'"},
      {"bf16,128,128,none,plain,all,dualwave,1,1,-,-,-,B1",
       "t.csv:2: expected any, short or long in column lengths, found 'all'"},
      {"bf16,128,128,none,plain,any,dualwaves,1,1,-,-,-,B1",
       "t.csv:2: expected a built-in schedule (generic, generic_wide, "
       "dualwave, "
       "dualwave_narrow, dualwave_sums) or a file (contains '/' or ends in "
       ".mlir) in column schedule, found 'dualwaves'"},
      {"bf16,128,128,none,plain,any,dualwave,0,1,-,-,-,B1",
       "t.csv:2: expected a number above 0 in column seconds, found '0'"},
      {"bf16,128,128,none,plain,any,dualwave,-1,1,-,-,-,B1",
       "in column seconds, found '-1'"},
      {"bf16,128,128,none,plain,any,dualwave,1e16,1,-,-,-,B1",
       "in column seconds, found '1e16'"},
      {"bf16,128,128,none,plain,any,dualwave,1e999,1,-,-,-,B1",
       "in column seconds, found '1e999'"},
      {"bf16,128,128,none,plain,any,dualwave,1.5.,1,-,-,-,B1",
       "in column seconds, found '1.5.'"},
      {"bf16,128,128,none,plain,any,dualwave,1,many,-,-,-,B1",
       "t.csv:2: expected a number above 0 in column cycles, found 'many'"},
      {"bf16,128,128,none,plain,any,dualwave,1,inf,-,-,-,B1",
       "in column cycles, found 'inf'"},
      {"bf16,128,128,none,plain,any,dualwave,1,0x10,-,-,-,B1",
       "in column cycles, found '0x10'"},
      {"bf16,128,128,none,plain,any,dualwave,1,,-,-,-,B1",
       "in column cycles, found ''"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,-",
       "t.csv:2: expected 13 cells (dtype,head_dim_qk,head_dim_v,mask,scores,"
       "lengths,schedule,seconds,cycles,other,other_seconds,other_cycles,"
       "problem), found '12 in bf16,128,128,none,plain,any,dualwave,1,1,-,-,-"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,-,B1,B2",
       "expected 13 cells"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,2,-,B1",
       "t.csv:2: expected - as in column other in column other_seconds, found "
       "'2'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,3,B1",
       "t.csv:2: expected - as in column other in column other_cycles, found "
       "'3'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,generics,2,3,B1",
       "or a file (contains '/' or ends in .mlir) in column other, found "
       "'generics'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,generic,-,3,B1",
       "t.csv:2: expected a number above 0 in column other_seconds, found '-'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,generic,2,nan,B1",
       "t.csv:2: expected a number above 0 in column other_cycles, found "
       "'nan'"},
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,-, ",
       "t.csv:2: expected the problem that was measured in column problem, "
       "found ''"},
      // The line is that of the text, comments and empty lines included.
      {"# one\n\n\t\r\nbf16,128,128,none,plain,any,dualwaves,1,1,-,-,-,B1",
       "t.csv:5: "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    char text[600];
    snprintf(text, sizeof text, COLUMNS "%s\n", rows[i].row);
    refuse(text, rows[i].words);
  }
}

static void test_refused_cells_to_come(void **state) {
  (void)state;
  static const struct {
    const char *cells, *words;
  } rows[] = {
      {"sixteen,*,any,any,any",
       "t.csv:2: expected *, a number of keys or two of them, LOW-HIGH in "
       "column page_size, found 'sixteen'"},
      {"65537,*,any,any,any", "in column page_size, found '65537'"},
      {"64-16,*,any,any,any", "in column page_size, found '64-16'"},
      {"*,heads,any,any,any",
       "t.csv:2: expected * or some of none|tensor|head|token|block in column "
       "scales, found 'heads'"},
      {"*,*,any,some,any",
       "t.csv:2: expected any, few or many in column q_rows, found 'some'"},
      {"*,*,any,*,any", "in column q_rows, found '*'"},
      {"*,*,any,any,lots",
       "t.csv:2: expected any, few or many in column workgroups, found 'lots'"},
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
  "scores,lengths,schedule,seconds,cycles,other,other_seconds,other_cycles,"   \
  "problem (and perhaps page_size,scales,q_rows,workgroups), found "
  static const struct {
    const char *text, *words;
  } tables[] = {
      {"bf16,128,128,none,plain,any,dualwave,1,1,-,-,-,B1\n",
       EXPECTED "'bf16,128,128,none,plain,any,dualwave,1,1,-,-,-,B1'"},
      {"dtype,head_dim\n", EXPECTED "'head_dim'"},
      {"dtype\n", EXPECTED "'no head_dim_qk'"},
      {"dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,"
       "cycles,other,other_seconds,other_cycles\n",
       EXPECTED "'no problem'"},
      {"dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,"
       "cycles,other,other_seconds,other_cycles,problem,pages\n",
       EXPECTED "'pages'"},
      {"dtype,head_dim_qk,dtype,head_dim_v,mask,scores,lengths,schedule,"
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
      COLUMNS "bf16\0f16,128,128,none,plain,any,dualwave,1,1,-,-,-,B1\n";
  refuse_bytes(text, sizeof text - 1,
               "t.csv:2: expected a line of text, found 'a NUL character'");
  static char table[3000];
  strcpy(table, COLUMNS "*,*,*,*,*,any,./");
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_first_row_that_fits),
      TEST(test_row_that_cannot_serve),
      TEST(test_no_row),
      TEST(test_functions_of_scores),
      TEST(test_types),
      TEST(test_columns_to_come),
      TEST(test_columns_by_name),
      TEST(test_refused_cells),
      TEST(test_refused_cells_to_come),
      TEST(test_refused_columns),
      TEST(test_refused_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
