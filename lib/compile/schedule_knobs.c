// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as something to search in: parsed, changed by the dialect, printed.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "schedule_knobs.h"
#include "schedule_print.h"
#include "schedule_text.h"
#include "session.h"

/// How messages call the text.
static const char place[] = "schedule";
/// After the name of a schedule: the name of its recipe.
static const char recipe_suffix[] = "_recipe";

/// Parses a schedule file in the session of the context.
static fmhac_status parse(fmhac_context *context, const char *text,
                          const char *name, fmha_schedule_file *out_file) {
  fmhac_status status = fmhac_session_get(context);
  if (status != FMHAC_OK)
    return status;
  struct fmhac_session *session = context->compiler->session;
  fmhac_session_begin(session);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
  if (fmhaScheduleFileParse(session->mlir, mlirStringRefCreateFromCString(text),
                            mlirStringRefCreateFromCString(name), out_file))
    return FMHAC_OK;
  fmhac_str why = {0};
  fmhac_schedule_explain(name, text, fmhac_session_errors(session), &why);
  status = fmhac_fail(context, FMHAC_INVALID_INPUT, "%s",
                      why.text ? why.text : "no schedule file");
  fmhac_str_deinit(&why);
  return status;
}

fmhac_status fmhac_knobs_get_tile(fmhac_context *context, const char *text,
                                  const char *name, int64_t *out_rows,
                                  int64_t *out_keys) {
  fmha_schedule_file file;
  fmhac_status status = parse(context, text, name, &file);
  if (status != FMHAC_OK)
    return status;
  fmha_schedule_geometry geometry;
  if (!fmhaScheduleAttrGetGeometry(file.schedule, &geometry))
    return fmhac_fail(context, FMHAC_INTERNAL,
                      "%s: reading the geometry of the schedule failed", name);
  *out_rows = geometry.tile_m;
  *out_keys = geometry.tile_n;
  return FMHAC_OK;
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

fmhac_status fmhac_knobs_visit(fmhac_context *context, const char *text,
                               void (*visit)(void *user,
                                             const fmhac_schedule_knob *knob),
                               void *user) {
  fmha_schedule_file file;
  fmhac_status status = parse(context, text, place, &file);
  if (status != FMHAC_OK)
    return status;
  visitor v = {visit, user};
  fmhaScheduleAttrVisitKnobs(file.schedule, pass_on, &v);
  return FMHAC_OK;
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

fmhac_status fmhac_knobs_expand(fmhac_context *context, const char *text,
                                const char *name, char **out_text) {
  fmha_schedule_file file;
  fmhac_status status = parse(context, text, name, &file);
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

static bool is_symbol(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_')
    return false;
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

fmhac_status fmhac_knobs_change(fmhac_context *context, const char *text,
                                const char *new_name,
                                const fmhac_schedule_setting *settings,
                                size_t count, char **out_text) {
  if (!is_symbol(new_name))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "changing a schedule: expected a name of letters, digits "
                      "and _, found '%.60s'",
                      new_name);
  fmha_schedule_file file;
  fmhac_status status = parse(context, text, place, &file);
  if (status != FMHAC_OK)
    return status;
  fmhac_str out = {0};
  status = change(context, file.schedule, new_name, settings, count, &out);
  if (status == FMHAC_OK)
    status = hand_out(context, "changing", &out, out_text);
  fmhac_str_deinit(&out);
  return status;
}
