// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_factors.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "npy.h"

static const char operand_names[INPUT_TENSORS] = {'q', 'k', 'v'};

static const struct {
  const char *name;
  factor_granularity granularity;
} granularities[] = {{"tensor", FACTORS_BY_TENSOR},
                     {"head", FACTORS_BY_HEAD},
                     {"token", FACTORS_BY_TOKEN},
                     {"block", FACTORS_BY_BLOCK}};

static factor_granularity parse_granularity(const char *name) {
  for (size_t i = 0; i < sizeof granularities / sizeof granularities[0]; ++i)
    if (strcmp(name, granularities[i].name) == 0)
      return granularities[i].granularity;
  return FACTORS_NONE;
}

static attention_factors *factors_of(attention *p, int operand) {
  attention_factors *const all[INPUT_TENSORS] = {&p->q_factors, &p->k_factors,
                                                 &p->v_factors};
  return all[operand];
}

static bool find_operand(const cJSON *options, const cJSON *values, int operand,
                         run_data *data, char error[ERROR_BYTES]) {
  run_factors *f = &data->factors[operand];
  const char name = operand_names[operand];
  const char scale_key[] = {name, '_', 's', 'c', 'a', 'l', 'e', '\0'};
  char values_key[16];
  snprintf(values_key, sizeof values_key, "%ss", scale_key);
  const char *scale = option_text(values, scale_key);
  const cJSON *file = json_get(options, values_key);
  f->granularity = parse_granularity(scale);
  f->file = cJSON_IsString(file) ? file->valuestring : NULL;
  // Which granularities there may be is settled with the configuration.
  return f->granularity == FACTORS_NONE || f->file ||
         ERROR_SET(error,
                   "\"%s\" is \"%s\", but no file has the factors; give "
                   "\"%s\": \"FILE.npy\" or the flag",
                   scale_key, scale, values_key);
}

bool run_factors_find(const cJSON *options, const cJSON *values, run_data *data,
                      char error[ERROR_BYTES]) {
  for (int i = 0; i < INPUT_TENSORS; ++i)
    if (!find_operand(options, values, i, data, error))
      return false;
  const cJSON *block = json_get(values, "scale_block");
  data->scale_block = block ? (uint32_t)block->valuedouble : 0;
  const cJSON *o_scale = json_get(options, "o_scale");
  data->o_scale = o_scale ? (float)o_scale->valuedouble : 1;
  if (!(data->o_scale > 0) || !isfinite(data->o_scale))
    return ERROR_SET(error,
                     "\"o_scale\": expected an f32 above 0, found %g, which is "
                     "%g as f32",
                     o_scale->valuedouble, (double)data->o_scale);
  if (data->o_scale != 1 && !element_is_8_bit(data->problem.out_type))
    return ERROR_SET(error,
                     "\"o_scale\" is %g, but O is %s; expected \"out_dtype\": "
                     "\"fp8\" beside it",
                     (double)data->o_scale,
                     element_name(data->problem.out_type));
  data->problem.quantize_q = cJSON_IsTrue(json_get(values, "quantize_q"));
  return true;
}

//===- Files --------------------------------------------------------------===//

/// The shape that a file of factors has.
typedef struct expected {
  size_t rank;
  uint64_t shape[3];
  const char *letters;
  bool first_may_be_1;
} expected;

static expected shape_of(const run_data *data, int operand) {
  const attention *p = &data->problem;
  const tensor_place *place = &data->tensors[operand].place;
  const bool is_q = operand == INPUT_Q;
  const uint64_t batch = p->batch, heads = place->heads;
  const uint64_t rows = is_q ? p->seqlen_q : p->seqlen_kv;
  const uint64_t block = data->scale_block;
  const bool packed = is_q ? p->cu_seqlens_q : p->cu_seqlens_kv;
  switch (data->factors[operand].granularity) {
  case FACTORS_BY_HEAD:
    return (expected){2, {batch, heads}, "head: [B or 1, H]", true};
  case FACTORS_BY_TOKEN:
    if (packed)
      return (expected){2, {place->rows, heads}, "token: [total, H]", false};
    return (expected){3, {batch, rows, heads}, "token: [B, S, H]", false};
  case FACTORS_BY_BLOCK:
    if (!is_q && data->page_count)
      return (expected){
          2, {data->page_count, heads}, "page: [pages, H]", false};
    return (expected){3,
                      {batch, (rows + block - 1) / block, heads},
                      "block: [B, ceil(S / N), H]",
                      false};
  case FACTORS_BY_TENSOR:
  case FACTORS_NONE:
    break;
  }
  return (expected){1, {1}, "tensor: [1]", false};
}

static bool check_array(const char *file, const npy_array *array,
                        const expected *e, char error[ERROR_BYTES]) {
  bool fits = array->type == ELEMENT_F32 && array->rank == e->rank;
  for (size_t i = 0; i < e->rank && fits; ++i)
    fits = array->shape[i] == e->shape[i] ||
           (i == 0 && e->first_may_be_1 && array->shape[i] == 1);
  if (!fits) {
    char wanted[NPY_SHAPE_BYTES], found[NPY_SHAPE_BYTES];
    npy_shape_text(e->rank, e->shape, wanted);
    npy_shape_text(array->rank, array->shape, found);
    return ERROR_SET(
        error,
        "%.200s: expected '<f4' (f32) of shape %.60s (by %s), found "
        "'%s' (%s) of shape %.60s",
        file, wanted, e->letters, npy_descr(array->type),
        element_name(array->type), found);
  }
  const float *values = array->data;
  for (size_t i = 0; i < array->count; ++i)
    if (!isfinite(values[i]))
      return ERROR_SET(error,
                       "%.200s: factor %zu of %zu is %g; expected finite "
                       "numbers",
                       file, i, array->count, (double)values[i]);
  return true;
}

static bool fill_operand(run_data *data, int operand, char error[ERROR_BYTES]) {
  const run_factors *f = &data->factors[operand];
  run_buffer *buffer = &data->buffers[BUFFER_Q_SCALES + operand];
  if (f->granularity == FACTORS_NONE || buffer->host)
    return true;
  const expected e = shape_of(data, operand);
  npy_array array;
  if (!npy_read(f->file, &array, error))
    return false;
  if (!check_array(f->file, &array, &e, error)) {
    npy_deinit(&array);
    return false;
  }
  buffer->host = array.data;
  buffer->bytes = array.count * sizeof(float);
  // The last axis is that of heads; the one before it, but for heads of
  // batches, that of rows or blocks.
  const bool by_head = f->granularity != FACTORS_BY_TENSOR;
  const bool by_row =
      f->granularity == FACTORS_BY_TOKEN || f->granularity == FACTORS_BY_BLOCK;
  const uint64_t heads = e.shape[e.rank - 1];
  const bool by_page = operand != INPUT_Q && data->page_count &&
                       f->granularity == FACTORS_BY_BLOCK;
  const bool packed = by_row && e.rank == 2;
  const bool has_batches = by_head && !packed && array.shape[0] > 1;
  *factors_of(&data->problem, operand) = (attention_factors){
      .base = array.data,
      .head_stride = by_head,
      .row_stride = by_row ? heads : 0,
      .batch_stride = !has_batches ? 0
                      : by_row     ? array.shape[1] * heads
                                   : heads,
      .rows_a_factor = f->granularity == FACTORS_BY_TOKEN ? 1
                       : by_page ? data->problem.pages.rows
                       : f->granularity == FACTORS_BY_BLOCK ? data->scale_block
                                                            : 0,
      .pages = by_page ? &data->problem.pages : NULL,
      .starts = !packed || by_page   ? NULL
                : operand == INPUT_Q ? data->problem.cu_seqlens_q
                                     : data->problem.cu_seqlens_kv};
  return true;
}

static bool fill_o_scale(run_data *data, char error[ERROR_BYTES]) {
  run_buffer *buffer = &data->buffers[BUFFER_O_SCALE];
  if (!element_is_8_bit(data->problem.out_type) || buffer->host)
    return true;
  buffer->host = malloc(sizeof data->o_scale);
  if (!buffer->host)
    return run_data_no_memory(buffer->name, sizeof data->o_scale, error);
  buffer->bytes = sizeof data->o_scale;
  memcpy(buffer->host, &data->o_scale, sizeof data->o_scale);
  data->problem.o_scale = data->o_scale;
  return true;
}

bool run_factors_fill(run_data *data, char error[ERROR_BYTES]) {
  for (int i = 0; i < INPUT_TENSORS; ++i)
    if (!fill_operand(data, i, error))
      return false;
  return fill_o_scale(data, error);
}
