// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_features.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "npy.h"

bool run_features_find_file(const cJSON *options, const cJSON *values,
                            const char *key, const char **out_file,
                            char error[ERROR_BYTES]) {
  *out_file = NULL;
  if (!cJSON_IsTrue(json_get(values, key)))
    return true;
  const cJSON *item = json_get(options, key);
  if (cJSON_IsString(item)) {
    *out_file = item->valuestring;
    return true;
  }
  return ERROR_SET(
      error,
      "\"%s\": the configuration takes one and names no file; give "
      "\"%s\": \"FILE.npy\" or the flag",
      key, key);
}

//===- Lengths ------------------------------------------------------------===//

/// Compares a size in a file with the other sources of that size.
static bool settle(const cJSON *options, const char *key, const char *file,
                   const char *what, uint32_t found, uint32_t *size,
                   char error[ERROR_BYTES]) {
  const cJSON *given = json_get(options, key);
  if (given && given->valuedouble != found)
    return ERROR_SET(error,
                     "%.200s: %s %" PRIu32
                     ", but \"%s\" is given as %.0f; leave it "
                     "out",
                     file, what, found, key, given->valuedouble);
  *size = found;
  return true;
}

/// Reads a list of at least `least` lengths into a buffer.
static bool read_list(const char *file, size_t least, run_buffer *buffer,
                      size_t *out_count, char error[ERROR_BYTES]) {
  npy_array array;
  if (!npy_read(file, &array, error))
    return false;
  if (array.type != ELEMENT_I32 || array.rank != 1 || array.count < least ||
      array.count > UINT16_MAX + least - 1) {
    snprintf(error, ERROR_BYTES,
             "%.200s: expected '<i4' (i32) of one dimension with %zu to %zu "
             "elements, found '%s' of %zu dimensions with %zu elements",
             file, least, UINT16_MAX + least - 1, element_name(array.type),
             array.rank, array.count);
    npy_deinit(&array);
    return false;
  }
  buffer->host = array.data;
  buffer->bytes = array.count * sizeof(int32_t);
  *out_count = array.count;
  return true;
}

/// One of Q and K/V: which keys and buffers hold its lengths.
typedef struct side {
  const char *cu_key, *length_key, *seqlen_key;
  int cu_buffer, length_buffer;
} side;

static bool check_cu_seqlens(const char *file, const int32_t *starts,
                             size_t count, char error[ERROR_BYTES]) {
  if (starts[0] != 0)
    return ERROR_SET(error,
                     "%.200s: expected 0 as the first element, found %" PRId32,
                     file, starts[0]);
  for (size_t i = 1; i < count; ++i)
    if (starts[i] < starts[i - 1])
      return ERROR_SET(error,
                       "%.200s: element %zu is %" PRId32 ", less than %" PRId32
                       " before it",
                       file, i, starts[i], starts[i - 1]);
  if (starts[count - 1] == 0)
    return ERROR_SET(error, "%.200s: every sequence is empty", file);
  return true;
}

static bool check_seqlens(const char *file, const int32_t *lengths,
                          size_t count, uint32_t seqlen,
                          char error[ERROR_BYTES]) {
  for (size_t i = 0; i < count; ++i)
    if (lengths[i] < 0 || (uint32_t)lengths[i] > seqlen)
      return ERROR_SET(error,
                       "%.200s: element %zu is %" PRId32
                       ", expected 0 to %" PRIu32 ", the rows of a batch",
                       file, i, lengths[i], seqlen);
  return true;
}

static bool read_side(const cJSON *options, const cJSON *values, const side *s,
                      const char **batch_file, uint32_t *seqlen, run_data *data,
                      const int32_t **out_cu_seqlens,
                      const int32_t **out_seqlens, char error[ERROR_BYTES]) {
  const char *packed, *padded;
  if (!run_features_find_file(options, values, s->cu_key, &packed, error) ||
      !run_features_find_file(options, values, s->length_key, &padded, error))
    return false;
  const char *file = packed ? packed : padded;
  if (!file)
    return true;
  // One start more than sequences.
  size_t extra = packed ? 1 : 0, count;
  run_buffer *buffer = &data->buffers[packed ? s->cu_buffer : s->length_buffer];
  if (!read_list(file, 1 + extra, buffer, &count, error))
    return false;
  uint32_t batch = (uint32_t)(count - extra);
  if (*batch_file && batch != data->problem.batch)
    return ERROR_SET(error,
                     "%.200s: sequences %" PRIu32 ", but %.200s has %" PRIu32,
                     file, batch, *batch_file, data->problem.batch);
  *batch_file = file;
  if (!settle(options, "batch", file, "sequences", batch, &data->problem.batch,
              error))
    return false;
  const int32_t *list = buffer->host;
  if (!packed) {
    *out_seqlens = list;
    return check_seqlens(file, list, count, *seqlen, error);
  }
  *out_cu_seqlens = list;
  if (!check_cu_seqlens(file, list, count, error))
    return false;
  uint32_t longest = 0;
  for (uint32_t b = 0; b < batch; ++b)
    if ((uint32_t)(list[b + 1] - list[b]) > longest)
      longest = (uint32_t)(list[b + 1] - list[b]);
  return settle(options, s->seqlen_key, file, "rows of the longest sequence",
                longest, seqlen, error);
}

bool run_features_read_lengths(const cJSON *options, const cJSON *values,
                               run_data *data, char error[ERROR_BYTES]) {
  static const side q = {"cu_seqlens_q", "seqlens_q", "seqlen_q",
                         BUFFER_CU_SEQLENS_Q, BUFFER_SEQLENS_Q};
  static const side kv = {"cu_seqlens_kv", "seqlens_kv", "seqlen_kv",
                          BUFFER_CU_SEQLENS_KV, BUFFER_SEQLENS_KV};
  attention *p = &data->problem;
  const char *batch_file = NULL;
  return read_side(options, values, &q, &batch_file, &p->seqlen_q, data,
                   &p->cu_seqlens_q, &p->seqlens_q, error) &&
         read_side(options, values, &kv, &batch_file, &p->seqlen_kv, data,
                   &p->cu_seqlens_kv, &p->seqlens_kv, error);
}

uint32_t run_features_total(const run_data *data, const int32_t *cu_seqlens) {
  return (uint32_t)cu_seqlens[data->problem.batch];
}

//===- Sink, slopes, bias -------------------------------------------------===//

void alibi_slopes(uint32_t heads, float *out_slopes) {
  uint32_t whole = 1;
  while (whole <= heads / 2)
    whole *= 2;
  for (uint32_t h = 0; h < heads; ++h)
    out_slopes[h] =
        (float)(h < whole ? exp2(-8.0 * (h + 1) / whole)
                          : exp2(-8.0 * (2 * (h - whole) + 1) / (2.0 * whole)));
}

bool run_features_find_files(const cJSON *options, const cJSON *values,
                             run_data *data, char error[ERROR_BYTES]) {
  data->has_alibi = cJSON_IsTrue(json_get(values, "alibi"));
  const char *file = option_text(options, "score_mod");
  data->score_mod_file = file[0] ? file : NULL;
  return run_features_find_file(options, values, "sink", &data->sink_file,
                                error) &&
         run_features_find_file(options, values, "bias", &data->bias_file,
                                error);
}

bool run_features_read_score_mod(run_data *data, char error[ERROR_BYTES]) {
  if (!data->score_mod_file)
    return true;
  void *text;
  size_t size;
  char why[ERROR_BYTES];
  if (!file_read(data->score_mod_file, &text, &size, error))
    return false;
  bool ok = score_mod_parse(text, &data->mod, why);
  free(text);
  if (!ok)
    return ERROR_SET(error, "not compared: no reference for %.200s of %.200s",
                     why, data->score_mod_file);
  data->problem.score_mod = score_mod_eval;
  data->problem.score_mod_user = data->mod;
  return true;
}

static bool fill_sink(run_data *data, char error[ERROR_BYTES]) {
  const uint64_t shape[] = {data->problem.heads_q};
  npy_array array;
  if (!npy_read_expected(data->sink_file, ELEMENT_F32, 1, shape, &array, error))
    return false;
  run_buffer *buffer = &data->buffers[BUFFER_SINK];
  buffer->host = array.data;
  buffer->bytes = array.count * sizeof(float);
  data->problem.sink = array.data;
  return true;
}

static bool fill_slopes(run_data *data, char error[ERROR_BYTES]) {
  run_buffer *buffer = &data->buffers[BUFFER_ALIBI_SLOPES];
  buffer->bytes = data->problem.heads_q * sizeof(float);
  buffer->host = malloc(buffer->bytes);
  if (!buffer->host)
    return ERROR_SET(error, "no memory for the slopes");
  alibi_slopes(data->problem.heads_q, buffer->host);
  data->problem.alibi_slopes = buffer->host;
  return true;
}

/// [B|1, Hq|1, Sq|1, Sk]: an axis of size 1 serves all indices.
static bool fill_bias(run_data *data, char error[ERROR_BYTES]) {
  attention *p = &data->problem;
  npy_array array;
  if (!npy_read(data->bias_file, &array, error))
    return false;
  const uint64_t *shape = array.shape;
  const uint64_t sizes[] = {p->batch, p->heads_q, p->seqlen_q};
  bool fits =
      array.type == ELEMENT_F32 && array.rank == 4 && shape[3] == p->seqlen_kv;
  for (int i = 0; i < 3 && fits; ++i)
    fits = shape[i] == 1 || shape[i] == sizes[i];
  if (!fits) {
    snprintf(error, ERROR_BYTES,
             "%.200s: expected '<f4' (f32) of shape [%" PRIu32 " or 1, %" PRIu32
             " or 1, %" PRIu32 " or 1, %" PRIu32
             "], found '%s' of %zu dimensions, [%" PRIu64 ", %" PRIu64
             ", %" PRIu64 ", %" PRIu64 "]",
             data->bias_file, p->batch, p->heads_q, p->seqlen_q, p->seqlen_kv,
             element_name(array.type), array.rank, shape[0], shape[1], shape[2],
             shape[3]);
    npy_deinit(&array);
    return false;
  }
  p->bias = (attention_bias){
      .base = array.data,
      .row_stride = shape[2] > 1 ? shape[3] : 0,
      .head_stride = shape[1] > 1 ? shape[2] * shape[3] : 0,
      .batch_stride = shape[0] > 1 ? shape[1] * shape[2] * shape[3] : 0};
  run_buffer *buffer = &data->buffers[BUFFER_BIAS];
  buffer->host = array.data;
  buffer->bytes = array.count * sizeof(float);
  return true;
}

bool run_features_fill(run_data *data, char error[ERROR_BYTES]) {
  const attention *p = &data->problem;
  return (!data->sink_file || p->sink || fill_sink(data, error)) &&
         (!data->has_alibi || p->alibi_slopes || fill_slopes(data, error)) &&
         (!data->bias_file || p->bias.base || fill_bias(data, error));
}
