// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as something to search in, by the public interface: what can be
// changed of them, and what comes out.
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

//===- Settings together --------------------------------------------------===//

/// Steps of which one goes with `scale = start`, a part that is cut behind it.
static const char with_cut[] =
    "fmha.schedule @cut = #fmha.schedule<\n"
    "  tile_m = 128, tile_n = 64, waves = 4, waves_per_simd = 2,\n"
    "  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,\n"
    "  k = <read = b128, max_pad_bytes = 64>,\n"
    "  v = <read = tr_b16, max_pad_bytes = 0>,\n"
    "  order = [load_k, load_v, qk, score_mod, mask, row_max, rescale,\n"
    "           subtract, exp, row_sum, convert, pv],\n"
    "  rescale = lazy, lazy_log2 = 5,\n"
    "  pipeline = <tiles = 1, tail = pad, stagger = 0, order = free,\n"
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
              "rescale = eager", "lazy_log2");
  expect_same(
      c,
      (fmhac_schedule_setting[]){{"v.layout", xors}, {"v.max_pad_bytes", 32}},
      "v = <read = tr_b16, max_pad_bytes = 32, layout = xor>", "@cut");
}

/// Lines with padding have some, whichever is set first.
static void test_padding_of_padded_lines(void **state) {
  fmhac_context *c = *state;
  const fmhac_schedule_setting pad = {"v.max_pad_bytes", 48};
  char *padded = change(c, with_cut, &pad, 1);
  const int64_t value = value_of(c, padded, "v.layout", "padded");
  fmhac_free(padded);
  expect_same(c, (fmhac_schedule_setting[]){{"v.layout", value}, pad},
              "v = <read = tr_b16, max_pad_bytes = 48, layout = padded>",
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
  sprintf(text, "%.*s<@%s%.*s groups [2 times [mfma 1, trans 3]]%s",
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
  expect_text(changed, "trans 3]");
  expect_text(changed, "trans 4]");
  fmhac_free(changed);
  free(all.list);
  free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_order_of_settings),
      TEST(test_padding_of_padded_lines),
      TEST(test_one_value_for_each),
      TEST(test_long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
