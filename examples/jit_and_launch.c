/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiles a configuration while the program runs, and launches it on a device
 * that is chosen then: "emu" (default), "hip" or "hip:N", the first argument.
 * The second may be another configuration of head size 64 without a mask. */
#include <stdio.h>
#include <stdlib.h>

#include "fmhac_inspect.h"
#include "problem.h"

int main(int argc, char **argv) {
  const char *uri = argc > 1 ? argv[1] : "emu";
  const char *json = argc > 2 ? argv[2] : "{\"head_dim\": 64}";
  fmhac_context *context = NULL;
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *plan = NULL;
  fmhac_rt_device *device = NULL;
  problem p = {.device = NULL};
  bool right = false;
  char why[512] = "";

  /* Kernels are kept where the environment says, and found there next time. */
  fmhac_status status =
      fmhac_context_create_from_environment(NULL, why, sizeof why, &context);
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(context, json, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);

  /* A plan fixes the largest problem; its launches allocate nothing. */
  fmhac_problem sizes = {.size = sizeof sizes,
                         .batch = 2,
                         .heads_q = 4,
                         .heads_kv = 2,
                         .seqlen_q = 70,
                         .seqlen_kv = 150};
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, &sizes, &plan);
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(uri, why, sizeof why, &device);
  if (status == FMHAC_OK && !problem_create(&p, sizes, 64, false, 1))
    status = FMHAC_OUT_OF_MEMORY;
  if (status == FMHAC_OK)
    status = problem_upload(&p, device);
  if (status == FMHAC_OK)
    status = fmhac_launch(plan, device, &p.tensors, NULL, NULL);
  if (status == FMHAC_OK)
    status = fmhac_rt_synchronize(device);
  if (status == FMHAC_OK)
    status = problem_check(&p, fmhac_kernel_get_name(kernel), &right);
  int code = status == FMHAC_OK ? (right ? EXIT_SUCCESS : EXIT_FAILURE)
                                : problem_fail(status, context, device, why);

  problem_destroy(&p);      /* before its device */
  fmhac_plan_destroy(plan); /* its module lies on the device */
  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return code;
}
