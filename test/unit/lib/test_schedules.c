// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules by the public interface: what can be changed of them and what comes
// out; tables of them, who writes and who reads one.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac.h"
#include "fmhac_schedule.h"

enum { NAME_BYTES = 400 };

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

static void expect_text(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected '%s' in: %s", part, text);
}

/// The schedule with settings, which are right. The caller frees.
static char *change(fmhac_context *context, const char *text,
                    const fmhac_schedule_setting *settings, size_t count) {
  char *changed;
  if (fmhac_schedule_change(context, text, "s", settings, count, &changed) !=
      FMHAC_OK)
    fail_msg("%s\n%s", fmhac_last_error(context), text);
  return changed;
}

/// Settings that are refused with these words.
static void refuse(fmhac_context *context, const char *text,
                   const fmhac_schedule_setting *settings, size_t count,
                   const char *words) {
  char *changed;
  assert_int_equal(
      fmhac_schedule_change(context, text, "s", settings, count, &changed),
      FMHAC_INVALID_INPUT);
  assert_null(changed);
  expect_text(fmhac_last_error(context), "changing a schedule: ");
  expect_text(fmhac_last_error(context), words);
}

typedef struct knob {
  char name[NAME_BYTES], pool[NAME_BYTES], word[NAME_BYTES];
  int64_t value, low, high, step;
} knob;

typedef struct knobs {
  knob *list; ///< owned
  size_t count;
} knobs;

static void take(void *user, const fmhac_schedule_knob *k) {
  knobs *all = user;
  assert_int_equal(k->size, sizeof *k);
  all->list = realloc(all->list, (all->count + 1) * sizeof *all->list);
  assert_non_null(all->list);
  knob *copy = &all->list[all->count++];
  *copy = (knob){
      .value = k->value, .low = k->low, .high = k->high, .step = k->step};
  snprintf(copy->name, NAME_BYTES, "%s", k->name);
  snprintf(copy->pool, NAME_BYTES, "%s", k->pool);
  snprintf(copy->word, NAME_BYTES, "%s", k->word);
}

static knobs knobs_of(fmhac_context *context, const char *text) {
  knobs all = {0};
  if (fmhac_schedule_visit_knobs(context, text, take, &all) != FMHAC_OK)
    fail_msg("%s\n%s", fmhac_last_error(context), text);
  return all;
}

static const knob *find(const knobs *all, const char *name) {
  for (size_t i = 0; i < all->count; ++i)
    if (strcmp(all->list[i].name, name) == 0)
      return &all->list[i];
  return NULL;
}

/// The value of a choice that has this word.
static int64_t value_of(fmhac_context *context, const char *text,
                        const char *name, const char *word) {
  knobs all = knobs_of(context, text);
  const knob *k = find(&all, name);
  assert_non_null(k);
  for (int64_t value = k->low; value <= k->high; value += k->step) {
    const fmhac_schedule_setting one = {name, value};
    char *changed;
    if (fmhac_schedule_change(context, text, "s", &one, 1, &changed) !=
        FMHAC_OK)
      continue;
    knobs now = knobs_of(context, changed);
    const bool is_it = strcmp(find(&now, name)->word, word) == 0;
    free(now.list);
    fmhac_free(changed);
    if (is_it) {
      free(all.list);
      return value;
    }
  }
  fail_msg("no value of %s reads %s", name, word);
  return 0;
}

//===- One by one ---------------------------------------------------------===//

/// What a schedule has is a setting of it that changes nothing.
static void test_own_values(void **state) {
  fmhac_context *c = *state;
  size_t schedules = 0;
  for (const char *name; (name = fmhac_schedule_name(schedules)); ++schedules) {
    // Comments and line breaks go once.
    char *plain = change(c, fmhac_schedule_text(name), NULL, 0);
    knobs all = knobs_of(c, plain);
    static const char *const choices[] = {"rescale", "packed", "grid",
                                          "k.max_pad_bytes", "v.layout"};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; ++i)
      if (!find(&all, choices[i]))
        fail_msg("%s has no '%s' to change", name, choices[i]);
    fmhac_schedule_setting *every = calloc(all.count, sizeof *every);
    for (size_t i = 0; i < all.count; ++i) {
      const knob *k = &all.list[i];
      assert_true(k->low <= k->value && k->value <= k->high && k->step > 0);
      every[i] = (fmhac_schedule_setting){k->name, k->value};
      char *same = change(c, plain, &every[i], 1);
      assert_string_equal(same, plain);
      fmhac_free(same);
    }
    char *same = change(c, plain, every, all.count);
    assert_string_equal(same, plain);
    fmhac_free(same);
    free(every);
    free(all.list);
    fmhac_free(plain);
  }
  assert_true(schedules >= 2);
}

/// A setting is what the schedule has then, and nothing else is.
static void test_other_values(void **state) {
  fmhac_context *c = *state;
  const char *text = fmhac_schedule_text("dualwave");
  char *plain = change(c, text, NULL, 0);
  knobs before = knobs_of(c, plain);
  unsigned changes = 0;
  for (size_t i = 0; i < before.count; ++i) {
    const knob *k = &before.list[i];
    // Those that say how many there are of others.
    if (strcmp(k->name, "rescale") == 0 || strcmp(k->name, "scale") == 0 ||
        k->pool[0])
      continue;
    const int64_t value =
        k->value + k->step <= k->high ? k->value + k->step : k->value - k->step;
    const fmhac_schedule_setting one = {k->name, value};
    char *changed = change(c, plain, &one, 1);
    knobs after = knobs_of(c, changed);
    assert_int_equal(after.count, before.count);
    for (size_t j = 0; j < after.count; ++j) {
      assert_string_equal(after.list[j].name, before.list[j].name);
      assert_int_equal(after.list[j].value,
                       j == i ? value : before.list[j].value);
    }
    ++changes;
    free(after.list);
    fmhac_free(changed);
  }
  assert_true(changes > 15);
  free(before.list);
  fmhac_free(plain);
}

static void test_bounds(void **state) {
  fmhac_context *c = *state;
  const char *text = fmhac_schedule_text("dualwave");
  knobs all = knobs_of(c, text);
  for (size_t i = 0; i < all.count; ++i) {
    const knob *k = &all.list[i];
    const int64_t outside[] = {k->low - 1, k->high + 1, INT64_MIN, INT64_MAX};
    for (size_t j = 0; j < sizeof outside / sizeof outside[0]; ++j) {
      char words[2 * NAME_BYTES];
      snprintf(words, sizeof words,
               "expected %s in %" PRId64 "..%" PRId64 ", found %" PRId64,
               k->name, k->low, k->high, outside[j]);
      const fmhac_schedule_setting one = {k->name, outside[j]};
      refuse(c, text, &one, 1, words);
    }
  }
  free(all.list);
}

static void ignore(void *user, const fmhac_schedule_knob *k) {
  (void)k;
  ++*(unsigned *)user;
}

static void test_refused(void **state) {
  fmhac_context *c = *state;
  const char *text = fmhac_schedule_text("generic");
  const fmhac_schedule_setting unknown[] = {{"packed", 0}, {"order", 0}};
  refuse(c, text, unknown, 2,
         "expected a name of something to change, found 'order'");
  const fmhac_schedule_setting empty = {"", 0};
  refuse(c, text, &empty, 1,
         "expected a name of something to change, found ''");
  static const char *const names[] = {"", "1st", "a-b", "a b", "@a", "a\n"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    char *changed;
    assert_int_equal(
        fmhac_schedule_change(c, text, names[i], NULL, 0, &changed),
        FMHAC_INVALID_INPUT);
    assert_null(changed);
    expect_text(fmhac_last_error(c), "expected a name of letters, digits and "
                                     "_, found '");
    expect_text(fmhac_last_error(c), names[i]);
  }
  static const struct {
    const char *text, *words;
  } files[] = {
      {"", "expected exactly one fmha.schedule in the file that no other is "
           "derived from, found 0 among 0 ops"},
      {"fmha.schedule @a = 1", "schedule:1:19: expected '<'"},
      {"nonsense", "schedule:1:1: "},
      // More than memory holds, were it counted out.
      {"fmha.schedule @a = #fmha.schedule<tile_m = 128, tile_n = 64, waves = 4,"
       " waves_per_simd = 2, qk = <m = 32, n = 32, k = 16>,"
       " pv = <m = 32, n = 32, k = 16>, k = <read = row, max_pad_bytes = 64>,"
       " v = <read = column, max_pad_bytes = 64>,"
       " rescale = eager, pipeline = <tiles = 1, stagger = 0,"
       " instructions = free, stages = [<@a compute [qk] groups"
       " [3000000000 x [mfma 1, trans 2]]>]>>",
       "expected a table once or more, of at most 4096 instructions together, "
       "found 3000000000 x 3"},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    char *changed;
    assert_int_equal(
        fmhac_schedule_change(c, files[i].text, "s", NULL, 0, &changed),
        FMHAC_INVALID_INPUT);
    assert_null(changed);
    expect_text(fmhac_last_error(c), files[i].words);
    unsigned visited = 0;
    assert_int_equal(
        fmhac_schedule_visit_knobs(c, files[i].text, ignore, &visited),
        FMHAC_INVALID_INPUT);
    expect_text(fmhac_last_error(c), files[i].words);
    assert_int_equal(visited, 0);
  }
}

static void test_tile(void **state) {
  fmhac_context *c = *state;
  // Its keys may stand anywhere, and words of a comment are none of them.
  static const char text[] =
      "// tile_m = 7\nfmha.schedule @s = #fmha.schedule<tile_m\n= "
      "128,tile_n//\n="
      " 32, waves = 4, waves_per_simd = 2, qk = <m = 32, n = 32, k = 16>,"
      " pv = <m = 32, n = 32, k = 16>, k = <read = row, max_pad_bytes = 64>,"
      " v = <read = column, max_pad_bytes = 64>,"
      " pipeline = <stages = [<@all compute [qk]>]>>";
  int64_t rows, keys;
  assert_int_equal(fmhac_schedule_get_tile(c, text, "s", &rows, &keys),
                   FMHAC_OK);
  assert_int_equal(rows, 128);
  assert_int_equal(keys, 32);
  // docs/pipelines.md
  assert_int_equal(
      fmhac_schedule_get_tile(c, fmhac_schedule_text("dualwave_narrow"), "s",
                              &rows, &keys),
      FMHAC_OK);
  assert_int_equal(rows, 256);
  assert_int_equal(keys, 128);
  assert_int_equal(
      fmhac_schedule_get_tile(c, "nonsense", "f.mlir", &rows, &keys),
      FMHAC_INVALID_INPUT);
  expect_text(fmhac_last_error(c), "f.mlir:1:1: ");
  assert_int_equal(rows, 0);
}

/// A cache policy is no setting, and stays whatever is set.
static void test_cache_stays(void **state) {
  fmhac_context *c = *state;
  static const char text[] = "fmha.schedule @s = @generic with <cache = "
                             "<k = nt, o = sc0 sc1>>";
  const fmhac_schedule_setting one = {"grid",
                                      value_of(c, text, "grid", "linear")};
  char *changed = change(c, text, &one, 1);
  expect_text(changed, "cache = <k = nt, o = sc0 sc1>");
  fmhac_free(changed);
}

//===- Settings together --------------------------------------------------===//

/// Steps of which one goes with `scale = start`, a part that is cut after it.
static const char with_cut[] =
    "fmha.schedule @cut = #fmha.schedule<\n"
    "  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,\n"
    "  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,\n"
    "  k = <read = row, max_pad_bytes = 64>,\n"
    "  v = <read = column, max_pad_bytes = 0>,\n"
    "  rescale = lazy, lazy_log2 = 5,\n"
    "  pipeline = <tiles = 1, stagger = 0, instructions = free,\n"
    "    stages = [<@a compute [subtract, exp[0 to 5 of 8], pv ahead -1]>,\n"
    "              <@b compute [exp[5 to 8 of 8], row_sum, convert]>,\n"
    "              <@c memory [load_k, read_k, load_v, read_v, qk, score_mod,\n"
    "                          mask, row_max, rescale]>]>>\n";

/// Both orders give one text, which has `there` and not `gone`.
static void expect_same(fmhac_context *context,
                        const fmhac_schedule_setting settings[2],
                        const char *there, const char *gone) {
  const fmhac_schedule_setting reversed[2] = {settings[1], settings[0]};
  char *one = change(context, with_cut, settings, 2);
  char *other = change(context, with_cut, reversed, 2);
  assert_string_equal(one, other);
  expect_text(one, there);
  if (strstr(one, gone))
    fail_msg("expected no '%s' in: %s", gone, one);
  fmhac_free(one);
  fmhac_free(other);
}

static void test_order_of_settings(void **state) {
  fmhac_context *c = *state;
  const int64_t start = value_of(c, with_cut, "scale", "start");
  const int64_t eager = value_of(c, with_cut, "rescale", "eager");
  const int64_t xors = value_of(c, with_cut, "v.layout", "xor");
  // No step to subtract is left; the cut is where it was put.
  expect_same(c, (fmhac_schedule_setting[]){{"scale", start}, {"exp.cut", 3}},
              "<@a compute [exp[0 to 3 of 8], pv ahead -1]>", "subtract");
  expect_same(c, (fmhac_schedule_setting[]){{"exp.cut", 7}, {"lazy_log2", 9}},
              "<@b compute [exp[7 to 8 of 8], row_sum, convert]>",
              "lazy_log2 = 5");
  // A threshold is for lazy ones only.
  expect_same(c,
              (fmhac_schedule_setting[]){{"rescale", eager}, {"lazy_log2", 9}},
              "pipeline = <", "lazy");
  expect_same(
      c,
      (fmhac_schedule_setting[]){{"v.layout", xors}, {"v.max_pad_bytes", 32}},
      "v = <read = column, max_pad_bytes = 32, layout = xor>", "@cut");
}

/// Lines with padding have some, whichever is set first.
static void test_padding_of_padded_lines(void **state) {
  fmhac_context *c = *state;
  const fmhac_schedule_setting pad = {"v.max_pad_bytes", 48};
  char *padded = change(c, with_cut, &pad, 1);
  const int64_t value = value_of(c, padded, "v.layout", "padded");
  fmhac_free(padded);
  expect_same(c, (fmhac_schedule_setting[]){{"v.layout", value}, pad},
              "v = <read = column, max_pad_bytes = 48, layout = padded>",
              "max_pad_bytes = 0");
  static const char words[] =
      "expected max_pad_bytes of at least 16 with layout padded, found 0";
  fmhac_schedule_setting both[] = {{"k.layout", value}, {"k.max_pad_bytes", 0}};
  refuse(c, with_cut, both, 2, words);
  both[1] = both[0];
  both[0] = (fmhac_schedule_setting){"k.max_pad_bytes", 0};
  refuse(c, with_cut, both, 2, words);
  both[0] = (fmhac_schedule_setting){"v.layout", value};
  refuse(c, with_cut, both, 1, words);
}

static void test_one_value_for_each(void **state) {
  const fmhac_schedule_setting twice[] = {{"exp.cut", 3}, {"exp.cut", 4}};
  refuse(*state, with_cut, twice, 2,
         "expected one value for each name, found 'exp.cut' twice");
}

//===- Names --------------------------------------------------------------===//

/// A stage may have a name of any length; what can be changed of it has all of
/// it.
static void test_long_names(void **state) {
  fmhac_context *c = *state;
  char stage[NAME_BYTES / 2], name[NAME_BYTES], pool[NAME_BYTES];
  memset(stage, 'n', sizeof stage - 1);
  stage[sizeof stage - 1] = '\0';
  char *text = malloc(sizeof with_cut + sizeof stage + 100);
  assert_non_null(text);
  const char *at = strstr(with_cut, "<@b compute");
  const char *end = strstr(at, ">,");
  sprintf(text, "%.*s<@%s%.*s groups [2 x [mfma 1, trans 3]]%s",
          (int)(at - with_cut), with_cut, stage, (int)(end - at - 3), at + 3,
          end);
  knobs all = knobs_of(c, text);
  snprintf(name, sizeof name, "@%s.groups[1][1]", stage);
  snprintf(pool, sizeof pool, "@%s.trans", stage);
  const knob *k = find(&all, name);
  assert_non_null(k);
  assert_string_equal(k->pool, pool);
  assert_string_equal(k->word, "trans");
  assert_int_equal(k->value, 3);
  const fmhac_schedule_setting one = {name, 4};
  char *changed = change(c, text, &one, 1);
  expect_text(changed, "[[mfma 1, trans 3 4]]");
  fmhac_free(changed);
  free(all.list);
  free(text);
}

//===- Tables -------------------------------------------------------------===//

static const char columns[] =
    "dtype,head_dim_qk,head_dim_v,mask,scores,page_size,scales,quantize_q,"
    "split_kv,keys,q_rows,group_rows,workgroups,schedule,seconds,cycles,other,"
    "other_seconds,other_cycles,problem\n";
/// Those that every table has, and keys.
static const char old_columns[] =
    "dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,"
    "other,other_seconds,other_cycles,problem\n";

static fmhac_config *config_of(fmhac_context *c, const char *json) {
  fmhac_config *config = NULL;
  if (fmhac_config_create_json(c, json, &config) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(c));
  return config;
}

static void refuse_row(fmhac_context *c, const char *table,
                       const fmhac_schedule_row *row, const char *words) {
  char *text;
  assert_int_equal(fmhac_schedule_table_put(c, table, "mine.csv", row, &text),
                   FMHAC_INVALID_INPUT);
  assert_null(text);
  // What the caller gave, or what is in it.
  if (row->size == sizeof *row)
    expect_text(fmhac_last_error(c), "writing a table of schedules: ");
  expect_text(fmhac_last_error(c), words);
}

static void test_rows(void **state) {
  fmhac_context *c = *state;
  fmhac_config *config = config_of(c, "{\"head_dim\": 64}");
  const fmhac_schedule_row row = {.size = sizeof row,
                                  .config = config,
                                  .schedule = "generic_wide",
                                  .seconds = 0.0015,
                                  .cycles = 1200,
                                  .other = "./b.mlir",
                                  .other_seconds = 0.5,
                                  .other_cycles = 1e6,
                                  .problem = "B1 Hq2 Hk1 Sq3 Sk4"};
  char *text, expected[900];
  assert_int_equal(fmhac_schedule_table_put(c, "", "mine.csv", &row, &text),
                   FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%sbf16,64,64,none,plain,0,none,no,*,*,*,*,*,generic_wide,0.0015,"
           "1200,./b.mlir,0.5,1e+06,B1 Hq2 Hk1 Sq3 Sk4\n",
           columns);
  assert_string_equal(text, expected);
  // In the place of the row for the same.
  fmhac_schedule_row other = row;
  other.schedule = "generic";
  other.other = NULL;
  char *again;
  assert_int_equal(
      fmhac_schedule_table_put(c, text, "mine.csv", &other, &again), FMHAC_OK);
  snprintf(
      expected, sizeof expected,
      "%sbf16,64,64,none,plain,0,none,no,*,*,*,*,*,generic,0.0015,1200,-,-,"
      "-,B1 Hq2 Hk1 Sq3 Sk4\n",
      columns);
  assert_string_equal(again, expected);
  fmhac_free(again);

  // For a class of problems: before the row for all, and after it for more.
  fmhac_schedule_row few = other;
  few.keys = "1-256";
  few.q_rows = "1";
  few.workgroups = "9-2147483647";
  assert_int_equal(fmhac_schedule_table_put(c, text, "mine.csv", &few, &again),
                   FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%sbf16,64,64,none,plain,0,none,no,*,1-256,1,*,9-2147483647,generic,"
           "0.0015,1200,-,-,-,B1 Hq2 Hk1 Sq3 Sk4\n"
           "bf16,64,64,none,plain,0,none,no,*,*,*,*,*,generic_wide,0.0015,1200,"
           "./b.mlir,0.5,1e+06,B1 Hq2 Hk1 Sq3 Sk4\n",
           columns);
  assert_string_equal(again, expected);
  fmhac_free(again);

  static const char comma[] = "expected a name without a comma or an end of "
                              "line, found '";
  fmhac_schedule_row bad = row;
  bad.schedule = "./a,b.mlir";
  refuse_row(c, text, &bad, comma);
  refuse_row(c, text, &bad, "'./a,b.mlir'");
  bad = row;
  bad.other = "a\n.mlir";
  refuse_row(c, text, &bad, comma);
  bad = row;
  bad.problem = "";
  refuse_row(c, text, &bad, comma);
  bad = row;
  bad.keys = "1,2";
  refuse_row(c, text, &bad, "found '1,2'");
  bad.keys = "";
  refuse_row(c, text, &bad, comma);
  bad.keys = "256-1";
  refuse_row(c, text, &bad, "in column keys, found '256-1'");
  bad = row;
  bad.q_rows = "few";
  refuse_row(c, text, &bad, "in column q_rows, found 'few'");
  bad = row;
  bad.workgroups = "0";
  refuse_row(c, text, &bad, "in column workgroups, found '0'");
  bad = row;
  bad.schedule = "nonsense";
  refuse_row(c, text, &bad, "expected a built-in schedule (");
  bad = row;
  bad.seconds = 0;
  refuse_row(c, text, &bad,
             "expected a number above 0 in column seconds, found '0'");
  bad = row;
  bad.size = sizeof row - 1;
  snprintf(expected, sizeof expected,
           "fmhac_schedule_row.size is %zu, expected %zu", bad.size,
           sizeof row);
  refuse_row(c, text, &bad, expected);
  refuse_row(c, "dtype,head_dim\n", &row,
             "mine.csv:1: expected the line of columns dtype,head_dim_qk,");
  snprintf(expected, sizeof expected,
           "%s# rows\n*,*,*,*,*,any,generic,1,1,-,-,"
           "-,by hand\n",
           old_columns);
  refuse_row(c, expected, &row,
             "mine.csv:3: expected *, a number of keys or two of them, "
             "LOW-HIGH with 1 <= LOW <= HIGH <= 2147483647 "
             "in column keys, found 'any'");
  fmhac_free(text);
  fmhac_config_destroy(config);
}

/// A table keeps its columns, and a row goes by their names. A row that is not
/// for all needs the column that says so.
static void test_rows_of_other_columns(void **state) {
  fmhac_context *c = *state;
  fmhac_config *config =
      config_of(c, "{\"head_dim\": 64, \"mask\": \"causal\"}");
  fmhac_schedule_row row = {.size = sizeof row,
                            .config = config,
                            .schedule = "generic",
                            .seconds = 1,
                            .cycles = 2,
                            .problem = "B1",
                            .keys = "257-4096"};
  char table[600], expected[900], *text;
  snprintf(table, sizeof table,
           "%s# mine\n*,64,64,causal,plain,1-256,generic,3,4,-,-,-,B2\n"
           "*,64,64,causal,plain,*,generic,5,6,-,-,-,B3\n",
           old_columns);
  assert_int_equal(fmhac_schedule_table_put(c, table, "mine.csv", &row, &text),
                   FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%s# mine\n*,64,64,causal,plain,1-256,generic,3,4,-,-,-,B2\n"
           "bf16,64,64,causal,plain,257-4096,generic,1,2,-,-,-,B1\n"
           "*,64,64,causal,plain,*,generic,5,6,-,-,-,B3\n",
           old_columns);
  assert_string_equal(text, expected);
  fmhac_free(text);

  // Instead of the row for the same, wherever that is; and a row for all keys
  // after those for some.
  fmhac_schedule_row row_for_any = row;
  row_for_any.keys = NULL;
  snprintf(table, sizeof table,
           "%s*,*,*,*,*,1-256,generic,3,4,-,-,-,B2\n"
           "*,*,*,*,*,*,generic,5,6,-,-,-,B3\n",
           old_columns);
  assert_int_equal(
      fmhac_schedule_table_put(c, table, "mine.csv", &row_for_any, &text),
      FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%s*,*,*,*,*,1-256,generic,3,4,-,-,-,B2\n"
           "bf16,64,64,causal,plain,*,generic,1,2,-,-,-,B1\n"
           "*,*,*,*,*,*,generic,5,6,-,-,-,B3\n",
           old_columns);
  assert_string_equal(text, expected);
  fmhac_free(text);
  snprintf(table, sizeof table,
           "%s*,*,*,*,*,*,generic,5,6,-,-,-,B3\n"
           "bf16,64,64,causal,plain,*,dualwave,3,4,-,-,-,B2\n"
           "*,*,*,*,*,*,dualwave,5,6,-,-,-,B3",
           old_columns);
  assert_int_equal(
      fmhac_schedule_table_put(c, table, "mine.csv", &row_for_any, &text),
      FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%s*,*,*,*,*,*,generic,5,6,-,-,-,B3\n"
           "bf16,64,64,causal,plain,*,generic,1,2,-,-,-,B1\n"
           "*,*,*,*,*,*,dualwave,5,6,-,-,-,B3\n",
           old_columns);
  assert_string_equal(text, expected);
  fmhac_free(text);

  static const char other_order[] =
      "# mine\nproblem,schedule,seconds,cycles,other,other_seconds,"
      "other_cycles,keys,page_size,scores,mask,head_dim_v,head_dim_qk,"
      "dtype\n";
  assert_int_equal(
      fmhac_schedule_table_put(c, other_order, "mine.csv", &row, &text),
      FMHAC_OK);
  snprintf(expected, sizeof expected,
           "%sB1,generic,1,2,-,-,-,257-4096,0,plain,causal,64,64,bf16\n",
           other_order);
  assert_string_equal(text, expected);
  fmhac_free(text);
  // A table without a column for what the row is not for all of.
  row.workgroups = "1-8";
  refuse_row(c, table, &row,
             "mine.csv:1: expected the column workgroups for a row with '1-8', "
             "found none");
  row.workgroups = NULL;
  row.q_rows = "1";
  refuse_row(c, other_order, &row,
             "mine.csv:2: expected the column q_rows for a row with '1', found "
             "none");
  row.q_rows = NULL;
  fmhac_config_destroy(config);

  row.config = config =
      config_of(c, "{\"page_size\": 16, \"page_table\": true, "
                   "\"seqlens_kv\": true}");
  refuse_row(c, table, &row,
             "mine.csv:1: expected the column page_size for a row with '16', "
             "found none");
  fmhac_config_destroy(config);
  row.config = config =
      config_of(c, "{\"dtype\": \"fp8\", \"k_scale\": \"token\", \"v_scale\": "
                   "\"head\", \"k_scales\": true, \"v_scales\": true}");
  refuse_row(c, other_order, &row,
             "mine.csv:2: expected the column scales for a row with "
             "'head|token', found none");
  fmhac_config_destroy(config);
}

/// A context that reads a table with this text.
static fmhac_context *context_with(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  const fmhac_context_options options = {.size = sizeof options,
                                         .dispatch_table = path};
  fmhac_context *c;
  assert_int_equal(fmhac_context_create(&options, &c), FMHAC_OK);
  return c;
}

static void ask(fmhac_context *c, const char *json, fmhac_support *out) {
  fmhac_config *config = config_of(c, json);
  *out = (fmhac_support){.size = sizeof *out};
  assert_int_equal(fmhac_query(c, config, out), FMHAC_OK);
  assert_true(out->supported);
  fmhac_config_destroy(config);
}

static void test_table_of_a_context(void **state) {
  char folder[] = "/tmp/fmhac-test-XXXXXX", path[sizeof folder + 20];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/mine.csv", folder);
  char text[600];
  snprintf(text, sizeof text,
           "%sbf16,64,64,*,*,*,generic_wide,0.5,1200,-,-,-,by hand\n",
           old_columns);
  fmhac_context *c = context_with(path, text);
  assert_string_equal(fmhac_context_get_dispatch_table(c), path);
  assert_null(fmhac_context_get_dispatch_table(*state));
  fmhac_support with, without;
  ask(c, "{\"head_dim\": 64}", &with);
  ask(*state, "{\"head_dim\": 64}", &without);
  assert_string_equal(with.schedule, "generic_wide");
  assert_string_not_equal(without.schedule, "generic_wide");
  fmhac_config *config;
  fmhac_schedule_choice choice = {.size = sizeof choice};
  assert_int_equal(fmhac_config_create_json(c, "{\"head_dim\": 64}", &config),
                   FMHAC_OK);
  assert_int_equal(fmhac_query_schedule(c, config, 0, &choice), FMHAC_OK);
  expect_text(choice.why, "mine.csv:2");
  fmhac_config_destroy(config);
  // What it says nothing of, and what is asked for by name, is as without.
  ask(c, "{\"head_dim\": 128}", &with);
  ask(*state, "{\"head_dim\": 128}", &without);
  assert_string_equal(with.schedule, without.schedule);
  ask(c, "{\"head_dim\": 64, \"schedule\": \"generic\"}", &with);
  assert_string_equal(with.schedule, "generic");
  fmhac_context_destroy(c);

  snprintf(text, sizeof text, "%sbf16,64,big,*,*,*,generic,1,1,-,-,-,-\n",
           old_columns);
  c = context_with(path, text);
  assert_int_equal(fmhac_config_create_json(c, "{}", &config),
                   FMHAC_INVALID_INPUT);
  expect_text(
      fmhac_last_error(c),
      "mine.csv:2: expected *, a head size or two "
      "of them, LOW-HIGH with 1 <= LOW <= HIGH <= 1024 in column head_dim_v, "
      "found 'big'");
  assert_int_equal(remove(path), 0);
  assert_int_equal(fmhac_config_create_json(c, "{}", &config), FMHAC_IO_ERROR);
  expect_text(fmhac_last_error(c), "mine.csv");
  fmhac_context_destroy(c);
  assert_int_equal(remove(folder), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_own_values),
      TEST(test_other_values),
      TEST(test_bounds),
      TEST(test_refused),
      TEST(test_tile),
      TEST(test_cache_stays),
      TEST(test_order_of_settings),
      TEST(test_padding_of_padded_lines),
      TEST(test_one_value_for_each),
      TEST(test_long_names),
      TEST(test_rows),
      TEST(test_rows_of_other_columns),
      TEST(test_table_of_a_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
