// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "npy.h"

static bool parse_element(const char *name, element_type *out_type) {
  for (int type = ELEMENT_BF16; type <= ELEMENT_F32; ++type)
    if (strcmp(name, element_name((element_type)type)) == 0) {
      *out_type = (element_type)type;
      return true;
    }
  return false;
}

/// Types, head sizes and mask, of the configuration that the kernel is made
/// for.
static bool read_config(const cJSON *config, attention *problem,
                        char error[ERROR_BYTES]) {
  const char *dtype = option_text(config, "dtype");
  const char *out_dtype = option_text(config, "out_dtype");
  const char *mask = option_text(config, "mask");
  problem->head_dim_qk = (uint32_t)option_integer(config, "head_dim_qk");
  problem->head_dim_v = (uint32_t)option_integer(config, "head_dim_v");
  if (!parse_element(dtype, &problem->type)) {
    snprintf(error, ERROR_BYTES, "no reference for inputs of type %s", dtype);
    return false;
  }
  problem->out_type = problem->type;
  if (strcmp(out_dtype, "same") != 0 &&
      !parse_element(out_dtype, &problem->out_type)) {
    snprintf(error, ERROR_BYTES, "no reference for outputs of type %s",
             out_dtype);
    return false;
  }
  if (!attention_mask_parse(mask, &problem->mask)) {
    snprintf(error, ERROR_BYTES, "no reference for mask %s", mask);
    return false;
  }
  return true;
}

static bool size_tensor(run_tensor *tensor, char error[ERROR_BYTES]) {
  size_t bytes = element_bytes(tensor->type);
  bool overflow = false;
  for (size_t i = 0; i < tensor->rank; ++i)
    overflow |= __builtin_mul_overflow(bytes, tensor->shape[i], &bytes);
  // The reference holds each element as a double.
  if (overflow || bytes > SIZE_MAX / 16) {
    snprintf(error, ERROR_BYTES, "tensor %s has more bytes than memory",
             tensor->name);
    return false;
  }
  tensor->bytes = bytes;
  return true;
}

bool run_data_init(const cJSON *options, const fmhac_config *config,
                   run_data *out_data, char error[ERROR_BYTES]) {
  *out_data = (run_data){0};
  attention *p = &out_data->problem;
  cJSON *values = cJSON_Parse(fmhac_config_get_canonical(config));
  bool ok = values && read_config(values, p, error);
  bool lse = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(values, "lse"));
  cJSON_Delete(values);
  if (!ok)
    return false;
  p->batch = (uint32_t)option_integer(options, "batch");
  p->heads_q = (uint32_t)option_integer(options, "heads");
  p->heads_kv = (uint32_t)option_integer(options, "kv_heads");
  if (p->heads_kv == 0)
    p->heads_kv = p->heads_q;
  p->seqlen_q = (uint32_t)option_integer(options, "seqlen_q");
  p->seqlen_kv = (uint32_t)option_integer(options, "seqlen_kv");
  const cJSON *scale = cJSON_GetObjectItemCaseSensitive(options, "scale");
  // As the kernel gets it: a float.
  p->scale = (float)(scale ? scale->valuedouble : 1 / sqrt(p->head_dim_qk));
  out_data->seed = option_integer(options, "seed");
  if (strcmp(option_text(options, "layout"), "bshd") != 0) {
    snprintf(error, ERROR_BYTES, "--layout: only bshd can be run yet");
    return false;
  }
  for (const char *name = "qkvo"; *name; ++name) {
    const char key[] = {*name, '_', 's', 't', 'r', 'i', 'd', 'e', 's', '\0'};
    if (cJSON_GetObjectItemCaseSensitive(options, key)) {
      snprintf(error, ERROR_BYTES, "--%c-strides cannot be run yet", *name);
      return false;
    }
  }
  uint64_t b = p->batch, hq = p->heads_q, hk = p->heads_kv;
  uint64_t sq = p->seqlen_q, sk = p->seqlen_kv;
  run_tensor *t = out_data->tensors;
  t[TENSOR_Q] = (run_tensor){
      .name = "q", .type = p->type, .shape = {b, sq, hq, p->head_dim_qk}};
  t[TENSOR_K] = (run_tensor){
      .name = "k", .type = p->type, .shape = {b, sk, hk, p->head_dim_qk}};
  t[TENSOR_V] = (run_tensor){
      .name = "v", .type = p->type, .shape = {b, sk, hk, p->head_dim_v}};
  t[TENSOR_O] = (run_tensor){.name = "o",
                             .type = p->out_type,
                             .shape = {b, sq, hq, p->head_dim_v},
                             .is_output = true};
  t[TENSOR_LSE] = (run_tensor){.name = "lse",
                               .type = ELEMENT_F32,
                               .shape = {b, hq, sq},
                               .is_output = true};
  for (int i = 0; i < TENSOR_COUNT && ok; ++i) {
    t[i].rank = i == TENSOR_LSE ? 3 : 4;
    if (i != TENSOR_LSE || lse)
      ok = size_tensor(&t[i], error);
  }
  return ok;
}

void run_data_deinit(run_data *data) {
  for (int i = 0; i < TENSOR_COUNT; ++i)
    free(data->tensors[i].host);
  *data = (run_data){0};
}

bool run_data_fill(run_data *data, const char *const files[3],
                   char error[ERROR_BYTES]) {
  for (int i = 0; i < TENSOR_COUNT; ++i) {
    run_tensor *t = &data->tensors[i];
    if (t->bytes == 0)
      continue;
    if (!t->is_output && files[i]) {
      npy_array array;
      if (!npy_read_expected(files[i], t->type, t->rank, t->shape, &array,
                             error))
        return false;
      t->host = array.data;
      continue;
    }
    t->host = malloc(t->bytes);
    if (!t->host) {
      snprintf(error, ERROR_BYTES, "no memory for the %zu bytes of tensor %s",
               t->bytes, t->name);
      return false;
    }
    if (t->is_output)
      memset(t->host, 0xff, t->bytes);
    else
      input_fill(data->input, (input_tensor)i, (uint64_t)data->seed, t->type,
                 (uint32_t)t->shape[0], (uint32_t)t->shape[1],
                 (uint32_t)t->shape[2], (uint32_t)t->shape[3], t->host);
  }
  data->problem.q = data->tensors[TENSOR_Q].host;
  data->problem.k = data->tensors[TENSOR_K].host;
  data->problem.v = data->tensors[TENSOR_V].host;
  return true;
}

fmhac_problem run_data_problem(const run_data *data) {
  const attention *p = &data->problem;
  return (fmhac_problem){.size = sizeof(fmhac_problem),
                         .batch = p->batch,
                         .heads_q = p->heads_q,
                         .heads_kv = p->heads_kv,
                         .seqlen_q = p->seqlen_q,
                         .seqlen_kv = p->seqlen_kv};
}

fmhac_tensors run_data_tensors(const run_data *data) {
  const attention *p = &data->problem;
  const run_tensor *t = data->tensors;
  uint32_t in = element_bytes(p->type), out = element_bytes(p->out_type);
  bool lse = t[TENSOR_LSE].bytes != 0;
  uint64_t lse_row = (uint64_t)p->seqlen_q * sizeof(float);
  return (fmhac_tensors){
      .size = sizeof(fmhac_tensors),
      .problem = run_data_problem(data),
      .q = t[TENSOR_Q].address,
      .k = t[TENSOR_K].address,
      .v = t[TENSOR_V].address,
      .o = t[TENSOR_O].address,
      .lse = t[TENSOR_LSE].address,
      .q_strides =
          fmhac_strides_bshd(p->heads_q, p->seqlen_q, p->head_dim_qk, in),
      .k_strides =
          fmhac_strides_bshd(p->heads_kv, p->seqlen_kv, p->head_dim_qk, in),
      .v_strides =
          fmhac_strides_bshd(p->heads_kv, p->seqlen_kv, p->head_dim_v, in),
      .o_strides =
          fmhac_strides_bshd(p->heads_q, p->seqlen_q, p->head_dim_v, out),
      .lse_batch_stride_bytes = lse ? lse_row * p->heads_q : 0,
      .lse_head_stride_bytes = lse ? lse_row : 0,
      .scale = (float)p->scale,
  };
}

cJSON *run_data_problem_json(const run_data *data) {
  const attention *p = &data->problem;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "batch", p->batch);
  cJSON_AddNumberToObject(object, "heads", p->heads_q);
  cJSON_AddNumberToObject(object, "kv_heads", p->heads_kv);
  cJSON_AddNumberToObject(object, "seqlen_q", p->seqlen_q);
  cJSON_AddNumberToObject(object, "seqlen_kv", p->seqlen_kv);
  cJSON_AddNumberToObject(object, "scale", p->scale);
  cJSON_AddNumberToObject(object, "seed", (double)data->seed);
  cJSON_AddStringToObject(object, "input", input_kind_name(data->input));
  return object;
}
