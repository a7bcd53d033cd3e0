// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of the part. Power limits it, and the matrix units take most of the
// power: the busier they are, the lower the clock.
#include "timing.h"

// The clock stays above 0 for any constants of a user.
#define LEAST_GHZ 0.1

double emu_time_clock_ghz(const emu_time_constants *k, double busy,
                          double busy8) {
  double share8 = busy > 0 ? busy8 / busy : 0;
  double at16 = k->clock16_at_rest_ghz - k->clock16_slope_ghz * busy;
  double at8 = k->clock8_at_rest_ghz - k->clock8_slope_ghz * busy;
  double ghz = at16 + share8 * (at8 - at16);
  ghz = ghz < k->clock_ceiling_ghz ? ghz : k->clock_ceiling_ghz;
  return ghz > LEAST_GHZ ? ghz : LEAST_GHZ;
}
