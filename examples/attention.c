// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole of libfmhac in one program: compile a configuration, plan a
// problem, launch it on a device ("emu", or "hip" as the first argument), look
// at the result. With Q = 0 every key weighs the same, so O is the mean of V.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"

enum { B = 1, H = 2, S = 256, D = 128, COUNT = B * S * H * D };

static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16); // exact for the small integers used here
}

static float float_of(uint16_t bf16) {
  uint32_t bits = (uint32_t)bf16 << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/// Device memory with a copy of `host` in it.
static fmhac_status upload(fmhac_rt_device *device, const uint16_t *host,
                           uint64_t *out_address) {
  const size_t bytes = COUNT * sizeof *host;
  fmhac_status status = fmhac_rt_alloc(device, bytes, out_address);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(device, *out_address, host, bytes);
  return status;
}

/// Elements of O that are not the mean of V = key % 4, which is 1.5.
static int count_wrong(const uint16_t *o) {
  int wrong = 0;
  for (int i = 0; i < COUNT; ++i)
    wrong += !(fabsf(float_of(o[i]) - 1.5f) <= 0.01f);
  return wrong;
}

int main(int argc, char **argv) {
  static uint16_t q[COUNT], k[COUNT], v[COUNT], o[COUNT];
  fmhac_context *context = NULL;
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *plan = NULL;
  fmhac_rt_device *device = NULL;
  char why[512] = "";
  int exit_code = EXIT_FAILURE;
  for (int i = 0; i < COUNT; ++i) {
    int key = i / (H * D);
    k[i] = bf16_of((float)(key % 7));
    v[i] = bf16_of((float)(key % 4));
    o[i] = 0xffff;
  }

  // One configuration is one code object, good for every length.
  fmhac_status status = fmhac_context_create(NULL, &context);
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(
        context, "{\"dtype\": \"bf16\", \"head_dim\": 128}", &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);

  // A plan fixes the largest problem; its launches allocate nothing.
  const fmhac_problem problem = {sizeof problem, B, H, H, S, S};
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, &problem, &plan);
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(argc > 1 ? argv[1] : "emu", why,
                                            sizeof why, &device);

  const fmhac_strides strides = fmhac_strides_bshd(H, S, D, sizeof *q);
  fmhac_tensors tensors = {.size = sizeof tensors,
                           .problem = problem,
                           .q_strides = strides,
                           .k_strides = strides,
                           .v_strides = strides,
                           .o_strides = strides,
                           .scale = 0.088388f};
  if (status == FMHAC_OK)
    status = upload(device, q, &tensors.q);
  if (status == FMHAC_OK)
    status = upload(device, k, &tensors.k);
  if (status == FMHAC_OK)
    status = upload(device, v, &tensors.v);
  if (status == FMHAC_OK)
    status = upload(device, o, &tensors.o);
  if (status == FMHAC_OK)
    status = fmhac_launch(plan, device, &tensors, NULL, NULL);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_out(device, tensors.o, o, sizeof o);

  if (status != FMHAC_OK) {
    fprintf(stderr, "status %d: %s%s%s\n", status, fmhac_last_error(context),
            why, device ? fmhac_rt_last_error(device) : "");
  } else {
    int wrong = count_wrong(o);
    printf("%s: o[0] = %g, %d of %d elements wrong\n",
           fmhac_kernel_get_name(kernel), (double)float_of(o[0]), wrong, COUNT);
    exit_code = wrong ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  fmhac_plan_destroy(plan); // its module lives on the device
  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return exit_code;
}
