/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* clang-format off */
/* The whole way in 25 lines, C or C++: compiles causal attention of one head with 200 rows,
 * launches it on the emulator (or "hip"), and compares the result with the reference.
 *   cc shortest.c $(pkg-config --cflags --libs fmhac) -Wl,-rpath,$(pkg-config --variable=libdir fmhac) */
#include <stdio.h>
#include "fmhac_reference.h"
static uint16_t x[4 * 200 * 128]; /* Q, K, V and O: bf16 [1, 200, 1, 128] each */
int main(void) {
  const fmhac_problem most = {sizeof most, 1, 1, 1, 200, 200, 0, 0};
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  fmhac_comparison result = {sizeof result};
  fmhac_context *context = NULL;
  fmhac_rt_device *device = NULL;
  fmhac_plan *plan = NULL;
  for (unsigned i = 0; i < sizeof x / 2; ++i) x[i] = 0x3f00 | (i * 2654435761u >> 16 & 0x80ff);
  bool ok = fmhac_context_create(NULL, &context) == FMHAC_OK &&
            fmhac_rt_device_open("emu", &device) == FMHAC_OK &&
            fmhac_plan_create_json(context, "{\"mask\": \"causal\"}", &most, &plan) == FMHAC_OK &&
            fmhac_rt_alloc(device, sizeof x, &t.q) == FMHAC_OK &&
            fmhac_rt_copy_in(device, t.q, x, sizeof x) == FMHAC_OK &&
            fmhac_tensors_dense(plan, &most, t.q, t.q + sizeof x / 4, t.q + sizeof x / 2, t.q + sizeof x / 4 * 3, 0, &t) == FMHAC_OK &&
            fmhac_launch(plan, device, &t, NULL, NULL) == FMHAC_OK &&
            fmhac_compare_launch(plan, device, &t, NULL, &result) == FMHAC_OK;
  puts(ok && result.pass ? "right" : ok ? result.reason : context ? fmhac_last_error(context) : "?");
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
  fmhac_context_destroy(context);
  return !result.pass;
}
