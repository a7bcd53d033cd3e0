// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inputs made from a seed. Each element is a function of seed, tensor and
/// index: the same on every machine, whatever the number of threads.
#ifndef FMHAC_DRIVER_INPUTS_H
#define FMHAC_DRIVER_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "half.h"

typedef enum input_kind {
  INPUT_NORMAL,  ///< Q, K, V unit normal
  INPUT_GROWING, ///< K row j times 1 + 3 j/(Sk-1): row maxima come late
  INPUT_SPIKES,  ///< a few late rows of K times 12
} input_kind;

/// "normal", "growing", "spikes"; NULL past the end.
const char *input_kind_name(int kind);
bool input_kind_parse(const char *text, input_kind *out_kind);

typedef enum input_tensor {
  INPUT_Q,
  INPUT_K,
  INPUT_V,
  INPUT_TENSORS
} input_tensor;

/// Fills the contiguous [rows, heads, dim] of one sequence, the part of the
/// tensor from element `first_index` on. For many elements it runs one thread
/// per core.
void input_fill(input_kind kind, input_tensor tensor, uint64_t seed,
                element_type type, uint32_t sequence, uint64_t first_index,
                uint32_t rows, uint32_t heads, uint32_t dim, void *out_rows);

/// The same for one head: its contiguous [rows, dim].
void input_fill_head(input_kind kind, input_tensor tensor, uint64_t seed,
                     element_type type, uint32_t sequence, uint64_t first_index,
                     uint32_t rows, uint32_t heads, uint32_t head, uint32_t dim,
                     void *out_rows);

#endif // FMHAC_DRIVER_INPUTS_H
