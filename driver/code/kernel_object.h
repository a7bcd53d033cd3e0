// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code object of a kernel that the library compiled.
#ifndef FMHAC_DRIVER_KERNEL_OBJECT_H
#define FMHAC_DRIVER_KERNEL_OBJECT_H

#include "code_object.h"
#include "fmhac.h"

/// Reads the code object of a kernel; the kernel outlives the result. False
/// with a text.
bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]);

/// Adds "schedule", its name, and "schedule_file": the file that it was read
/// from, or null.
void kernel_schedule_json(cJSON *object, const fmhac_kernel *kernel);

/// The two in one text, as of schedule_label().
char *kernel_schedule_label(const fmhac_kernel *kernel);

#endif // FMHAC_DRIVER_KERNEL_OBJECT_H
