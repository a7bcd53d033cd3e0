// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "budget.h"
#include "code_object.h"
#include "loops.h"
#include "schedule_facts.h"

static void add_mix(cJSON *object, const mix *m) {
  cJSON *json = cJSON_AddObjectToObject(object, "mix");
  cJSON_AddNumberToObject(json, "instructions", (double)m->instructions);
  for (int c = 0; c < MIX_CLASS_COUNT; ++c)
    if (m->counts[c])
      cJSON_AddNumberToObject(json, mix_class_name((mix_class)c),
                              (double)m->counts[c]);
}

/// The loops with their budgets: null, and why, where there are none.
static void add_loops(cJSON *object, const kernel_code *code,
                      const code_kernel *k, const kernel_tile *tile,
                      const fmhac_timing_survey *survey) {
  cJSON *list = cJSON_AddArrayToObject(object, "loops");
  occupancy resident = occupancy_of(k, k->max_threads);
  for (size_t i = 0; i < code->loop_count; ++i) {
    const kernel_loop *l = &code->loops[i];
    cJSON *loop = cJSON_CreateObject();
    cJSON_AddNumberToObject(loop, "first_pc", (double)l->first_pc);
    cJSON_AddNumberToObject(loop, "last_pc", (double)l->last_pc);
    cJSON_AddNumberToObject(loop, "depth", l->depth);
    add_mix(loop, &l->mix);
    loop_budget b = budget_of(survey, l->first_pc, l->last_pc, resident, tile);
    cJSON_AddItemToObject(loop, "budget",
                          survey ? budget_json(&b) : cJSON_CreateNull());
    cJSON_AddItemToArray(list, loop);
  }
}

/// Copies a member of the metadata under a name without its dot.
static void copy_member(cJSON *to, const char *name, const cJSON *from,
                        const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);
  cJSON_AddItemToObject(
      to, name, item ? cJSON_Duplicate(item, true) : cJSON_CreateNull());
}

static void add_arguments(cJSON *object, const code_kernel *kernel) {
  cJSON *list = cJSON_AddArrayToObject(object, "arguments");
  const cJSON *argument;
  cJSON_ArrayForEach(argument, kernel->arguments) {
    cJSON *entry = cJSON_CreateObject();
    copy_member(entry, "name", argument, ".name");
    copy_member(entry, "offset", argument, ".offset");
    copy_member(entry, "size", argument, ".size");
    copy_member(entry, "kind", argument, ".value_kind");
    cJSON_AddItemToArray(list, entry);
  }
}

static cJSON *describe_kernel(const code_kernel *k) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", k->name);
  const struct {
    const char *key;
    uint32_t value;
  } numbers[] = {
      {"vgprs", k->vgprs},
      {"agprs", k->agprs},
      {"allocated_vgprs", k->allocated_vgprs},
      {"sgprs", k->sgprs},
      {"vgpr_spills", k->vgpr_spills},
      {"sgpr_spills", k->sgpr_spills},
      {"scratch_bytes", k->scratch_bytes},
      {"lds_bytes", k->lds_bytes},
      {"kernarg_bytes", k->kernarg_bytes},
      {"max_threads", k->max_threads},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  occupancy o = occupancy_of(k, k->max_threads);
  cJSON *json = cJSON_AddObjectToObject(object, "occupancy");
  cJSON_AddNumberToObject(json, "waves_per_simd", o.waves_per_simd);
  cJSON_AddNumberToObject(json, "workgroups_per_cu", o.workgroups_per_cu);
  cJSON_AddStringToObject(json, "limit", o.limit);
  cJSON *by = cJSON_AddObjectToObject(json, "workgroups_by");
  cJSON_AddNumberToObject(by, "registers", o.by_registers);
  if (o.by_lds)
    cJSON_AddNumberToObject(by, "lds", o.by_lds);
  else
    cJSON_AddNullToObject(by, "lds");
  cJSON_AddNumberToObject(by, "waves", o.by_waves);
  add_arguments(object, k);
  return object;
}

/// Everything about the kernels; false with a text on failure.
static bool add_kernels(cJSON *report, const code_object *object,
                        const void *bytes, size_t size,
                        char error[ERROR_BYTES]) {
  cJSON *list = cJSON_AddArrayToObject(report, "kernels");
  const kernel_tile tile = kernel_tile_of(object->note);
  for (size_t i = 0; i < object->kernel_count; ++i) {
    const code_kernel *k = &object->kernels[i];
    kernel_code code;
    if (!kernel_code_read(bytes, size, k->name, &code, error))
      return false;
    cJSON *json = describe_kernel(k);
    add_mix(json, &code.mix);
    cJSON_AddNumberToObject(json, "unknown_words", (double)code.unknown);
    fmhac_timing_survey *survey = NULL;
    char why[ERROR_BYTES];
    if (fmhac_timing_survey_create(bytes, size, k->name, NULL, why, sizeof why,
                                   &survey) != FMHAC_OK)
      cJSON_AddStringToObject(json, "budget_error", why);
    add_loops(json, &code, k, &tile, survey);
    fmhac_timing_survey_destroy(survey);
    cJSON_AddItemToArray(list, json);
    kernel_code_deinit(&code);
  }
  return true;
}

/// fmhac's note, with the configuration as an object instead of its text.
static cJSON *describe_note(const cJSON *note) {
  if (!note)
    return cJSON_CreateNull();
  cJSON *copy = cJSON_Duplicate(note, true);
  const char *text =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(note, "config"));
  cJSON *config = text ? cJSON_Parse(text) : NULL;
  if (config)
    cJSON_ReplaceItemInObjectCaseSensitive(copy, "config", config);
  char *file = schedule_file_of(note);
  schedule_file_json(copy, file);
  free(file);
  return copy;
}

cJSON *inspect_report(const char *path, char error[ERROR_BYTES]) {
  void *bytes;
  size_t size;
  if (!file_read(path, &bytes, &size, error))
    return NULL;
  cJSON *report = NULL;
  char why[ERROR_BYTES];
  code_object object;
  bool ok = code_object_read(bytes, size, &object, why);
  if (ok) {
    report = cJSON_CreateObject();
    cJSON_AddStringToObject(report, "file", path);
    cJSON_AddNumberToObject(report, "bytes", (double)size);
    cJSON_AddStringToObject(report, "target", object.target);
    cJSON_AddItemToObject(report, "note", describe_note(object.note));
    ok = add_kernels(report, &object, bytes, size, why);
  }
  if (!ok) {
    snprintf(error, ERROR_BYTES, "%.200s: %.290s", path, why);
    cJSON_Delete(report);
    report = NULL;
  }
  code_object_deinit(&object);
  free(bytes);
  return report;
}
