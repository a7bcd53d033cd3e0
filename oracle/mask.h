// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Masks by their definition: the keys that each row sees.
#ifndef FMHAC_ORACLE_MASK_H
#define FMHAC_ORACLE_MASK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum mask_kind {
  MASK_NONE,
  MASK_CAUSAL,          ///< bottom-right aligned: key j <= i + Sk - Sq
  MASK_CAUSAL_TOP_LEFT, ///< key j <= i
  MASK_WINDOW,          ///< i + Sk - Sq - left <= j <= i + Sk - Sq + right
  MASK_CHUNKED,         ///< causal, and j in the chunk of i + Sk - Sq
} mask_kind;

typedef struct attention_mask {
  mask_kind kind;
  int64_t left, right; ///< of WINDOW; -1 unbounded
  int64_t chunk;       ///< keys; of CHUNKED
} attention_mask;

/// Reads the spelling of the option `mask`; false if it is none.
bool attention_mask_parse(const char *text, attention_mask *out_mask);

/// Keys [first, end) that row `row` sees; empty if first == end.
void attention_mask_range(const attention_mask *mask, int64_t row, int64_t rows,
                          int64_t keys, int64_t *out_first, int64_t *out_end);

#endif // FMHAC_ORACLE_MASK_H
