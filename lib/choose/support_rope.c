// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which built-in schedules take K in two tensors.
#include <string.h>

#include "latent.h"
#include "support.h"

/// The columns of Q and K that a matrix instruction of the schedule takes: of
/// those that lie in K there has to be a multiple. A schedule that is not here
/// has too few registers for the addresses of a second tensor at its largest
/// heads, or was never measured with one (test/e2e/latent.py).
static const struct {
  const char *schedule;
  int64_t columns;
} all[] = {{"generic", 16},
           {"generic_wide", 16},
           {"generic_wide_m64", 32},
           {"generic_latent", 32},
           {"generic_fp8", 64},
           {"generic_fp8_n32", 64},
           {"generic_latent_fp8", 128}};

bool fmhac_support_takes_rope(const char *schedule,
                              const fmhac_config_values *values) {
  if (!values->rope_dim)
    return true;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (strcmp(all[i].schedule, schedule) == 0)
      return fmhac_columns_of_k(values) % all[i].columns == 0;
  return false;
}
