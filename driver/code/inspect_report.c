// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "budget.h"
#include "in_flight.h"
#include "loops.h"
#include "occupancy.h"
#include "report.h"
#include "schedule_facts.h"
#include "work_items.h"

/// The inspected object, and the LDS that its launch adds.
typedef struct inspect_source {
  const void *bytes;
  size_t size;
  int64_t dynamic_lds; ///< -1: not given
} inspect_source;

static void add_mix(cJSON *object, const char *key, const mix *m) {
  cJSON *json = cJSON_AddObjectToObject(object, key);
  cJSON_AddNumberToObject(json, "instructions", (double)m->instructions);
  for (int c = 0; c < MIX_CLASS_COUNT; ++c)
    if (m->counts[c])
      cJSON_AddNumberToObject(json, mix_class_name((mix_class)c),
                              (double)m->counts[c]);
}

/// Where the code of a loop lies: [[first_pc, last_pc], …], by address.
static void add_ranges(cJSON *object, const kernel_code *code,
                       const kernel_loop *l) {
  cJSON *list = cJSON_AddArrayToObject(object, "ranges");
  const flow *f = &code->flow;
  cJSON *last = NULL;
  for (uint32_t b = 0; b < f->block_count; ++b) {
    if (!flow_loop_has(f, l->flow_loop, b)) {
      last = NULL;
      continue;
    }
    const double end = (double)code->insns[f->blocks[b].end - 1].pc;
    if (last) {
      cJSON_SetNumberValue(last, end);
      continue;
    }
    const double first = (double)code->insns[f->blocks[b].first].pc;
    cJSON *range = cJSON_CreateDoubleArray((double[]){first, end}, 2);
    last = cJSON_GetArrayItem(range, 1);
    cJSON_AddItemToArray(list, range);
  }
}

/// The loops with their budgets: null, and why, where there are none.
static void add_loops(cJSON *object, const kernel_code *code,
                      occupancy resident, const kernel_tile *tile,
                      const fmhac_timing_survey *survey) {
  cJSON *list = cJSON_AddArrayToObject(object, "loops");
  for (size_t i = 0; i < code->loop_count; ++i) {
    const kernel_loop *l = &code->loops[i];
    cJSON *loop = cJSON_CreateObject();
    cJSON_AddNumberToObject(loop, "first_pc", (double)l->first_pc);
    cJSON_AddNumberToObject(loop, "last_pc", (double)l->last_pc);
    cJSON_AddNumberToObject(loop, "header_pc", (double)l->header_pc);
    cJSON_AddNumberToObject(loop, "back_edges", l->back_edges);
    cJSON_AddNumberToObject(loop, "depth", l->depth);
    add_ranges(loop, code, l);
    add_mix(loop, "mix", &l->mix);
    add_mix(loop, "mix_always", &l->least);
    loop_budget b;
    const bool known = survey && budget_of(survey, code, l, resident, tile, &b);
    cJSON_AddItemToObject(loop, "budget",
                          known ? budget_json(&b) : cJSON_CreateNull());
    cJSON_AddItemToObject(loop, "in_flight",
                          survey ? in_flight_json(survey, code, l, &resident)
                                 : cJSON_CreateNull());
    cJSON_AddItemToArray(list, loop);
  }
}

/// The members between the code and its loops.
static void add_remarks(cJSON *object, const kernel_code *code) {
  cJSON *list = cJSON_AddArrayToObject(object, "remarks");
  const flow *f = &code->flow;
  char text[200];
  if (f->irreducible) {
    snprintf(text, sizeof text,
             "%u jump%s backwards into code that is entered elsewhere too "
             "(first: 0x%llx to 0x%llx): no loop is counted there",
             f->irreducible, f->irreducible > 1 ? "s" : "",
             (unsigned long long)code->insns[f->irreducible_from].pc,
             (unsigned long long)code->insns[f->irreducible_to].pc);
    cJSON_AddItemToArray(list, cJSON_CreateString(text));
  }
  if (code->indirect) {
    snprintf(text, sizeof text,
             "%zu jump%s by registers or call%s: where to is not followed, "
             "loops around may be missing",
             code->indirect, code->indirect > 1 ? "s" : "",
             code->indirect > 1 ? "s" : "");
    cJSON_AddItemToArray(list, cJSON_CreateString(text));
  }
}

/// Copies a member of the metadata under a name without its dot.
static void copy_member(cJSON *to, const char *name, const cJSON *from,
                        const char *key) {
  const cJSON *item = json_get(from, key);
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
  cJSON_AddStringToObject(object, "name", k->facts.name);
  const struct {
    const char *key;
    uint32_t value;
  } numbers[] = {
      {"vgprs", k->facts.vgprs},
      {"agprs", k->facts.agprs},
      {"allocated_vgprs", k->facts.allocated_vgprs},
      {"sgprs", k->facts.sgprs},
      {"vgpr_spills", k->facts.vgpr_spills},
      {"sgpr_spills", k->facts.sgpr_spills},
      {"scratch_bytes", k->facts.scratch_bytes},
      {"lds_bytes", k->facts.lds_bytes},
      {"kernarg_bytes", k->facts.kernarg_bytes},
      {"max_threads", k->facts.max_threads},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    cJSON_AddNumberToObject(object, numbers[i].key, numbers[i].value);
  add_arguments(object, k);
  return object;
}

/// Registers, LDS and slots together; null where LDS is not known.
static void add_occupancy(cJSON *object, const occupancy *o) {
  if (!o->limit) {
    cJSON_AddNullToObject(object, "occupancy");
    return;
  }
  cJSON *json = cJSON_AddObjectToObject(object, "occupancy");
  cJSON_AddNumberToObject(json, "waves_per_simd", o->waves_per_simd);
  cJSON_AddNumberToObject(json, "workgroups_per_cu", o->workgroups_per_cu);
  cJSON_AddStringToObject(json, "limit", o->limit);
  cJSON *by = cJSON_AddObjectToObject(json, "workgroups_by");
  cJSON_AddNumberToObject(by, "registers", o->by_registers);
  json_add_known(by, "lds", o->by_lds, o->by_lds);
  cJSON_AddNumberToObject(by, "waves", o->by_waves);
}

/// LDS that a launch adds: `dynamic_lds`, if it is given.
static bool add_lds(cJSON *object, code_kernel *k, const kernel_code *code,
                    int64_t dynamic_lds, occupancy *out_resident,
                    char error[ERROR_BYTES]) {
  const int64_t room = (int64_t)FMHAC_LDS_BYTES - k->facts.lds_bytes;
  const bool dynamic =
      k->facts.dynamic_lds || (k->facts.lds_bytes == 0 && code->touches_lds);
  if (dynamic_lds >= 0 && dynamic_lds > room)
    return ERROR_SET(
        error,
        "--dynamic-lds: expected at most %lld bytes (%d of a workgroup, "
        "less %u that kernel '%.100s' has), found %lld",
        (long long)(room > 0 ? room : 0), FMHAC_LDS_BYTES, k->facts.lds_bytes,
        k->facts.name, (long long)dynamic_lds);
  cJSON_AddBoolToObject(object, "lds_is_dynamic", dynamic);
  json_add_known(object, "dynamic_lds_bytes", dynamic_lds >= 0,
                 (double)dynamic_lds);
  k->dynamic_lds_bytes = dynamic_lds > 0 ? (uint32_t)dynamic_lds : 0;
  *out_resident = occupancy_of(k, k->facts.max_threads);
  if (dynamic && dynamic_lds < 0)
    *out_resident = (occupancy){.waves = out_resident->waves};
  add_occupancy(object, out_resident);
  return true;
}

static bool add_kernel(cJSON *list, code_kernel k, const kernel_code *code,
                       const kernel_tile *tile, const inspect_source *from,
                       char error[ERROR_BYTES]) {
  cJSON *json = describe_kernel(&k);
  cJSON_AddItemToArray(list, json);
  occupancy resident;
  if (!add_lds(json, &k, code, from->dynamic_lds, &resident, error))
    return false;
  add_mix(json, "mix", &code->mix);
  cJSON_AddNumberToObject(json, "unknown_words", (double)code->unknown);
  fmhac_timing_survey *survey = NULL;
  char why[ERROR_BYTES];
  if (fmhac_timing_survey_create(from->bytes, from->size, k.facts.name, NULL,
                                 why, sizeof why, &survey) != FMHAC_OK)
    cJSON_AddStringToObject(json, "budget_error", why);
  add_loops(json, code, resident, tile, survey);
  add_remarks(json, code);
  fmhac_timing_survey_destroy(survey);
  return true;
}

/// Everything about the kernels; false with a text on failure.
static bool add_kernels(cJSON *root, const code_object *object,
                        const inspect_source *from, char error[ERROR_BYTES]) {
  cJSON *list = cJSON_AddArrayToObject(root, "kernels");
  bool ok = true;
  for (size_t i = 0; ok && i < object->kernel_count; ++i) {
    const code_kernel *k = &object->kernels[i];
    kernel_code code;
    if (!kernel_code_read(from->bytes, from->size, k->facts.name, &code, error))
      return false;
    const kernel_tile tile = kernel_tile_of(object->note, k->facts.name);
    ok = add_kernel(list, *k, &code, &tile, from, error);
    kernel_code_deinit(&code);
  }
  return ok;
}

/// fmhac's note, with the configuration as an object instead of its text.
static cJSON *describe_note(const cJSON *note) {
  if (!note)
    return cJSON_CreateNull();
  cJSON *copy = cJSON_Duplicate(note, true);
  cJSON *config = cJSON_Parse(text_in(note, "config"));
  if (config)
    cJSON_ReplaceItemInObjectCaseSensitive(copy, "config", config);
  cJSON *entry;
  cJSON_ArrayForEach(entry, json_get(copy, "entries")) {
    char *file = schedule_file_of(note, text_in(entry, "kernel"));
    schedule_file_json(entry, file);
    free(file);
  }
  return copy;
}

cJSON *inspect_report(const char *path, int64_t dynamic_lds,
                      char error[ERROR_BYTES]) {
  void *bytes;
  size_t size;
  if (!file_read(path, &bytes, &size, error))
    return NULL;
  cJSON *root = NULL;
  char why[ERROR_BYTES];
  code_object object;
  bool ok = code_object_read(bytes, size, &object, why);
  if (ok) {
    root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "file", path);
    cJSON_AddNumberToObject(root, "bytes", (double)size);
    cJSON_AddStringToObject(root, "target",
                            fmhac_object_get_target(object.object));
    cJSON_AddItemToObject(root, "note", describe_note(object.note));
    const inspect_source from = {bytes, size, dynamic_lds};
    ok = add_kernels(root, &object, &from, why);
  }
  if (!ok) {
    snprintf(error, ERROR_BYTES, "%.200s: %.290s", path, why);
    cJSON_Delete(root);
    root = NULL;
  }
  code_object_deinit(&object);
  free(bytes);
  return root;
}
