// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in table of schedules, read here in another way than the library's:
// its rows choose the schedules that nobody asks for by name. And what else the
// library knows of schedules without their texts.
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
    "dtype,head_dim_qk,head_dim_v,mask,scores,keys,q_rows,group_rows,split_kv,"
    "schedule,"
    "seconds,cycles,other,other_seconds,other_cycles,problem,quantize_q";

enum { MAX_LINES = 200, CELLS = 17 };
enum {
  KEYS = 5,
  Q_ROWS,
  GROUP_ROWS,
  SPLIT_KV,
  SCHEDULE,
  QUANTIZE_Q = 16
}; ///< cells

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
  char list[200];
  snprintf(list, sizeof list, "|%s|", words);
  char one[40];
  snprintf(one, sizeof one, "|%s|", word);
  return strcmp(words, "*") == 0 || strstr(list, one);
}

/// Whether a number is one of LOW-HIGH.
static bool is_within(const char *range, int size) {
  int low, high;
  const int count = sscanf(range, "%d-%d", &low, &high);
  return strcmp(range, "*") == 0 || (count == 1 && size == low) ||
         (count == 2 && low <= size && size <= high);
}

typedef struct plain_problem {
  const char *dtype, *mask, *extent; ///< extent: of the mask, ":9,0"
  int most; ///< keys that the mask leaves to a row; 0: it bounds none
  int qk, v;
  bool softcap, quantize_q, splits;
  bool paged; ///< in pages of one key
} plain_problem;

/// These write no LSE, by which parts of divided keys are combined.
static bool divides_keys(const char *schedule) {
  return strcmp(schedule, "dualwave_sums") != 0 &&
         strcmp(schedule, "dualwave_narrow") != 0;
}

/// Those of latent attention of 8 bits in tiles of more than 32 rows take no
/// function of scores, and no pages of one key.
static bool serves_latent(const char *schedule, const plain_problem *p) {
  static const char tiles[] = "latent_decode_fp8_m";
  return strncmp(schedule, tiles, sizeof tiles - 1) != 0 ||
         !(p->softcap || p->paged);
}

/// Kernels of divided keys have room for three schedules, and heads up to 128
/// have that many by rows of Q: none for few keys.
static bool has_room(char *const *cells, const plain_problem *p) {
  enum { FEW_KEYS = 256 };
  return !p->splits || p->softcap || p->qk > 128 || p->v > 128 ||
         (p->most && p->most <= FEW_KEYS) || strcmp(cells[KEYS], "*") == 0;
}

/// Whether a row is for a configuration.
static bool is_for(char *const *cells, const plain_problem *p) {
  if (!has_room(cells, p))
    return false;
  if ((p->splits && !divides_keys(cells[SCHEDULE])) ||
      !serves_latent(cells[SCHEDULE], p))
    return false;
  return is_word(cells[0], p->dtype) && is_within(cells[1], p->qk) &&
         is_within(cells[2], p->v) && is_word(cells[3], p->mask) &&
         is_word(cells[4], p->softcap ? "softcap" : "plain") &&
         is_word(cells[SPLIT_KV], p->splits ? "auto" : "none") &&
         is_word(cells[QUANTIZE_Q], p->quantize_q ? "yes" : "no");
}

/// The row of a problem of so many rows of Q, which have `keys` keys.
static const plain_row *find_plain(const plain_table *table,
                                   const plain_problem *p, int rows, int keys) {
  const int seen = p->most && p->most < keys ? p->most : keys;
  for (size_t i = 0; i < table->count; ++i)
    if (is_for(table->rows[i].cells, p) &&
        is_within(table->rows[i].cells[Q_ROWS], rows) &&
        is_within(table->rows[i].cells[GROUP_ROWS], rows) &&
        is_within(table->rows[i].cells[KEYS], seen))
      return &table->rows[i];
  return NULL;
}

/// The last row with a schedule among those of a configuration that some
/// problem comes to, which end with the first for all of them: rows of one
/// schedule are one entry.
static int last_line(const plain_table *table, const plain_problem *p,
                     const char *schedule) {
  const int most = p->most ? p->most : INT32_MAX;
  char *const *seen[MAX_LINES];
  size_t count = 0;
  int line = 0;
  for (size_t i = 0; i < table->count; ++i) {
    char *const *cells = table->rows[i].cells;
    int low = 1;
    sscanf(cells[KEYS], "%d", &low);
    bool is_hidden = !is_for(cells, p) || low > most;
    for (size_t k = 0; k < count; ++k)
      is_hidden |= strcmp(cells[KEYS], seen[k][KEYS]) == 0 &&
                   strcmp(cells[Q_ROWS], seen[k][Q_ROWS]) == 0 &&
                   strcmp(cells[GROUP_ROWS], seen[k][GROUP_ROWS]) == 0;
    if (is_hidden)
      continue;
    seen[count++] = cells;
    if (strcmp(cells[SCHEDULE], schedule) == 0)
      line = table->rows[i].line;
    if (is_within(cells[KEYS], 1) && is_within(cells[KEYS], most) &&
        is_within(cells[Q_ROWS], INT32_MAX) &&
        is_within(cells[GROUP_ROWS], INT32_MAX))
      break;
  }
  return line;
}

/// Whether an entry's condition holds for so many rows of Q and keys; one of
/// five kinds. One head has each of K and V for itself.
static bool holds(const char *when, int rows, int keys) {
  int low, high;
  if (!when[0])
    return true;
  if (sscanf(when, "%d <= Sk and Sk <= %d", &low, &high) == 2)
    return low <= keys && keys <= high;
  if (sscanf(when, "%d <= Sk", &low) == 1)
    return low <= keys;
  if (sscanf(when, "Sq <= %d", &high) == 1 ||
      sscanf(when, "Sq * Hq <= %d * Hk", &high) == 1)
    return rows <= high;
  assert_int_equal(sscanf(when, "Sk <= %d", &high), 1);
  return keys <= high;
}

/// The rows that a configuration gets, for all numbers of rows and keys: of the
/// first entry whose condition holds, by fmhac_query_schedule().
static void expect_rows(fmhac_context *c, const plain_table *table,
                        const plain_problem *p, bool *taken) {
  static const int keys[] = {1, 2, 64, 255, 256, 257, 512, 1024, 4096, 1 << 30},
                   rows[] = {1, 16, 17, 4096};
  enum { KEYS_TRIED = 10, ROWS_TRIED = 4, MOST_ENTRIES = 16 };
  // "bf16", or "bf16/fp8/bf8" of Q, K and V.
  char types[3][8];
  const bool differ =
      sscanf(p->dtype, "%7[^/]/%7[^/]/%7s", types[0], types[1], types[2]) == 3;
  // With v_in_k the type of V is that of K.
  char of_v[40] = "", json[400];
  if (p->qk <= 512)
    snprintf(of_v, sizeof of_v, "\"v_dtype\":\"%s\",", types[differ ? 2 : 0]);
  snprintf(json, sizeof json,
           "{\"q_dtype\":\"%s\",\"k_dtype\":\"%s\",%s"
           "\"head_dim_qk\":%d,\"head_dim_v\":%d,"
           "\"mask\":\"%s%s\",\"softcap\":%d,\"quantize_q\":%s%s%s%s}",
           types[0], types[differ ? 1 : 0], of_v, p->qk, p->v, p->mask,
           p->extent, p->softcap ? 9 : 0, p->quantize_q ? "true" : "false",
           p->splits ? ",\"work\":\"list\",\"split_kv\":\"auto\"" : "",
           p->qk > 512 ? ",\"v_in_k\":true" : "",
           p->paged ? ",\"page_size\":1,\"page_table\":true,"
                      "\"seqlens_kv\":true"
                    : "");
  fmhac_config *config;
  fmhac_support support = {.size = sizeof support};
  assert_int_equal(fmhac_config_create_json(c, json, &config), FMHAC_OK);
  assert_int_equal(fmhac_query(c, config, &support), FMHAC_OK);
  assert_true(support.supported);
  assert_true(support.entry_count <= MOST_ENTRIES);
  fmhac_schedule_choice choices[MOST_ENTRIES];
  for (size_t i = 0; i < support.entry_count; ++i) {
    choices[i] = (fmhac_schedule_choice){.size = sizeof choices[i]};
    assert_int_equal(fmhac_query_schedule(c, config, i, &choices[i]), FMHAC_OK);
  }
  for (int k = 0; k < KEYS_TRIED * ROWS_TRIED; ++k) {
    const int of_rows = rows[k % ROWS_TRIED], of_keys = keys[k / ROWS_TRIED];
    size_t entry = 0;
    while (entry < support.entry_count &&
           !holds(choices[entry].when, of_rows, of_keys))
      ++entry;
    assert_true(entry < support.entry_count);
    const fmhac_schedule_choice choice = choices[entry];
    const plain_row *row = find_plain(table, p, of_rows, of_keys);
    // The first row of support.def that takes all of these problems.
    const bool is_8_bit = p->quantize_q || strcmp(p->dtype, "fp8") == 0;
    const char *schedule =
        row           ? row->cells[SCHEDULE]
        : p->qk > 512 ? is_8_bit ? "generic_latent_fp8" : "generic_latent"
        : is_8_bit    ? "generic_fp8"
        : p->qk > 128 ? "generic_wide"
                      : "generic";
    const int line = row ? last_line(table, p, schedule) : 0;
    if (strcmp(choice.schedule, schedule) != 0 || (int)choice.line != line)
      fail_msg("%s with %d rows, %d keys: expected %s of line %d, found %s of "
               "line %d",
               json, of_rows, of_keys, schedule, line, choice.schedule,
               (int)choice.line);
    if (row)
      taken[row - table->rows] = true;
  }
  fmhac_config_destroy(config);
}

/// The library takes its choices from the rows of the file, and each row is
/// taken for something.
static void test_builtin_table(void **state) {
  // The last two are those before them with quantize_q.
  static const char *const dtypes[] = {
      "bf16",        "f16",          "fp8",        "bf16/fp8/fp8",
      "f16/bf8/fp8", "bf16/fp8/fp8", "f16/bf8/fp8"};
  static const struct {
    const char *mask, *extent;
    int most;
  } masks[] = {{"none", "", 0},
               {"causal", "", 0},
               {"causal-top-left", "", 0},
               {"window", ":9,0", 10},
               {"window", ":255,0", 256},
               {"window", ":512,0", 513},
               {"window", ":-1,0", 0},
               {"chunked", ":64", 64},
               {"chunked", ":256", 256},
               {"chunked", ":1024", 1024}};
  static const int heads[][2] = {{32, 32},  {64, 64},   {80, 80},   {128, 128},
                                 {64, 128}, {192, 128}, {256, 128}, {576, 512}};
  enum {
    MASKS = 10,
    HEADS = 8,
    DTYPES = 7,
    QUANTISED = 5,
    ONE = DTYPES * MASKS * HEADS,
    ALL = ONE * 8
  };
  static plain_table table;
  read_plain(FMHAC_TEST_TABLE, &table);
  assert_true(table.count > 0);
  bool taken[MAX_LINES] = {false};
  for (int i = 0; i < ALL; ++i) {
    const int *head = heads[i / (DTYPES * MASKS) % HEADS];
    const int mask = i / DTYPES % MASKS;
    const plain_problem p = {.dtype = dtypes[i % DTYPES],
                             .mask = masks[mask].mask,
                             .extent = masks[mask].extent,
                             .most = masks[mask].most,
                             .qk = head[0],
                             .v = head[1],
                             .softcap = i / ONE % 2,
                             .splits = i / ONE / 2 % 2,
                             .paged = i / ONE / 4,
                             .quantize_q = i % DTYPES >= QUANTISED};
    // Pages of one key leave windows and chunks too few registers.
    const bool is_paged =
        p.splits && p.qk > 512 && mask < 3 && strcmp(p.dtype, "fp8") == 0;
    if (!p.paged || is_paged)
      expect_rows(*state, &table, &p, taken);
  }
  for (size_t i = 0; i < table.count; ++i)
    if (!taken[i])
      fail_msg("dispatch.csv:%d is hidden by the rows before it",
               table.rows[i].line);
}

//===- Columns of k_rope --------------------------------------------------===//

/// Whether the schedule serves a K of `of_k` columns beside those of k_rope.
static bool serves_rope(fmhac_context *context, const char *schedule,
                        const char *dtype, int qk, int of_k) {
  char json[200];
  snprintf(json, sizeof json,
           "{\"schedule\":\"%s\",\"dtype\":\"%s\",\"head_dim_qk\":%d,"
           "\"head_dim_v\":64,\"rope_dim\":%d}",
           schedule, dtype, qk, qk - of_k);
  fmhac_config *config;
  if (fmhac_config_create_json(context, json, &config) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(context));
  fmhac_support support = {.size = sizeof support};
  assert_int_equal(fmhac_query(context, config, &support), FMHAC_OK);
  fmhac_config_destroy(config);
  return support.supported;
}

/// The k of `qk` in the text of the schedule.
static int columns_of(fmhac_context *context, const char *schedule) {
  char *whole;
  assert_int_equal(fmhac_schedule_expand(context, fmhac_schedule_text(schedule),
                                         schedule, &whole),
                   FMHAC_OK);
  int m, n, k = 0;
  const char *qk = strstr(whole, "qk = <");
  assert_non_null(qk);
  assert_int_equal(sscanf(qk, "qk = <m = %d, n = %d, k = %d>", &m, &n, &k), 3);
  fmhac_free(whole);
  return k;
}

/// A schedule takes either no columns of K from another tensor, or leaves K a
/// multiple of what its matrix instruction takes, which the library's table has
/// as a number of its own.
static void test_rope(void **state) {
  fmhac_context *context = *state;
  static const int heads[] = {576, 256, 192, 128};
  enum { HEADS = sizeof heads / sizeof heads[0] };
  int takers = 0;
  const char *name;
  for (size_t s = 0; (name = fmhac_schedule_name(s)); ++s) {
    for (int small = 0; small < 2; ++small) {
      const char *dtype = small ? "fp8" : "bf16";
      int h = 0;
      while (h < HEADS &&
             !serves_rope(context, name, dtype, heads[h], heads[h]))
        ++h;
      const int step = columns_of(context, name);
      if (h == HEADS || !serves_rope(context, name, dtype, heads[h], step))
        continue;
      ++takers;
      for (int of_k = small ? 16 : 8; of_k < heads[h]; of_k += small ? 16 : 8)
        if (serves_rope(context, name, dtype, heads[h], of_k) !=
            (of_k % step == 0))
          fail_msg("%s, %s: K of %d columns of %d, where a matrix instruction "
                   "takes %d",
                   name, dtype, of_k, heads[h], step);
    }
  }
  assert_true(takers >= 7);
}

int main(void) {
  fmhac_context *context;
  if (fmhac_context_create(NULL, &context) != FMHAC_OK)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_builtin_table, context),
      cmocka_unit_test_prestate(test_rope, context),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_context_destroy(context);
  return failed;
}
