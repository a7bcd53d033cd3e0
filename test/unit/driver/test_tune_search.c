// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search of fmhac tune, in a made-up landscape: what a schedule takes is
// told by words of its text, and whether its results are right, too. Schedules
// are changed by the library.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "seconds.h"
#include "tune_check.h"
#include "tune_search.h"

enum { MOST_TEXTS = 4000, TRANS = 16, VALU = 23 };

static const char schedule[] =
    "fmha.recipe @start_recipe = #fmha.recipe<\n"
    "  @scores [[mfma 1, trans 15 1, valu 20 3]]>\n"
    "fmha.schedule @start = #fmha.schedule<\n"
    "  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 1,\n"
    "  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,\n"
    "  k = <read = row, max_pad_bytes = 64, buffers = 2>,\n"
    "  v = <read = column, max_pad_bytes = 64, buffers = 2>,\n"
    "  rescale = lazy, lazy_log2 = 8,\n"
    "  pipeline = <tiles = 2, stagger = 0, instructions = pinned,\n"
    "    recipe = @start_recipe, stages = [\n"
    "    <@in memory [rescale ahead -1, read_k, load_v]>,\n"
    "    <@scores compute [qk, exp[5 to 8 of 8] ahead -1, row_sum ahead -1,\n"
    "      convert ahead -1]>,\n"
    "    <@out memory [read_v ahead -1, load_k ahead 2, mask, row_max]>,\n"
    "    <@mul compute [pv ahead -1, subtract, exp[0 to 5 of 8]]>]>>\n";

static const char plain[] =
    "fmha.schedule @plain = #fmha.schedule<\n"
    "  tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 1,\n"
    "  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,\n"
    "  k = <read = row, max_pad_bytes = 64>,\n"
    "  v = <read = column, max_pad_bytes = 64>,\n"
    "  pipeline = <stages = [\n"
    "    <@all compute [load_k, load_v, qk]>]>>\n";

/// What a test says of schedules, and what was asked of it.
typedef struct landscape {
  tune_time (*time)(const char *text);
  bool (*is_right)(const char *text);
  char *texts[MOST_TEXTS]; ///< that were timed, in their order; owned
  size_t count, checks;
  double settled; ///< seconds of what is timed by itself
} landscape;

static landscape now;
static fmhac_context *context;

/// Takes so long, in seconds that count and in cycles that are the same.
static tune_time takes(double seconds) {
  return (tune_time){.verdict = TUNE_TIMED, .seconds = seconds, .cycles = 100};
}

void tune_point_time(tune_bench *b, const char *name, const char *text,
                     const tune_time *best, tune_time *out) {
  if (!best) { // the one that is taken, at the end
    *out = takes(now.settled);
    return;
  }
  assert_ptr_equal(b->context, context);
  assert_null(name);
  assert_true(now.count < MOST_TEXTS);
  now.texts[now.count] = strdup(text);
  assert_non_null(now.texts[now.count]);
  ++now.count;
  *out = now.time(text);
}

fmhac_status tune_check(const tune_bench *b, const char *name, const char *text,
                        tune_checked *out, char why[ERROR_BYTES]) {
  (void)b;
  assert_null(name);
  ++now.checks;
  *out = (tune_checked){0};
  snprintf(why, ERROR_BYTES, "made up");
  return !now.is_right || now.is_right(text) ? FMHAC_OK : FMHAC_CHECK_FAILED;
}

/// The number behind the first `key` that follows `behind`; 0 if there is none.
static int number_of(const char *text, const char *behind, const char *key) {
  const char *at = strstr(text, behind);
  at = at ? strstr(at + strlen(behind), key) : NULL;
  return at ? atoi(at + strlen(key)) : 0;
}

/// Searches in `time`, from `text`. The caller frees with done().
static tune_search search(const char *text, tune_time (*time)(const char *),
                          bool (*is_right)(const char *), uint64_t seed,
                          unsigned trials, bool *out_ok,
                          char error[ERROR_BYTES]) {
  static tune_bench bench;
  bench.context = context;
  now = (landscape){.time = time, .is_right = is_right};
  tune_search s = {.bench = &bench,
                   .name = "found",
                   .end = seconds_now() + 1e6,
                   .most_trials = trials,
                   .seed = seed,
                   .command = "test"};
  const tune_time start = time(text);
  *out_ok = tune_search_run(&s, text, &start, error);
  return s;
}

static void done(tune_search *s) {
  for (size_t i = 0; i < now.count; ++i)
    free(now.texts[i]);
  now.count = 0;
  tune_search_deinit(s);
}

/// As search(), which has to go well.
static tune_search find(const char *text, tune_time (*time)(const char *),
                        bool (*is_right)(const char *), uint64_t seed,
                        unsigned trials) {
  bool ok;
  char error[ERROR_BYTES];
  tune_search s = search(text, time, is_right, seed, trials, &ok, error);
  assert_string_equal(error, "");
  assert_true(ok);
  assert_non_null(strstr(s.text, "fmha.schedule @found ="));
  return s;
}

//===- Choices ------------------------------------------------------------===//

/// Two choices, each better by itself; a third in two steps.
static tune_time choices(const char *text) {
  double seconds = 10;
  seconds -= strstr(text, "grid = head_major") != NULL;
  seconds -= strstr(text, "packed = off") != NULL;
  return takes(seconds + abs(number_of(text, "lazy_log2", " = ") - 10));
}

static void test_finds_choices(void **state) {
  (void)state;
  tune_search s = find(schedule, choices, NULL, 1, 0);
  assert_true(s.improved);
  assert_true(s.best.seconds == 8);
  assert_non_null(strstr(s.text, "grid = head_major"));
  assert_non_null(strstr(s.text, "packed = off"));
  assert_int_equal(number_of(s.text, "lazy_log2", " = "), 10);
  // Each that was better was looked at, and nothing else.
  assert_int_equal(now.checks, 4);
  assert_int_equal(s.counts.wrong, 0);
  assert_int_equal(s.counts.timed, now.count);
  done(&s);
}

/// Far better than anything, and wrong.
static tune_time tempting(const char *text) {
  return takes(strstr(text, "scale = start") ? 1 : choices(text).seconds);
}

static bool is_exact(const char *text) {
  return !strstr(text, "scale = start");
}

static void test_leaves_what_is_wrong(void **state) {
  (void)state;
  tune_search s = find(schedule, tempting, is_exact, 1, 0);
  assert_true(s.counts.wrong > 0);
  assert_true(s.best.seconds == 8);
  assert_null(strstr(s.text, "scale = start"));
  done(&s);
}

/// What does not compile, does not fit, or fails is not better, whatever its
/// time says.
static tune_time in_the_way(const char *text) {
  tune_time t = choices(text);
  t.verdict = strstr(text, "packed = off")        ? TUNE_REFUSED
              : strstr(text, "grid = head_major") ? TUNE_SPILLED
              : strstr(text, "layout = identity") ? TUNE_FAILED
                                                  : TUNE_TIMED;
  return t;
}

static void test_counts_verdicts(void **state) {
  (void)state;
  tune_search s = find(schedule, in_the_way, NULL, 1, 0);
  const tune_counts *c = &s.counts;
  assert_true(c->refused > 0 && c->spilled > 0 && c->failed > 0);
  assert_int_equal(c->timed + c->refused + c->spilled + c->failed, c->tried);
  assert_true(s.best.seconds == 10); // lazy_log2 alone
  assert_null(strstr(s.text, "packed = off"));
  assert_null(strstr(s.text, "head_major"));
  done(&s);
}

//===- Recipes ------------------------------------------------------------===//

/// Instructions of a class, "trans ", in one of the two columns of the recipe:
/// a row has two counts, or one for both; a class that is nowhere has no row.
static int count_of(const char *text, const char *row, int column) {
  const char *recipe = strstr(text, "fmha.recipe");
  assert_non_null(recipe);
  const char *at = strstr(recipe, row), *end = strstr(recipe, "fmha.schedule");
  assert_non_null(end);
  if (!at || at > end)
    return 0;
  char *next;
  int count = (int)strtol(at + strlen(row), &next, 10);
  return column && *next == ' ' ? (int)strtol(next, NULL, 10) : count;
}

/// By the transcendental instructions of the first group: best with nine.
static tune_time recipes(const char *text) {
  return takes(1 + abs(count_of(text, "trans ", 0) - 9));
}

static void test_exchanges(void **state) {
  (void)state;
  tune_search s = find(schedule, recipes, NULL, 1, 0);
  assert_true(s.improved);
  assert_true(s.best.seconds == 1);
  assert_int_equal(count_of(s.text, "trans ", 0), 9);
  assert_int_equal(count_of(s.text, "trans ", 1), TRANS - 9);
  // Nothing is lost on the way: what one group gets another gives.
  for (size_t i = 0; i < now.count; ++i) {
    const char *text = now.texts[i];
    int trans = count_of(text, "trans ", 0) + count_of(text, "trans ", 1);
    int valu = count_of(text, "valu ", 0) + count_of(text, "valu ", 1);
    assert_int_equal(trans, TRANS);
    assert_int_equal(valu, VALU);
  }
  // An order of instructions changes no result: that is looked at once, at the
  // end, by whoever searches.
  assert_int_equal(now.checks, 0);
  done(&s);
}

/// One number is better, and nothing on the way to it is.
static tune_time plateau(const char *text) {
  return takes(count_of(text, "trans ", 0) == 11 ? 1 : 2);
}

static void test_crosses_what_is_equal(void **state) {
  (void)state;
  tune_search s = find(schedule, plateau, NULL, 1, 0);
  assert_true(s.improved);
  assert_true(s.best.seconds == 1);
  done(&s);
}

/// Neither the cut nor the recipe is better by itself.
static tune_time together(const char *text) {
  int cut = number_of(text, "exp[0", " to ");
  int trans = count_of(text, "trans ", 0);
  return takes(cut == 4 && trans == 14 ? 1 : 2);
}

static void test_moves_cut_with_recipe(void **state) {
  (void)state;
  tune_search s = find(schedule, together, NULL, 1, 0);
  assert_true(s.best.seconds == 1);
  assert_non_null(strstr(s.text, "exp[0 to 4 of 8]"));
  assert_non_null(strstr(s.text, "exp[4 to 8 of 8]"));
  assert_int_equal(count_of(s.text, "trans ", 0), 14);
  done(&s);
}

//===- What is no more than noise -----------------------------------------===//

/// As find(), with a threshold, up to `trials` candidates.
static tune_search find_above(const char *text, double threshold,
                              tune_time (*time)(const char *), uint64_t seed,
                              unsigned trials) {
  static tune_bench bench;
  char error[ERROR_BYTES];
  bench.context = context;
  now = (landscape){.time = time};
  tune_search s = {.bench = &bench,
                   .name = "found",
                   .end = seconds_now() + 1e6,
                   .most_trials = trials,
                   .seed = seed,
                   .threshold = threshold,
                   .command = "test"};
  const tune_time start = time(text);
  assert_true(tune_search_run(&s, text, &start, error));
  return s;
}

/// One choice is better by 1 %, one by 0.2 %.
static tune_time more_and_less(const char *text) {
  return takes(100 - (strstr(text, "packed = off") ? 1 : 0) -
               (strstr(text, "grid = head_major") ? 0.2 : 0));
}

static void test_leaves_what_is_noise(void **state) {
  (void)state;
  const double thresholds[] = {0, 0.005, 0.02};
  for (int i = 0; i < 3; ++i) {
    tune_search s = find_above(plain, thresholds[i], more_and_less, 1, 0);
    assert_int_equal(strstr(s.text, "grid = head_major") != NULL, i == 0);
    assert_int_equal(strstr(s.text, "packed = off") != NULL, i <= 1);
    assert_int_equal(s.improved, i <= 1);
    assert_int_equal(s.ended_by, TUNE_END_NOTHING_NEW);
    done(&s);
  }
}

/// Of two choices one makes up for the other.
static tune_time either(const char *text) {
  return takes(strstr(text, "grid = head_major") ? 90
               : strstr(text, "packed = off")    ? 95
                                                 : 100);
}

static void test_takes_fewer_changes(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    tune_search s = find_above(plain, 0.005, either, seed, 0);
    assert_true(s.best.seconds == 90);
    assert_non_null(strstr(s.text, "grid = head_major"));
    assert_null(strstr(s.text, "packed = off"));
    done(&s);
  }
}

/// Each step is less than the threshold, all together are more.
static tune_time small_steps(const char *text) {
  return takes(100 + 0.3 * abs(count_of(text, "trans ", 0) - 9));
}

static void test_adds_up_small_steps(void **state) {
  (void)state;
  tune_search s = find_above(schedule, 0.005, small_steps, 1, 2000);
  assert_true(s.improved);
  assert_true(s.best.seconds <= 100.6);
  done(&s);
}

//===- Times that are guessed ---------------------------------------------===//

/// As choices(), each time in proportion to that of the best.
static tune_time guesses(const char *text) {
  tune_time t = choices(text);
  t.guessed = true;
  return t;
}

/// What comes out is timed by itself, and is nothing if that is no better.
static void test_settles_what_was_guessed(void **state) {
  (void)state;
  const double start = choices(schedule).seconds;
  const double settled[] = {start - 1, start, start + 1};
  for (int i = 0; i < 3; ++i) {
    static tune_bench bench;
    char error[ERROR_BYTES];
    bench.context = context;
    now = (landscape){.time = guesses, .settled = settled[i]};
    tune_search s = {.bench = &bench,
                     .name = "found",
                     .end = seconds_now() + 1e6,
                     .most_trials = 40,
                     .seed = 1,
                     .command = "test"};
    const tune_time from = choices(schedule);
    assert_true(tune_search_run(&s, schedule, &from, error));
    assert_int_equal(s.improved, settled[i] < start);
    if (s.improved)
      assert_true(s.best.seconds == settled[i]);
    done(&s);
  }
}

//===- Ends ---------------------------------------------------------------===//

static tune_time flat(const char *text) {
  (void)text;
  return takes(1);
}

/// A schedule without recipes has been seen whole, each candidate once.
static void test_ends_by_itself(void **state) {
  (void)state;
  tune_search s = find(plain, flat, NULL, 1, 0);
  assert_false(s.improved);
  assert_true(now.count > 10);
  for (size_t i = 0; i < now.count; ++i)
    for (size_t j = 0; j < i; ++j)
      assert_string_not_equal(now.texts[i], now.texts[j]);
  done(&s);
}

static void test_ends_after_trials(void **state) {
  (void)state;
  tune_search s = find(schedule, flat, NULL, 1, 5);
  assert_int_equal(s.counts.tried, 5);
  done(&s);
}

static void test_ends_with_its_time(void **state) {
  (void)state;
  static tune_bench bench;
  bench.context = context;
  now = (landscape){.time = choices};
  char error[ERROR_BYTES];
  tune_search s = {.bench = &bench, .name = "found", .command = "test"};
  s.end = seconds_now(); // over before it begins
  const tune_time start = choices(schedule);
  assert_true(tune_search_run(&s, schedule, &start, error));
  assert_int_equal(s.counts.tried, 0);
  assert_false(s.improved);
  assert_true(s.best.seconds == start.seconds);
  done(&s);
}

static atomic_bool stop;

/// As choices(), and asks for the end with the seventh.
static tune_time choices_until_stopped(const char *text) {
  atomic_store(&stop, now.count == 7);
  return choices(text);
}

static void test_ends_when_asked(void **state) {
  (void)state;
  static tune_bench bench;
  bench.context = context;
  now = (landscape){.time = choices_until_stopped};
  char error[ERROR_BYTES];
  tune_search s = {.bench = &bench,
                   .name = "found",
                   .end = seconds_now() + 1e6,
                   .seed = 1,
                   .stop = &stop,
                   .command = "test"};
  const tune_time start = choices(schedule);
  assert_true(tune_search_run(&s, schedule, &start, error));
  assert_int_equal(s.counts.tried, 7);
  assert_int_equal(s.ended_by, TUNE_END_SIGNAL);
  done(&s);
}

static void test_same_seed_same_candidates(void **state) {
  (void)state;
  enum { TRIALS = 120 }; // beyond the choices
  char *first[TRIALS];
  for (int round = 0; round < 3; ++round) {
    tune_search s = find(schedule, flat, NULL, round < 2 ? 7 : 8, TRIALS);
    assert_true(now.count <= TRIALS && now.count > TRIALS / 2);
    size_t same = 0;
    for (size_t i = 0; i < now.count; ++i)
      if (round == 0)
        assert_non_null(first[i] = strdup(now.texts[i]));
      else
        same += strcmp(first[i], now.texts[i]) == 0;
    if (round == 1)
      assert_int_equal(same, now.count);
    if (round == 2) {
      assert_true(same < now.count / 2);
      for (size_t i = 0; i < now.count; ++i)
        free(first[i]);
    }
    done(&s);
  }
}

static void test_refuses_what_is_no_schedule(void **state) {
  (void)state;
  bool ok;
  char error[ERROR_BYTES];
  tune_search s = search("fmha.schedule", flat, NULL, 1, 0, &ok, error);
  assert_false(ok);
  assert_non_null(strstr(error, "reading the schedule to start from: "));
  done(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finds_choices),
      cmocka_unit_test(test_leaves_what_is_wrong),
      cmocka_unit_test(test_counts_verdicts),
      cmocka_unit_test(test_exchanges),
      cmocka_unit_test(test_crosses_what_is_equal),
      cmocka_unit_test(test_moves_cut_with_recipe),
      cmocka_unit_test(test_leaves_what_is_noise),
      cmocka_unit_test(test_takes_fewer_changes),
      cmocka_unit_test(test_adds_up_small_steps),
      cmocka_unit_test(test_settles_what_was_guessed),
      cmocka_unit_test(test_ends_by_itself),
      cmocka_unit_test(test_ends_after_trials),
      cmocka_unit_test(test_ends_with_its_time),
      cmocka_unit_test(test_ends_when_asked),
      cmocka_unit_test(test_same_seed_same_candidates),
      cmocka_unit_test(test_refuses_what_is_no_schedule),
  };
  if (fmhac_context_create(NULL, &context) != FMHAC_OK)
    return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_context_destroy(context);
  return failed;
}
