// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which built-in schedules take K in two tensors.
#include <string.h>

#include "latent.h"
#include "operands.h"
#include "support.h"

/// The columns of Q and K that a matrix instruction of the schedule takes: of
/// those that lie in K there has to be a multiple. A schedule that is not here
/// has too few registers for the addresses of a second tensor at its largest
/// heads, or was never measured with one (test/e2e/latent.py). Beside a V of
/// its own the smallest pages of K and V of 8 bits beside Q of 16, where each
/// page that a wave loads of takes four scalar registers: 9 too few with pages
/// of 1.
static const struct {
  const char *schedule;
  int64_t columns, page;
} all[] = {{"generic", 16, 1},
           {"generic_wide", 16, 1},
           {"generic_wide_m64", 32, 1},
           {"generic_latent", 32, 2},
           {"generic_fp8", 64, 1},
           {"generic_fp8_n32", 64, 1},
           {"generic_latent_fp8", 128, 1}};

/// Whether both K and V are copied through registers, which makes their
/// elements Q's.
static bool converts_both(const fmhac_config_values *values) {
  return !values->v_in_k && !values->quantize_q &&
         !fmhac_operand_is_8_bit(values->q_dtype, values->dtype) &&
         fmhac_operand_is_8_bit(values->k_dtype, values->dtype);
}

bool fmhac_support_takes_rope(const char *schedule,
                              const fmhac_config_values *values) {
  if (!values->rope_dim)
    return true;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (strcmp(all[i].schedule, schedule) == 0)
      return fmhac_columns_of_k(values) % all[i].columns == 0 &&
             (!values->page_size || values->page_size >= all[i].page ||
              !converts_both(values));
  return false;
}
