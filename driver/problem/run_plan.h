// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The plan of a run, with checks before a buffer exists.
#ifndef FMHAC_DRIVER_RUN_PLAN_H
#define FMHAC_DRIVER_RUN_PLAN_H

#include "fmhac_abi.h"
#include "run_data.h"

/// A plan of the kernel for the problem of `data`, once it is known to take the
/// tensors as they lie: buffers whose strides no launch takes may not fit into
/// any memory. Reads sink and bias as well. Fails with a text.
fmhac_status run_plan_create(const fmhac_context *context,
                             const fmhac_kernel *kernel, run_data *data,
                             fmhac_plan **out_plan, char error[ERROR_BYTES]);

/// fmhac_plan_pack() of the one launch of a plan.
fmhac_status run_plan_pack(const fmhac_plan *plan, const run_data *data,
                           uint64_t workspace, fmhac_kernel_args *out_arguments,
                           fmhac_rt_launch *out_launch);

#endif // FMHAC_DRIVER_RUN_PLAN_H
