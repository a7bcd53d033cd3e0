// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which built-in schedules take K in two tensors, a V that does not lie in K,
// an O of 8 bits.
#include <inttypes.h>
#include <stdio.h>
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
typedef struct taken {
  const char *schedule;
  int64_t columns, page;
} taken;

static const taken all[] = {{"generic", 16, 1},
                            {"generic_wide", 16, 1},
                            {"generic_wide_m64", 32, 1},
                            {"generic_latent", 32, 2},
                            {"generic_fp8", 64, 1},
                            {"generic_fp8_n32", 64, 1},
                            {"generic_latent_fp8", 128, 1},
                            {"latent_decode", 32, 1},
                            {"latent_decode_m64", 32, 1},
                            {"latent_decode_m128", 32, 1},
                            {"latent_decode_fp8", 128, 1},
                            {"latent_decode_fp8_m64", 64, 1},
                            {"latent_decode_fp8_m128", 64, 1}};

/// Whether both K and V are copied through registers, which makes their
/// elements Q's.
static bool converts_both(const fmhac_config_values *values) {
  return !values->v_in_k && !values->quantize_q &&
         !fmhac_operand_is_8_bit(values->q_dtype, values->dtype) &&
         fmhac_operand_is_8_bit(values->k_dtype, values->dtype);
}

/// What the schedule takes; NULL: no columns of K from another tensor.
static const taken *taken_by(const char *schedule) {
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (strcmp(all[i].schedule, schedule) == 0)
      return &all[i];
  return NULL;
}

static bool takes_pages(const taken *t, const fmhac_config_values *values) {
  return !values->page_size || values->page_size >= t->page ||
         !converts_both(values);
}

bool fmhac_support_takes_rope(const char *schedule,
                              const fmhac_config_values *values) {
  const taken *t = taken_by(schedule);
  return !values->rope_dim || (t && takes_pages(t, values) &&
                               fmhac_columns_of_k(values) % t->columns == 0);
}

void fmhac_support_adopt_rope(const char *schedule,
                              fmhac_config_values *values) {
  const taken *t = taken_by(schedule);
  if (t && !takes_pages(t, values))
    values->page_size = t->page;
  if (fmhac_support_takes_rope(schedule, values))
    return;
  if (!t || values->head_dim_qk <= t->columns) {
    values->rope_dim = 0;
    return;
  }
  // Some columns have to be left on either side.
  const int64_t of_k = fmhac_columns_of_k(values), past = of_k % t->columns;
  const int64_t below = of_k - past, above = below + t->columns;
  const bool takes_above = above < values->head_dim_qk;
  values->rope_dim =
      values->head_dim_qk -
      (takes_above && (!below || t->columns - past < past) ? above : below);
}

void fmhac_support_explain_rope(const char *schedule,
                                const fmhac_config_values *values, char *reason,
                                size_t bytes) {
  const taken *t = taken_by(schedule);
  if (!t)
    snprintf(reason, bytes, "schedule %s takes no rope_dim", schedule);
  else if (!takes_pages(t, values))
    snprintf(reason, bytes,
             "schedule %s takes rope_dim with K and V of 8 bits, which become "
             "%s, in pages of at least %" PRId64 " keys, found %" PRId64,
             schedule, fmhac_dtype_name(values->dtype), t->page,
             values->page_size);
  else
    snprintf(reason, bytes,
             "rope_dim %" PRId64 ": schedule %s takes a multiple of %" PRId64
             " columns of K before those of k_rope, as many as a matrix "
             "instruction takes, found head_dim_qk - rope_dim = %" PRId64,
             values->rope_dim, schedule, t->columns,
             fmhac_columns_of_k(values));
}

bool fmhac_support_takes_own_v(const char *schedule) {
  static const char latent[] = "latent_decode";
  return strncmp(schedule, latent, sizeof latent - 1) != 0;
}

bool fmhac_support_stores_fp8(const char *schedule) {
  // O has 256 registers of a lane there: up to 49 too many
  // (test/e2e/latent_decode.py).
  return strcmp(schedule, "latent_decode_fp8_m64") != 0 &&
         strcmp(schedule, "latent_decode_fp8_m128") != 0;
}
