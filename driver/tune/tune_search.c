// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "fmhac_schedule.h"
#include "grow.h"
#include "seconds.h"
#include "streams.h"
#include "tune_check.h"

/// Knobs that one candidate changes, at most.
enum { MOST_SETTINGS = 8 };

/// The timed schedules, by a hash of their text.
typedef struct seen_set {
  uint64_t *list; ///< owned
  size_t count, capacity;
} seen_set;

typedef struct walker {
  tune_search *s;
  /// The position of the walk: at the best schedule, or, for recipes, at one
  /// that is as good and counts once it is better by the threshold.
  char *text; ///< owned
  tune_time time;
  tune_knobs knobs;
  tune_knobs start; ///< of the schedule that it started from
  seen_set seen;
  uint64_t random;
  char *error;
} walker;

//===- Knobs --------------------------------------------------------------===//

static void take_knob(void *user, const fmhac_schedule_knob *knob) {
  tune_knobs *knobs = user;
  tune_knob *list =
      realloc(knobs->list, (knobs->count + 1) * sizeof *knobs->list);
  if (!list) {
    knobs->failed = true;
    return;
  }
  knobs->list = list;
  tune_knob *k = &list[knobs->count++];
  *k = (tune_knob){.name = strdup(knob->name),
                   .pool = strdup(knob->pool),
                   .word = strdup(knob->word),
                   .value = knob->value,
                   .low = knob->low,
                   .high = knob->high,
                   .step = knob->step};
  knobs->failed |= !k->name || !k->pool || !k->word;
}

void tune_knobs_deinit(tune_knobs *knobs) {
  for (size_t i = 0; i < knobs->count; ++i) {
    free(knobs->list[i].name);
    free(knobs->list[i].pool);
    free(knobs->list[i].word);
  }
  free(knobs->list);
  *knobs = (tune_knobs){0};
}

bool tune_knobs_read(fmhac_context *context, const char *text,
                     tune_knobs *out) {
  *out = (tune_knobs){0};
  if (fmhac_schedule_visit_knobs(context, text, take_knob, out) == FMHAC_OK &&
      !out->failed)
    return true;
  tune_knobs_deinit(out);
  return false;
}

//===- Chance -------------------------------------------------------------===//

/// splitmix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014.
static uint64_t draw(walker *w) {
  uint64_t z = (w->random += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static size_t below(walker *w, size_t count) {
  return count ? (size_t)(draw(w) % count) : 0;
}

//===- Candidates ---------------------------------------------------------===//

/// True if the text is new; also where there is no memory to know.
static bool is_new(seen_set *seen, const char *text) {
  uint64_t hash = XXH3_64bits(text, strlen(text));
  for (size_t i = 0; i < seen->count; ++i)
    if (seen->list[i] == hash)
      return false;
  if (!FMHAC_GROW(seen->list, seen->count, seen->capacity))
    return true;
  seen->list[seen->count++] = hash;
  return true;
}

const char *tune_end_name(tune_end end) {
  static const char *const names[] = {[TUNE_END_NOTHING_NEW] = "nothing_new",
                                      [TUNE_END_BUDGET] = "budget",
                                      [TUNE_END_TRIALS] = "trials",
                                      [TUNE_END_SIGNAL] = "signal"};
  return names[end];
}

static bool has_time(const walker *w) {
  tune_search *s = w->s;
  s->ended_by = s->stop && atomic_load(s->stop) ? TUNE_END_SIGNAL
                : seconds_now() >= s->end       ? TUNE_END_BUDGET
                : s->most_trials && s->counts.tried >= s->most_trials
                    ? TUNE_END_TRIALS
                    : TUNE_END_NOTHING_NEW;
  return s->ended_by == TUNE_END_NOTHING_NEW;
}

static void count(tune_counts *counts, const tune_time *t) {
  ++counts->tried;
  counts->timed += t->verdict == TUNE_TIMED;
  counts->refused += t->verdict == TUNE_REFUSED;
  counts->spilled += t->verdict == TUNE_SPILLED;
  counts->failed += t->verdict == TUNE_FAILED;
}

/// -1, 0, 1: less time first, then fewer cycles.
static int compare_times(const tune_time *a, const tune_time *b) {
  if (a->seconds != b->seconds)
    return a->seconds < b->seconds ? -1 : 1;
  return a->cycles < b->cycles ? -1 : a->cycles > b->cycles;
}

static const tune_knob *find_knob(const tune_knobs *knobs, const char *name) {
  for (size_t i = 0; i < knobs->count; ++i)
    if (strcmp(knobs->list[i].name, name) == 0)
      return &knobs->list[i];
  return NULL;
}

/// Knobs whose values differ from the start.
static size_t count_changes(const walker *w, const tune_knobs *knobs) {
  size_t changes = 0;
  for (size_t i = 0; i < knobs->count; ++i) {
    const tune_knob *before = find_knob(&w->start, knobs->list[i].name);
    changes += !before || before->value != knobs->list[i].value;
  }
  return changes;
}

/// Whether a text has fewer changes than the best.
static bool changes_less(const walker *w, const char *text) {
  fmhac_context *context = w->s->bench->context;
  tune_knobs of_text, of_best = {0};
  bool less = tune_knobs_read(context, text, &of_text) &&
              tune_knobs_read(context, w->s->text, &of_best) &&
              count_changes(w, &of_text) < count_changes(w, &of_best);
  tune_knobs_deinit(&of_best);
  tune_knobs_deinit(&of_text);
  return less;
}

/// Whether a time is less than another by more than the model's noise.
static bool is_faster(const tune_search *s, const tune_time *t,
                      const tune_time *than) {
  return s->threshold > 0 ? t->seconds < than->seconds * (1 - s->threshold)
                          : compare_times(t, than) < 0;
}

/// Whether a text is to take the place of the best.
static bool is_better(const walker *w, const tune_time *t, const char *text) {
  const tune_search *s = w->s;
  return t->verdict == TUNE_TIMED &&
         (is_faster(s, t, &s->best) ||
          (compare_times(t, &s->best) == 0 && changes_less(w, text)));
}

static void print_trial(const tune_search *s, const tune_time *t,
                        const char *what) {
  if (!s->command)
    return;
  fprintx(stderr,
          "fmhac %s: %u tried, %.5g ms (%+.2f %%), %.1f cycles a KV tile: %s\n",
          s->command, s->counts.tried, 1e3 * t->seconds,
          100 * (t->seconds / s->best.seconds - 1), t->cycles, what);
}

/// The best is `text` from here on. False if there is no memory for it.
static bool take_as_best(tune_search *s, const char *text, const tune_time *t,
                         const char *what) {
  char *copy = strdup(text);
  if (!copy)
    return false;
  print_trial(s, t, what);
  s->improved = true;
  free(s->text);
  s->text = copy;
  s->best = *t;
  return true;
}

/// Whether results are right: a choice may change them.
static bool is_right(tune_search *s, const char *text, const char *what) {
  tune_checked on;
  char why[ERROR_BYTES];
  fmhac_status right = tune_check(s->bench, NULL, text, &on, why);
  s->counts.wrong += right == FMHAC_CHECK_FAILED;
  if (right != FMHAC_OK && s->command)
    fprintx(
        stderr, "fmhac %s: %s would be faster and %s: %s\n", s->command, what,
        right == FMHAC_CHECK_FAILED ? "is wrong" : "cannot be checked", why);
  return right == FMHAC_OK;
}

/// Goes on from `text`, which is the walker's.
static void move_to(walker *w, char *text, const tune_time *t) {
  fmhac_free(w->text);
  w->text = text;
  w->time = *t;
  tune_knobs_deinit(&w->knobs);
  if (!tune_knobs_read(w->s->bench->context, text, &w->knobs))
    snprintf(w->error, ERROR_BYTES, "reading a schedule: %.400s",
             fmhac_last_error(w->s->bench->context));
}

/// Times the schedule of the walk with some knobs set, and takes it if it is
/// better than the best. `walks`: the walk goes there also if it is as good as
/// the current position. The results of a changed choice are checked first.
/// True if it is the best. `out_known`: it was timed before, or is none.
static bool try_settings(walker *w, const fmhac_schedule_setting *settings,
                         size_t settings_count, bool walks, const char *what,
                         bool *out_known) {
  tune_search *s = w->s;
  char *text;
  *out_known = true;
  fmhac_status status = fmhac_schedule_change(
      s->bench->context, w->text, s->name, settings, settings_count, &text);
  if (status != FMHAC_OK) {
    // A combination that is no schedule was refused as others are.
    ++s->counts.tried;
    ++s->counts.refused;
    return false;
  }
  if (!is_new(&w->seen, text)) {
    fmhac_free(text);
    return false;
  }
  *out_known = false;
  tune_time t;
  tune_point_time(s->bench, NULL, text, &w->time, &t);
  count(&s->counts, &t);
  bool better = is_better(w, &t, text) && (walks || is_right(s, text, what));
  if (better && !take_as_best(s, text, &t, what))
    snprintf(w->error, ERROR_BYTES, "no memory for a schedule");
  if (better ||
      (walks && t.verdict == TUNE_TIMED && compare_times(&t, &w->time) <= 0))
    move_to(w, text, &t);
  else
    fmhac_free(text);
  return better;
}

//===- Choices, one by one ------------------------------------------------===//

/// Other values of a choice: all of a few, else its ends and its neighbours.
static size_t other_values(const tune_knob *k, int64_t out[4]) {
  const int64_t few = 4;
  size_t count = 0;
  if ((k->high - k->low) / k->step < few) {
    for (int64_t v = k->low; v <= k->high; v += k->step)
      if (v != k->value)
        out[count++] = v;
    return count;
  }
  const int64_t near[4] = {k->value - k->step, k->value + k->step, k->low,
                           k->high};
  for (size_t i = 0; i < 4; ++i) {
    bool again = near[i] < k->low || near[i] > k->high || near[i] == k->value;
    for (size_t j = 0; j < count; ++j)
      again |= out[j] == near[i];
    if (!again)
      out[count++] = near[i];
  }
  return count;
}

/// Tries each choice with each of its other values, in an order of chance. True
/// if something was better.
static bool try_choices(walker *w) {
  size_t count = 0;
  // Copies: the knobs are others once something was better.
  char **names = calloc(w->knobs.count + 1, sizeof *names);
  if (!names)
    return false;
  for (size_t i = 0; i < w->knobs.count; ++i)
    if (!w->knobs.list[i].pool[0] &&
        (names[count] = strdup(w->knobs.list[i].name)))
      ++count;
  for (size_t i = count; i > 1; --i) { // Fisher and Yates
    size_t j = below(w, i);
    char *held = names[i - 1];
    names[i - 1] = names[j];
    names[j] = held;
  }
  bool better = false;
  for (size_t i = 0; i < count && !w->error[0]; ++i) {
    const tune_knob *knob = find_knob(&w->knobs, names[i]);
    int64_t values[4];
    size_t value_count = knob ? other_values(knob, values) : 0;
    for (size_t v = 0; v < value_count && has_time(w); ++v) {
      const tune_knob *now = find_knob(&w->knobs, names[i]);
      if (!now || now->value == values[v])
        continue;
      char what[160];
      snprintf(what, sizeof what, "%.100s %" PRId64 " -> %" PRId64, names[i],
               now->value, values[v]);
      const fmhac_schedule_setting one = {names[i], values[v]};
      bool known;
      better |= try_settings(w, &one, 1, false, what, &known);
    }
  }
  for (size_t i = 0; i < count; ++i)
    free(names[i]);
  free(names);
  return better;
}

//===- Recipes ------------------------------------------------------------===//

static bool has_recipes(const walker *w) {
  for (size_t i = 0; i < w->knobs.count; ++i)
    if (w->knobs.list[i].pool[0])
      return true;
  return false;
}

static bool is_set(const fmhac_schedule_setting *settings, size_t count,
                   const char *name) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(settings[i].name, name) == 0)
      return true;
  return false;
}

/// A knob of the pool that can go up or down by one, by chance; NULL if none.
static const tune_knob *pick(walker *w, const char *pool, int64_t by,
                             const fmhac_schedule_setting *settings,
                             size_t count) {
  const tune_knob *found = NULL;
  size_t fits = 0;
  for (size_t i = 0; i < w->knobs.count; ++i) {
    const tune_knob *k = &w->knobs.list[i];
    if ((pool && strcmp(k->pool, pool) != 0) || !k->pool[0] ||
        k->value + by < k->low || k->value + by > k->high ||
        is_set(settings, count, k->name))
      continue;
    // Each candidate that fits is equally likely.
    if (below(w, ++fits) == 0)
      found = k;
  }
  return found;
}

/// Moves an instruction of a class from one group of a recipe to another, once
/// or a few times; now and then it also moves a cut.
static void try_exchange(walker *w, bool *out_known) {
  fmhac_schedule_setting settings[MOST_SETTINGS];
  size_t count = 0, moves = 1 + below(w, 3);
  char what[160] = "recipes";
  for (size_t i = 0; i < moves; ++i) {
    const tune_knob *from = pick(w, NULL, -1, settings, count);
    if (!from)
      break;
    settings[count++] = (fmhac_schedule_setting){from->name, from->value - 1};
    const tune_knob *to = pick(w, from->pool, 1, settings, count);
    if (!to) {
      --count;
      continue;
    }
    settings[count++] = (fmhac_schedule_setting){to->name, to->value + 1};
    const char *place = strrchr(to->name, '.'); // of the same stage
    if (i == 0)
      snprintf(what, sizeof what, "%.60s to %.60s, %s", from->name,
               place ? place + 1 : to->name, from->word);
  }
  const size_t some = 8;
  for (size_t i = 0; i < w->knobs.count; ++i) {
    const tune_knob *k = &w->knobs.list[i];
    const char *end = strrchr(k->name, '.');
    if (k->pool[0] || !end || strcmp(end, ".cut") != 0 || below(w, some) != 0)
      continue;
    int64_t value = k->value + (below(w, 2) ? k->step : -k->step);
    if (value >= k->low && value <= k->high && count < MOST_SETTINGS)
      settings[count++] = (fmhac_schedule_setting){k->name, value};
  }
  *out_known = true;
  if (count)
    (void)try_settings(w, settings, count, true, what, out_known);
}

//===- The search ---------------------------------------------------------===//

/// A schedule that was as good as the best by a rough sample is timed by
/// itself.
static void settle(tune_search *s, const tune_time *start) {
  if (!s->improved || !s->best.guessed)
    return;
  tune_time t;
  tune_point_time(s->bench, NULL, s->text, NULL, &t);
  s->improved = t.verdict == TUNE_TIMED && is_faster(s, &t, start);
  if (s->improved)
    s->best = t;
}

static void walker_deinit(walker *w) {
  fmhac_free(w->text);
  tune_knobs_deinit(&w->start);
  tune_knobs_deinit(&w->knobs);
  free(w->seen.list);
}

bool tune_search_run(tune_search *s, const char *text, const tune_time *start,
                     char error[ERROR_BYTES]) {
  error[0] = '\0';
  walker w = {.s = s, .random = s->seed, .error = error};
  fmhac_context *context = s->bench->context;
  s->best = w.time = *start;
  // Renamed, because the schedule that it is compared with is printed too.
  fmhac_status status =
      fmhac_schedule_change(context, text, s->name, NULL, 0, &w.text);
  if (status != FMHAC_OK || !tune_knobs_read(context, w.text, &w.knobs) ||
      !tune_knobs_read(context, w.text, &w.start)) {
    snprintf(error, ERROR_BYTES, "reading the schedule to start from: %.400s",
             fmhac_last_error(context));
    walker_deinit(&w);
    return false;
  }
  s->text = strdup(w.text);
  if (!s->text)
    snprintf(error, ERROR_BYTES, "no memory for a schedule");
  is_new(&w.seen, w.text);
  while (has_time(&w) && !error[0] && try_choices(&w))
    ;
  // Ends where nothing new is found for long: a small space has been seen
  // whole.
  const unsigned long_enough = 2000;
  for (unsigned old = 0;
       has_recipes(&w) && has_time(&w) && !error[0] && old < long_enough;) {
    bool known;
    try_exchange(&w, &known);
    old = known ? old + 1 : 0;
  }
  (void)has_time(&w); // for its reason: a signal may have come last
  walker_deinit(&w);
  settle(s, start);
  return !error[0];
}

void tune_search_deinit(tune_search *s) {
  free(s->text);
  s->text = NULL;
}
