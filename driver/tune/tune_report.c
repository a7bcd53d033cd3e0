// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_report.h"

#include <string.h>

#include "streams.h"

static const char *const verdict_names[] = {[TUNE_TIMED] = "timed",
                                            [TUNE_REFUSED] = "refused",
                                            [TUNE_SPILLED] = "does-not-fit",
                                            [TUNE_FAILED] = "failed"};

static const tune_time *best_of(const tune_result *t) {
  return t->found ? &t->search->best : &t->known[0].time;
}

/// A comparison without a search ends only by a signal.
static const char *ended_by(const tune_result *t) {
  return tune_end_name(t->search->text ? t->search->ended_by : TUNE_END_SIGNAL);
}

static void add_known(cJSON *list, const tune_known *known) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "schedule", known->name);
  cJSON_AddStringToObject(object, "verdict",
                          verdict_names[known->time.verdict]);
  if (known->time.verdict == TUNE_TIMED) {
    cJSON_AddNumberToObject(object, "seconds", known->time.seconds);
    cJSON_AddNumberToObject(object, "cycles_per_kv_tile", known->time.cycles);
  } else {
    cJSON_AddStringToObject(object, "why", known->time.why);
  }
  cJSON_AddItemToArray(list, object);
}

/// The differences between the found schedule and its origin: choices as
/// numbers with their words, recipes as the number of counts that differ.
static cJSON *changes_of(const tune_result *t, unsigned *out_counts) {
  cJSON *list = cJSON_CreateArray();
  tune_knobs before, after = {0};
  *out_counts = 0;
  if (tune_knobs_read(t->context, t->known[0].text, &before) &&
      tune_knobs_read(t->context, t->search->text, &after)) {
    for (size_t i = 0; i < after.count; ++i) {
      const tune_knob *k = &after.list[i], *old = NULL;
      for (size_t j = 0; j < before.count; ++j)
        if (strcmp(before.list[j].name, k->name) == 0)
          old = &before.list[j];
      if (old && old->value == k->value)
        continue;
      if (k->pool[0]) {
        ++*out_counts;
        continue;
      }
      cJSON *object = cJSON_CreateObject();
      cJSON_AddStringToObject(object, "name", k->name);
      if (old)
        cJSON_AddNumberToObject(object, "from", (double)old->value);
      cJSON_AddNumberToObject(object, "to", (double)k->value);
      if (k->word[0])
        cJSON_AddStringToObject(object, "word", k->word);
      cJSON_AddItemToArray(list, object);
    }
  }
  // Without memory the object is incomplete.
  tune_knobs_deinit(&after);
  tune_knobs_deinit(&before);
  return list;
}

cJSON *tune_result_json(const tune_result *t) {
  cJSON *object = cJSON_CreateObject();
  const tune_time *best = best_of(t);
  const tune_counts *c = &t->search->counts;
  char words[128];
  tune_problem_words(t->options, words);
  cJSON_AddStringToObject(object, "schedule",
                          t->found ? t->search->name : t->known[0].name);
  cJSON_AddStringToObject(object, "from", t->known[0].name);
  cJSON_AddStringToObject(object, "device", "emu modelled");
  cJSON_AddItemToObject(object, "config",
                        cJSON_Parse(fmhac_config_get_canonical(t->config)));
  cJSON_AddStringToObject(object, "problem", words);
  cJSON_AddNumberToObject(object, "seconds", best->seconds);
  cJSON_AddNumberToObject(object, "cycles_per_kv_tile", best->cycles);
  cJSON *known = cJSON_AddArrayToObject(object, "schedules");
  for (size_t i = 0; i < t->known_count; ++i)
    add_known(known, &t->known[i]);
  cJSON *counts = cJSON_AddObjectToObject(object, "candidates");
  const struct {
    const char *key;
    unsigned count;
  } numbers[] = {{"tried", c->tried},     {"timed", c->timed},
                 {"refused", c->refused}, {"do_not_fit", c->spilled},
                 {"failed", c->failed},   {"wrong", c->wrong}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    cJSON_AddNumberToObject(counts, numbers[i].key, numbers[i].count);
  if (t->search->text || t->interrupted)
    cJSON_AddStringToObject(object, "ended_by", ended_by(t));
  if (t->found) {
    unsigned recipes;
    cJSON_AddItemToObject(object, "changes", changes_of(t, &recipes));
    cJSON_AddNumberToObject(object, "recipe_counts_changed", recipes);
    cJSON_AddStringToObject(object, "text", t->search->text);
  }
  cJSON *check = cJSON_AddObjectToObject(object, "check");
  cJSON_AddBoolToObject(check, "pass", true);
  cJSON_AddStringToObject(check, "problem", t->checked.problem);
  if (t->checked.growing[0])
    cJSON_AddStringToObject(check, "growing_problem", t->checked.growing);
  if (t->checked.fixtures[0])
    cJSON_AddStringToObject(check, "fixtures_problem", t->checked.fixtures);
  const char *const files[][2] = {{"output", t->output}, {"table", t->table}};
  for (size_t i = 0; i < 2; ++i)
    if (files[i][1])
      cJSON_AddStringToObject(object, files[i][0], files[i][1]);
  return object;
}

static void print_time(const char *name, const tune_time *time,
                       const tune_time *best) {
  if (time->verdict != TUNE_TIMED)
    printx("  %-24s %s: %s\n", name, verdict_names[time->verdict], time->why);
  else
    printx("  %-24s %12.5g %10.3f %16.1f\n", name, 1e3 * time->seconds,
           time->seconds / best->seconds, time->cycles);
}

void tune_result_print(const tune_result *t) {
  const tune_time *best = best_of(t);
  const tune_counts *c = &t->search->counts;
  char words[128];
  tune_problem_words(t->options, words);
  printx("%s, by the cycle model:\n", words);
  printx("  %-24s %12s %10s %16s\n", "schedule", "ms", "to best",
         "cycles a KV tile");
  if (t->found)
    print_time(t->search->name, best, best);
  for (size_t i = 0; i < t->known_count; ++i)
    print_time(t->known[i].name, &t->known[i].time, best);
  if (c->tried)
    printx("%u candidates: %u timed, %u refused, %u do not fit, %u failed; of "
           "the better ones %u wrong; ended by %s\n",
           c->tried, c->timed, c->refused, c->spilled, c->failed, c->wrong,
           t->search->ended_by == TUNE_END_NOTHING_NEW
               ? "want of new ones"
               : tune_end_name(t->search->ended_by));
  if (t->found) {
    unsigned recipes;
    cJSON *changes = changes_of(t, &recipes);
    const cJSON *change;
    printx("%s is %s with", t->search->name, t->known[0].name);
    cJSON_ArrayForEach(change, changes) {
      const char *name = text_in(change, "name");
      if (json_get(change, "word"))
        printx(" %s = %s,", name, text_in(change, "word"));
      else
        printx(" %s = %.0f,", name, number_in(change, "to"));
    }
    printx(" %u counts of recipes changed\n", recipes);
    cJSON_Delete(changes);
  }
  printx("results are right on %s, with inputs normal, growing, spikes and "
         "rising\n",
         t->checked.problem);
  if (t->checked.growing[0])
    printx("            and on %s, with growing ones\n", t->checked.growing);
  if (t->checked.fixtures[0])
    printx("            and on %s, with fixture and sink\n",
           t->checked.fixtures);
  if (t->output)
    printx("schedule    %s\n", t->output);
  if (t->table)
    printx("table       %s\n", t->table);
}
