// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of HIP: their errors, and the device that is current during them.
#include <stdio.h>
#include <string.h>

#include "hip_device.h"

fmhac_status hip_check(hip_device *d, int error, const char *what) {
  fmhac_status status = FMHAC_LAUNCH_FAILED;
  switch (error) {
  case 0:
    return FMHAC_OK;
  case HIP_INVALID_VALUE:
  case HIP_INVALID_CONFIGURATION:
  case HIP_INVALID_DEVICE_POINTER:
  case HIP_INVALID_IMAGE:
  case HIP_NO_BINARY_FOR_GPU:
  case HIP_INVALID_KERNEL_FILE:
  case HIP_INVALID_HANDLE:
  case HIP_NOT_FOUND:
  case HIP_CONTEXT_IS_DESTROYED:
    status = FMHAC_INVALID_INPUT;
    break;
  case HIP_OUT_OF_MEMORY:
    status = FMHAC_OUT_OF_MEMORY;
    break;
  case HIP_NO_DEVICE:
  case HIP_INVALID_DEVICE:
    status = FMHAC_DEVICE_UNAVAILABLE;
    break;
  default:
    if (error >= HIP_CAPTURE_UNSUPPORTED && error <= HIP_CAPTURE_WRONG_THREAD)
      status = FMHAC_INVALID_INPUT;
  }
  const char *text = d->api.GetErrorString(error);
  return fmhac_rt_fail(&d->base, status, "%s failed: HIP error %d (%s)", what,
                       error, text ? text : "unknown");
}

fmhac_status hip_begin(hip_device *d, hip_turn *turn) {
  *turn = (hip_turn){0};
  fmhac_status status =
      hip_check(d, d->api.GetDevice(&turn->before), "hipGetDevice");
  if (status != FMHAC_OK || turn->before == d->ordinal)
    return status;
  status = hip_check(d, d->api.SetDevice(d->ordinal), "hipSetDevice");
  turn->changed = status == FMHAC_OK;
  return status;
}

fmhac_status hip_end(hip_device *d, const hip_turn *turn, fmhac_status status) {
  if (!turn->changed)
    return status;
  int error = d->api.SetDevice(turn->before);
  return status == FMHAC_OK ? hip_check(d, error, "hipSetDevice back") : status;
}
