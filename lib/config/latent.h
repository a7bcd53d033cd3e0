// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Latent attention: columns of K in a tensor of their own, and V in K.
#ifndef FMHAC_LIB_LATENT_H
#define FMHAC_LIB_LATENT_H

#include "config.h"

/// With v_in_k gives V the type and the factors of K. Of values as they were
/// given. Errors: INVALID_INPUT (V has some of its own).
FMHAC_MUST_USE fmhac_status fmhac_latent_settle(fmhac_context *context,
                                                fmhac_config_values *values);

/// With v_in_k sets those of V back to their defaults, as they were given.
void fmhac_latent_forget_v(fmhac_config_values *values);

/// Requires columns that are there. Errors: INVALID_INPUT.
FMHAC_MUST_USE fmhac_status
fmhac_check_latent(fmhac_context *context, const fmhac_config_values *values);

/// Columns of V that find room in LDS beside a K of more than 512, which is
/// padded to 1024, in 16 bits.
enum { FMHAC_COLUMNS_BESIDE_WIDE_K = 256 };

/// Whether tiles of K and V take more LDS than a workgroup has, of heads that
/// have tiles.
static inline bool fmhac_latent_lacks_room(const fmhac_config_values *values) {
  enum { MOST_UNPADDED = 512, MOST_OF_K = 576, MOST_OF_V = 512 };
  const bool of_8_bits = values->q_dtype == FMHAC_OPERAND_DTYPE_SAME
                             ? values->dtype == FMHAC_DTYPE_FP8
                             : values->q_dtype == FMHAC_OPERAND_DTYPE_FP8;
  return !of_8_bits && !values->quantize_q && !values->v_in_k &&
         !values->rope_dim && values->head_dim_qk > MOST_UNPADDED &&
         values->head_dim_qk <= MOST_OF_K &&
         values->head_dim_v > FMHAC_COLUMNS_BESIDE_WIDE_K &&
         values->head_dim_v <= MOST_OF_V;
}

/// The nearest that has room.
static inline void fmhac_latent_make_room(fmhac_config_values *values) {
  if (fmhac_latent_lacks_room(values))
    values->head_dim_v = FMHAC_COLUMNS_BESIDE_WIDE_K;
}

/// Why no built-in schedule takes K and V as they lie; NULL: one may. A
/// schedule file may have other tiles.
static inline const char *
fmhac_latent_refusal(const fmhac_config_values *values) {
  if (values->v_in_k && values->kv_layout == FMHAC_KV_LAYOUT_VECTORISED)
    return "v_in_k takes pages of kv_layout nhd or hnd: in pieces of columns, "
           "what lies past a sequence's last key cannot be left out of V";
  if (!fmhac_schedule_is_path(values->schedule) &&
      fmhac_latent_lacks_room(values))
    return "in 16 bits a K of more than 512 columns and a V of more than 256 "
           "take more LDS than a workgroup has, unless V lies in K (v_in_k) or "
           "the last columns of K have a tensor of their own (rope_dim)";
  return NULL;
}

/// The key that it is about.
static inline const char *
fmhac_latent_field(const fmhac_config_values *values) {
  return fmhac_latent_lacks_room(values) ? "head_dim_v" : "kv_layout";
}

/// Columns of K's own tensor.
static inline int64_t fmhac_columns_of_k(const fmhac_config_values *values) {
  return values->head_dim_qk - values->rope_dim;
}

#endif // FMHAC_LIB_LATENT_H
