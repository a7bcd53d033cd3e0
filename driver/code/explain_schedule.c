// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain_schedule.h"

#include "fmhac_schedule.h"
#include "session.h"
#include "streams.h"

/// A row of counts, whose columns are those of the heading.
static void print_counts(const char *title, const cJSON *counts) {
  printx("%-10s %-8s", "", title);
  const cJSON *count;
  cJSON_ArrayForEach(count, counts) printx(" %7.0f", count->valuedouble);
  printx("\n");
}

static void print_stage(const cJSON *stage) {
  printx("\n@%-9s %-8s", text_in(stage, "name"), text_in(stage, "kind"));
  const cJSON *counts = json_get(stage, "instructions");
  const cJSON *count, *step;
  cJSON_ArrayForEach(count, counts) printx(" %7.0f", count->valuedouble);
  if (number_in(stage, "room_cycles") > 0)
    printx("  %.0f cycles of valu and trans, room for %.0f",
           number_in(stage, "takes_cycles"), number_in(stage, "room_cycles"));
  printx("\n");
  const cJSON *recipe = json_get(stage, "recipe");
  if (cJSON_IsObject(recipe)) {
    print_counts("recipe", recipe);
    print_counts("left", json_get(stage, "left_over"));
  }
  const char *separator = "           ";
  cJSON_ArrayForEach(step, json_get(stage, "steps")) {
    printx("%s%s", separator, cJSON_GetStringValue(step));
    separator = ", ";
  }
  printx("\n");
}

static void print_entry(const cJSON *object) {
  const char *when = text_in(object, "when");
  printx("schedule %s%s%s, %s: tiles of %.0f rows x %.0f keys\n",
         text_in(object, "schedule"), when[0] ? " if " : "", when,
         text_in(object, "kernel"), number_in(object, "tile_m"),
         number_in(object, "tile_n"));
  const cJSON *stages = json_get(object, "stages");
  const cJSON *stage = stages ? stages->child : NULL;
  printx("instructions per wave and tile if no branch is taken, without "
         "addresses; those that the\nrecipe asks for, and those that it leaves "
         "over (below 0: it asks for too many)\n\n%-19s",
         "");
  const cJSON *count;
  cJSON_ArrayForEach(count, json_get(stage, "instructions"))
      printx(" %7s", count->string);
  printx("\n");
  cJSON_ArrayForEach(stage, stages) print_stage(stage);
}

static int explain(const session *s) {
  char *json;
  fmhac_status status = fmhac_schedule_describe(s->context, s->config, &json);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  cJSON *object = cJSON_Parse(json);
  fmhac_free(json);
  if (s->r->json)
    return report_json(object, EXIT_DONE);
  const cJSON *entry;
  cJSON_ArrayForEach(entry, json_get(object, "entries")) {
    if (entry->prev->next)
      printx("\n"); // the first's prev is the last, which has no next
    print_entry(entry);
  }
  cJSON_Delete(object);
  return EXIT_DONE;
}

int explain_schedule(const report *r, args *a, const char *schedule) {
  if (!args_set_option(a, "schedule", schedule))
    return report_error(r, EXIT_USAGE, "no schedule '%.60s'", schedule);
  session s;
  int code = session_open(a, r, (session_options){.quiet = true}, &s);
  if (code == ARGS_CONTINUE)
    code = session_require_support(&s);
  if (code == ARGS_CONTINUE)
    code = explain(&s);
  session_close(&s);
  return code;
}
