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
/// lengths that are none, strides by which rows, heads or batches of a result
/// overlap), UNSUPPORTED (8-bit types;
/// a configuration with score_mod without a function here), OUT_OF_MEMORY; text
/// in the configuration's context.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_reference(
    const fmhac_config *config, const fmhac_tensors *host,
    const fmhac_reference_options *options, fmhac_reference_results *results);

/// How near the results of a launch are to the reference. Errors are those of
/// numbers: where the reference is NaN or infinite the result must be the same.
typedef struct fmhac_comparison {
  size_t size; ///< sizeof(fmhac_comparison), set by the caller
  bool pass;
  double max_abs_err, tolerance; ///< of O: largest error, and its bound
  double rel_rms_err, rms_bound; ///< of O: |x - reference| / |reference|
  /// Of the row of O whose cosine with the reference is nearest to its bound.
  double cosine, cosine_bound;
  double lse_max_abs_err, lse_tolerance; ///< of LSE; 0 without
  uint64_t rows;    ///< of O that were compared, those of each head
  char reason[192]; ///< why it does not pass; "" if it does
} fmhac_comparison;

/// Compares what a launch of `tensors` left in device memory with the
/// reference: waits for the device, copies inputs and results to the host,
/// computes, and judges by the rule of `fmhac run`. Rows in use are compared.
/// `tensors` are those of fmhac_launch(), whose inputs nothing has changed
/// since. Errors: those of fmhac_plan_pack() and fmhac_reference(), and of the
/// device; text in the plan's context.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_compare_launch(const fmhac_plan *plan, fmhac_rt_device *device,
                     const fmhac_tensors *tensors,
                     const fmhac_reference_options *options, /* may be NULL */
                     fmhac_comparison *out_comparison);

#ifdef __cplusplus
}
#endif

#endif // FMHAC_REFERENCE_H
