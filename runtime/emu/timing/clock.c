// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of the part. Power limits it, and the matrix units and the vector
// ALUs take most of the power, then what comes from HBM.
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
               k->clock_vector_ghz * load->vector -
               k->clock_hbm_ghz * load->hbm_bytes;
  return within_limits(k, ghz);
}

double emu_time_cool_clock_ghz(const emu_time_constants *k, double ghz) {
  return within_limits(k, ghz * k->clock_cool_ratio);
}
