// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Where the elements of a tensor of `run` lie in its buffer: layouts and
/// strides.
#ifndef FMHAC_DRIVER_TENSOR_PLACE_H
#define FMHAC_DRIVER_TENSOR_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "half.h"

typedef enum tensor_layout {
  LAYOUT_BSHD,
  LAYOUT_BHSD,
  LAYOUT_PACKED_QKV,     ///< one buffer [B, S, Hq + 2 Hk, D]
  LAYOUT_INTERLEAVED_KV, ///< K and V in one buffer [B, S, 2, Hk, D]
} tensor_layout;

/// "bshd", …; NULL past the end.
const char *tensor_layout_name(int layout);
bool tensor_layout_parse(const char *text, tensor_layout *out_layout);

/// A tensor [batches, rows, heads, dim], D contiguous. Packed sequences are one
/// batch of all their rows. With `piece` batches are pages, each head of which
/// is [dim/piece, rows, piece], or, `by_row`, [rows/piece, dim, piece].
typedef struct tensor_place {
  element_type type;
  uint64_t batches, rows, heads, dim;
  uint64_t batch_stride, row_stride, head_stride; ///< elements
  uint64_t offset; ///< elements from the start of the buffer
  uint64_t piece;  ///< elements; 0: D is contiguous
  bool by_row;
} tensor_place;

/// Sets strides and offset for tensors whose sizes are set: Q, K, V, O. A
/// tensor lies in the buffer of the tensor that `out_home` names.
void tensor_place_all(tensor_layout layout, tensor_place places[4],
                      int out_home[4]);

/// Reads strides "B,S,H" over those of the place; false if the text is
/// malformed.
bool tensor_place_parse_strides(const char *text, tensor_place *place);

/// Elements of a buffer that ends with the last element; false if memory cannot
/// have so many.
bool tensor_place_extent(const tensor_place *place, uint64_t *out_elements);

/// Index of element [batch, row, head, column].
uint64_t tensor_place_at(const tensor_place *place, uint64_t batch,
                         uint64_t row, uint64_t head, uint64_t column);

/// How many elements of a row lie on end, from the first or one that is a
/// multiple of them on.
static inline uint64_t tensor_place_run(const tensor_place *place) {
  return !place->piece ? place->dim : place->by_row ? 1 : place->piece;
}

/// Copies rows [first_row, first_row + rows) of a batch from and to a
/// contiguous [rows, heads, dim].
void tensor_place_scatter(const tensor_place *place, uint64_t batch,
                          uint64_t first_row, uint64_t rows, const void *dense,
                          void *buffer);
void tensor_place_gather(const tensor_place *place, uint64_t batch,
                         uint64_t first_row, uint64_t rows, const void *buffer,
                         void *out_dense);

/// Bytes of `rows` rows of all heads without gaps.
static inline size_t tensor_place_dense_bytes(const tensor_place *place,
                                              uint64_t rows) {
  return rows * place->heads * place->dim * element_bytes(place->type);
}

#endif // FMHAC_DRIVER_TENSOR_PLACE_H
