// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What results of kernels are compared with: attention in double precision, by
/// its plain definition, on host memory. It shares nothing with the compiler;
/// `fmhac run` compares with it.
#ifndef FMHAC_REFERENCE_H
#define FMHAC_REFERENCE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How it is computed. Zeroes and a size are the usual way.
typedef struct fmhac_reference_options {
  size_t size; ///< sizeof(fmhac_reference_options), set by the caller
  /// 0: one for each processor that affinity and cgroups leave to the process;
  /// more than 256 count as 256.
  uint32_t threads;
  /// What the function of a configuration with score_mod makes of a score in
  /// natural units (scale and cap are in it); NULL without. Called from several
  /// threads at once.
  double (*score_mod)(const void *user, double score, int32_t row, int32_t key,
                      int32_t head, int32_t batch);
  const void *score_mod_user; ///< the first argument
} fmhac_reference_options;

/// What is computed. Number i of a list belongs to element i of tensor O or
/// LSE, counted from its address: lists are as long as the tensors, with their
/// strides, and what lies outside the rows in use stays as it is. A list that
/// is NULL is not computed.
typedef struct fmhac_reference_results {
  size_t size;     ///< sizeof(fmhac_reference_results), set by the caller
  double *o, *lse; ///< by the definition: results come near these
  /// The same with the roundings that every kernel makes: Q times scale times
  /// log2(e), the weights and O are rounded to their types. A tolerance follows
  /// from how far these are from the above.
  double *rounded_o, *rounded_lse;
  /// Set by the call: the magnitude of the largest score that a row has a
  /// weight of, rows that are NaN aside.
  double largest_score;
} fmhac_reference_results;

/// Computes on the host what a launch of a kernel of `config` computes. `host`
/// is as for fmhac_launch(), with addresses of host memory; those of o and lse
/// are not used and may be 0, their strides are. `options` may be NULL. Errors:
/// INVALID_INPUT (a size of 0, a tensor that is missing or too much, lists of
/// lengths that are none, strides of O that overlap), UNSUPPORTED (8-bit types;
/// a configuration with score_mod without a function here), OUT_OF_MEMORY; text
/// in the configuration's context.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_reference(
    const fmhac_config *config, const fmhac_tensors *host,
    const fmhac_reference_options *options, fmhac_reference_results *results);

#ifdef __cplusplus
}
#endif

#endif // FMHAC_REFERENCE_H
