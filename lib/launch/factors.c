// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factors.h"

fmhac_factor_strides fmhac_factor_strides_of(const fmhac_config_values *values,
                                             const fmhac_tensors *tensors,
                                             int operand) {
  const struct {
    fmhac_granularity scale;
    const fmhac_strides *strides;
    bool is_packed;
  } all[FMHAC_FACTORED] = {
      {values->q_scale, &tensors->q_scales_strides, values->cu_seqlens_q},
      {values->k_scale, &tensors->k_scales_strides, values->cu_seqlens_kv},
      {values->v_scale, &tensors->v_scales_strides, values->cu_seqlens_kv}};
  const fmhac_granularity scale = all[operand].scale;
  const fmhac_strides *strides = all[operand].strides;
  const bool by_token = scale == FMHAC_GRANULARITY_TOKEN;
  const bool by_block = scale == FMHAC_GRANULARITY_BLOCK;
  // Those of pages are found by their numbers.
  const bool by_page =
      by_block && values->page_size && operand != FMHAC_FACTORS_OF_Q;
  const bool by_head = by_token || by_block || scale == FMHAC_GRANULARITY_HEAD;
  return (fmhac_factor_strides){
      .batch_bytes =
          by_head && !by_page && !(by_token && all[operand].is_packed)
              ? strides->batch_bytes
              : 0,
      .head_bytes = by_head ? strides->head_bytes : 0,
      .block_bytes = by_token || by_block ? strides->row_bytes : 0,
      .rows_a_factor = by_token   ? 1
                       : by_page  ? (uint32_t)values->page_size
                       : by_block ? (uint32_t)values->scale_block
                                  : 0,
      .by_page = by_page};
}
