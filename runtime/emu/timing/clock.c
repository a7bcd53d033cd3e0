// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of the part. Power limits it, and the matrix units and the vector
// ALUs take most of the power, then what comes from HBM.
#include <math.h>

#include "timing.h"

// The clock stays above 0 for any constants of a user.
#define LEAST_GHZ 0.1

emu_time_load emu_time_load_of(const emu_time_result *r, double units) {
  emu_time_load load = {0};
  const double all = (double)r->cycles * units;
  for (int i = 0; all > 0 && i < EMU_OPERANDS_COUNT; i++)
    load.matrix[i] = (double)r->matrix_cycles[i] / all;
  load.vector = all > 0 ? (double)r->vector_cycles / all : 0;
  return load;
}

double emu_time_matrix_share(const emu_time_load *load) {
  double sum = 0;
  for (int i = 0; i < EMU_OPERANDS_COUNT; i++)
    sum += load->matrix[i];
  return sum;
}

static double within_limits(const emu_time_constants *k, double ghz) {
  ghz = ghz < k->clock_ceiling_ghz ? ghz : k->clock_ceiling_ghz;
  return ghz > LEAST_GHZ ? ghz : LEAST_GHZ;
}

double emu_time_clock_ghz(const emu_time_constants *k,
                          const emu_time_load *load) {
  double ghz = k->clock_at_rest_ghz -
               k->clock_matrix_ghz * load->matrix[EMU_OPERANDS_WIDE] -
               k->clock_f16_ghz * load->matrix[EMU_OPERANDS_F16] -
               k->clock_narrow_ghz * load->matrix[EMU_OPERANDS_NARROW] -
               k->clock_vector_ghz * load->vector;
  // So many bytes a cycle are ghz times as many a ns, and these take power:
  // ghz = without - clock_hbm_ghz * hbm_bytes * ghz.
  return within_limits(k, ghz / (1 + k->clock_hbm_ghz * load->hbm_bytes));
}

double emu_time_cool_clock_ghz(const emu_time_constants *k, double ghz) {
  return within_limits(k, ghz * k->clock_cool_ratio);
}

//===-- Before a workgroup is timed ---------------------------------------===//

/// Sums over a workgroup's waves.
typedef struct work {
  double matrix[EMU_OPERANDS_COUNT], vector, longest; ///< of `longest` a wave's
} work;

static work work_of(const emu_timing *t, const emu_workgroup *wg) {
  work w = {0};
  for (uint32_t i = 0; i < wg->launch->waves; i++) {
    const emu_time_words *runs = &wg->records[i].runs;
    double issue = 0;
    for (size_t at = 0; at + 1 < runs->count; at += 2) {
      const emu_time_sum *from = &t->sums[runs->list[at]];
      const emu_time_sum *to = from + runs->list[at + 1];
      for (int o = 0; o < EMU_OPERANDS_COUNT; o++)
        w.matrix[o] += (double)(to->matrix[o] - from->matrix[o]);
      w.vector += (double)(to->vector - from->vector);
      issue += (double)(to->issue - from->issue);
    }
    w.longest = fmax(w.longest, issue);
  }
  return w;
}

// Compute units that have something to do.
static double units_of(const emu_timing *t) {
  return fmax(1, fmin(t->k.compute_units, (double)t->busy));
}

double emu_time_ghz_of(const emu_timing *t, const emu_time_result *r) {
  const double part = units_of(t) / t->k.compute_units;
  emu_time_load load = emu_time_load_of(r, t->k.simds / part);
  load.hbm_bytes =
      r->far_bytes * (1 - r->in_mall) * r->resident / (double)r->cycles * part;
  return emu_time_clock_ghz(&t->k, &load);
}

double emu_time_expected_ghz(const emu_timing *t, const emu_workgroup *wg,
                             const emu_time_memory *memory) {
  enum { ROUNDS = 4 }; // it settles within two
  const emu_time_constants *k = &t->k;
  const double units = units_of(t);
  const work w = work_of(t, wg);
  const double simds = k->simds / t->resident; // for one of the residents
  double matrix = 0, ghz = k->clock_ceiling_ghz;
  for (int o = 0; o < EMU_OPERANDS_COUNT; o++)
    matrix += w.matrix[o];
  const double least = fmax(w.longest, fmax(matrix / simds, w.vector / simds));
  double far_bytes;
  const double ns = emu_time_memory_far_ns(memory, &far_bytes);
  for (int i = 0; i < ROUNDS; i++) {
    const double cycles = fmax(1, fmax(least, ns * ghz));
    const double all = cycles * simds * k->compute_units / units;
    emu_time_load load = {.vector = w.vector / all,
                          .hbm_bytes = far_bytes * t->resident / cycles *
                                       units / k->compute_units};
    for (int o = 0; o < EMU_OPERANDS_COUNT; o++)
      load.matrix[o] = w.matrix[o] / all;
    ghz = emu_time_clock_ghz(k, &load);
  }
  return ghz;
}
