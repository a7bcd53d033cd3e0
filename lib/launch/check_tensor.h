// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is required of any tensor of a launch: addresses, strides, no overlap.
/// The text names the tensor and the number.
#ifndef FMHAC_LIB_CHECK_TENSOR_H
#define FMHAC_LIB_CHECK_TENSOR_H

#include "kernel.h"

/// Errors: UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_multiple(fmhac_context *context,
                                                 const char *name,
                                                 const char *what,
                                                 uint64_t value,
                                                 uint64_t alignment_bytes);

/// Workgroups write without looking at each other: no two rows, heads or
/// batches of an output may share a byte. With one of a kind its stride does
/// not matter. Errors: INVALID_INPUT.
FMHAC_MUST_USE fmhac_status fmhac_check_overlap(
    fmhac_context *context, const char *name, const char *what, uint64_t count,
    uint64_t stride_bytes, uint64_t least_bytes);

/// Requires every address that the kernel reads, and rejects unused addresses:
/// silently ignoring one would drop a feature that the caller asked for.
/// Errors: INVALID_INPUT, UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_wanted(const fmhac_kernel *kernel,
                                               const char *name, bool wanted,
                                               uint64_t address,
                                               uint64_t alignment_bytes);
/// Wanted if the kernel reads the group.
FMHAC_MUST_USE fmhac_status fmhac_check_presence(const fmhac_kernel *kernel,
                                                 const char *name,
                                                 uint64_t group,
                                                 uint64_t address,
                                                 uint64_t alignment_bytes);

/// Strides of elements of four bytes, for a tensor that the kernel takes.
/// Errors: UNSUPPORTED.
FMHAC_MUST_USE fmhac_status fmhac_check_f32_strides(
    fmhac_context *context, const char *name, const fmhac_strides *strides);

#endif // FMHAC_LIB_CHECK_TENSOR_H
