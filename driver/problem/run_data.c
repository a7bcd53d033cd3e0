// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "npy.h"
#include "run_factors.h"
#include "run_features.h"
#include "run_pages.h"

static bool parse_element(const char *name, element_type *out_type) {
  for (int type = ELEMENT_BF16; type <= ELEMENT_F32; ++type)
    if (strcmp(name, element_name((element_type)type)) == 0) {
      *out_type = (element_type)type;
      return true;
    }
  return false;
}

/// The type of an operand: its own, or that of all.
static bool read_type(const cJSON *config, const char *key,
                      element_type *out_type, char error[ERROR_BYTES]) {
  const char *own = option_text(config, key);
  const bool same = !own[0] || strcmp(own, "same") == 0;
  const char *name = same ? option_text(config, "dtype") : own;
  return parse_element(name, out_type) ||
         ERROR_SET(error, "no reference for inputs of type %s", name);
}

/// Types, head sizes, mask and soft cap, of the configuration that the kernel
/// is made for.
static bool read_config(const cJSON *config, attention *problem,
                        char error[ERROR_BYTES]) {
  const char *out_dtype = option_text(config, "out_dtype");
  const char *mask = option_text(config, "mask");
  problem->head_dim_qk = (uint32_t)option_integer(config, "head_dim_qk");
  problem->head_dim_v = (uint32_t)option_integer(config, "head_dim_v");
  problem->rope_dim = (uint32_t)option_integer(config, "rope_dim");
  const bool v_in_k = cJSON_IsTrue(json_get(config, "v_in_k"));
  if (!read_type(config, "q_dtype", &problem->q_type, error) ||
      !read_type(config, "k_dtype", &problem->k_type, error) ||
      !read_type(config, v_in_k ? "k_dtype" : "v_dtype", &problem->v_type,
                 error))
    return false;
  problem->out_type =
      problem->q_type == ELEMENT_FP8 ? ELEMENT_BF16 : problem->q_type;
  if (strcmp(out_dtype, "same") != 0 &&
      !parse_element(out_dtype, &problem->out_type))
    return ERROR_SET(error, "no reference for outputs of type %s", out_dtype);
  problem->softcap = option_real(config, "softcap");
  if (!attention_mask_parse(mask, &problem->mask))
    return ERROR_SET(error, "no reference for mask %s", mask);
  return true;
}

/// The scale as the kernel gets it: a float. 0 means the usual one.
static bool read_scale(const cJSON *options, attention *problem,
                       char error[ERROR_BYTES]) {
  const double given = option_real(options, "scale");
  problem->scale = (float)(given != 0 ? given : 1 / sqrt(problem->head_dim_qk));
  if (problem->scale != 0)
    return true;
  return ERROR_SET(
      error,
      "scale %g is 0 as f32, which would mean 1/sqrt(Dqk); expected 0, or "
      "at least 1.4e-45 in magnitude",
      given);
}

static void read_sizes(const cJSON *options, run_data *data) {
  attention *p = &data->problem;
  p->batch = (uint32_t)option_integer(options, "batch");
  p->heads_q = (uint32_t)option_integer(options, "heads");
  p->heads_kv = (uint32_t)option_integer(options, "kv_heads");
  if (p->heads_kv == 0)
    p->heads_kv = p->heads_q;
  p->seqlen_q = (uint32_t)option_integer(options, "seqlen_q");
  p->seqlen_kv = (uint32_t)option_integer(options, "seqlen_kv");
  data->seed = option_integer(options, "seed");
}

bool run_data_no_memory(const char *name, size_t bytes,
                        char error[ERROR_BYTES]) {
  return ERROR_SET(error, "no memory for the %zu bytes of %s", bytes, name);
}

//===- Places -------------------------------------------------------------===//

static tensor_place sized(const run_data *data, const int32_t *cu_seqlens,
                          element_type type, uint32_t rows, uint32_t heads,
                          uint32_t dim) {
  return (tensor_place){
      .type = type,
      .batches = cu_seqlens ? 1 : data->problem.batch,
      .rows = cu_seqlens ? run_features_total(data, cu_seqlens) : rows,
      .heads = heads,
      .dim = dim};
}

/// K or V: by batch and rows, or by pages and their rows.
static tensor_place sized_keys(const run_data *data, element_type type,
                               uint32_t heads, uint32_t dim) {
  const attention *p = &data->problem;
  tensor_place place =
      sized(data, p->cu_seqlens_kv, type, p->seqlen_kv, heads, dim);
  if (p->pages.rows) {
    place.batches = data->page_count;
    place.rows = p->pages.rows;
  }
  return place;
}

/// The order of pages.
static void place_page(const run_data *data, bool by_row, tensor_place *p) {
  p->row_stride = data->pages_by_head ? p->dim : p->heads * p->dim;
  p->head_stride = data->pages_by_head ? p->rows * p->dim : p->dim;
  if (!data->vectorised)
    return;
  p->row_stride = 0;
  p->piece = ATTENTION_PIECE_BYTES / element_bytes(p->type);
  p->by_row = by_row;
}

/// Pages have an order of their own, whatever that of Q is; but a buffer of K
/// and V has both.
static bool place_pages(run_data *data, tensor_place places[4],
                        char error[ERROR_BYTES]) {
  if (!data->page_count)
    return true;
  if (data->layout == LAYOUT_PACKED_QKV ||
      (data->layout == LAYOUT_INTERLEAVED_KV && data->pages_by_head))
    return ERROR_SET(
        error, "--layout=%s: expected bshd%s with K and V in pages%s",
        tensor_layout_name(data->layout),
        data->pages_by_head ? " or bhsd" : ", bhsd or interleaved-kv",
        data->vectorised      ? " of --kv-layout=vectorised"
        : data->pages_by_head ? " of --kv-layout=hnd"
                              : "");
  for (int i = TENSOR_K; i <= TENSOR_V; ++i)
    if (data->layout != LAYOUT_INTERLEAVED_KV)
      place_page(data, i == TENSOR_V, &places[i]);
  return true;
}

/// The last columns of K: by batch and rows, or by page, of one head for all if
/// no file has more. V that is the first ones lies where K does.
static void place_latent(run_data *data) {
  const attention *p = &data->problem;
  run_tensor *k = &data->tensors[TENSOR_K], *v = &data->tensors[TENSOR_V];
  if (data->v_in_k) {
    v->place = k->place;
    v->place.dim = p->head_dim_v;
    v->home = k->home;
  }
  data->tensors[TENSOR_K_ROPE].home = TENSOR_K_ROPE;
  if (!data->rope_heads)
    return;
  tensor_place rope =
      sized_keys(data, p->k_type, data->rope_heads, p->rope_dim);
  const bool by_head = data->layout == LAYOUT_BHSD;
  rope.row_stride = by_head ? rope.dim : rope.heads * rope.dim;
  rope.head_stride = by_head ? rope.rows * rope.dim : rope.dim;
  rope.batch_stride = rope.rows * rope.heads * rope.dim;
  if (data->page_count)
    place_page(data, false, &rope);
  data->tensors[TENSOR_K_ROPE].place = rope;
}

/// The requirements of a layout that has several tensors in one buffer.
static bool check_layout(const run_data *data, const tensor_place places[4],
                         char error[ERROR_BYTES]) {
  const attention *p = &data->problem;
  bool with_q = data->layout == LAYOUT_PACKED_QKV;
  if (!with_q && data->layout != LAYOUT_INTERLEAVED_KV)
    return true;
  const char *name = tensor_layout_name(data->layout);
  if (data->v_in_k || p->rope_dim)
    return ERROR_SET(error,
                     "--layout=%s: expected K and V of their own in one "
                     "buffer, found %s",
                     name, data->v_in_k ? "v_in_k" : "rope_dim");
  if (p->head_dim_qk != p->head_dim_v)
    return ERROR_SET(
        error,
        "--layout=%s: expected head sizes Dqk and Dv that are equal, "
        "found %" PRIu32 " and %" PRIu32,
        name, p->head_dim_qk, p->head_dim_v);
  // Distances in a buffer are in elements of one size.
  if (with_q && (element_bytes(p->q_type) != element_bytes(p->k_type) ||
                 element_bytes(p->q_type) != element_bytes(p->v_type)))
    return ERROR_SET(error,
                     "--layout=%s: expected Q, K and V of elements that are as "
                     "large, found %s, %s and %s",
                     name, element_name(p->q_type), element_name(p->k_type),
                     element_name(p->v_type));
  if (with_q && (places[TENSOR_Q].batches != places[TENSOR_K].batches ||
                 places[TENSOR_Q].rows != places[TENSOR_K].rows))
    return ERROR_SET(error,
                     "--layout=%s: expected K [B,S] as Q, found [%" PRIu64
                     ",%" PRIu64 "] and [%" PRIu64 ",%" PRIu64 "]",
                     name, places[TENSOR_K].batches, places[TENSOR_K].rows,
                     places[TENSOR_Q].batches, places[TENSOR_Q].rows);
  for (int i = with_q ? TENSOR_Q : TENSOR_K; i <= TENSOR_V; ++i)
    if (data->strides[i])
      return ERROR_SET(
          error,
          "--layout=%s: the strides of %s follow from it; give one of "
          "the two",
          name, data->tensors[i].name);
  return true;
}

static bool place_tensors(const cJSON *options, run_data *data,
                          char error[ERROR_BYTES]) {
  static const char *const stride_keys[] = {"q_strides", "k_strides",
                                            "v_strides", "o_strides"};
  const attention *p = &data->problem;
  tensor_place places[4] = {
      [TENSOR_Q] = sized(data, p->cu_seqlens_q, p->q_type, p->seqlen_q,
                         p->heads_q, p->head_dim_qk),
      [TENSOR_K] = sized_keys(data, p->k_type, p->heads_kv,
                              p->head_dim_qk - p->rope_dim),
      [TENSOR_V] = sized_keys(data, p->v_type, p->heads_kv, p->head_dim_v),
      [TENSOR_O] = sized(data, p->cu_seqlens_q, p->out_type, p->seqlen_q,
                         p->heads_q, p->head_dim_v)};
  int homes[4];
  if (!tensor_layout_parse(option_text(options, "layout"), &data->layout))
    return ERROR_SET(error, "no layout %.40s", option_text(options, "layout"));
  for (int i = 0; i < TENSOR_LSE; ++i) {
    const char *text = option_text(options, stride_keys[i]);
    data->strides[i] = text[0] ? text : NULL;
  }
  if (!check_layout(data, places, error))
    return false;
  tensor_place_all(data->layout, places, homes);
  if (!place_pages(data, places, error))
    return false;
  for (int i = 0; i < TENSOR_LSE; ++i) {
    if (data->strides[i] &&
        !tensor_place_parse_strides(data->strides[i], &places[i]))
      return ERROR_SET(error, "%s: expected B,S,H, found '%.60s'",
                       stride_keys[i], data->strides[i]);
    data->tensors[i].place = places[i];
    data->tensors[i].home = homes[i];
  }
  if (data->v_in_k && data->strides[TENSOR_V])
    return ERROR_SET(error, "%s: V lies in K with v_in_k; give k_strides",
                     stride_keys[TENSOR_V]);
  place_latent(data);
  // LSE: rows are contiguous.
  tensor_place lse =
      sized(data, p->cu_seqlens_q, ELEMENT_F32, p->seqlen_q, p->heads_q, 1);
  lse.row_stride = 1;
  lse.head_stride = lse.rows;
  lse.batch_stride = lse.heads * lse.rows;
  data->tensors[TENSOR_LSE].place = lse;
  data->tensors[TENSOR_LSE].home = TENSOR_LSE;
  return true;
}

static bool size_buffers(run_data *data, bool has_lse,
                         char error[ERROR_BYTES]) {
  for (int i = 0; i < TENSOR_COUNT; ++i) {
    const run_tensor *t = &data->tensors[i];
    uint64_t elements;
    if ((i == TENSOR_LSE && !has_lse) || !run_data_is_own(data, i))
      continue;
    if (!tensor_place_extent(&t->place, &elements))
      return ERROR_SET(error, "tensor %s has more bytes than memory", t->name);
    run_buffer *home = &data->buffers[t->home];
    size_t bytes = elements * element_bytes(t->place.type);
    if (bytes > home->bytes)
      home->bytes = bytes;
  }
  return true;
}

/// Names that do not depend on anything.
static void name_buffers(run_data *data) {
  static const char *const names[BUFFER_COUNT] = {
      [TENSOR_Q] = "q",
      [TENSOR_K] = "k",
      [TENSOR_V] = "v",
      [TENSOR_O] = "o",
      [TENSOR_LSE] = "lse",
      [TENSOR_K_ROPE] = "k_rope",
      [BUFFER_CU_SEQLENS_Q] = "cu_seqlens_q",
      [BUFFER_CU_SEQLENS_KV] = "cu_seqlens_kv",
      [BUFFER_SEQLENS_Q] = "seqlens_q",
      [BUFFER_SEQLENS_KV] = "seqlens_kv",
      [BUFFER_SINK] = "sink",
      [BUFFER_ALIBI_SLOPES] = "alibi_slopes",
      [BUFFER_BIAS] = "bias",
      [BUFFER_Q_SCALES] = "q_scales",
      [BUFFER_K_SCALES] = "k_scales",
      [BUFFER_V_SCALES] = "v_scales",
      [BUFFER_O_SCALE] = "o_scale",
      [BUFFER_PAGE_TABLE] = "page_table",
      [BUFFER_KV_INDPTR] = "kv_indptr",
      [BUFFER_KV_INDICES] = "kv_indices",
      [BUFFER_KV_LAST_PAGE_LEN] = "kv_last_page_len"};
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    data->buffers[i].name = names[i];
    data->buffers[i].is_output = i == TENSOR_O || i == TENSOR_LSE;
  }
  for (int i = 0; i < TENSOR_COUNT; ++i)
    data->tensors[i].name = names[i];
}

bool run_data_init(const cJSON *options, const fmhac_config *config,
                   run_data *out_data, char error[ERROR_BYTES]) {
  *out_data = (run_data){0};
  run_data *data = out_data;
  name_buffers(data);
  cJSON *values = cJSON_Parse(fmhac_config_get_canonical(config));
  snprintf(error, ERROR_BYTES, "no memory for the configuration");
  bool ok = values && read_config(values, &data->problem, error);
  if (ok) {
    read_sizes(options, data);
    data->v_in_k = cJSON_IsTrue(json_get(values, "v_in_k"));
    data->rope_heads = data->problem.rope_dim ? 1 : 0;
    data->pages_by_head = run_pages_by_head(options);
    data->vectorised = run_pages_vectorised(options);
    if (run_pages_asked(options) && !json_get(options, "seqlen_kv"))
      data->problem.seqlen_kv = INT32_MAX; // lengths say which is the longest
    ok = read_scale(options, &data->problem, error) &&
         run_features_read_lengths(options, values, data, error) &&
         run_pages_read(options, values, data, error) &&
         run_features_find_files(options, values, data, error) &&
         run_factors_find(options, values, data, error) &&
         place_tensors(options, data, error);
  }
  bool lse = cJSON_IsTrue(json_get(values, "lse"));
  cJSON_Delete(values);
  if (!ok || !size_buffers(data, lse, error))
    return false;
  if (data->layout == LAYOUT_PACKED_QKV)
    data->buffers[TENSOR_Q].name = "qkv";
  if (data->layout == LAYOUT_INTERLEAVED_KV)
    data->buffers[TENSOR_K].name = "kv";
  return true;
}

bool run_data_set_rope_heads(const cJSON *options, run_data *data,
                             uint32_t heads, char error[ERROR_BYTES]) {
  data->rope_heads = heads;
  return place_tensors(options, data, error) &&
         size_buffers(data, run_data_has_lse(data), error);
}

bool run_data_add_pages(const cJSON *options, run_data *data, uint64_t pages,
                        char error[ERROR_BYTES]) {
  if (pages <= data->page_count)
    return true;
  data->page_count = pages;
  return place_tensors(options, data, error) &&
         size_buffers(data, run_data_has_lse(data), error);
}

void run_data_deinit(run_data *data) {
  for (int i = 0; i < BUFFER_COUNT; ++i)
    free(data->buffers[i].host);
  score_mod_destroy(data->mod);
  *data = (run_data){0};
}

const char *run_data_hindrance_of_fixtures(const run_data *data) {
  const attention *p = &data->problem;
  // The rounding of Q moves the scores that they prescribe.
  if (p->rope_dim || data->v_in_k)
    return "a K and a V of their own, found rope_dim or v_in_k; leave it out, "
           "or take another input";
  if (p->quantize_q)
    return "a Q that is not rounded, found quantize_q, which moves prescribed "
           "scores; leave it out, or take another input";
  if (p->softcap != 0 || data->has_alibi || data->bias_file ||
      data->score_mod_file)
    return "scores as they are, found a function of them; leave out softcap, "
           "alibi, bias, score_mod";
  const bool is_of_8_bits =
      element_bytes(p->q_type) == 1 || element_bytes(p->k_type) == 1;
  const double scale = fabs(p->scale);
  if (is_of_8_bits &&
      (scale < INPUT_LEAST_SCALE_8_BIT || scale > INPUT_MOST_SCALE_8_BIT))
    return "a scale from 1e-4 to 10 with elements of 8 bits, which hold the "
           "scores; give --scale";
  return NULL;
}

int run_data_take_input(run_data *data, const char *input, const report *r) {
  if (!input_kind_parse(input, &data->input))
    return report_error(r, EXIT_USAGE,
                        "--input: expected normal, growing, spikes, rising, "
                        "fixture or sink, found '%.40s'",
                        input);
  if (data->input == INPUT_RISING && data->problem.rope_dim)
    return report_error(r, EXIT_USAGE,
                        "--input=%s: expected K in one tensor, found rope_dim; "
                        "leave it out, or take another input",
                        input);
  const bool is_fixture =
      data->input == INPUT_FIXTURE || data->input == INPUT_SINK;
  if (is_fixture && data->problem.seqlen_kv < INPUT_FIXTURE_KEYS)
    return report_error(r, EXIT_USAGE,
                        "--input=%s: expected at least %d keys, found %" PRIu32
                        "; give --seqlen-kv %d",
                        input, INPUT_FIXTURE_KEYS, data->problem.seqlen_kv,
                        INPUT_FIXTURE_KEYS);
  const char *hindrance =
      is_fixture ? run_data_hindrance_of_fixtures(data) : NULL;
  if (hindrance)
    return report_error(r, EXIT_USAGE, "--input=%s: expected %s", input,
                        hindrance);
  return ARGS_CONTINUE;
}

bool run_data_has_lse(const run_data *data) {
  return data->buffers[TENSOR_LSE].bytes != 0;
}

//===- Sequences ----------------------------------------------------------===//

run_sequence run_data_sequence(const run_data *data, int tensor,
                               uint32_t batch) {
  const attention *p = &data->problem;
  bool is_kv = run_data_is_kv(tensor);
  const int32_t *cu_seqlens = is_kv ? p->cu_seqlens_kv : p->cu_seqlens_q;
  uint32_t rows = is_kv ? attention_keys(p, batch) : attention_rows(p, batch);
  if (cu_seqlens)
    return (run_sequence){0, (uint64_t)cu_seqlens[batch], rows};
  return (run_sequence){batch, 0, rows};
}

bool run_data_in_pages(const run_data *data, int tensor) {
  return data->page_count && run_data_is_kv(tensor);
}

uint64_t run_data_first_index(const run_data *data, int tensor,
                              run_sequence s) {
  const tensor_place *p = &data->tensors[tensor].place;
  const uint64_t rows =
      run_data_in_pages(data, tensor) ? data->problem.seqlen_kv : p->rows;
  return (s.batch * rows + s.first_row) * p->heads * p->dim;
}

uint64_t run_data_at(const run_data *data, int tensor, uint32_t sequence,
                     uint64_t row, uint64_t head, uint64_t column) {
  const tensor_place *place = &data->tensors[tensor].place;
  const run_sequence s = run_data_sequence(data, tensor, sequence);
  if (!run_data_in_pages(data, tensor))
    return tensor_place_at(place, s.batch, s.first_row + row, head, column);
  const attention_pages *pages = &data->problem.pages;
  return tensor_place_at(
      place, (uint64_t)attention_page(pages, sequence, row / pages->rows),
      row % pages->rows, head, column);
}

size_t run_data_shape(const run_data *data, int tensor,
                      uint64_t shape[RUN_DATA_RANK]) {
  const tensor_place *p = &data->tensors[tensor].place;
  bool is_kv = run_data_is_kv(tensor);
  bool packed = is_kv ? data->problem.cu_seqlens_kv != NULL
                      : data->problem.cu_seqlens_q != NULL;
  size_t rank = 0;
  if (!packed)
    shape[rank++] = p->batches;
  const bool by_head = tensor == TENSOR_LSE ||
                       (is_kv && data->page_count && data->pages_by_head);
  if (p->piece) {
    shape[rank++] = p->heads;
    shape[rank++] = (p->by_row ? p->rows : p->dim) / p->piece;
    shape[rank++] = p->by_row ? p->dim : p->rows;
    shape[rank++] = p->piece;
    return rank;
  }
  shape[rank++] = by_head ? p->heads : p->rows;
  shape[rank++] = by_head ? p->rows : p->heads;
  if (tensor != TENSOR_LSE)
    shape[rank++] = p->dim;
  return rank;
}

//===- Results ------------------------------------------------------------===//

/// LSE of a sequence, head by head.
static char *collect_lse(const run_data *data, run_sequence s, char *to) {
  const tensor_place *place = &data->tensors[TENSOR_LSE].place;
  const float *lse = data->buffers[TENSOR_LSE].host;
  for (uint64_t head = 0; head < place->heads; ++head) {
    memcpy(to, lse + tensor_place_at(place, s.batch, s.first_row, head, 0),
           s.rows * sizeof *lse);
    to += s.rows * sizeof *lse;
  }
  return to;
}

void *run_data_collect(const run_data *data, int tensor) {
  const run_tensor *t = &data->tensors[tensor];
  size_t rows = attention_lse_count(&data->problem) / data->problem.heads_q;
  char *out = malloc(tensor_place_dense_bytes(&t->place, rows) + 1), *to = out;
  for (uint32_t b = 0; out && b < data->problem.batch; ++b) {
    run_sequence s = run_data_sequence(data, tensor, b);
    if (s.rows == 0)
      continue;
    if (tensor == TENSOR_LSE) {
      to = collect_lse(data, s, to);
      continue;
    }
    tensor_place_gather(&t->place, s.batch, s.first_row, s.rows,
                        data->buffers[t->home].host, to);
    to += tensor_place_dense_bytes(&t->place, s.rows);
  }
  return out;
}

bool run_data_write(const run_data *data, int tensor, const char *path,
                    char error[ERROR_BYTES]) {
  const run_tensor *t = &data->tensors[tensor];
  const run_buffer *buffer = &data->buffers[t->home];
  uint64_t shape[RUN_DATA_RANK];
  size_t rank = run_data_shape(data, tensor, shape);
  if (tensor == TENSOR_LSE)
    return npy_write(path, t->place.type, rank, shape, buffer->host, error);
  size_t batch_bytes = tensor_place_dense_bytes(&t->place, t->place.rows);
  char *dense = malloc(batch_bytes * t->place.batches);
  if (!dense)
    return run_data_no_memory(t->name, batch_bytes * t->place.batches, error);
  for (uint64_t b = 0; b < t->place.batches; ++b)
    tensor_place_gather(&t->place, b, 0, t->place.rows, buffer->host,
                        dense + b * batch_bytes);
  bool ok = npy_write(path, t->place.type, rank, shape, dense, error);
  free(dense);
  return ok;
}

/// Says which row byte `at` of an output lies in.
static void describe_stray(const run_data *data, int tensor, size_t at,
                           char text[ERROR_BYTES]) {
  const run_tensor *t = &data->tensors[tensor];
  size_t bytes = element_bytes(t->place.type);
  for (uint32_t b = 0; b < data->problem.batch; ++b) {
    run_sequence s = run_data_sequence(data, tensor, b);
    // With packed sequences every row is in use.
    for (uint64_t row = data->problem.cu_seqlens_q ? t->place.rows : s.rows;
         row < t->place.rows; ++row)
      for (uint64_t head = 0; head < t->place.heads; ++head) {
        size_t start =
            tensor_place_at(&t->place, s.batch, row, head, 0) * bytes;
        if (at < start || at >= start + t->place.dim * bytes)
          continue;
        snprintf(text, ERROR_BYTES,
                 "row written: %s, batch %" PRIu32 ", row %" PRIu64
                 ", head %" PRIu64 ", past the %" PRIu64 " rows in use",
                 t->name, b, row, head, s.rows);
        return;
      }
  }
  snprintf(text, ERROR_BYTES,
           "byte %zu of %s was written, but it lies in no row in use", at,
           t->name);
}

bool run_data_find_stray(const run_data *data, char text[ERROR_BYTES]) {
  for (int i = TENSOR_O; i <= TENSOR_LSE; ++i) {
    const run_tensor *t = &data->tensors[i];
    const run_buffer *buffer = &data->buffers[t->home];
    if (buffer->bytes == 0)
      continue;
    uint8_t *rest = malloc(buffer->bytes);
    if (!rest) {
      run_data_no_memory("a copy of an output", buffer->bytes, text);
      return true;
    }
    // The bytes outside the rows in use, which are blotted out.
    memcpy(rest, buffer->host, buffer->bytes);
    size_t bytes = element_bytes(t->place.type), at = 0;
    for (uint32_t b = 0; b < data->problem.batch; ++b) {
      run_sequence s = run_data_sequence(data, i, b);
      for (uint64_t row = 0; row < s.rows; ++row)
        for (uint64_t head = 0; head < t->place.heads; ++head)
          memset(rest + bytes * tensor_place_at(&t->place, s.batch,
                                                s.first_row + row, head, 0),
                 0xff, bytes * t->place.dim);
    }
    while (at < buffer->bytes && rest[at] == 0xff)
      ++at;
    bool found = at < buffer->bytes;
    free(rest);
    if (found) {
      describe_stray(data, i, at, text);
      return true;
    }
  }
  return false;
}

//===- For the library ----------------------------------------------------===//

/// Rows in use of all sequences; 1 if there are none, as 0 is no bound.
static uint64_t total_of(const run_data *data, int tensor) {
  uint64_t total = 0;
  for (uint32_t b = 0; b < data->problem.batch; ++b)
    total += run_data_sequence(data, tensor, b).rows;
  return total ? total : 1;
}

fmhac_problem run_data_problem(const run_data *data) {
  const attention *p = &data->problem;
  return (fmhac_problem){.size = sizeof(fmhac_problem),
                         .batch = p->batch,
                         .heads_q = p->heads_q,
                         .heads_kv = p->heads_kv,
                         .seqlen_q = p->seqlen_q,
                         .seqlen_kv = p->seqlen_kv,
                         .total_q = total_of(data, TENSOR_Q),
                         .total_kv = total_of(data, TENSOR_K)};
}

static uint64_t address_of(const run_data *data, int tensor) {
  const run_tensor *t = &data->tensors[tensor];
  return data->buffers[t->home].address +
         t->place.offset * element_bytes(t->place.type);
}

/// Sequences that follow one another, or lie in pages, have no batch stride.
static fmhac_strides strides_of(const run_data *data, int tensor,
                                const int32_t *cu_seqlens) {
  const tensor_place *place = &data->tensors[tensor].place;
  uint64_t bytes = element_bytes(place->type);
  return (fmhac_strides){.batch_bytes =
                             cu_seqlens || run_data_in_pages(data, tensor)
                                 ? 0
                                 : place->batch_stride * bytes,
                         .head_bytes = place->head_stride * bytes,
                         .row_bytes = place->row_stride * bytes};
}

/// From a page of K or V to the next; 0 without pages.
static uint64_t page_stride_of(const run_data *data, int tensor) {
  const tensor_place *place = &data->tensors[tensor].place;
  return run_data_in_pages(data, tensor)
             ? place->batch_stride * element_bytes(place->type)
             : 0;
}

/// Factors have strides as tensors do.
static fmhac_strides strides_of_factors(const attention_factors *factors) {
  const uint64_t f32 = sizeof *factors->base;
  return (fmhac_strides){.batch_bytes = factors->batch_stride * f32,
                         .head_bytes = factors->head_stride * f32,
                         .row_bytes = factors->row_stride * f32};
}

fmhac_tensors run_data_tensors(const run_data *data) {
  const attention *p = &data->problem;
  const run_buffer *b = data->buffers;
  fmhac_strides lse = {0};
  if (run_data_has_lse(data))
    lse = strides_of(data, TENSOR_LSE, p->cu_seqlens_q);
  const uint64_t f32 = sizeof(float);
  fmhac_strides rope = {0};
  if (data->rope_heads)
    rope = strides_of(data, TENSOR_K_ROPE, p->cu_seqlens_kv);
  if (data->rope_heads == 1)
    rope.head_bytes = 0; // for all heads of K
  // V that lies in K is none of the launch's.
  const bool has_v = !data->v_in_k;
  return (fmhac_tensors){
      .size = sizeof(fmhac_tensors),
      .batch = p->batch,
      .heads_q = p->heads_q,
      .heads_kv = p->heads_kv,
      .seqlen_q = p->seqlen_q,
      .seqlen_kv = p->seqlen_kv,
      .q = address_of(data, TENSOR_Q),
      .k = address_of(data, TENSOR_K),
      .v = has_v ? address_of(data, TENSOR_V) : 0,
      .o = address_of(data, TENSOR_O),
      .lse = b[TENSOR_LSE].address,
      .q_strides = strides_of(data, TENSOR_Q, p->cu_seqlens_q),
      .k_strides = strides_of(data, TENSOR_K, p->cu_seqlens_kv),
      .v_strides = strides_of(data, TENSOR_V, p->cu_seqlens_kv),
      .o_strides = strides_of(data, TENSOR_O, p->cu_seqlens_q),
      .lse_batch_stride_bytes = lse.batch_bytes,
      .lse_head_stride_bytes = lse.head_bytes,
      .scale = (float)p->scale,
      .cu_seqlens_q = b[BUFFER_CU_SEQLENS_Q].address,
      .cu_seqlens_kv = b[BUFFER_CU_SEQLENS_KV].address,
      .seqlens_q = b[BUFFER_SEQLENS_Q].address,
      .seqlens_kv = b[BUFFER_SEQLENS_KV].address,
      .sink = b[BUFFER_SINK].address,
      .alibi_slopes = b[BUFFER_ALIBI_SLOPES].address,
      .alibi_batch_stride_bytes = p->alibi_batch_stride * f32,
      .bias = b[BUFFER_BIAS].address,
      .bias_strides = {.batch_bytes = p->bias.batch_stride * f32,
                       .head_bytes = p->bias.head_stride * f32,
                       .row_bytes = p->bias.row_stride * f32},
      .q_scales = b[BUFFER_Q_SCALES].address,
      .k_scales = b[BUFFER_K_SCALES].address,
      .v_scales = b[BUFFER_V_SCALES].address,
      .o_scale = b[BUFFER_O_SCALE].address,
      .q_scales_strides = strides_of_factors(&p->q_factors),
      .k_scales_strides = strides_of_factors(&p->k_factors),
      .v_scales_strides = strides_of_factors(&p->v_factors),
      .page_table = b[BUFFER_PAGE_TABLE].address,
      .kv_indptr = b[BUFFER_KV_INDPTR].address,
      // A list of no numbers has no memory; any address will do.
      .kv_indices = b[BUFFER_KV_INDICES].address ? b[BUFFER_KV_INDICES].address
                                                 : b[BUFFER_KV_INDPTR].address,
      .kv_last_page_len = b[BUFFER_KV_LAST_PAGE_LEN].address,
      .page_table_batch_stride_bytes = p->pages.batch_stride * sizeof(int32_t),
      .k_page_stride_bytes = page_stride_of(data, TENSOR_K),
      .v_page_stride_bytes = has_v ? page_stride_of(data, TENSOR_V) : 0,
      .pages = data->page_count,
      .k_rope = b[TENSOR_K_ROPE].address,
      .k_rope_strides = rope,
      .k_rope_page_stride_bytes =
          data->rope_heads ? page_stride_of(data, TENSOR_K_ROPE) : 0,
  };
}

//===- JSON ---------------------------------------------------------------===//

static void add_lengths(cJSON *object, const char *key, const int32_t *list,
                        uint32_t count) {
  if (list)
    cJSON_AddItemToObject(object, key, cJSON_CreateIntArray(list, (int)count));
}

cJSON *run_data_problem_json(const run_data *data) {
  static const char *const stride_keys[] = {"q_strides", "k_strides",
                                            "v_strides", "o_strides"};
  static const char *const factor_keys[] = {"q_scales", "k_scales", "v_scales"};
  const attention *p = &data->problem;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "batch", p->batch);
  cJSON_AddNumberToObject(object, "heads", p->heads_q);
  cJSON_AddNumberToObject(object, "kv_heads", p->heads_kv);
  cJSON_AddNumberToObject(object, "seqlen_q", p->seqlen_q);
  cJSON_AddNumberToObject(object, "seqlen_kv", p->seqlen_kv);
  if (data->rope_heads)
    cJSON_AddNumberToObject(object, "rope_heads", data->rope_heads);
  cJSON_AddStringToObject(object, "layout", tensor_layout_name(data->layout));
  for (int i = 0; i < TENSOR_LSE; ++i)
    if (data->strides[i])
      cJSON_AddStringToObject(object, stride_keys[i], data->strides[i]);
  add_lengths(object, "cu_seqlens_q", p->cu_seqlens_q, p->batch + 1);
  add_lengths(object, "cu_seqlens_kv", p->cu_seqlens_kv, p->batch + 1);
  add_lengths(object, "seqlens_q", p->seqlens_q, p->batch);
  add_lengths(object, "seqlens_kv", p->seqlens_kv, p->batch);
  if (data->page_count) {
    cJSON_AddNumberToObject(object, "pages", (double)data->page_count);
    cJSON_AddStringToObject(object, "kv_layout",
                            data->vectorised      ? "vectorised"
                            : data->pages_by_head ? "hnd"
                                                  : "nhd");
    add_lengths(object, "kv_indptr", p->pages.starts, p->batch + 1);
    add_lengths(object, "kv_last_page_len", p->pages.last_rows, p->batch);
  }
  if (data->sink_file)
    cJSON_AddStringToObject(object, "sink", data->sink_file);
  if (data->bias_file)
    cJSON_AddStringToObject(object, "bias", data->bias_file);
  for (int i = 0; i < INPUT_TENSORS; ++i)
    if (data->factors[i].file)
      cJSON_AddStringToObject(object, factor_keys[i], data->factors[i].file);
  if (p->o_scale != 0)
    cJSON_AddNumberToObject(object, "o_scale", p->o_scale);
  cJSON_AddNumberToObject(object, "scale", p->scale);
  cJSON_AddNumberToObject(object, "seed", (double)data->seed);
  cJSON_AddStringToObject(object, "input", input_kind_name(data->input));
  return object;
}
