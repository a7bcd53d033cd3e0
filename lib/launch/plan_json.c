// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a configuration's text to a plan.
#include "plan.h"
#include "require.h"

fmhac_status fmhac_plan_create_json(fmhac_context *context, const char *json,
                                    const fmhac_problem *max_problem,
                                    fmhac_plan **out_plan) {
  FMHAC_CLEAR(out_plan);
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(json),
                    FMHAC_GIVEN(max_problem), FMHAC_GIVEN(out_plan));
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(context, json, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, max_problem, out_plan);
  if (status == FMHAC_OK)
    fmhac_plan_take_kernel(*out_plan, kernel);
  else
    fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return status;
}
