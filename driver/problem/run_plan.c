// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_plan.h"

#include <stdio.h>

#include "run_features.h"

fmhac_status run_plan_pack(const fmhac_plan *plan, const run_data *data,
                           uint64_t workspace, fmhac_kernel_args *out_arguments,
                           fmhac_rt_launch *out_launch) {
  *out_launch = (fmhac_rt_launch){.size = sizeof *out_launch};
  const fmhac_tensors tensors = run_data_tensors(data);
  return fmhac_plan_pack(plan, 0, &tensors, workspace, out_arguments,
                         sizeof *out_arguments, out_launch);
}

/// Asks the plan for the arguments of a launch, with placeholders for the
/// addresses of later buffers.
static fmhac_status check_tensors(const fmhac_plan *plan, run_data *data) {
  enum { SPACING = 4096 }; // a multiple of every alignment
  for (int i = 0; i < BUFFER_COUNT; ++i)
    if (data->buffers[i].bytes)
      data->buffers[i].address = (uint64_t)(i + 1) * SPACING;
  fmhac_kernel_args arguments;
  fmhac_rt_launch launch;
  fmhac_status status = run_plan_pack(plan, data, 0, &arguments, &launch);
  for (int i = 0; i < BUFFER_COUNT; ++i)
    data->buffers[i].address = 0;
  return status;
}

fmhac_status run_plan_create(const fmhac_context *context,
                             const fmhac_kernel *kernel, run_data *data,
                             fmhac_plan **out_plan, char error[ERROR_BYTES]) {
  *out_plan = NULL;
  const fmhac_problem problem = run_data_problem(data);
  fmhac_status status = fmhac_plan_create(kernel, &problem, out_plan);
  if (status == FMHAC_OK && !run_features_fill(data, error))
    return FMHAC_INVALID_INPUT;
  if (status == FMHAC_OK)
    status = check_tensors(*out_plan, data);
  if (status != FMHAC_OK)
    snprintf(error, ERROR_BYTES, "%s", fmhac_last_error(context));
  return status;
}
