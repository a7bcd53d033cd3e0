// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the nearest supported configuration has less, or more.
#include "latent.h"
#include "support.h"

void fmhac_support_drop_parts(fmhac_config_values *values) {
  values->split_kv = FMHAC_SPLIT_KV_NONE;
  values->split_chunk = 0;
}

void fmhac_support_drop_pages(fmhac_config_values *values) {
  values->page_size = 0;
  values->page_table = values->kv_indptr = values->kv_indices =
      values->kv_last_page_len = false;
  values->kv_layout = FMHAC_KV_LAYOUT_NHD;
}

void fmhac_support_drop_factors(fmhac_config_values *values) {
  values->q_scale = values->k_scale = values->v_scale = FMHAC_GRANULARITY_NONE;
  values->q_scales = values->k_scales = values->v_scales = false;
  values->scale_block = 0;
}

void fmhac_support_put_v_in_k(fmhac_config_values *values) {
  values->v_in_k = true;
  values->v_dtype = values->k_dtype;
  values->v_scale = values->k_scale;
  values->v_scales = values->k_scales;
  if (values->head_dim_v > fmhac_columns_of_k(values))
    values->head_dim_v = fmhac_columns_of_k(values);
  if (values->kv_layout == FMHAC_KV_LAYOUT_VECTORISED)
    values->kv_layout = FMHAC_KV_LAYOUT_NHD;
}
