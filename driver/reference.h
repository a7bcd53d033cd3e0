// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the results of a kernel are compared with: attention in double
/// precision on the rounded inputs, row by row, with no tricks; and the same
/// with the roundings that any kernel must make, whose error is the floor of
/// the tolerance.
#ifndef FMHAC_DRIVER_REFERENCE_H
#define FMHAC_DRIVER_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "half.h"

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

/// A problem and its inputs, contiguous [B, S, H, D] (borrowed).
typedef struct attention {
  uint32_t batch, heads_q, heads_kv, seqlen_q, seqlen_kv;
  uint32_t head_dim_qk, head_dim_v;
  element_type type;     ///< of q, k and v
  element_type out_type; ///< of o
  double scale;
  attention_mask mask;
  const void *q, *k, *v;
} attention;

size_t attention_o_count(const attention *problem);
size_t attention_lse_count(const attention *problem);

/// Computes on `threads` threads (0: one a core).
///
/// Reference: s = scale q.k, o = sum exp(s - m) v / sum exp(s - m),
/// lse = m + ln sum exp(s - m). A row without keys gives o = 0, lse = -inf.
/// Floor: q' = round(q scale log2e), s = q'.k, p = round(exp2(s - m + 0.37)),
/// o = round(sum p v / sum p); lse from the same s without rounding p.
///
/// o and floor_o: [B, Sq, Hq, Dv]; lse and floor_lse: [B, Hq, Sq]. Any of them
/// may be NULL. Returns false when memory is exhausted.
bool reference_compute(const attention *problem, unsigned threads, double *o,
                       double *lse, double *floor_o, double *floor_lse);

#endif // FMHAC_DRIVER_REFERENCE_H
