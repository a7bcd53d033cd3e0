// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation, one launch: all of LLVM, MLIR, lld and the emulator that a
// request is likely to use is then in memory, bound and initialised.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmhac_reference.h"
#include "warm.h"

static uint16_t values[4 * 64 * 128];

void resident_warm(void) {
  const fmhac_problem most = {sizeof most, 1, 1, 1, 64, 64, 0, 0};
  const uint64_t step = sizeof values / 4;
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  fmhac_context *context = NULL;
  fmhac_rt_device *device = NULL;
  fmhac_plan *plan = NULL;
  bool ok = fmhac_context_create(NULL, &context) == FMHAC_OK &&
            fmhac_rt_device_open("emu", &device) == FMHAC_OK &&
            fmhac_plan_create_json(context, "{\"mask\": \"causal\"}", &most,
                                   &plan) == FMHAC_OK &&
            fmhac_rt_alloc(device, sizeof values, &t.q) == FMHAC_OK &&
            fmhac_rt_copy_in(device, t.q, values, sizeof values) == FMHAC_OK &&
            fmhac_tensors_dense(plan, &most, t.q, t.q + step, t.q + 2 * step,
                                t.q + 3 * step, 0, &t) == FMHAC_OK &&
            fmhac_launch(plan, device, &t, NULL, NULL) == FMHAC_OK;
  if (!ok) {
    fprintf(stderr, "resident server: the warm-up failed: %s\n",
            context ? fmhac_last_error(context) : "no context");
    exit(125);
  }
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
  fmhac_context_destroy(context);
}
