// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of each stage of a pipeline, from which an author writes a
// recipe.
#include <cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "mlir-c/BuiltinAttributes.h"

#include "compiler.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "schedule_knobs.h"
#include "session.h"

/// Cycles of a SIMD, and those at the start of a matrix instruction in which it
/// issues nothing else. Source: docs/timing.md.
enum { VALU_CYCLES = 4, TRANS_CYCLES = 8, MATRIX_START_CYCLES = 8 };

/// If memory runs out the object is incomplete, and `failed` is set.
typedef struct description {
  cJSON *stages; ///< borrowed
  bool failed;
} description;

static void add_counts(description *d, cJSON *stage, const char *key,
                       const int64_t *counts) {
  cJSON *object = counts ? cJSON_AddObjectToObject(stage, key)
                         : cJSON_AddNullToObject(stage, key);
  d->failed |= !object;
  for (size_t i = 0; counts && i < FMHA_SCHED_CLASSES; ++i)
    d->failed |= !cJSON_AddNumberToObject(object, fmhaSchedClassName(i),
                                          (double)counts[i]);
}

static void add_stage(void *user, const fmha_stage *s) {
  description *d = user;
  cJSON *stage = cJSON_CreateObject();
  if (!cJSON_AddItemToArray(d->stages, stage)) {
    d->failed = true;
    return;
  }
  d->failed |= !cJSON_AddStringToObject(stage, "name", s->name) ||
               !cJSON_AddStringToObject(stage, "kind", s->kind);
  cJSON *steps = cJSON_AddArrayToObject(stage, "steps");
  for (size_t i = 0; i < s->step_count; ++i)
    d->failed |= !cJSON_AddItemToArray(steps, cJSON_CreateString(s->steps[i]));
  int64_t left_over[FMHA_SCHED_CLASSES];
  for (size_t i = 0; i < FMHA_SCHED_CLASSES; ++i)
    left_over[i] = s->instructions[i] - s->recipe[i];
  add_counts(d, stage, "instructions", s->instructions);
  add_counts(d, stage, "recipe", s->has_recipe ? s->recipe : NULL);
  add_counts(d, stage, "left_over", s->has_recipe ? left_over : NULL);
  const int64_t room = s->matrix_cycles - MATRIX_START_CYCLES;
  const int64_t takes = s->instructions[FMHA_VALU] * VALU_CYCLES +
                        s->instructions[FMHA_TRANS] * TRANS_CYCLES;
  d->failed |=
      !cJSON_AddNumberToObject(
          stage, "room_cycles",
          room > 0 ? (double)(s->instructions[FMHA_MFMA] * room) : 0) ||
      !cJSON_AddNumberToObject(stage, "takes_cycles", (double)takes);
}

static MlirAttribute schedule_of(MlirOperation kernel) {
  return mlirOperationGetAttributeByName(
      kernel, mlirStringRefCreateFromCString("schedule"));
}

/// Takes the kernels out of a module, at most `most`; functions of scores stay.
static size_t take_kernels(MlirModule module, MlirOperation *out_kernels,
                           size_t most) {
  size_t count = 0;
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  while (!mlirOperationIsNull(op) && count < most) {
    const MlirOperation next = mlirOperationGetNextInBlock(op);
    if (!mlirAttributeIsNull(schedule_of(op))) {
      mlirOperationRemoveFromParent(op);
      out_kernels[count++] = op;
    }
    op = next;
  }
  return count;
}

/// Name and tile of a kernel.
static bool add_kernel(MlirOperation kernel, cJSON *object) {
  fmha_schedule_geometry geometry;
  MlirAttribute name = mlirOperationGetAttributeByName(
      kernel, mlirStringRefCreateFromCString("sym_name"));
  fmhac_str text = {0};
  fmhac_append_string_ref(mlirStringAttrGetValue(name), &text);
  const bool ok =
      text.text && !text.failed &&
      cJSON_AddStringToObject(object, "kernel", text.text) &&
      fmhaScheduleAttrGetGeometry(schedule_of(kernel), &geometry) &&
      cJSON_AddNumberToObject(object, "tile_m", (double)geometry.tile_m) &&
      cJSON_AddNumberToObject(object, "tile_n", (double)geometry.tile_n);
  fmhac_str_deinit(&text);
  return ok;
}

/// The object of one kernel, which is alone in its module. NULL: out of memory.
static cJSON *describe_kernel(MlirModule module, MlirOperation kernel,
                              const char *schedule, const char *when) {
  cJSON *object = cJSON_CreateObject();
  description d = {0};
  d.failed = !cJSON_AddStringToObject(object, "schedule", schedule) ||
             !cJSON_AddStringToObject(object, "when", when) ||
             !add_kernel(kernel, object);
  d.stages = cJSON_AddArrayToObject(object, "stages");
  fmhaModuleVisitStages(module, add_stage, &d);
  if (!d.failed && d.stages)
    return object;
  cJSON_Delete(object);
  return NULL;
}

/// Whether the kernels are of the schedule that takes the place of a choice
/// that does not fit: one instead of several, or another than the first's.
static bool is_next(struct fmhac_session *session, const fmhac_choice *choice,
                    const MlirOperation *kernels, size_t count) {
  const fmhac_chosen *first = &choice->entries[0];
  fmha_schedule_file file;
  if (!choice->next || count != choice->count)
    return choice->next != NULL;
  return fmhaScheduleFileParse(
             session->mlir, mlirStringRefCreate(first->text, first->text_bytes),
             mlirStringRefCreateFromCString(first->name), &file) &&
         !mlirAttributeEqual(file.schedule, schedule_of(kernels[0]));
}

/// The object of a module, whose kernels it takes; NULL: out of memory.
static cJSON *describe_module(struct fmhac_session *session, MlirModule module,
                              const fmhac_choice *choice) {
  MlirOperation kernels[FMHAC_MOST_ENTRIES];
  const size_t count = take_kernels(module, kernels, choice->count);
  const bool next = is_next(session, choice, kernels, count);
  cJSON *entries = cJSON_CreateArray(), *object = NULL;
  bool ok = entries && count;
  for (size_t i = 0; i < count; ++i) {
    mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), kernels[i]);
    const fmhac_chosen *chosen = &choice->entries[i];
    cJSON *entry = ok ? describe_kernel(module, kernels[i],
                                        next ? choice->next : chosen->name,
                                        next ? "" : chosen->when)
                      : NULL;
    mlirOperationDestroy(kernels[i]);
    ok = entry && cJSON_AddItemToArray(entries, entry);
  }
  if (ok)
    object = cJSON_Duplicate(cJSON_GetArrayItem(entries, 0), true);
  if (!object || !cJSON_AddItemToObject(object, "entries", entries)) {
    cJSON_Delete(entries);
    cJSON_Delete(object);
    return NULL;
  }
  return object;
}

fmhac_status fmhac_stages_describe(fmhac_context *context,
                                   const fmhac_choice *choice, const char *text,
                                   char **out_json) {
  fmhac_status status = fmhac_session_get(context);
  if (status != FMHAC_OK)
    return status;
  struct fmhac_session *session = context->compiler->session;
  fmhac_session_begin(session);
  MlirModule module =
      fmhaModuleParse(session->mlir, mlirStringRefCreateFromCString(text),
                      mlirStringRefCreateFromCString("pipelined"));
  if (mlirModuleIsNull(module))
    return fmhac_fail(context, FMHAC_INTERNAL, "describing a schedule: %s",
                      fmhac_session_errors(session));
  cJSON *object = describe_module(session, module, choice);
  mlirModuleDestroy(module);
  char *printed = object ? cJSON_PrintUnformatted(object) : NULL;
  *out_json = printed ? strdup(printed) : NULL;
  cJSON_free(printed);
  cJSON_Delete(object);
  return *out_json ? FMHAC_OK
                   : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                                "describing a schedule: out of memory");
}
