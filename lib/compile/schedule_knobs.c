// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as something to search in: parsed, changed by the dialect, printed.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "fmhac_schedule.h"
#include "require.h"
#include "schedule_print.h"
#include "schedule_text.h"
#include "session.h"

/// How messages call the text.
static const char place[] = "schedule";
/// After the name of a schedule: the name of its recipe.
static const char recipe_suffix[] = "_recipe";

/// Enters the session and parses; leave() is due if that succeeds.
static fmhac_status enter(fmhac_context *context, const char *text,
                          const char *name, fmha_schedule_file *out_file) {
  if (pthread_mutex_lock(&context->compiler->session_lock) != 0)
    return fmhac_fail(context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  fmhac_status status = fmhac_session_get(context);
  if (status == FMHAC_OK) {
    struct fmhac_session *session = context->compiler->session;
    fmhac_session_begin(session);
    mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
    if (fmhaScheduleFileParse(session->mlir,
                              mlirStringRefCreateFromCString(text),
                              mlirStringRefCreateFromCString(name), out_file))
      return FMHAC_OK;
    fmhac_str why = {0};
    fmhac_schedule_explain(name, text, fmhac_session_errors(session), &why);
    status = fmhac_fail(context, FMHAC_INVALID_INPUT, "%s",
                        why.text ? why.text : "no schedule file");
    fmhac_str_deinit(&why);
  }
  pthread_mutex_unlock(&context->compiler->session_lock);
  return status;
}

static void leave(fmhac_context *context) {
  pthread_mutex_unlock(&context->compiler->session_lock);
}

fmhac_status fmhac_schedule_get_tile(fmhac_context *context, const char *text,
                                     const char *name, int64_t *out_rows,
                                     int64_t *out_keys) {
  FMHAC_CLEAR(out_rows);
  FMHAC_CLEAR(out_keys);
  fmha_schedule_file file;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_GIVEN(text), FMHAC_GIVEN(name),
      FMHAC_GIVEN(out_rows), FMHAC_GIVEN(out_keys));
  if (status == FMHAC_OK)
    status = enter(context, text, name, &file);
  if (status != FMHAC_OK)
    return status;
  fmha_schedule_geometry geometry;
  if (fmhaScheduleAttrGetGeometry(file.schedule, &geometry)) {
    *out_rows = geometry.tile_m;
    *out_keys = geometry.tile_n;
  } else {
    status =
        fmhac_fail(context, FMHAC_INTERNAL,
                   "%s: reading the geometry of the schedule failed", name);
  }
  leave(context);
  return status;
}

typedef struct visitor {
  void (*visit)(void *user, const fmhac_schedule_knob *knob);
  void *user;
} visitor;

static void pass_on(void *user, const fmha_schedule_knob *knob) {
  const visitor *v = user;
  const fmhac_schedule_knob face = {.size = sizeof face,
                                    .name = knob->name,
                                    .pool = knob->pool,
                                    .word = knob->word,
                                    .value = knob->value,
                                    .low = knob->low,
                                    .high = knob->high,
                                    .step = knob->step};
  v->visit(v->user, &face);
}

fmhac_status fmhac_schedule_visit_knobs(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user) {
  fmha_schedule_file file;
  fmhac_status status = FMHAC_REQUIRE(context, FMHAC_GIVEN(context),
                                      FMHAC_GIVEN(text), FMHAC_GIVEN(visit));
  if (status == FMHAC_OK)
    status = enter(context, text, place, &file);
  if (status != FMHAC_OK)
    return status;
  visitor v = {visit, user};
  fmhaScheduleAttrVisitKnobs(file.schedule, pass_on, &v);
  leave(context);
  return FMHAC_OK;
}

static bool is_symbol(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_')
    return false;
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

/// The lines of comments that a text begins with.
static size_t comment_length(const char *text) {
  size_t length = 0;
  while (strncmp(text + length, "//", 2) == 0) {
    length += strcspn(text + length, "\n");
    length += text[length] == '\n';
  }
  return length;
}

/// Hands a text to the caller.
static fmhac_status hand_out(fmhac_context *context, const char *doing,
                             fmhac_str *text, char **out_text) {
  *out_text = text->failed ? NULL : fmhac_str_take(text);
  return *out_text ? FMHAC_OK
                   : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                                "%s a schedule: out of memory", doing);
}

fmhac_status fmhac_schedule_expand(fmhac_context *context, const char *text,
                                   const char *name, char **out_text) {
  FMHAC_CLEAR(out_text);
  fmha_schedule_file file;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(text),
                    FMHAC_GIVEN(name), FMHAC_GIVEN(out_text));
  if (status == FMHAC_OK)
    status = enter(context, text, name, &file);
  if (status != FMHAC_OK)
    return status;
  fmhac_str out = {0}, recipe = {0};
  fmhac_str_append_bytes(&out, text, comment_length(text));
  // Groups that stand in the stages of the file get the name of the schedule.
  fmhac_append_string_ref(file.recipe.length ? file.recipe : file.name,
                          &recipe);
  if (!file.recipe.length)
    fmhac_str_append(&recipe, recipe_suffix);
  fmhac_schedule_print(
      file.schedule, file.name,
      mlirStringRefCreate(recipe.text ? recipe.text : "", recipe.length), &out);
  out.failed |= recipe.failed;
  leave(context);
  status = hand_out(context, "printing", &out, out_text);
  fmhac_str_deinit(&recipe);
  fmhac_str_deinit(&out);
  return status;
}

/// The file's schedule with settings, printed under a new name.
static fmhac_status change(fmhac_context *context, MlirAttribute schedule,
                           const char *new_name,
                           const fmhac_schedule_setting *settings, size_t count,
                           fmhac_str *out) {
  struct fmhac_session *session = context->compiler->session;
  fmhac_session_begin(session);
  fmha_schedule_setting *faces = calloc(count ? count : 1, sizeof *faces);
  if (!faces)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "changing a schedule: out of memory");
  for (size_t i = 0; i < count; ++i)
    faces[i] = (fmha_schedule_setting){settings[i].name, settings[i].value};
  schedule = fmhaScheduleAttrSetKnobs(mlirLocationUnknownGet(session->mlir),
                                      schedule, faces, count);
  free(faces);
  if (mlirAttributeIsNull(schedule))
    return fmhac_fail(context, FMHAC_INVALID_INPUT, "changing a schedule: %s",
                      fmhac_session_errors(session));
  fmhac_str recipe = {0};
  fmhac_str_appendf(&recipe, "%s%s", new_name, recipe_suffix);
  fmhac_schedule_print(
      schedule, mlirStringRefCreateFromCString(new_name),
      mlirStringRefCreate(recipe.text ? recipe.text : "", recipe.length), out);
  out->failed |= recipe.failed;
  fmhac_str_deinit(&recipe);
  return FMHAC_OK;
}

fmhac_status fmhac_schedule_change(fmhac_context *context, const char *text,
                                   const char *new_name,
                                   const fmhac_schedule_setting *settings,
                                   size_t count, char **out_text) {
  FMHAC_CLEAR(out_text);
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_GIVEN(text), FMHAC_GIVEN(new_name),
      {"settings", settings || !count, NULL}, FMHAC_GIVEN(out_text));
  for (size_t i = 0; status == FMHAC_OK && i < count; ++i)
    status = FMHAC_REQUIRE(context, FMHAC_GIVEN(settings[i].name));
  if (status != FMHAC_OK)
    return status;
  if (!is_symbol(new_name))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "changing a schedule: expected a name of letters, digits "
                      "and _, found '%.60s'",
                      new_name);
  fmha_schedule_file file;
  status = enter(context, text, place, &file);
  if (status != FMHAC_OK)
    return status;
  fmhac_str out = {0};
  status = change(context, file.schedule, new_name, settings, count, &out);
  leave(context);
  if (status == FMHAC_OK)
    status = hand_out(context, "changing", &out, out_text);
  fmhac_str_deinit(&out);
  return status;
}
