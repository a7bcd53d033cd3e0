// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The plan of a run, with checks before a buffer exists.
#ifndef FMHAC_DRIVER_RUN_PLAN_H
#define FMHAC_DRIVER_RUN_PLAN_H

#include "run_data.h"

/// A plan of the kernel for the problem of `data`, once it is known to take the
/// tensors as they lie: buffers whose strides no launch takes may not fit into
/// any memory. Reads sink and bias as well. Fails with a text.
fmhac_status run_plan_create(const fmhac_context *context,
                             const fmhac_kernel *kernel, run_data *data,
                             fmhac_plan **out_plan, char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_RUN_PLAN_H
