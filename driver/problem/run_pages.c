// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_pages.h"

#include <inttypes.h>
#include <string.h>

#include "args.h"
#include "npy.h"
#include "run_features.h"

bool run_pages_asked(const cJSON *options) {
  return option_integer(options, "page_size") > 0;
}

bool run_pages_by_head(const cJSON *options) {
  return strcmp(option_text(options, "kv_layout"), "hnd") == 0 ||
         run_pages_vectorised(options);
}

bool run_pages_vectorised(const cJSON *options) {
  return strcmp(option_text(options, "kv_layout"), "vectorised") == 0;
}

/// Reads an i32 array of `rank` dimensions, the first of which is `first`
/// unless that is 0, into a buffer.
static bool read_numbers(const char *file, size_t rank, uint64_t first,
                         const char *letters, run_buffer *buffer,
                         npy_array *out_array, char error[ERROR_BYTES]) {
  if (!npy_read(file, out_array, error))
    return false;
  const npy_array *a = out_array;
  if (a->type != ELEMENT_I32 || a->rank != rank ||
      (first && a->shape[0] != first)) {
    char found[NPY_SHAPE_BYTES];
    npy_shape_text(a->rank, a->shape, found);
    snprintf(error, ERROR_BYTES,
             "%.200s: expected '<i4' (i32) %s, found '%s' (%s) of shape %.60s",
             file, letters, npy_descr(a->type), element_name(a->type), found);
    npy_deinit(out_array);
    return false;
  }
  buffer->host = a->data;
  buffer->bytes = a->count * sizeof(int32_t);
  return true;
}

//===- A table ------------------------------------------------------------===//

static bool read_table(const cJSON *options, const cJSON *values,
                       run_data *data, const char **out_file,
                       uint64_t *out_width, char error[ERROR_BYTES]) {
  attention *p = &data->problem;
  npy_array array;
  char letters[80];
  snprintf(letters, sizeof letters, "[%" PRIu32 ", P] (by [B, P])", p->batch);
  if (!run_features_find_file(options, values, "page_table", out_file, error) ||
      !read_numbers(*out_file, 2, p->batch, letters,
                    &data->buffers[BUFFER_PAGE_TABLE], &array, error))
    return false;
  p->pages.numbers = array.data;
  p->pages.batch_stride = *out_width = array.shape[1];
  return true;
}

//===- A list -------------------------------------------------------------===//

static bool read_list(const cJSON *options, const cJSON *values, run_data *data,
                      const char **out_file, char error[ERROR_BYTES]) {
  attention *p = &data->problem;
  const char *starts_file, *last_file;
  npy_array starts, numbers, last;
  // Rows of Q that have lengths, or the option, say how many sequences there
  // are.
  const bool is_known =
      p->cu_seqlens_q || p->seqlens_q || json_get(options, "batch");
  if (!run_features_find_file(options, values, "kv_indptr", &starts_file,
                              error) ||
      !run_features_find_file(options, values, "kv_indices", out_file, error) ||
      !run_features_find_file(options, values, "kv_last_page_len", &last_file,
                              error) ||
      !read_numbers(starts_file, 1, is_known ? p->batch + UINT64_C(1) : 0,
                    "[B + 1], of as many sequences as there are",
                    &data->buffers[BUFFER_KV_INDPTR], &starts, error))
    return false;
  if (starts.count < 2 || starts.count > UINT16_MAX + UINT64_C(1))
    return ERROR_SET(error, "%.200s: expected 2 to %d elements, found %zu",
                     starts_file, UINT16_MAX + 1, starts.count);
  p->batch = (uint32_t)(starts.count - 1);
  p->pages.starts = starts.data;
  if (!read_numbers(*out_file, 1, 0, "of one dimension",
                    &data->buffers[BUFFER_KV_INDICES], &numbers, error) ||
      !read_numbers(last_file, 1, p->batch, "[B], one for each sequence",
                    &data->buffers[BUFFER_KV_LAST_PAGE_LEN], &last, error))
    return false;
  p->pages.numbers = numbers.data;
  p->pages.last_rows = last.data;
  return attention_list_check(&p->pages, p->batch, numbers.count, starts_file,
                              last_file, error, ERROR_BYTES);
}

//===- Both ---------------------------------------------------------------===//

/// Checks the page numbers that sequences use, and sets how many pages there
/// have to be. A row of a table has `width` numbers.
static bool check_numbers(const char *file, uint64_t width, run_data *data,
                          char error[ERROR_BYTES]) {
  const attention *p = &data->problem;
  const attention_pages *pages = &p->pages;
  data->page_count = 1;
  for (uint32_t b = 0; b < p->batch; ++b) {
    const uint32_t keys = attention_keys(p, b);
    const uint64_t count = attention_pages_of(pages, keys);
    if (!pages->starts && count > width)
      return ERROR_SET(error,
                       "%.200s: sequence %" PRIu32 " has %" PRIu32
                       " keys, which are %" PRIu64 " pages; found %" PRIu64
                       " in a row of the table",
                       file, b, keys, count, width);
    for (uint64_t i = 0; i < count; ++i) {
      const int32_t number = attention_page(pages, b, i);
      if (number < 0)
        return ERROR_SET(error,
                         "%.200s: page %" PRIu64 " of sequence %" PRIu32
                         " is %" PRId32 ", expected a number from 0",
                         file, i, b, number);
      if ((uint64_t)number >= data->page_count)
        data->page_count = (uint64_t)number + 1;
    }
  }
  return true;
}

/// The keys of the longest sequence, at least one: no problem has none.
static uint32_t longest_of(const attention *p) {
  uint32_t longest = 1;
  for (uint32_t b = 0; b < p->batch; ++b)
    if (attention_keys(p, b) > longest)
      longest = attention_keys(p, b);
  return longest;
}

/// Without pages K and V have the rows that "seqlen_kv" says.
static bool check_cached(const attention *p, char error[ERROR_BYTES]) {
  const uint32_t longest = longest_of(p);
  return longest <= p->seqlen_kv ||
         ERROR_SET(error,
                   "--kv-lengths=cached: a sequence has %" PRIu32
                   " keys with its new rows, expected at most \"seqlen_kv\", "
                   "%" PRIu32,
                   longest, p->seqlen_kv);
}

static bool settle_keys(const cJSON *options, const char *file, run_data *data,
                        char error[ERROR_BYTES]) {
  attention *p = &data->problem;
  const uint32_t longest = longest_of(p);
  const cJSON *given = json_get(options, "seqlen_kv");
  if (given && given->valuedouble < longest)
    return ERROR_SET(error,
                     "%.200s: a sequence has %" PRIu32
                     " keys, but \"seqlen_kv\" is given as %.0f; leave it out",
                     file, longest, given->valuedouble);
  if (!given)
    p->seqlen_kv = longest;
  return true;
}

bool run_pages_read(const cJSON *options, const cJSON *values, run_data *data,
                    char error[ERROR_BYTES]) {
  attention *p = &data->problem;
  p->lengths_cached = strcmp(option_text(values, "kv_lengths"), "cached") == 0;
  p->pages.rows = (uint32_t)option_integer(values, "page_size");
  if (!p->pages.rows)
    return !p->lengths_cached || check_cached(p, error);
  const bool is_table = cJSON_IsTrue(json_get(values, "page_table"));
  const char *file = NULL;
  uint64_t width = 0;
  return (is_table ? read_table(options, values, data, &file, &width, error)
                   : read_list(options, values, data, &file, error)) &&
         settle_keys(options, file, data, error) &&
         check_numbers(file, width, data, error);
}

void run_pages_scatter(const run_data *data, int tensor, uint32_t sequence,
                       uint64_t rows, const void *dense, void *buffer) {
  const tensor_place *place = &data->tensors[tensor].place;
  const uint64_t size = data->problem.pages.rows;
  for (uint64_t row = 0; row < rows; row += size)
    tensor_place_scatter(
        place,
        (uint64_t)attention_page(&data->problem.pages, sequence, row / size), 0,
        rows - row < size ? rows - row : size,
        (const char *)dense + tensor_place_dense_bytes(place, row), buffer);
}
