// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch costs the host: fmhac_launch() beside hipModuleLaunchKernel()
// called directly, on a HIP runtime that drops launches (test/hip). Medians of
// batches taken in turn, in nanoseconds, as one JSON object:
//
//   FMHAC_TEST_HIP_NULL_LAUNCH=1 bench-launch [BATCHES]
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmhac.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"
#include "hip_test.h"
#include "median.h"

enum { MOST_BATCHES = 1001, BATCH = 2000 };

static double now_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void require(bool ok, const char *what, const char *why) {
  if (ok)
    return;
  fprintf(stderr, "bench-launch: %s: %s\n", what, why);
  exit(1);
}

typedef struct setting {
  fmhac_context *context;
  fmhac_rt_device *device;
  fmhac_kernel *kernel;
  fmhac_plan *plan;
  fmhac_tensors tensors;
  void *stream;
  void *module, *function; ///< HIP's, of the same kernel
} setting;

static void prepare(setting *s) {
  char why[1024] = "";
  fmhac_config *config;
  const void *code;
  size_t bytes;
  require(fmhac_context_create(NULL, &s->context) == FMHAC_OK, "context", "");
  require(fmhac_rt_device_open_with_text("hip", why, sizeof why, &s->device) ==
              FMHAC_OK,
          "device", why);
  fmhac_problem problem = {.size = sizeof problem,
                           .batch = 1,
                           .heads_q = 8,
                           .heads_kv = 8,
                           .seqlen_q = 512,
                           .seqlen_kv = 512};
  bool ok = fmhac_config_create_json(s->context, "{\"mask\":\"causal\"}",
                                     &config) == FMHAC_OK &&
            fmhac_compile(s->context, config, &s->kernel) == FMHAC_OK &&
            fmhac_plan_create(s->kernel, &problem, &s->plan) == FMHAC_OK &&
            fmhac_plan_load(s->plan, s->device) == FMHAC_OK &&
            fmhac_kernel_get_code(s->kernel, &code, &bytes) == FMHAC_OK;
  require(ok, "kernel", fmhac_last_error(s->context));
  fmhac_config_destroy(config);
  fmhac_strides strides = fmhac_strides_bshd(8, 512, 128, 2);
  s->tensors = (fmhac_tensors){.size = sizeof s->tensors,
                               .batch = 1,
                               .heads_q = 8,
                               .heads_kv = 8,
                               .seqlen_q = 512,
                               .seqlen_kv = 512,
                               .q_strides = strides,
                               .k_strides = strides,
                               .v_strides = strides,
                               .o_strides = strides,
                               .scale = 0.088f};
  uint64_t *addresses[] = {&s->tensors.q, &s->tensors.k, &s->tensors.v,
                           &s->tensors.o};
  for (int i = 0; i < 4; i++)
    require(fmhac_rt_alloc(s->device, 8 * 512 * 128 * 2, addresses[i]) ==
                FMHAC_OK,
            "memory", fmhac_rt_last_error(s->device));
  require(fmhac_rt_stream_create(s->device, &s->stream) == FMHAC_OK, "stream",
          fmhac_rt_last_error(s->device));
  require(!hipModuleLoadData(&s->module, code) &&
              !hipModuleGetFunction(&s->function, s->module,
                                    fmhac_kernel_get_name(s->kernel)),
          "HIP's module", "");
}

/// Nanoseconds of a fmhac_launch().
static double launch_planned(const setting *s) {
  double start = now_nanoseconds();
  bool ok = true;
  for (int i = 0; i < BATCH; i++)
    ok &= fmhac_launch(s->plan, s->device, &s->tensors, NULL, s->stream) ==
          FMHAC_OK;
  double taken = (now_nanoseconds() - start) / BATCH;
  require(ok, "fmhac_launch", fmhac_last_error(s->context));
  return taken;
}

/// Nanoseconds of a hipModuleLaunchKernel() with the arguments ready.
static double launch_directly(const setting *s) {
  fmhac_kernel_args args;
  fmhac_rt_launch l = {.size = sizeof l};
  require(fmhac_plan_pack(s->plan, 0, &s->tensors, 0, &args, sizeof args, &l) ==
              FMHAC_OK,
          "packing", fmhac_last_error(s->context));
  size_t bytes = sizeof args;
  void *extra[] = {(void *)(uintptr_t)1, &args, (void *)(uintptr_t)2, &bytes,
                   (void *)(uintptr_t)3};
  double start = now_nanoseconds();
  bool ok = true;
  for (int i = 0; i < BATCH; i++)
    ok &= !hipModuleLaunchKernel(s->function, l.grid[0], l.grid[1], l.grid[2],
                                 l.block[0], l.block[1], l.block[2],
                                 l.dynamic_lds_bytes, s->stream, NULL, extra);
  double taken = (now_nanoseconds() - start) / BATCH;
  require(ok, "hipModuleLaunchKernel", "");
  return taken;
}

int main(int argc, char **argv) {
  static double planned[MOST_BATCHES], direct[MOST_BATCHES];
  int batches = argc > 1 ? atoi(argv[1]) : 201;
  require(argc <= 2 && batches > 0 && batches <= MOST_BATCHES, "usage",
          "bench-launch [BATCHES], at most 1001");
  require(getenv("FMHAC_TEST_HIP_NULL_LAUNCH") != NULL, "usage",
          "set FMHAC_TEST_HIP_NULL_LAUNCH=1, or launches really run");
  setting s = {0};
  prepare(&s);
  for (int i = 0; i < batches; i++) {
    planned[i] = launch_planned(&s);
    direct[i] = launch_directly(&s);
  }
  printf("{\"batches\": %d, \"launches_a_batch\": %d, "
         "\"fmhac_launch_ns\": %.1f, \"hip_launch_ns\": %.1f}\n",
         batches, BATCH, median(planned, batches), median(direct, batches));
  fmhac_plan_destroy(s.plan);
  fmhac_kernel_destroy(s.kernel);
  fmhac_rt_device_close(s.device);
  fmhac_context_destroy(s.context);
  return 0;
}
