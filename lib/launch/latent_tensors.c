// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "latent_tensors.h"

#include "context.h"

fmhac_status fmhac_tensors_settle(fmhac_context *context,
                                  const fmhac_config_values *values,
                                  const char *doing, fmhac_tensors *tensors) {
  fmhac_tensors *t = tensors;
  if (!values->v_in_k)
    return FMHAC_OK;
  if (t->v || t->v_scales)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "%s: tensor %s: an address is given, expected 0: the "
                      "configuration has v_in_k, V is the first columns of K",
                      doing, t->v ? "v" : "v_scales");
  t->v = t->k;
  t->v_strides = t->k_strides;
  t->v_page_stride_bytes = t->k_page_stride_bytes;
  t->v_scales = t->k_scales;
  t->v_scales_strides = t->k_scales_strides;
  return FMHAC_OK;
}
