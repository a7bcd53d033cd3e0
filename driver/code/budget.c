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

/// The numbers of a block, as flow_loop_sums() takes them.
enum {
  FLOPS = FMHAC_TIMING_MOST_CLASSES,
  ROUND,
  NUMBERS = ROUND + BUDGET_UNITS
};

/// Adds an instruction of one wave to the cycles of a round, with one wave per
/// SIMD.
static void add(double *numbers, const fmhac_timing_cost *c) {
  const bool is_matrix = c->kind == FMHAC_TIMING_CLASS_MFMA;
  const bool vector = is_matrix || c->kind == FMHAC_TIMING_CLASS_VALU ||
                      c->kind == FMHAC_TIMING_CLASS_PACKED ||
                      c->kind == FMHAC_TIMING_CLASS_TRANS;
  const bool memory =
      c->kind == FMHAC_TIMING_CLASS_LDS || c->kind == FMHAC_TIMING_CLASS_VMEM;
  double *round = numbers + ROUND;
  numbers[c->kind] += c->cycles;
  numbers[FLOPS] += (double)c->flops;
  round[BUDGET_MATRIX] +=
      c->kind == FMHAC_TIMING_CLASS_PACKED ? c->port_cycles : c->matrix_cycles;
  round[BUDGET_VECTOR_PORT] += vector ? c->port_cycles : 0;
  round[BUDGET_MEMORY_PORT] += memory ? c->port_cycles : 0;
  round[BUDGET_SCALAR_PORT] +=
      c->kind == FMHAC_TIMING_CLASS_SCALAR ? c->cycles : 0;
  round[BUDGET_LDS] += c->lds_cycles;
  round[BUDGET_LDS_PORT] +=
      c->kind == FMHAC_TIMING_CLASS_LDS ? c->port_cycles : 0;
  round[BUDGET_LDS_BUS] += c->lds_bus_cycles;
  round[BUDGET_VMEM] += c->vmem_cycles;
  // After a matrix instruction its wave goes on while the unit works.
  round[BUDGET_WAVE] += is_matrix ? c->port_cycles : c->cycles;
}

static loop_need need_of(const double *numbers, double waves) {
  enum { PAIR = 2 }; // SIMDs that reach LDS together
  const double simds = timing_constant("simds", NULL);
  const double times[BUDGET_UNITS] = {[BUDGET_MATRIX] = waves,
                                      [BUDGET_VECTOR_PORT] = waves,
                                      [BUDGET_MEMORY_PORT] = waves,
                                      [BUDGET_SCALAR_PORT] = waves,
                                      [BUDGET_LDS] = simds * waves,
                                      [BUDGET_LDS_PORT] = PAIR * waves,
                                      [BUDGET_LDS_BUS] = PAIR * waves,
                                      [BUDGET_VMEM] = simds * waves,
                                      [BUDGET_WAVE] = 1};
  loop_need need = {.flops = numbers[FLOPS]};
  memcpy(need.wave, numbers, sizeof need.wave);
  for (int u = 0; u < BUDGET_UNITS; ++u) {
    need.round[u] = numbers[ROUND + u] * times[u];
    if (need.round[u] > need.round[need.critical])
      need.critical = (budget_unit)u;
  }
  return need;
}

/// The most KV tiles that a path through the loop may have; a loop with other
/// work is not the KV loop.
static double kv_tiles_of(double flops, const occupancy *resident,
                          const kernel_tile *tile) {
  if (tile->matrix_flops <= 0)
    return 0;
  const double tiles = flops * resident->waves / tile->matrix_flops;
  const double whole = round(tiles);
  return whole < 1 || fabs(tiles - whole) > 1e-6 * whole ? 0 : whole;
}

bool budget_of(const fmhac_timing_survey *survey, const kernel_code *code,
               const kernel_loop *loop, occupancy resident,
               const kernel_tile *tile, loop_budget *out_budget) {
  *out_budget = (loop_budget){.waves_per_simd = resident.waves_per_simd};
  double *weights =
      calloc((size_t)code->flow.block_count * NUMBERS + 1, sizeof *weights);
  if (!weights)
    return false;
  for (size_t i = 0; i < fmhac_timing_survey_cost_count(survey); ++i) {
    fmhac_timing_cost c = {.size = sizeof c};
    if (fmhac_timing_survey_get_cost(survey, i, &c) != FMHAC_OK)
      continue;
    const uint32_t block = kernel_code_block_at(code, c.pc);
    if (block != FLOW_NONE)
      add(weights + (size_t)block * NUMBERS, &c);
  }
  double least[NUMBERS], most[NUMBERS];
  const bool ok = flow_loop_sums(&code->flow, loop->flow_loop, weights, NUMBERS,
                                 least, most);
  free(weights);
  if (!ok)
    return false;
  loop_budget *b = out_budget;
  b->always = need_of(least, b->waves_per_simd);
  b->at_most = need_of(most, b->waves_per_simd);
  b->kv_tiles = kv_tiles_of(b->at_most.flops, &resident, tile);
  const double tiles = b->kv_tiles * resident.workgroups_per_cu;
  loop_need *const needs[] = {&b->always, &b->at_most};
  for (int i = 0; tiles > 0 && i < 2; ++i)
    needs[i]->cycles_per_kv_tile = needs[i]->round[needs[i]->critical] / tiles;
  return true;
}

static void add_known(cJSON *object, const char *key, double value) {
  if (value > 0)
    cJSON_AddNumberToObject(object, key, value);
  else
    cJSON_AddNullToObject(object, key);
}

static void add_need(cJSON *to, const char *key, const loop_need *need,
                     bool rounds) {
  cJSON *object = cJSON_AddObjectToObject(to, key);
  cJSON *wave = cJSON_AddObjectToObject(object, "wave_cycles");
  for (int c = 0; c < FMHAC_TIMING_MOST_CLASSES; ++c)
    if (need->wave[c] > 0)
      cJSON_AddNumberToObject(
          wave, fmhac_timing_class_name((fmhac_timing_class)c), need->wave[c]);
  cJSON_AddNumberToObject(object, "flops", need->flops);
  if (!rounds) {
    static const char *const unknown[] = {"round_cycles", "critical", "cycles"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
      cJSON_AddNullToObject(object, unknown[i]);
  } else {
    cJSON *units = cJSON_AddObjectToObject(object, "round_cycles");
    for (int u = 0; u < BUDGET_UNITS; ++u)
      cJSON_AddNumberToObject(units, budget_unit_name((budget_unit)u),
                              need->round[u]);
    cJSON_AddStringToObject(object, "critical",
                            budget_unit_name(need->critical));
    cJSON_AddNumberToObject(object, "cycles", need->round[need->critical]);
  }
  add_known(object, "cycles_per_kv_tile", need->cycles_per_kv_tile);
}

cJSON *budget_json(const loop_budget *b) {
  cJSON *object = cJSON_CreateObject();
  add_known(object, "waves_per_simd", b->waves_per_simd);
  add_known(object, "kv_tiles", b->kv_tiles);
  add_need(object, "always", &b->always, b->waves_per_simd > 0);
  add_need(object, "at_most", &b->at_most, b->waves_per_simd > 0);
  return object;
}
