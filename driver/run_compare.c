// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_compare.h"

#include <stdio.h>
#include <stdlib.h>

#include "code_object.h"
#include "schedule_facts.h"

static bool kernel_rounds_q(const fmhac_kernel *kernel, bool *out_rounds_q,
                            char error[ERROR_BYTES]) {
  const void *bytes;
  size_t size;
  fmhac_status status = fmhac_kernel_get_code(kernel, &bytes, &size);
  if (status != FMHAC_OK) {
    snprintf(error, ERROR_BYTES,
             "compare: the bytes of the kernel are wanted, for the schedule in "
             "them; found none (status %d)",
             (int)status);
    return false;
  }
  code_object object;
  bool ok = code_object_read(bytes, size, &object, error);
  if (ok) {
    *out_rounds_q = schedule_rounds_q(object.note);
    code_object_deinit(&object);
  }
  return ok;
}

bool run_compare(const run_data *data, const fmhac_kernel *kernel,
                 comparison *out_o, comparison *out_lse,
                 char error[ERROR_BYTES]) {
  bool rounds_q;
  if (!kernel_rounds_q(kernel, &rounds_q, error))
    return false;
  const attention *p = &data->problem;
  bool has_lse = run_data_has_lse(data);
  size_t count = attention_o_count(p), lse_count = attention_lse_count(p);
  void *found_o = run_data_collect(data, TENSOR_O);
  void *found_lse = has_lse ? run_data_collect(data, TENSOR_LSE) : NULL;
  double *o = malloc(count * sizeof *o);
  double *floor_o = malloc(count * sizeof *floor_o);
  double *lse = malloc(lse_count * sizeof *lse);
  double *floor_lse = malloc(lse_count * sizeof *floor_lse);
  double largest_score;
  bool ok = found_o && (!has_lse || found_lse) && o && floor_o && lse &&
            floor_lse &&
            reference_compute(p, 0, o, lse, floor_o, floor_lse, &largest_score);
  if (ok) {
    compare_rows(p->type, p->out_type, found_o, o, floor_o,
                 count / p->head_dim_v, p->head_dim_v, out_o);
    if (has_lse)
      compare_lse(found_lse, lse, floor_lse, lse_count, rounds_q, largest_score,
                  out_lse);
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
