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
#include "key_pages.h"
#include "mask.h"

/// Where the elements of a tensor lie, whatever the layout. Strides in
/// elements. The batch stride of packed sequences is not used; of K and V in
/// pages it is that of pages. With `piece` a head of a page of N rows is
/// [D/piece, N, piece], or, `by_row`, [N/piece, D, piece], and the row stride
/// is 0.
typedef struct attention_view {
  const void *base; ///< element [0,0,0,0]; borrowed
  uint64_t batch_stride, row_stride, head_stride;
  uint32_t piece; ///< 0: D is contiguous
  bool by_row;
} attention_view;

/// The f32 factors by which an operand is dequantised: what is stored times its
/// factor is the operand. Strides in elements, 0 broadcasts.
///
///     tensor [1]                 no stride
///     head   [B or 1, H]         batch and head
///     token  [B, S, H]           all; packed [total, H] with `starts`
///     block  [B, ceil(S/N), H]   all; N rows have a factor
///     page   [pages, H]          row and head; those of a page have a factor
typedef struct attention_factors {
  const float *base; ///< NULL: none; borrowed
  uint64_t batch_stride, row_stride, head_stride;
  uint32_t rows_a_factor; ///< N, 1 by token, 0: all rows of a head
  const int32_t *starts;  ///< [B+1], first factor of each sequence, or NULL
  const attention_pages *pages; ///< whose numbers find them, or NULL; borrowed
} attention_factors;

/// The factor of a row of a head; 1 without factors.
double attention_factor(const attention_factors *factors, uint32_t batch,
                        uint32_t row, uint32_t head);

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
  uint32_t rope_dim; ///< last columns of K that are k_rope's; 0: none
  element_type q_type, k_type, v_type, out_type;
  attention_factors q_factors, k_factors, v_factors;
  bool quantize_q; ///< the kernel rounds each row of a 16-bit Q to e4m3
  /// Of the floors with quantize_q: the factor of a row is the one that leaves
  /// a power of two to multiply scores by, not max|q| / 448.
  bool power_of_2_scores;
  /// Of the floors with weights of 8 bits: factors of V's rows are not in P.
  bool v_factors_apart;
  double o_scale; ///< what is stored of O is O divided by it; 0: O itself
  double scale;
  double softcap; ///< 0: none
  attention_mask mask;
  /// K has the columns before those of `k_rope`, of K's type and factors. V may
  /// be a view of K.
  attention_view q, k, v, k_rope;
  /// Where results go in the lists of reference_compute(), whose bases they do
  /// not have. A row stride of 0: one after the other.
  attention_view o, lse;
  const int32_t *cu_seqlens_q, *cu_seqlens_kv; ///< [B+1]: packed sequences
  const int32_t *seqlens_q, *seqlens_kv;       ///< [B]: rows in use
  bool lengths_cached; ///< seqlens_kv leaves out as many as a sequence has of Q
  attention_pages pages;
  const float *sink;           ///< [Hq]
  const float *alibi_slopes;   ///< [B or 1, Hq]
  uint64_t alibi_batch_stride; ///< elements; 0 broadcasts
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

/// Floors of O: one; two with weights of 8 bits; with quantize_q these two by
/// each of the factors that a row of Q may have; with factors of V by block
/// these two with the factor in P and without.
enum { ATTENTION_FLOORS = 4 };
size_t attention_floors_of_o(const attention *problem);

/// True if there are floors with `v_factors_apart`: a Q of 8 bits, and several
/// rows of V that share a factor. A kernel may then give tiles their factor
/// after the product of P and V, so that P is rounded without it.
bool attention_has_apart_floors(const attention *problem);

/// True if kernels have weights of 8 bits: Q is fp8, or becomes it.
bool attention_has_8_bit_weights(const attention *problem);

/// Computes on `threads` threads (0: one a core).
///
/// Reference: q, k, v are what is stored times its factor; x = scale q.k; with
/// a soft cap c, x = c tanh(x / c); then the user's function; minus slope |i +
/// Sk - Sq - j|; plus bias; -inf where the mask hides the key. m is the largest
/// x, or the sink if that is larger; l = sum exp(x - m), plus exp(sink - m); o
/// = sum exp(x - m) v / l, lse = m + ln l. If m is -inf (no key, no sink), o =
/// 0 and lse = -inf. Infinities and NaN of the inputs go through this as IEEE
/// 754 has it: a score of NaN or +inf makes the row NaN (inf - inf), one of
/// -inf has the weight 0, and such a weight times an infinity of V is NaN. With
/// quantize_q a row of Q with an infinity is NaN: e4m3 has none.
/// Floor: q' = round(q scale log2e), s = q'.k, and where anything changes the
/// score, s = log2e f(s / log2e); p = round(exp2(s - m + 0.37)),
/// o = round(sum p v / l); lse from the same s without rounding p.
/// Floors with weights of 8 bits, for a lift L = 8, and L = 7.37, which is
/// `other_floor_o`: q stays as it is, or with quantize_q becomes
/// f e4m3(q / f), f = max|q| / 448 of the row, or with power_of_2_scores the
/// least f >= max|q| / 448 that is a power of two divided by c, what scores are
/// multiplied by: |scale| log2(e), without log2(e) where a function takes
/// them, times K's factor where all keys of a head share it; m then is that of
/// the keys, without the sink. Then
/// p = e4m3(g exp2(s - m + L)), and
/// o = round(sum p v / (g l)), where l is summed without rounding. g is 1;
/// where rows of V have factors of their own, and without v_factors_apart, g is
/// such a factor divided by the power of two above the largest that the row
/// sees, and p holds v's own. So p stays within e4m3, up to whose largest
/// number exponents are lifted. With an o_scale, o is divided by it before it
/// is rounded. An 8-bit type of O saturates, and so does o: where the type
/// cannot hold it, its largest number is right.
///
/// Only rows in use have results, where the problem's views say, or one after
/// the other: o and both floors in the order of batch, row, head, column, which
/// is [B, Sq, Hq, Dv] or [total, Hq, Dv]; lse and floor_lse in that of batch,
/// head, row. Any of them may be NULL. With weights of 16 bits other_floor_o is
/// as floor_o.
///
/// `largest_score`: the largest |x| after all functions, sinks included, among
/// the scores that have a weight in their row (exp(x - m) >= 2^-126; a smaller
/// weight is 0 in a kernel). Rows that are NaN do not count. A number that
/// hides keys, such as -1e9 in a bias, counts only in rows that have no other
/// score. 0 if no row sees a key. May be NULL.
///
/// Of a caller that wants floors only, the definition is not computed.
///
/// Returns false when memory is exhausted.
bool reference_compute(const attention *problem, unsigned threads, double *o,
                       double *lse, double *floor_o, double *other_floor_o,
                       double *floor_lse, double *largest_score);

#endif // FMHAC_ORACLE_REFERENCE_H
