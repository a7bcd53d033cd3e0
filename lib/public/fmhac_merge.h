// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Merges results of attention: those over some keys and those over others
/// become those over both. A prefix that many sequences share is attended to
/// once and merged into each; the parts of keys that other devices have are
/// merged as they arrive.
///
///   context  ->  json, or a kernel with "role": "merge"  ->  merge  ->  launch
///
/// With M the greater of the two LSE of a row and w = exp(LSE - M), O becomes
/// the sum of w O over the sum of w, and LSE becomes M + ln of that sum, in
/// f32; O is rounded once. Where one LSE is -inf, as of a row that saw no key,
/// O and LSE are the other's, and the O beside it is not read: it may hold
/// anything. Where both are, O is 0 and LSE -inf. NaN, and LSE of +inf, give
/// NaN. Both results come from launches with lse. A sink is a term of the sum
/// of weights: at most one of the two may have one.
#ifndef FMHAC_MERGE_H
#define FMHAC_MERGE_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled merge. It has no maxima: every launch brings its sizes.
typedef struct fmhac_merge fmhac_merge;

/// Creates a merge of a kernel that was compiled from a configuration with
/// "role": "merge" (fmhac_compile(), or fmhac_kernel_create_from_code() where
/// there is no compiler). The kernel outlives the merge.
/// Errors: INVALID_INPUT (a kernel of another role), OUT_OF_MEMORY.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_merge_create(const fmhac_kernel *kernel, fmhac_merge **out_merge);
/// The same for the results of kernels of a configuration: the type of their O
/// (dtype, out_dtype), head_dim_v, and whether rows are packed (cu_seqlens_q)
/// or have lengths (seqlens_q) count, other keys do not, so that many
/// configurations have one merge. Compiles it, or takes it from the context or
/// its cache directories; the merge owns its kernel.
/// Errors: those of fmhac_config_create_json() and fmhac_compile().
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_merge_create_json(
    fmhac_context *context, const char *json, fmhac_merge **out_merge);
/// Also unloads the kernel's modules: destroy a merge before you close a device
/// on which it launched. NULL is allowed.
FMHAC_API void fmhac_merge_destroy(fmhac_merge *merge);
/// The merge's kernel; borrowed from the merge if that owns it.
FMHAC_API const fmhac_kernel *fmhac_merge_get_kernel(const fmhac_merge *merge);
/// Loads the kernel's module on `device`; does nothing if it is already loaded.
/// As fmhac_plan_load(): call it before you capture a stream.
/// Errors: INVALID_INPUT (the device refuses the code object), OUT_OF_MEMORY,
/// LAUNCH_FAILED.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_merge_load(const fmhac_merge *merge,
                                                       fmhac_rt_device *device);

/// Sizes and tensors of one launch. Addresses and strides of O are multiples of
/// 16, all others of 4. All addresses are of device memory.
typedef struct fmhac_merge_tensors {
  size_t
      size; ///< sizeof(fmhac_merge_tensors); FMHAC_MERGE_TENSORS_INIT sets it
  uint32_t batch, heads_q;
  uint32_t seqlen_q; ///< rows of O; of the longest sequence, if they are packed
  /// One result, and where the merged one goes: [B, Hq, Sq, Dv] by strides, and
  /// f32 [B, Hq, Sq].
  fmhac_device_ptr o, lse;
  /// The other, of the same types; no byte of it is one of the first.
  fmhac_device_ptr other_o, other_lse;
  fmhac_strides o_strides, other_o_strides;
  uint64_t lse_batch_stride_bytes, lse_head_stride_bytes;
  uint64_t other_lse_batch_stride_bytes, other_lse_head_stride_bytes;
  /// i32 [B+1]: first row of each sequence, of both results: these are [total,
  /// Hq, Dv] and [Hq, total], and batch strides are not used. Only of a merge
  /// with cu_seqlens_q.
  fmhac_device_ptr cu_seqlens_q;
  /// i32 [B]: rows in use of each batch, at most seqlen_q. Rows after them are
  /// neither read nor written. Only of a merge with seqlens_q.
  fmhac_device_ptr seqlens_q;
} fmhac_merge_tensors;
/// Sets the size, and all other fields to 0.
#define FMHAC_MERGE_TENSORS_INIT                                               \
  {                                                                            \
    sizeof(fmhac_merge_tensors), 0, 0, 0, 0, 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, \
        0, 0, 0, 0, 0                                                          \
  }

/// Merges in place: (o, lse) become those of both. Loads the kernel's module as
/// fmhac_merge_load() does if that was not called, but not while `stream` is
/// being captured. Nothing else allocates or synchronises, and no workspace is
/// needed. Several threads may launch one merge at the same time. 8-bit results
/// were divided by the same o_scale; so is the merged one.
/// Errors: INVALID_INPUT (a size of 0, a missing address or one that the kernel
/// does not take, an output whose rows overlap, the same address for both
/// results), UNSUPPORTED (an address or a stride that is no such multiple; more
/// than 2^31 - 1 rows of all heads of a batch, or a grid that no device takes,
/// with the bound), and those of fmhac_merge_load() and
/// fmhac_rt_launch_kernel().
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_merge_launch(const fmhac_merge *merge, fmhac_rt_device *device,
                   const fmhac_merge_tensors *tensors, void *stream);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_MERGE_H
