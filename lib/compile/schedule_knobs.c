// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules as something to search in: parsed, changed by the dialect, printed.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "fmha_dialect_c.h"
#include "schedule_knobs.h"
#include "schedule_text.h"
#include "session.h"

/// How messages call the text.
static const char place[] = "schedule";

/// Parses a schedule in the session of the context.
static fmhac_status parse(fmhac_context *context, const char *text,
                          const char *name, MlirAttribute *out_schedule) {
  fmhac_status status = fmhac_session_get(context);
  if (status != FMHAC_OK)
    return status;
  struct fmhac_session *session = context->compiler->session;
  fmhac_session_begin(session);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
  MlirStringRef symbol;
  *out_schedule =
      fmhaScheduleAttrParse(session->mlir, mlirStringRefCreateFromCString(text),
                            mlirStringRefCreateFromCString(name), &symbol);
  if (!mlirAttributeIsNull(*out_schedule))
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
  MlirAttribute schedule;
  fmhac_status status = parse(context, text, name, &schedule);
  if (status != FMHAC_OK)
    return status;
  fmha_schedule_geometry geometry;
  if (!fmhaScheduleAttrGetGeometry(schedule, &geometry))
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
  MlirAttribute schedule;
  fmhac_status status = parse(context, text, place, &schedule);
  if (status != FMHAC_OK)
    return status;
  visitor v = {visit, user};
  fmhaScheduleAttrVisitKnobs(schedule, pass_on, &v);
  return FMHAC_OK;
}

/// Breaks a long line at its commas, where blanks mean nothing.
static void append_wrapped(const char *text, fmhac_str *out) {
  enum { WIDTH = 90 };
  size_t column = 0;
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, ",");
    length += at[length] == ',';
    if (column && column + length > WIDTH) {
      fmhac_str_append(out, "\n ");
      column = 1;
    }
    fmhac_str_append_bytes(out, at, length);
    column += length;
    at += length;
  }
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
  MlirAttribute schedule;
  fmhac_status status = parse(context, text, place, &schedule);
  if (status != FMHAC_OK)
    return status;
  struct fmhac_session *session = context->compiler->session;
  fmhac_session_begin(session);
  fmha_schedule_setting *faces = calloc(count ? count : 1, sizeof *faces);
  fmhac_str printed = {0}, out = {0};
  if (faces) {
    for (size_t i = 0; i < count; ++i)
      faces[i] = (fmha_schedule_setting){settings[i].name, settings[i].value};
    schedule = fmhaScheduleAttrSetKnobs(mlirLocationUnknownGet(session->mlir),
                                        schedule, faces, count);
    if (mlirAttributeIsNull(schedule)) {
      status =
          fmhac_fail(context, FMHAC_INVALID_INPUT, "changing a schedule: %s",
                     fmhac_session_errors(session));
    } else {
      mlirAttributePrint(schedule, fmhac_append_string_ref, &printed);
      fmhac_str_appendf(&out, "fmha.schedule @%s = ", new_name);
      append_wrapped(printed.text ? printed.text : "", &out);
      fmhac_str_append(&out, "\n");
    }
  }
  if (status == FMHAC_OK && faces && !printed.failed)
    *out_text = fmhac_str_take(&out);
  free(faces);
  if (status == FMHAC_OK && !*out_text)
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "changing a schedule: out of memory");
  fmhac_str_deinit(&printed);
  fmhac_str_deinit(&out);
  return status;
}
