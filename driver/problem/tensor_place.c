// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const layout_names[] = {"bshd", "bhsd", "packed-qkv",
                                           "interleaved-kv"};
enum { LAYOUT_COUNT = sizeof layout_names / sizeof layout_names[0] };

enum { Q, K, V, O, COUNT };

const char *tensor_layout_name(int layout) {
  return layout >= 0 && layout < LAYOUT_COUNT ? layout_names[layout] : NULL;
}

bool tensor_layout_parse(const char *text, tensor_layout *out_layout) {
  for (int i = 0; i < LAYOUT_COUNT; ++i)
    if (strcmp(text, layout_names[i]) == 0) {
      *out_layout = (tensor_layout)i;
      return true;
    }
  return false;
}

/// Rows of `row_stride` elements, one after the other.
static void place_rows(tensor_place *p, uint64_t row_stride) {
  p->row_stride = row_stride;
  p->head_stride = p->dim;
  p->batch_stride = p->rows * row_stride;
  p->offset = 0;
}

void tensor_place_all(tensor_layout layout, tensor_place places[4],
                      int out_home[4]) {
  for (int i = 0; i < COUNT; ++i) {
    tensor_place *p = &places[i];
    out_home[i] = i;
    place_rows(p, p->heads * p->dim);
    if (layout != LAYOUT_BHSD)
      continue;
    p->row_stride = p->dim;
    p->head_stride = p->rows * p->dim;
  }
  uint64_t q_heads = places[Q].heads, kv_heads = places[K].heads;
  uint64_t dim = places[K].dim;
  if (layout == LAYOUT_PACKED_QKV) {
    for (int i = Q; i <= V; ++i) {
      place_rows(&places[i], (q_heads + 2 * kv_heads) * dim);
      out_home[i] = Q;
    }
    places[K].offset = q_heads * dim;
    places[V].offset = (q_heads + kv_heads) * dim;
  } else if (layout == LAYOUT_INTERLEAVED_KV) {
    for (int i = K; i <= V; ++i) {
      place_rows(&places[i], 2 * kv_heads * dim);
      out_home[i] = K;
    }
    places[V].offset = kv_heads * dim;
  }
}

bool tensor_place_parse_strides(const char *text, tensor_place *place) {
  uint64_t strides[3];
  for (int i = 0; i < 3; ++i) {
    if (i && *text++ != ',')
      return false;
    if (*text < '0' || *text > '9')
      return false;
    char *end;
    errno = 0;
    strides[i] = strtoull(text, &end, 10);
    if (errno)
      return false;
    text = end;
  }
  place->batch_stride = strides[0];
  place->row_stride = strides[1];
  place->head_stride = strides[2];
  return !*text;
}

bool tensor_place_extent(const tensor_place *place, uint64_t *out_elements) {
  const uint64_t counts[] = {place->batches, place->rows, place->heads};
  const uint64_t strides[] = {place->batch_stride, place->row_stride,
                              place->head_stride};
  uint64_t end = place->offset + place->dim * (place->piece ? place->rows : 1);
  for (int i = 0; i < 3; ++i) {
    uint64_t last;
    if (counts[i] == 0) {
      *out_elements = 0;
      return true;
    }
    if (__builtin_mul_overflow(counts[i] - 1, strides[i], &last) ||
        __builtin_add_overflow(end, last, &end))
      return false;
  }
  *out_elements = end;
  // The reference holds each element as a double.
  return end <= SIZE_MAX / 16;
}

uint64_t tensor_place_at(const tensor_place *place, uint64_t batch,
                         uint64_t row, uint64_t head, uint64_t column) {
  const uint64_t piece = place->piece;
  const uint64_t first = place->offset + batch * place->batch_stride +
                         row * place->row_stride + head * place->head_stride;
  if (!piece)
    return first + column;
  return first +
         (place->by_row
              ? (row / piece * place->dim + column) * piece + row % piece
              : (column / piece * place->rows + row) * piece + column % piece);
}

void tensor_place_scatter(const tensor_place *place, uint64_t batch,
                          uint64_t first_row, uint64_t rows, const void *dense,
                          void *buffer) {
  const size_t bytes = element_bytes(place->type);
  const uint64_t run = tensor_place_run(place);
  const char *from = dense;
  for (uint64_t row = first_row; row < first_row + rows; ++row)
    for (uint64_t head = 0; head < place->heads; ++head)
      for (uint64_t d = 0; d < place->dim; d += run, from += run * bytes)
        memcpy((char *)buffer +
                   tensor_place_at(place, batch, row, head, d) * bytes,
               from, run * bytes);
}

void tensor_place_gather(const tensor_place *place, uint64_t batch,
                         uint64_t first_row, uint64_t rows, const void *buffer,
                         void *out_dense) {
  const size_t bytes = element_bytes(place->type);
  const uint64_t run = tensor_place_run(place);
  char *to = out_dense;
  for (uint64_t row = first_row; row < first_row + rows; ++row)
    for (uint64_t head = 0; head < place->heads; ++head)
      for (uint64_t d = 0; d < place->dim; d += run, to += run * bytes)
        memcpy(to,
               (const char *)buffer +
                   tensor_place_at(place, batch, row, head, d) * bytes,
               run * bytes);
}
