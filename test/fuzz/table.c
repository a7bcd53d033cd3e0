// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: a table of schedules. One that is read gives its rows to
// configurations and takes another row, which is then found.
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "fmhac_schedule.h"
#include "fuzz.h"

static bool serves(void *user, const char *schedule) {
  FUZZ_CHECK(schedule[0], "a row without a schedule");
  return user != NULL;
}

/// Reads a table; the caller frees it. False: it is none.
static bool read_table(fmhac_table *table, const char *text, size_t size) {
  fmhac_str error = {0};
  fmhac_status status = fmhac_table_read(table, text, size, "t.csv", &error);
  FUZZ_CHECK(status == FMHAC_OK ||
                 (status == FMHAC_INVALID_INPUT && error.length > 0),
             "status %d without a reason", (int)status);
  FUZZ_CHECK(status != FMHAC_OK || !error.length, "a reason for no error: %s",
             error.text);
  fmhac_str_deinit(&error);
  return status == FMHAC_OK;
}

/// The rows that a configuration gets, of those with any schedule or with none:
/// whether one has measured this problem, or any if it is NULL. Conditions can
/// be read; only the last row is for all.
static bool find(const fmhac_table *table, const fmhac_config_values *values,
                 bool any, const char *problem) {
  fmhac_str skipped = {0};
  fmhac_table_answer *answers =
      malloc((table->row_count + 1) * sizeof *answers);
  if (!answers)
    abort();
  int something = 0;
  const size_t count =
      fmhac_table_find(table, values, serves, any ? &something : NULL,
                       table->row_count + 1, answers, &skipped);
  FUZZ_CHECK(any ? !skipped.length : !count,
             "a schedule that was not asked for");
  bool found = false;
  for (size_t i = 0; i < count; ++i) {
    fmhac_str why = {0};
    fmhac_schedule_choice figures;
    fmhac_launch_expr when;
    size_t offset;
    const char *text = answers[i].when;
    FUZZ_CHECK(text[0] ? fmhac_launch_expr_parse(text, true, &when, &offset)
                       : i + 1 == count,
               "condition '%s' of row %zu of %zu", text, i, count);
    fmhac_table_explain(table, answers[i].row, &figures, &why);
    FUZZ_CHECK(figures.line && figures.seconds > 0 && figures.cycles > 0,
               "a row without figures");
    fmhac_str_deinit(&why);
    found |= !problem ||
             strcmp(answers[i].row->cells[FMHAC_COLUMN_PROBLEM], problem) == 0;
  }
  fmhac_str_deinit(&skipped);
  free(answers);
  return found;
}

/// Puts a row for a configuration into the table of a text.
static void put(fmhac_context *context, const fmhac_config *config,
                const char *keys, const char *text, size_t rows) {
  const fmhac_schedule_row row = {.size = sizeof row,
                                  .config = config,
                                  .schedule = "dualwave",
                                  .seconds = 0.125,
                                  .cycles = 7,
                                  .problem = "the new row",
                                  .keys = keys};
  char *with;
  if (fmhac_schedule_table_put(context, text, "t.csv", &row, &with) !=
      FMHAC_OK) {
    FUZZ_CHECK(fmhac_last_error(context)[0], "no reason is given");
    return;
  }
  fmhac_table table;
  FUZZ_CHECK(read_table(&table, with, strlen(with)), "%s\nis no table", with);
  FUZZ_CHECK(table.row_count == rows || table.row_count == rows + 1,
             "%zu rows became %zu", rows, table.row_count);
  FUZZ_CHECK(find(&table, &config->values, true, NULL),
             "%s\nhas no row for what was put in", with);
  // Instead of a row it may stand after others that take the configuration.
  FUZZ_CHECK(table.row_count == rows ||
                 find(&table, &config->values, true, row.problem),
             "%s\nhas other rows for what was put in", with);
  fmhac_table_deinit(&table);
  fmhac_free(with);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const configurations[] = {
      "{}",
      "{\"dtype\":\"f16\",\"head_dim\":64,\"mask\":\"causal\"}",
      ("{\"dtype\":\"fp8\",\"head_dim_v\":8,\"softcap\":2,\"bias\":true,\"page_"
       "size\":64,\"page_table\":true,\"seqlens_kv\":true,\"k_scale\":"
       "\"head\",\"k_scales\":true}"),
  };
  char *text = malloc(size + 1);
  fmhac_context *context = NULL;
  if (!text || fmhac_context_create(NULL, &context) != FMHAC_OK)
    abort();
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  fmhac_table table;
  const bool is_table = read_table(&table, text, size);
  for (size_t i = 0; i < sizeof configurations / sizeof configurations[0];
       ++i) {
    fmhac_config *config;
    if (fmhac_config_create_json(context, configurations[i], &config) !=
        FMHAC_OK)
      abort();
    if (is_table) {
      find(&table, &config->values, true, NULL);
      find(&table, &config->values, false, NULL);
      put(context, config, NULL, text, table.row_count);
      put(context, config, "1", text, table.row_count);
    }
    fmhac_config_destroy(config);
  }
  fmhac_table_deinit(&table);
  fmhac_context_destroy(context);
  free(text);
  return 0;
}
