// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in table of schedules, read here in another way than the library's:
// its rows choose the schedules that nobody asks for by name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac.h"
#include "fmhac_schedule.h"

static const char columns[] =
    "dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,cycles,"
    "other,other_seconds,other_cycles,problem";

enum { MAX_LINES = 200, CELLS = 13 };

/// A row of the table as this test reads it, which is not as the library does.
typedef struct plain_row {
  int line;
  char *cells[CELLS];
} plain_row;

typedef struct plain_table {
  char text[1 << 16];
  plain_row rows[MAX_LINES];
  size_t count;
} plain_table;

static void read_plain(const char *path, plain_table *table) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  table->text[fread(table->text, 1, sizeof table->text - 1, file)] = '\0';
  assert_true(feof(file));
  fclose(file);
  table->count = 0;
  bool is_header = true;
  char *rest = table->text;
  for (int line = 1; rest; ++line) {
    char *cells = strsep(&rest, "\n");
    if (!cells[0] || cells[0] == '#')
      continue;
    if (is_header) {
      assert_string_equal(cells, columns);
      is_header = false;
      continue;
    }
    assert_true(table->count < MAX_LINES);
    plain_row *row = &table->rows[table->count++];
    row->line = line;
    for (int i = 0; i < CELLS; ++i)
      row->cells[i] = strsep(&cells, ",");
    assert_non_null(row->cells[CELLS - 1]);
  }
}

/// Whether a word is one of those with | between them.
static bool is_word(const char *words, const char *word) {
  char list[100];
  snprintf(list, sizeof list, "|%s|", words);
  char one[40];
  snprintf(one, sizeof one, "|%s|", word);
  return strcmp(words, "*") == 0 || strstr(list, one);
}

/// Whether a head size is one of LOW-HIGH.
static bool is_within(const char *range, int size) {
  int low, high;
  const int count = sscanf(range, "%d-%d", &low, &high);
  return strcmp(range, "*") == 0 || (count == 1 && size == low) ||
         (count == 2 && low <= size && size <= high);
}

typedef struct plain_problem {
  const char *dtype, *mask, *lengths;
  int qk, v;
  bool softcap;
} plain_problem;

static const plain_row *find_plain(const plain_table *table,
                                   const plain_problem *p) {
  for (size_t i = 0; i < table->count; ++i) {
    char *const *cells = table->rows[i].cells;
    if (is_word(cells[0], p->dtype) && is_within(cells[1], p->qk) &&
        is_within(cells[2], p->v) && is_word(cells[3], p->mask) &&
        is_word(cells[4], p->softcap ? "softcap" : "plain") &&
        (strcmp(cells[5], "any") == 0 || strcmp(cells[5], p->lengths) == 0))
      return &table->rows[i];
  }
  return NULL;
}

/// The row that a configuration gets, by fmhac_query_schedule(); its schedule,
/// by fmhac_query().
static void expect_row(fmhac_context *c, const plain_problem *p,
                       const plain_row *row) {
  char json[200], window[40];
  snprintf(window, sizeof window, "%s%s", p->mask,
           strcmp(p->mask, "window") == 0    ? ":9,0"
           : strcmp(p->mask, "chunked") == 0 ? ":64"
                                             : "");
  snprintf(json, sizeof json,
           "{\"dtype\":\"%s\",\"head_dim_qk\":%d,\"head_dim_v\":%d,"
           "\"mask\":\"%s\",\"lengths\":\"%s\",\"softcap\":%d}",
           p->dtype, p->qk, p->v, window, p->lengths, p->softcap ? 9 : 0);
  fmhac_config *config;
  fmhac_support support = {.size = sizeof support};
  fmhac_schedule_choice choice = {.size = sizeof choice};
  assert_int_equal(fmhac_config_create_json(c, json, &config), FMHAC_OK);
  assert_int_equal(fmhac_query(c, config, &support), FMHAC_OK);
  assert_true(support.supported);
  assert_int_equal(fmhac_query_schedule(c, config, &choice), FMHAC_OK);
  fmhac_config_destroy(config);
  // The first row of support.def that takes all of these problems.
  const char *schedule = row ? row->cells[6] : "generic";
  if (strcmp(support.schedule, schedule) != 0 ||
      (int)choice.line != (row ? row->line : 0))
    fail_msg("%s: expected %s of line %d, found %s of line %d", json, schedule,
             row ? row->line : 0, support.schedule, (int)choice.line);
}

/// The library takes its choices from the rows of the file, and each row is
/// taken for something.
static void test_builtin_table(void **state) {
  static const char *const dtypes[] = {"bf16", "f16"};
  static const char *const masks[] = {"none", "causal", "causal-top-left",
                                      "window", "chunked"};
  static const char *const lengths[] = {"any", "short", "long"};
  static const int heads[][2] = {
      {32, 32}, {64, 64}, {72, 72}, {128, 128}, {64, 128}};
  static plain_table table;
  read_plain(FMHAC_TEST_TABLE, &table);
  assert_true(table.count > 0);
  bool taken[MAX_LINES] = {false};
  for (int i = 0; i < 2 * 5 * 3 * 5 * 2; ++i) {
    const int *head = heads[i / 30 % 5];
    const plain_problem p = {.dtype = dtypes[i % 2],
                             .mask = masks[i / 2 % 5],
                             .lengths = lengths[i / 10 % 3],
                             .qk = head[0],
                             .v = head[1],
                             .softcap = i / 150};
    const plain_row *row = find_plain(&table, &p);
    expect_row(*state, &p, row);
    if (row)
      taken[row - table.rows] = true;
  }
  for (size_t i = 0; i < table.count; ++i)
    if (!taken[i])
      fail_msg("dispatch.csv:%d is hidden by the rows before it",
               table.rows[i].line);
}

int main(void) {
  fmhac_context *context;
  if (fmhac_context_create(NULL, &context) != FMHAC_OK)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_builtin_table, context),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_context_destroy(context);
  return failed;
}
