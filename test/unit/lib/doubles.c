// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "doubles.h"

#include <stdio.h>
#include <stdlib.h>

#include "fmhac_schedule.h"
#include "table.h"

struct fmhac_rt_module {
  fmhac_rt_device *device;
};

const char *fmhac_schedule_name(size_t index) {
  static const char *const names[] = {
      "generic",           "generic_wide",          "dualwave",
      "dualwave_narrow",   "dualwave_sums",         "dualwave_fp8_d256",
      "latent_decode",     "latent_decode_m64",     "latent_decode_m128",
      "latent_decode_fp8", "latent_decode_fp8_m64", "latent_decode_fp8_m128"};
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

const char *fmhac_schedule_text(const char *schedule) {
  for (size_t i = 0; fmhac_schedule_name(i); ++i)
    if (strcmp(fmhac_schedule_name(i), schedule) == 0)
      return fmhac_schedule_name(i);
  return NULL;
}

/// Long problems get dualwave, if it serves them.
const char *fmhac_builtin_table(void) {
  return "dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,"
         "cycles,other,other_seconds,other_cycles,problem\n"
         "*,*,*,*,*,257-2147483647,dualwave,0.5,100,generic,1,200,made up\n";
}

const char *fmhac_rt_last_error(const fmhac_rt_device *device) {
  (void)device;
  return "the device's own words";
}

fmhac_status fmhac_rt_module_load(fmhac_rt_device *device, const void *code,
                                  size_t bytes, fmhac_rt_module **out_module) {
  (void)code;
  (void)bytes;
  ++device->loads;
  *out_module = malloc(sizeof **out_module);
  (*out_module)->device = device;
  return FMHAC_OK;
}

void fmhac_rt_module_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  ++device->unloads;
  free(module);
}

fmhac_status fmhac_rt_stream_is_capturing(fmhac_rt_device *device, void *stream,
                                          bool *out_capturing) {
  *out_capturing = stream && device->capturing;
  return FMHAC_OK;
}

fmhac_status fmhac_rt_launch_kernel(fmhac_rt_device *device,
                                    fmhac_rt_module *module,
                                    const fmhac_rt_launch *launch) {
  assert_ptr_equal(module->device, device);
  ++device->launches;
  device->last = *launch;
  memcpy(&device->args, launch->kernarg, sizeof device->args);
  return device->answer;
}

void assert_contains(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected \"%s\" in \"%s\"", part, text);
}
