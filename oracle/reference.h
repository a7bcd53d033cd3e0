// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reference for the results of a kernel: attention in double precision on
/// the rounded inputs, row by row, with no tricks; and the same with the
/// roundings that any kernel must make, whose error is the floor of the
/// tolerance.
#ifndef FMHAC_ORACLE_REFERENCE_H
#define FMHAC_ORACLE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "half.h"
#include "mask.h"

/// Where the elements of a tensor lie, whatever the layout; D is contiguous.
/// Strides in elements. The batch stride of packed sequences is not used.
typedef struct attention_view {
  const void *base; ///< element [0,0,0,0]; borrowed
  uint64_t batch_stride, row_stride, head_stride;
} attention_view;

/// The view of a contiguous [B, S, H, D] tensor, or of [total, H, D].
attention_view attention_dense_view(const void *base, uint32_t rows,
                                    uint32_t heads, uint32_t head_dim);

/// The bias [B|1, Hq|1, Sq|1, Sk]; strides in elements, 0 broadcasts.
typedef struct attention_bias {
  const float *base; ///< NULL: none; borrowed
  uint64_t batch_stride, head_stride, row_stride;
} attention_bias;

/// Applies a user's function to a score in natural units, before masking.
/// Several threads call it at the same time.
typedef double attention_score_mod(const void *user, double score, int32_t row,
                                   int32_t key, int32_t head, int32_t batch);

/// A problem and its inputs (borrowed). A pointer that is NULL stands for a
/// feature that is not in use.
typedef struct attention {
  uint32_t batch, heads_q, heads_kv;
  uint32_t seqlen_q, seqlen_kv; ///< rows of a batch, or of the longest sequence
  uint32_t head_dim_qk, head_dim_v;
  element_type type;     ///< of q, k and v
  element_type out_type; ///< of o
  double scale;
  double softcap; ///< 0: none
  attention_mask mask;
  attention_view q, k, v;
  /// Where results go in the lists of reference_compute(), whose bases they do
  /// not have. A row stride of 0: one after the other.
  attention_view o, lse;
  const int32_t *cu_seqlens_q, *cu_seqlens_kv; ///< [B+1]: packed sequences
  const int32_t *seqlens_q, *seqlens_kv;       ///< [B]: rows in use
  const float *sink;                           ///< [Hq]
  const float *alibi_slopes;                   ///< [B or 1, Hq]
  uint64_t alibi_batch_stride;                 ///< elements; 0 broadcasts
  attention_bias bias;
  attention_score_mod *score_mod;
  const void *score_mod_user;
} attention;

/// Rows of Q and O, keys of K and V, that are in use in a batch.
uint32_t attention_rows(const attention *problem, uint32_t batch);
uint32_t attention_keys(const attention *problem, uint32_t batch);

/// Elements of o and lse below.
size_t attention_o_count(const attention *problem);
size_t attention_lse_count(const attention *problem);

/// Computes on `threads` threads (0: one a core).
///
/// Reference: x = scale q.k; with a soft cap c, x = c tanh(x / c); then the
/// user's function; minus slope |i + Sk - Sq - j|; plus bias; -inf where the
/// mask hides the key. m is the largest x, or the sink if that is larger;
/// l = sum exp(x - m), plus exp(sink - m); o = sum exp(x - m) v / l,
/// lse = m + ln l. If m is -inf (no key, no sink), o = 0 and lse = -inf.
/// Infinities and NaN of the inputs go through this as IEEE 754 has it: a score
/// of NaN or +inf makes the row NaN (inf - inf), one of -inf has the weight 0,
/// and such a weight times an infinity of V is NaN.
/// Floor: q' = round(q scale log2e), s = q'.k, and where anything changes the
/// score, s = log2e f(s / log2e); p = round(exp2(s - m + 0.37)),
/// o = round(sum p v / l); lse from the same s without rounding p.
///
/// Only rows in use have results, where the problem's views say, or one after
/// the other: o and floor_o in the order of batch, row, head, column, which is
/// [B, Sq, Hq, Dv] or [total, Hq, Dv]; lse and floor_lse in that of batch,
/// head, row. Any of them may be NULL.
///
/// `largest_score`: the largest |x| after all functions, sinks included, among
/// the scores that have a weight in their row (exp(x - m) >= 2^-126; a smaller
/// weight is 0 in a kernel). Rows that are NaN do not count. A number that
/// hides keys, such as -1e9 in a bias, counts only in rows that have no other
/// score. 0 if no row sees a key. May be NULL.
///
/// Returns false when memory is exhausted.
bool reference_compute(const attention *problem, unsigned threads, double *o,
                       double *lse, double *floor_o, double *floor_lse,
                       double *largest_score);

#endif // FMHAC_ORACLE_REFERENCE_H
