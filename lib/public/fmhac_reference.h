// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reference for results of kernels: attention in double precision, by its
/// plain definition, on host memory. It shares no code with the compiler.
/// `fmhac run` compares with it.
#ifndef FMHAC_REFERENCE_H
#define FMHAC_REFERENCE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of the reference. A size and zeros are the usual choice.
typedef struct fmhac_reference_options {
  size_t size; ///< sizeof(fmhac_reference_options), set by the caller
  /// 0: one for each processor that affinity and cgroups leave to the process;
  /// more than 256 count as 256.
  uint32_t threads;
  /// Applies the function of a configuration with score_mod to a score in
  /// natural units, after scale and cap; NULL without such a function. Several
  /// threads call it at the same time.
  double (*score_mod)(const void *user, double score, int32_t row, int32_t key,
                      int32_t head, int32_t batch);
  const void *score_mod_user; ///< the first argument
} fmhac_reference_options;

/// The computed lists. Number i of a list belongs to element i of tensor O or
/// LSE, counted from its address. Lists are as long as the tensors, with their
/// strides; numbers outside the rows in use stay unchanged. A list that is NULL
/// is not computed.
typedef struct fmhac_reference_results {
  size_t size; ///< sizeof(fmhac_reference_results), set by the caller
  /// By the definition; an 8-bit O divided by o_scale, no further from 0 than
  /// the largest number of its type.
  double *o, *lse;
  /// The same with the roundings that every kernel makes: Q times scale times
  /// log2(e), the weights and O are rounded to their types. Their distance from
  /// `o` and `lse` gives the tolerance. With an 8-bit Q, and with quantize_q,
  /// the weights times 2^8 are rounded to e4m3, and Q is not, or to e4m3 by
  /// row, with the factor max|q| / 448.
  double *rounded_o, *rounded_lse;
  /// Set by the call: the largest magnitude of a score that has a weight in its
  /// row, without rows that are NaN.
  double largest_score;
  /// With an 8-bit Q, and with quantize_q, as rounded_o with weights times
  /// 2^7.37: the tolerance is that of the worse of the two. Else as rounded_o.
  double *other_rounded_o;
  /// With quantize_q, as the three lists above but for Q's factor: the next
  /// that leaves a power of two to multiply scores by. The tolerance is that of
  /// the worst. Else as those.
  double *scaled_rounded_o, *other_scaled_rounded_o, *scaled_rounded_lse;
  /// With an 8-bit Q and factors of V by block, as rounded_o and
  /// other_rounded_o with weights that are rounded without V's factor, which a
  /// kernel may give to tiles: the tolerance is that of the worst. Else as
  /// those.
  double *apart_rounded_o, *other_apart_rounded_o;
} fmhac_reference_results;

/// Computes on the host the results of a launch of a kernel of `config`. `host`
/// is as for fmhac_launch(), with addresses of host memory; the addresses of o
/// and lse are not used and may be 0; their strides are used. `options` may be
/// NULL.
/// Errors: INVALID_INPUT (a size of 0, a missing tensor or one that the kernel
/// does not take, malformed lists of lengths, strides by which rows, heads or
/// batches of a result overlap, keys of types and factors that contradict each
/// other), UNSUPPORTED (types of Q, K and V that do not go together; factors
/// by block of packed K or V; a configuration with score_mod, but no function
/// in `options`), OUT_OF_MEMORY; text in the configuration's context.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_reference(
    const fmhac_config *config, const fmhac_tensors *host,
    const fmhac_reference_options *options, fmhac_reference_results *results);

/// The distance of a launch's results from the reference. Errors are taken over
/// finite numbers; where the reference is NaN or infinite the result must be
/// the same.
typedef struct fmhac_comparison {
  size_t size; ///< sizeof(fmhac_comparison), set by the caller
  bool pass;
  double max_abs_err, tolerance; ///< of O: largest error, and its bound
  double rel_rms_err, rms_bound; ///< of O: |x - reference| / |reference|
  /// Of the row of O whose cosine with the reference is nearest to its bound.
  double cosine, cosine_bound;
  double lse_max_abs_err, lse_tolerance; ///< of LSE; 0 without
  uint64_t rows;    ///< rows of O that were compared, over all heads
  char reason[192]; ///< why it does not pass; "" if it does
} fmhac_comparison;

/// Compares the results of a launch of `tensors` in device memory with the
/// reference: waits for the device, copies inputs and results to the host,
/// computes the reference, and applies the pass rule of `fmhac run` to the rows
/// in use. `tensors` are those of fmhac_launch(); the inputs must not have
/// changed since.
/// Errors: those of fmhac_plan_pack() and fmhac_reference(), and of the device;
/// text in the plan's context.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_compare_launch(const fmhac_plan *plan, fmhac_rt_device *device,
                     const fmhac_tensors *tensors,
                     const fmhac_reference_options *options, /* may be NULL */
                     fmhac_comparison *out_comparison);

#ifdef __cplusplus
}
#endif

#endif // FMHAC_REFERENCE_H
