// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of pages that leave a schedule too few registers where it converts K.
#include <string.h>

#include "operands.h"
#include "support.h"

bool fmhac_support_lacks_page_factors(const char *schedule,
                                      const fmhac_config_values *values) {
  enum { MOST_QK = 192, MOST_V = 128 };
  const bool is_converted =
      !values->quantize_q &&
      !fmhac_operand_is_8_bit(values->q_dtype, values->dtype) &&
      fmhac_operand_is_8_bit(values->k_dtype, values->dtype);
  if (!is_converted || !values->page_size || values->head_dim_qk <= MOST_QK ||
      values->k_scale != FMHAC_GRANULARITY_BLOCK)
    return false;
  const bool is_wide = strcmp(schedule, "generic_wide") == 0;
  if (is_wide && values->page_size == 1 && values->head_dim_v > MOST_V)
    return true;
  const bool splits = values->split_kv != FMHAC_SPLIT_KV_NONE;
  if (!(splits || values->work == FMHAC_WORK_QUEUE ||
        values->work == FMHAC_WORK_RUNS) ||
      !(values->rope_dim || values->v_in_k))
    return false;
  return is_wide || strcmp(schedule, "generic_wide_m64") == 0 ||
         (splits && !values->v_in_k && strcmp(schedule, "generic_latent") == 0);
}
