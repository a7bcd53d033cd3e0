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

/// Name and tile of the kernel of a module.
static bool add_kernel(MlirModule module, cJSON *object) {
  MlirOperation kernel = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  // Functions of scores may come before it.
  while (mlirAttributeIsNull(mlirOperationGetAttributeByName(
             kernel, mlirStringRefCreateFromCString("schedule"))) &&
         !mlirOperationIsNull(mlirOperationGetNextInBlock(kernel)))
    kernel = mlirOperationGetNextInBlock(kernel);
  fmha_schedule_geometry geometry;
  MlirAttribute name = mlirOperationGetAttributeByName(
      kernel, mlirStringRefCreateFromCString("sym_name"));
  fmhac_str text = {0};
  fmhac_append_string_ref(mlirStringAttrGetValue(name), &text);
  const bool ok =
      text.text && !text.failed &&
      cJSON_AddStringToObject(object, "kernel", text.text) &&
      fmhaScheduleAttrGetGeometry(
          mlirOperationGetAttributeByName(
              kernel, mlirStringRefCreateFromCString("schedule")),
          &geometry) &&
      cJSON_AddNumberToObject(object, "tile_m", (double)geometry.tile_m) &&
      cJSON_AddNumberToObject(object, "tile_n", (double)geometry.tile_n);
  fmhac_str_deinit(&text);
  return ok;
}

fmhac_status fmhac_stages_describe(fmhac_context *context, const char *schedule,
                                   const char *text, char **out_json) {
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
  cJSON *object = cJSON_CreateObject();
  description d = {0};
  d.failed = !cJSON_AddStringToObject(object, "schedule", schedule) ||
             !add_kernel(module, object);
  d.stages = cJSON_AddArrayToObject(object, "stages");
  fmhaModuleVisitStages(module, add_stage, &d);
  mlirModuleDestroy(module);
  char *printed = d.failed ? NULL : cJSON_PrintUnformatted(object);
  *out_json = printed ? strdup(printed) : NULL;
  cJSON_free(printed);
  cJSON_Delete(object);
  return *out_json ? FMHAC_OK
                   : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                                "describing a schedule: out of memory");
}
