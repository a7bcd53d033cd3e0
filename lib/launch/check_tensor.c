// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check_tensor.h"

#include <inttypes.h>

#include "context.h"
#include "plan_check.h"

fmhac_status fmhac_check_multiple(fmhac_context *context, const char *name,
                                  const char *what, uint64_t value,
                                  uint64_t alignment_bytes) {
  if (value % alignment_bytes == 0)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_UNSUPPORTED,
                    "tensor %s: %s is %" PRIu64 " (0x%" PRIx64 "), expected a "
                    "multiple of %" PRIu64 " bytes; it is %" PRIu64 " past one",
                    name, what, value, value, alignment_bytes,
                    value % alignment_bytes);
}

fmhac_status fmhac_check_overlap(fmhac_context *context, const char *name,
                                 const char *what, uint64_t count,
                                 uint64_t stride_bytes, uint64_t least_bytes) {
  if (count <= 1 || stride_bytes >= least_bytes)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "tensor %s: %s lie %" PRIu64 " bytes apart, expected at "
                    "least the %" PRIu64 " bytes of a row: its %s overlap",
                    name, what, stride_bytes, least_bytes, what);
}

fmhac_status fmhac_check_wanted(const fmhac_kernel *kernel, const char *name,
                                bool wanted, uint64_t address,
                                uint64_t alignment_bytes) {
  if (wanted && !address)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "tensor %s: the address is null, the kernel was compiled "
                      "with %s",
                      name, name);
  if (!wanted && address)
    return fmhac_fail(kernel->context, FMHAC_INVALID_INPUT,
                      "tensor %s: an address is given, the kernel was compiled "
                      "without %s and would not use it",
                      name, name);
  return wanted ? fmhac_check_multiple(kernel->context, name, "the address",
                                       address, alignment_bytes)
                : FMHAC_OK;
}

fmhac_status fmhac_check_presence(const fmhac_kernel *kernel, const char *name,
                                  uint64_t group, uint64_t address,
                                  uint64_t alignment_bytes) {
  return fmhac_check_wanted(kernel, name, fmhac_kernel_needs(kernel, group),
                            address, alignment_bytes);
}

fmhac_status fmhac_check_f32_strides(fmhac_context *context, const char *name,
                                     const fmhac_strides *strides) {
  fmhac_status status = fmhac_check_multiple(
      context, name, "the batch stride", strides->batch_bytes, sizeof(float));
  if (status == FMHAC_OK)
    status = fmhac_check_multiple(context, name, "the head stride",
                                  strides->head_bytes, sizeof(float));
  if (status == FMHAC_OK)
    status = fmhac_check_multiple(context, name, "the row stride",
                                  strides->row_bytes, sizeof(float));
  return status;
}
