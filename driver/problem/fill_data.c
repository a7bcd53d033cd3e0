// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fill_data.h"

#include <stdlib.h>
#include <string.h>

#include "run_factors.h"
#include "run_features.h"
#include "run_pages.h"

/// Elements of an array as those of the tensor.
static void *convert(const npy_array *array, element_type type) {
  void *out = malloc(array->count * element_bytes(type));
  for (size_t i = 0; out && i < array->count; ++i)
    element_store(type, out, i, element_load(array->type, array->data, i));
  return out;
}

/// The array has been checked.
static bool fill_from_array(run_data *data, int tensor, run_arrays *arrays,
                            char error[ERROR_BYTES]) {
  const run_tensor *t = &data->tensors[tensor];
  npy_array *array = run_arrays_of(arrays, tensor);
  if (run_arrays_rounds(arrays, data, tensor)) {
    void *rounded = convert(array, t->place.type);
    if (!rounded)
      return run_data_no_memory(
          t->name, array->count * element_bytes(t->place.type), error);
    free(array->data);
    array->data = rounded;
    array->type = t->place.type;
  }
  tensor_place place = t->place;
  // In the file's order.
  if (run_data_in_pages(data, tensor) && data->pages_by_head) {
    place.rows = t->place.heads;
    place.heads = t->place.rows;
    place.row_stride = t->place.head_stride;
    place.head_stride = t->place.row_stride;
  }
  if (place.piece) { // whose heads have the file's order, too
    place.dim *= place.heads;
    place.heads = 1;
    place.piece = 0;
  }
  size_t batch_bytes = tensor_place_dense_bytes(&place, place.rows);
  for (uint64_t b = 0; b < place.batches; ++b)
    tensor_place_scatter(&place, b, 0, place.rows,
                         (const char *)array->data + b * batch_bytes,
                         data->buffers[t->home].host);
  npy_deinit(array);
  return true;
}

/// Every element is a function of its place in the contiguous tensor, whatever
/// the layout, and whether it lies in pages.
static bool fill_from_seed(run_data *data, int tensor,
                           char error[ERROR_BYTES]) {
  const run_tensor *t = &data->tensors[tensor];
  const tensor_place *place = &t->place;
  for (uint32_t b = 0; b < data->problem.batch; ++b) {
    run_sequence s = run_data_sequence(data, tensor, b);
    if (s.rows == 0)
      continue;
    void *rows = malloc(tensor_place_dense_bytes(place, s.rows));
    if (!rows)
      return run_data_no_memory(t->name,
                                tensor_place_dense_bytes(place, s.rows), error);
    const uint64_t first = run_data_first_index(data, tensor, s);
    const input_request request = {.kind = data->input,
                                   .tensor = (input_tensor)tensor,
                                   .seed = (uint64_t)data->seed,
                                   .type = place->type,
                                   .sequence = b,
                                   .first_index = first,
                                   .rows = (uint32_t)s.rows,
                                   .heads = (uint32_t)place->heads,
                                   .dim = (uint32_t)place->dim,
                                   .problem = &data->problem};
    input_fill(&request, rows);
    if (run_data_in_pages(data, tensor))
      run_pages_scatter(data, tensor, b, s.rows, rows,
                        data->buffers[t->home].host);
    else
      tensor_place_scatter(place, s.batch, s.first_row, s.rows, rows,
                           data->buffers[t->home].host);
    free(rows);
  }
  return true;
}

static attention_view view_of(const run_data *data, int tensor) {
  const run_tensor *t = &data->tensors[tensor];
  const char *host = data->buffers[t->home].host;
  return (attention_view){.base = host + t->place.offset *
                                             element_bytes(t->place.type),
                          .batch_stride = t->place.batch_stride,
                          .row_stride = t->place.row_stride,
                          .head_stride = t->place.head_stride,
                          .piece = (uint32_t)t->place.piece,
                          .by_row = t->place.by_row};
}

bool run_data_fill(run_data *data, run_arrays *arrays,
                   char error[ERROR_BYTES]) {
  if (!run_features_fill(data, error) || !run_factors_fill(data, error))
    return false;
  for (int i = 0; i < TENSOR_COUNT; ++i) {
    run_buffer *buffer = &data->buffers[i];
    if (buffer->bytes == 0)
      continue;
    buffer->host = malloc(buffer->bytes);
    if (!buffer->host)
      return run_data_no_memory(buffer->name, buffer->bytes, error);
    memset(buffer->host, 0xff, buffer->bytes);
  }
  static const int inputs[] = {TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_K_ROPE};
  for (size_t n = 0; n < sizeof inputs / sizeof inputs[0]; ++n) {
    const int i = inputs[n];
    if (!run_data_is_own(data, i))
      continue;
    if (arrays && run_arrays_file(arrays, i)
            ? !fill_from_array(data, i, arrays, error)
            : !fill_from_seed(data, i, error))
      return false;
  }
  data->problem.q = view_of(data, TENSOR_Q);
  data->problem.k = view_of(data, TENSOR_K);
  data->problem.v = view_of(data, TENSOR_V);
  if (data->v_in_k) // K's factors hold
    data->problem.v_factors = data->problem.k_factors;
  if (!data->rope_heads)
    return true;
  data->problem.k_rope = view_of(data, TENSOR_K_ROPE);
  if (data->rope_heads == 1)
    data->problem.k_rope.head_stride = 0;
  return true;
}
