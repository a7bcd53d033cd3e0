// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "latent.h"

#include <inttypes.h>

#include "context.h"
#include "operands.h"

/// Rows are copied in pieces of so many bytes.
enum { PIECE_BYTES = 16 };

fmhac_status fmhac_latent_settle(fmhac_context *context,
                                 fmhac_config_values *values) {
  fmhac_config_values *v = values;
  if (!v->v_in_k)
    return FMHAC_OK;
  const char *key = v->v_dtype != FMHAC_OPERAND_DTYPE_SAME ? "v_dtype"
                    : v->v_scale != FMHAC_GRANULARITY_NONE ? "v_scale"
                    : v->v_scales                          ? "v_scales"
                                                           : NULL;
  if (key)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"%s\" and \"v_in_k\" exclude each "
                      "other: there is no V, its columns are K's, with K's "
                      "type and factors; leave \"%s\" out",
                      key, key);
  v->v_dtype = v->k_dtype;
  v->v_scale = v->k_scale;
  v->v_scales = v->k_scales;
  return FMHAC_OK;
}

void fmhac_latent_forget_v(fmhac_config_values *values) {
  if (!values->v_in_k)
    return;
  values->v_dtype = FMHAC_OPERAND_DTYPE_SAME;
  values->v_scale = FMHAC_GRANULARITY_NONE;
  values->v_scales = false;
}

fmhac_status fmhac_check_latent(fmhac_context *context,
                                const fmhac_config_values *values) {
  const fmhac_config_values *v = values;
  const bool small = fmhac_operand_is_8_bit(v->k_dtype, v->dtype);
  const int64_t piece = small ? PIECE_BYTES : PIECE_BYTES / 2;
  if (v->rope_dim && v->rope_dim >= v->head_dim_qk)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"rope_dim\" is %" PRId64
                      ", expected less than \"head_dim_qk\", %" PRId64
                      ", which counts the columns of K and k_rope together",
                      v->rope_dim, v->head_dim_qk);
  if (v->rope_dim % piece)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"rope_dim\" is %" PRId64
                      ", expected a multiple of %" PRId64
                      ", the elements of K in %d bytes",
                      v->rope_dim, piece, PIECE_BYTES);
  const int64_t most = fmhac_columns_of_k(v);
  if (!v->v_in_k || v->head_dim_v <= most)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "configuration: \"head_dim_v\" is %" PRId64
                    ", expected at most %" PRId64
                    " with \"v_in_k\": V is the first columns of K, which "
                    "has %s%" PRId64,
                    v->head_dim_v, most,
                    v->rope_dim ? "head_dim_qk - rope_dim = " : "", most);
}
