// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_arrays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "run_pages.h"

bool run_arrays_read(run_arrays *a, char error[ERROR_BYTES]) {
  for (int i = 0; i < INPUT_FILES; ++i)
    if (a->files[i] && !npy_read(a->files[i], &a->arrays[i], error))
      return false;
  return true;
}

void run_arrays_deinit(run_arrays *a) {
  for (int i = 0; i < INPUT_FILES; ++i)
    npy_deinit(&a->arrays[i]);
}

//===- Sizes --------------------------------------------------------------===//

static bool has(const cJSON *options, const char *key) {
  return json_get(options, key) != NULL;
}

/// A size of the problem, and who said it first.
typedef struct size {
  const char *key;
  const char *file; ///< NULL: an option, or nobody
} size;

/// The array in `file` has `found` of this size, `of_rope` of them in k_rope.
static bool settle(size *s, const char *file, uint64_t found, uint64_t of_rope,
                   cJSON *options, char error[ERROR_BYTES]) {
  const cJSON *given = json_get(options, s->key);
  if (!given) {
    cJSON_AddNumberToObject(options, s->key, (double)found);
    s->file = file;
    return true;
  }
  // The library refuses a value that is no number, with its own message.
  if (!cJSON_IsNumber(given) || given->valuedouble == (double)found)
    return true;
  char sum[96] = "";
  if (of_rope)
    snprintf(sum, sizeof sum,
             " (%" PRIu64 " columns, and rope_dim %" PRIu64 ")",
             found - of_rope, of_rope);
  if (s->file)
    return ERROR_SET(error,
                     "%.200s: %s %" PRIu64 "%s, but %.200s has %.0f; expected "
                     "arrays of one problem",
                     file, s->key, found, sum, s->file, given->valuedouble);
  return ERROR_SET(error,
                   "%.200s: %s %" PRIu64
                   "%s, but \"%s\" is given as %.0f; leave it out",
                   file, s->key, found, sum, s->key, given->valuedouble);
}

/// Dimensions without those of batch and rows, and with a key for each.
enum { HEADS, DIM, ROWS, BATCH, SIZES };

static bool settle_array(const run_arrays *a, int tensor, bool packed,
                         bool has_lengths, size *const sizes[SIZES],
                         cJSON *options, char error[ERROR_BYTES]) {
  const npy_array *array = &a->arrays[tensor];
  const char *file = a->files[tensor];
  const bool in_pages = tensor != INPUT_Q && run_pages_asked(options);
  const bool by_head = in_pages && run_pages_by_head(options);
  const bool vectorised = in_pages && run_pages_vectorised(options);
  const size_t rank = vectorised ? 5 : packed ? 3 : 4;
  if (array->rank != rank || array->count == 0) {
    char shape[NPY_SHAPE_BYTES];
    npy_shape_text(array->rank, array->shape, shape);
    return ERROR_SET(
        error, "%.200s: expected %s, each at least 1, found shape %s", file,
        vectorised && tensor == INPUT_K
            ? "[pages, H, D/x, N, x] with --kv-layout=vectorised"
        : vectorised ? "[pages, H, N/x, D, x] with --kv-layout=vectorised"
        : by_head    ? "[pages, H, N, D] with --kv-layout=hnd"
        : in_pages   ? "[pages, N, H, D] with --page-size"
        : packed     ? "[total, H, D] with --cu-seqlens-q and -kv"
                 : "[B, S, H, D], or [total, H, D] with --cu-seqlens-q and -kv",
        shape);
  }
  // Columns of K's file are those that k_rope does not have.
  const double rope = number_in(options, "rope_dim");
  const uint64_t more = tensor == INPUT_K && rope > 0 ? (uint64_t)rope : 0;
  if (vectorised) {
    const uint64_t *shape = array->shape;
    return settle(sizes[HEADS], file, shape[1], 0, options, error) &&
           settle(sizes[DIM], file,
                  tensor == INPUT_K ? shape[2] * shape[4] + more : shape[3],
                  more, options, error);
  }
  for (size_t i = 0; i < rank; ++i) {
    // From the last dimension on: D, H, S, B.
    static const int order[] = {DIM, HEADS, ROWS, BATCH};
    static const int order_by_head[] = {DIM, ROWS, HEADS, BATCH};
    const int which = by_head ? order_by_head[i] : order[i];
    // Tables say which rows and batches pages have.
    if ((packed && which == ROWS) || (has_lengths && which == BATCH) ||
        (in_pages && (which == ROWS || which == BATCH)))
      continue;
    const uint64_t of_rope = which == DIM ? more : 0;
    if (!settle(sizes[which], file, array->shape[rank - 1 - i] + of_rope,
                of_rope, options, error))
      return false;
  }
  return true;
}

/// Where one of a pair is known by an array and the other is not, it is as the
/// one.
static void complete(const size *known, const size *other, cJSON *options) {
  if (known->file && !has(options, other->key))
    cJSON_AddNumberToObject(options, other->key,
                            number_in(options, known->key));
}

bool run_arrays_give_sizes(const run_arrays *a, cJSON *options,
                           char error[ERROR_BYTES]) {
  size batch = {"batch", NULL}, heads = {"heads", NULL},
       kv_heads = {"kv_heads", NULL}, rows = {"seqlen_q", NULL},
       keys = {"seqlen_kv", NULL}, dim_qk = {"head_dim_qk", NULL},
       dim_v = {"head_dim_v", NULL};
  size *const sizes[INPUT_TENSORS][SIZES] = {
      {&heads, &dim_qk, &rows, &batch},
      {&kv_heads, &dim_qk, &keys, &batch},
      {&kv_heads, &dim_v, &keys, &batch}};
  const bool q_packed = has(options, "cu_seqlens_q");
  const bool kv_packed = has(options, "cu_seqlens_kv");
  const bool has_lengths = q_packed || kv_packed || has(options, "seqlens_q") ||
                           has(options, "seqlens_kv") ||
                           has(options, "kv_indptr");
  for (int i = 0; i < INPUT_TENSORS; ++i)
    if (a->files[i] && !settle_array(a, i, i == INPUT_Q ? q_packed : kv_packed,
                                     has_lengths, sizes[i], options, error))
      return false;
  complete(&kv_heads, &heads, options);
  // With columns in other tensors the two are not alike.
  if (!has(options, "rope_dim") && !has(options, "v_in_k")) {
    complete(&dim_qk, &dim_v, options);
    complete(&dim_v, &dim_qk, options);
  }
  const bool in_pages = run_pages_asked(options);
  if (!kv_packed && !in_pages)
    complete(&rows, &keys, options);
  if (!q_packed && !in_pages)
    complete(&keys, &rows, options);
  return true;
}

//===- Elements -----------------------------------------------------------===//

bool run_arrays_rounds(const run_arrays *a, const run_data *data, int tensor) {
  return run_arrays_file(a, tensor) &&
         a->arrays[run_arrays_number(tensor)].type == ELEMENT_F32 &&
         run_data_type(data, tensor) != ELEMENT_F32;
}

uint64_t run_arrays_pages(const run_arrays *a) {
  uint64_t pages = 0;
  for (int i = INPUT_K; i < INPUT_FILES; ++i)
    if (a->files[i] && a->arrays[i].rank && a->arrays[i].shape[0] > pages)
      pages = a->arrays[i].shape[0];
  return pages;
}

/// The dimension of an array of K's side that is that of heads.
static size_t heads_axis(const run_data *data, size_t rank) {
  return data->page_count && data->pages_by_head ? 1 : rank - 2;
}

uint64_t run_arrays_rope_heads(const run_arrays *a, const run_data *data) {
  const npy_array *array = &a->arrays[FILE_K_ROPE];
  if (!a->files[FILE_K_ROPE] || !data->rope_heads || array->rank < 3)
    return 0;
  const uint64_t heads = array->shape[heads_axis(data, array->rank)];
  return heads == data->problem.heads_kv ? heads : 1;
}

/// Whether k_rope has the shape of a head for all, or of those of K.
static bool check_rope_shape(const char *file, const npy_array *array,
                             const run_data *data, size_t rank,
                             const uint64_t shape[NPY_MAX_RANK],
                             char error[ERROR_BYTES]) {
  if (npy_check_shape(file, array, rank, shape, error))
    return true;
  if (data->problem.heads_kv == 1)
    return false;
  uint64_t of_one[NPY_MAX_RANK];
  memcpy(of_one, shape, rank * sizeof *of_one);
  of_one[heads_axis(data, rank)] = 1;
  char expected[NPY_SHAPE_BYTES], found[NPY_SHAPE_BYTES];
  npy_shape_text(rank, of_one, expected);
  npy_shape_text(array->rank, array->shape, found);
  return ERROR_SET(error,
                   "%.150s: expected shape %.120s, or %u heads in the place of "
                   "1, found %.120s",
                   file, expected, data->problem.heads_kv, found);
}

bool run_arrays_check(const run_arrays *a, const run_data *data,
                      char error[ERROR_BYTES]) {
  for (int i = 0; i < INPUT_FILES; ++i) {
    if (!a->files[i])
      continue;
    const int tensor = i == FILE_K_ROPE ? TENSOR_K_ROPE : i;
    if (!run_data_is_own(data, tensor))
      return ERROR_SET(error, "%.200s: expected no file of %s", a->files[i],
                       tensor == TENSOR_V
                           ? "V with --v-in-k: it is the first columns of K"
                           : "k_rope without --rope-dim");
    const element_type type = run_data_type(data, tensor);
    const element_type found = a->arrays[i].type;
    // Files do not tell the two 8-bit types apart.
    if (strcmp(npy_descr(found), npy_descr(type)) != 0 &&
        found != ELEMENT_F32) {
      const bool other =
          found == ELEMENT_F16 || found == ELEMENT_BF16 || found == ELEMENT_FP8;
      return ERROR_SET(
          error,
          "%.200s: expected elements '%s' (%s) or '<f4' (f32, which is "
          "rounded), found '%s' (%s)%s%s",
          a->files[i], npy_descr(type), element_name(type), npy_descr(found),
          element_name(found), other ? "; give --dtype " : "",
          other ? element_name(found) : "");
    }
    uint64_t shape[NPY_MAX_RANK];
    size_t rank = run_data_shape(data, tensor, shape);
    if (tensor == TENSOR_K_ROPE
            ? !check_rope_shape(a->files[i], &a->arrays[i], data, rank, shape,
                                error)
            : !npy_check_shape(a->files[i], &a->arrays[i], rank, shape, error))
      return false;
  }
  return true;
}
