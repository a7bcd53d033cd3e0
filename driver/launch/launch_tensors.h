// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The tensors of a LAUNCH.json: read, written, and declared to the emulator.
#ifndef FMHAC_DRIVER_LAUNCH_TENSORS_H
#define FMHAC_DRIVER_LAUNCH_TENSORS_H

#include "fmhac_emu.h"
#include "json_fields.h"

typedef struct launch_tensor {
  /// Its strings and rows are owned; `base` counts from the buffer's beginning.
  fmhac_emu_tensor tensor;
  size_t buffer; ///< index
} launch_tensor;

/// Reads the tensor at `where` under its name. `*buffer`, the name of its
/// buffer, stays unless the item names another; the item then owns that name.
bool launch_tensor_parse(const json_fields *p, const cJSON *item,
                         const char *where, launch_tensor *out,
                         const char **buffer);
void launch_tensor_deinit(launch_tensor *tensor);

/// Declares it on the emulator; `address` is that of its buffer.
fmhac_status launch_tensor_declare(const launch_tensor *tensor,
                                   uint64_t address, fmhac_rt_device *device);

/// Adds it to the "tensors" of a launch.
void launch_tensor_add(const launch_tensor *tensor, const char *buffer,
                       cJSON *tensors);

#endif // FMHAC_DRIVER_LAUNCH_TENSORS_H
