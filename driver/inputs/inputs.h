// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Inputs made from a seed. Each element is a function of seed, tensor and
/// index: the same on every machine, whatever the number of threads.
#ifndef FMHAC_DRIVER_INPUTS_H
#define FMHAC_DRIVER_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "half.h"
#include "reference.h"

/// The last three prescribe scores. Types of 16 bits hold them from a scale of
/// 1e-7 on, those of 8 bits from 1e-4 to 10: beyond, the largest or the
/// smallest number of the type bounds them.
#define INPUT_LEAST_SCALE_8_BIT 1e-4
#define INPUT_MOST_SCALE_8_BIT 10.0
typedef enum input_kind {
  INPUT_NORMAL,  ///< Q, K, V unit normal
  INPUT_GROWING, ///< K row j times 1 + 3 j/(Sk-1): row maxima come late
  INPUT_SPIKES,  ///< a few late rows of K times 12
  /// Scores of a row grow evenly from key to key, by 32 to 240 binary orders in
  /// all, by rows: its maximum is always late by what a kernel lets it be.
  INPUT_RISING,
  /// Key 0 has the score 0 and V -1, 2047 keys -7 (natural) and V 1, all others
  /// -40: O is (2047 e^-7 - 1) / (2047 e^-7 + 1) = 0.3023. Weights that are not
  /// lifted vanish in e4m3: O is then -0.35, or -1 if the sum lost them, too.
  INPUT_FIXTURE,
  /// Key 0 has the score 0 and V 0; all others are 11 to 11.8 binary orders
  /// below it and have V 1.
  INPUT_SINK,
} input_kind;

enum { INPUT_FIXTURE_KEYS = 2048 }; ///< at least, for the last two

/// "normal", "growing", …; NULL past the end.
const char *input_kind_name(int kind);
bool input_kind_parse(const char *text, input_kind *out_kind);

typedef enum input_tensor {
  INPUT_Q,
  INPUT_K,
  INPUT_V,
  INPUT_TENSORS,    ///< that have factors
  INPUT_K_ROPE = 5, ///< of a stream of its own
} input_tensor;

/// Which rows are wanted.
typedef struct input_request {
  input_kind kind;
  input_tensor tensor;
  uint64_t seed;
  element_type type;
  uint32_t sequence;
  uint64_t first_index; ///< of the sequence's first element in the tensor
  uint32_t rows, heads, dim;
  /// Scale and factors, for kinds that prescribe scores; NULL: 1/sqrt(dim) and
  /// none. Borrowed.
  const attention *problem;
} input_request;

/// Fills the contiguous [rows, heads, dim] of one sequence. For many elements
/// it runs one thread per core.
void input_fill(const input_request *request, void *out_rows);

/// The same for one head: its contiguous [rows, dim].
void input_fill_head(const input_request *request, uint32_t head,
                     void *out_rows);

#endif // FMHAC_DRIVER_INPUTS_H
