// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_object.h"
#include "fmhac_reference.h"
#include "kernel_object.h"
#include "schedule_facts.h"

static bool kernel_rounds_q(const fmhac_plan *plan, bool *out_rounds_q,
                            char error[ERROR_BYTES]) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  const void *bytes;
  size_t size;
  fmhac_status status = fmhac_kernel_get_code(kernel, &bytes, &size);
  if (status != FMHAC_OK)
    return ERROR_SET(
        error,
        "compare: the bytes of the kernel are wanted, for the schedule in "
        "them; found none (status %d)",
        (int)status);
  code_object object;
  bool ok = code_object_read(bytes, size, &object, error);
  if (ok) {
    *out_rounds_q = false;
    for (size_t i = 0; i < fmhac_plan_launch_count(plan); ++i)
      if (plan_attends(plan, i))
        *out_rounds_q =
            *out_rounds_q ||
            schedule_rounds_q(object.note, plan_launch_entry(plan, i).name);
    code_object_deinit(&object);
  }
  return ok;
}

//===- The reference ------------------------------------------------------===//

/// The library's results and the kernel's, rows in use one after the other;
/// owned.
typedef struct lists {
  double *values;
  double *floors[ATTENTION_FLOORS]; ///< NULL: none
  void *found;
  size_t count;
} lists;

static void lists_deinit(lists *l) {
  for (size_t i = 0; i < ATTENTION_FLOORS; ++i)
    free(l->floors[i]);
  free(l->values);
  free(l->found);
}

/// Numbers of O as [B, S, H, D] or [total, H, D], of LSE as [B, H, S] or [H,
/// total].
static bool lists_init(lists *l, const run_data *data, int tensor) {
  const tensor_place *place = &data->tensors[tensor].place;
  const size_t dense = place->batches * place->rows * place->heads * place->dim;
  *l = (lists){.values = malloc(dense * sizeof(double)),
               .found = run_data_collect(data, tensor)};
  // Those of LSE are by factors of Q's rows only.
  const size_t floors = tensor == TENSOR_O
                            ? attention_floors_of_o(&data->problem)
                            : data->problem.quantize_q + 1u;
  bool ok = l->values && l->found;
  for (size_t i = 0; i < floors; ++i) {
    l->floors[i] = malloc(dense * sizeof(double));
    ok = ok && l->floors[i];
  }
  return ok;
}

/// Leaves the rows in use, in the order of run_data_collect().
static bool keep_rows_in_use(const run_data *data, int tensor, double **list,
                             size_t count) {
  const tensor_place *place = &data->tensors[tensor].place;
  // LSE has a head after the other, O all heads of a row.
  const bool by_head = tensor == TENSOR_LSE;
  const uint64_t heads = by_head ? place->heads : 1;
  const uint64_t width = by_head ? 1 : place->heads * place->dim;
  double *out = malloc(count * sizeof *out + 1), *to = out;
  for (uint32_t b = 0; out && b < data->problem.batch; ++b) {
    const run_sequence s = run_data_sequence(data, tensor, b);
    for (uint64_t h = 0; h < heads; ++h) {
      const uint64_t first = (s.batch * heads + h) * place->rows + s.first_row;
      memcpy(to, *list + first * width, s.rows * width * sizeof *to);
      to += s.rows * width;
    }
  }
  if (!out)
    return false;
  free(*list);
  *list = out;
  return true;
}

static bool keep_all(const run_data *data, int tensor, lists *l) {
  bool ok = keep_rows_in_use(data, tensor, &l->values, l->count);
  for (size_t i = 0; i < ATTENTION_FLOORS && ok; ++i)
    if (l->floors[i])
      ok = keep_rows_in_use(data, tensor, &l->floors[i], l->count);
  return ok;
}

/// The tensors as the reference takes them: on the host, O without gaps.
static fmhac_tensors host_tensors(const run_data *data) {
  run_data host = *data;
  for (int i = 0; i < BUFFER_COUNT; ++i)
    host.buffers[i].address = (uintptr_t)host.buffers[i].host;
  fmhac_tensors t = run_data_tensors(&host);
  const tensor_place *o = &data->tensors[TENSOR_O].place;
  t.o_strides = fmhac_strides_bshd((uint32_t)o->heads, (uint32_t)o->rows,
                                   (uint32_t)o->dim, element_bytes(o->type));
  return t;
}

static fmhac_status compute(const run_data *data, const fmhac_config *config,
                            lists *o, lists *lse, double *out_largest_score) {
  const attention *p = &data->problem;
  const fmhac_tensors host = host_tensors(data);
  const fmhac_reference_options options = {.size = sizeof options,
                                           .score_mod = p->score_mod,
                                           .score_mod_user = p->score_mod_user};
  fmhac_reference_results results = {.size = sizeof results,
                                     .o = o->values,
                                     .lse = lse->values,
                                     .rounded_o = o->floors[0],
                                     .rounded_lse = lse->floors[0],
                                     .other_rounded_o = o->floors[1],
                                     .scaled_rounded_lse = lse->floors[1]};
  if (attention_has_apart_floors(p)) {
    results.apart_rounded_o = o->floors[2];
    results.other_apart_rounded_o = o->floors[3];
  } else {
    results.scaled_rounded_o = o->floors[2];
    results.other_scaled_rounded_o = o->floors[3];
  }
  o->count = attention_o_count(p);
  lse->count = attention_lse_count(p);
  fmhac_status status = fmhac_reference(config, &host, &options, &results);
  *out_largest_score = results.largest_score;
  if (status != FMHAC_OK)
    return status;
  bool ok = keep_all(data, TENSOR_O, o);
  if (lse->values)
    ok = ok && keep_all(data, TENSOR_LSE, lse);
  return ok ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
}

fmhac_status run_compare(const run_data *data, const fmhac_context *context,
                         const fmhac_config *config, const fmhac_plan *plan,
                         comparison *out_o, comparison *out_lse,
                         char error[ERROR_BYTES]) {
  bool rounds_q;
  if (!kernel_rounds_q(plan, &rounds_q, error))
    return FMHAC_INTERNAL;
  const attention *p = &data->problem;
  const bool has_lse = run_data_has_lse(data);
  lists o = {0}, lse = {0};
  double largest_score = 0;
  fmhac_status status = FMHAC_OUT_OF_MEMORY;
  snprintf(error, ERROR_BYTES, "no memory for a reference of %zu elements",
           attention_o_count(p));
  if (lists_init(&o, data, TENSOR_O) &&
      (!has_lse || lists_init(&lse, data, TENSOR_LSE)))
    status = compute(data, config, &o, &lse, &largest_score);
  if (status == FMHAC_OK) {
    compare_o(p, o.found, o.values, (const double *const *)o.floors,
              o.count / p->head_dim_v, out_o);
    if (has_lse)
      compare_lse(lse.found, lse.values, lse.floors[0], lse.floors[1],
                  lse.count, rounds_q || p->quantize_q, largest_score, out_lse);
  } else if (status != FMHAC_OUT_OF_MEMORY) {
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(context));
  }
  lists_deinit(&lse);
  lists_deinit(&o);
  return status;
}
