// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_compare.h"

#include <stdio.h>
#include <stdlib.h>

bool run_compare(const run_data *data, comparison *out_o, comparison *out_lse,
                 char error[ERROR_BYTES]) {
  const attention *p = &data->problem;
  bool has_lse = run_data_has_lse(data);
  size_t count = attention_o_count(p), lse_count = attention_lse_count(p);
  void *found_o = run_data_collect(data, TENSOR_O);
  void *found_lse = has_lse ? run_data_collect(data, TENSOR_LSE) : NULL;
  double *o = malloc(count * sizeof *o);
  double *floor_o = malloc(count * sizeof *floor_o);
  double *lse = malloc(lse_count * sizeof *lse);
  double *floor_lse = malloc(lse_count * sizeof *floor_lse);
  bool ok = found_o && (!has_lse || found_lse) && o && floor_o && lse &&
            floor_lse && reference_compute(p, 0, o, lse, floor_o, floor_lse);
  if (ok) {
    compare_rows(p->type, p->out_type, found_o, o, floor_o,
                 count / p->head_dim_v, p->head_dim_v, out_o);
    if (has_lse)
      compare_lse(found_lse, lse, floor_lse, lse_count, out_lse);
  } else {
    snprintf(error, ERROR_BYTES, "no memory for a reference of %zu elements",
             count);
  }
  free(floor_lse);
  free(lse);
  free(floor_o);
  free(o);
  free(found_lse);
  free(found_o);
  return ok;
}
