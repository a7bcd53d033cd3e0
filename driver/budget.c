// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const k_unit_names[BUDGET_UNITS] = {
    "matrix",   "vector_port", "memory_port", "scalar_port", "lds",
    "lds_port", "lds_bus",     "vmem",        "wave"};

const char *budget_unit_name(budget_unit unit) {
  return (unsigned)unit < BUDGET_UNITS ? k_unit_names[unit] : NULL;
}

double timing_constant(const char *name, const char *changes) {
  double value = 0;
  for (size_t i = 0; i < fmhac_timing_constant_count(); ++i) {
    fmhac_timing_constant c = {.size = sizeof c};
    if (fmhac_timing_get_constant(i, &c) == FMHAC_OK &&
        strcmp(c.name, name) == 0)
      value = c.value;
  }
  const size_t length = strlen(name);
  for (const char *at = changes; at && *at; at += strcspn(at, ",")) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      value = strtod(at + length + 1, NULL);
  }
  return value;
}

/// Adds an instruction of one wave to what a round takes, a wave a SIMD.
static void add(loop_budget *b, const fmhac_timing_cost *c) {
  bool vector = false, memory = false;
  switch (c->kind) {
  case FMHAC_TIMING_CLASS_MFMA:
  case FMHAC_TIMING_CLASS_VALU:
  case FMHAC_TIMING_CLASS_PACKED:
  case FMHAC_TIMING_CLASS_TRANS:
    vector = true;
    break;
  case FMHAC_TIMING_CLASS_LDS:
  case FMHAC_TIMING_CLASS_VMEM:
    memory = true;
    break;
  default:
    break;
  }
  const bool is_matrix = c->kind == FMHAC_TIMING_CLASS_MFMA;
  b->wave[c->kind] += c->cycles;
  b->flops += (double)c->flops;
  b->round[BUDGET_MATRIX] +=
      c->kind == FMHAC_TIMING_CLASS_PACKED ? c->port_cycles : c->matrix_cycles;
  b->round[BUDGET_VECTOR_PORT] += vector ? c->port_cycles : 0;
  b->round[BUDGET_MEMORY_PORT] += memory ? c->port_cycles : 0;
  b->round[BUDGET_SCALAR_PORT] +=
      c->kind == FMHAC_TIMING_CLASS_SCALAR ? c->cycles : 0;
  b->round[BUDGET_LDS] += c->lds_cycles;
  b->round[BUDGET_LDS_PORT] +=
      c->kind == FMHAC_TIMING_CLASS_LDS ? c->port_cycles : 0;
  b->round[BUDGET_LDS_BUS] += c->lds_bus_cycles;
  b->round[BUDGET_VMEM] += c->vmem_cycles;
  // Behind a matrix instruction its wave goes on while the unit works.
  b->round[BUDGET_WAVE] += is_matrix ? c->port_cycles : c->cycles;
}

loop_budget budget_of(const fmhac_timing_survey *survey, uint64_t first_pc,
                      uint64_t last_pc, occupancy resident,
                      const kernel_tile *tile) {
  enum { PAIR = 2 }; // SIMDs that reach LDS together
  const double simds = timing_constant("simds", NULL);
  loop_budget b = {.waves_per_simd = resident.waves_per_simd};
  for (size_t i = 0; i < fmhac_timing_survey_cost_count(survey); ++i) {
    fmhac_timing_cost c = {.size = sizeof c};
    if (fmhac_timing_survey_get_cost(survey, i, &c) == FMHAC_OK &&
        c.pc >= first_pc && c.pc <= last_pc)
      add(&b, &c);
  }
  const double w = b.waves_per_simd;
  const double times[BUDGET_UNITS] = {[BUDGET_MATRIX] = w,
                                      [BUDGET_VECTOR_PORT] = w,
                                      [BUDGET_MEMORY_PORT] = w,
                                      [BUDGET_SCALAR_PORT] = w,
                                      [BUDGET_LDS] = simds * w,
                                      [BUDGET_LDS_PORT] = PAIR * w,
                                      [BUDGET_LDS_BUS] = PAIR * w,
                                      [BUDGET_VMEM] = simds * w,
                                      [BUDGET_WAVE] = 1};
  for (int u = 0; u < BUDGET_UNITS; ++u) {
    b.round[u] *= times[u];
    if (b.round[u] > b.round[b.critical])
      b.critical = (budget_unit)u;
  }
  if (tile->matrix_flops <= 0)
    return b;
  // A loop that does anything else is none over the keys.
  double tiles = b.flops * resident.waves / tile->matrix_flops;
  double whole = round(tiles);
  if (whole < 1 || fabs(tiles - whole) > 1e-6 * whole)
    return b;
  b.kv_tiles = whole;
  if (resident.workgroups_per_cu)
    b.cycles_per_kv_tile =
        b.round[b.critical] / (whole * resident.workgroups_per_cu);
  return b;
}

static void add_known(cJSON *object, const char *key, double value) {
  if (value > 0)
    cJSON_AddNumberToObject(object, key, value);
  else
    cJSON_AddNullToObject(object, key);
}

cJSON *budget_json(const loop_budget *b) {
  cJSON *object = cJSON_CreateObject();
  cJSON *wave = cJSON_AddObjectToObject(object, "wave_cycles");
  for (int c = 0; c < FMHAC_TIMING_CLASSES; ++c)
    if (b->wave[c] > 0)
      cJSON_AddNumberToObject(
          wave, fmhac_timing_class_name((fmhac_timing_class)c), b->wave[c]);
  cJSON_AddNumberToObject(object, "flops", b->flops);
  cJSON_AddNumberToObject(object, "waves_per_simd", b->waves_per_simd);
  cJSON *units = cJSON_AddObjectToObject(object, "round_cycles");
  for (int u = 0; u < BUDGET_UNITS; ++u)
    cJSON_AddNumberToObject(units, budget_unit_name((budget_unit)u),
                            b->round[u]);
  cJSON_AddStringToObject(object, "critical", budget_unit_name(b->critical));
  cJSON_AddNumberToObject(object, "cycles", b->round[b->critical]);
  add_known(object, "kv_tiles", b->kv_tiles);
  add_known(object, "cycles_per_kv_tile", b->cycles_per_kv_tile);
  return object;
}
