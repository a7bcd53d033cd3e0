// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code object of a kernel that the library compiled.
#ifndef FMHAC_DRIVER_KERNEL_OBJECT_H
#define FMHAC_DRIVER_KERNEL_OBJECT_H

#include "code_object.h"
#include "fmhac.h"

/// What it says; the kernel outlives it. False with a text.
bool kernel_object_read(const fmhac_kernel *kernel, code_object *out_object,
                        char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_KERNEL_OBJECT_H
