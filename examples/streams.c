/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One plan, made for the longest problem, launches problems of several sizes on
 * several streams; nothing is allocated or waited for between the launches.
 *
 *   streams [DEVICE] */
#include <stdio.h>
#include <stdlib.h>

#include "problem.h"

enum { STREAMS = 3, LAUNCHES = 6, HEAD_DIM = 64 };

typedef struct work {
  void *streams[STREAMS];
  problem problems[LAUNCHES];
} work;

/* Launches everything, then waits for each stream. */
static fmhac_status launch_all(work *w, const fmhac_plan *plan,
                               fmhac_rt_device *device) {
  fmhac_status status = FMHAC_OK;
  for (int i = 0; status == FMHAC_OK && i < LAUNCHES; ++i)
    status = fmhac_launch(plan, device, &w->problems[i].tensors, NULL,
                          w->streams[i % STREAMS]);
  for (int i = 0; status == FMHAC_OK && i < STREAMS; ++i)
    status = fmhac_rt_stream_synchronize(device, w->streams[i]);
  return status;
}

/* Streams, and problems that all fit into `largest`. */
static fmhac_status prepare(work *w, fmhac_rt_device *device,
                            fmhac_problem largest) {
  fmhac_status status = FMHAC_OK;
  for (int i = 0; status == FMHAC_OK && i < STREAMS; ++i)
    status = fmhac_rt_stream_create(device, &w->streams[i]);
  for (int i = 0; status == FMHAC_OK && i < LAUNCHES; ++i) {
    fmhac_problem sizes = largest;
    sizes.seqlen_q = largest.seqlen_q / (uint32_t)(i + 1);
    sizes.seqlen_kv = largest.seqlen_kv - 11 * (uint32_t)i;
    if (!problem_create(&w->problems[i], sizes, HEAD_DIM, true,
                        100 + (unsigned)i))
      status = FMHAC_OUT_OF_MEMORY;
    if (status == FMHAC_OK)
      status = problem_upload(&w->problems[i], device);
  }
  return status;
}

int main(int argc, char **argv) {
  const char *uri = argc > 1 ? argv[1] : "emu";
  static work w;
  fmhac_context *context = NULL;
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *plan = NULL;
  fmhac_rt_device *device = NULL;
  int right = 0;
  char why[512] = "";

  fmhac_status status =
      fmhac_context_create_from_environment(NULL, why, sizeof why, &context);
  if (status == FMHAC_OK)
    status = fmhac_config_create_json(
        context, "{\"head_dim\": 64, \"mask\": \"causal\"}", &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  fmhac_problem largest = {.size = sizeof largest,
                           .batch = 1,
                           .heads_q = 2,
                           .heads_kv = 1,
                           .seqlen_q = 150,
                           .seqlen_kv = 210};
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, &largest, &plan);
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(uri, why, sizeof why, &device);
  /* The first launch would load the kernel: better ahead of time. */
  if (status == FMHAC_OK)
    status = fmhac_plan_load(plan, device);
  if (status == FMHAC_OK)
    status = prepare(&w, device, largest);
  if (status == FMHAC_OK)
    status = launch_all(&w, plan, device);
  for (int i = 0; status == FMHAC_OK && i < LAUNCHES; ++i) {
    bool is_right;
    char name[32];
    snprintf(name, sizeof name, "stream %d", i % STREAMS);
    status = problem_check(&w.problems[i], name, &is_right);
    right += is_right;
  }
  int code = status == FMHAC_OK
                 ? (right == LAUNCHES ? EXIT_SUCCESS : EXIT_FAILURE)
                 : problem_fail(status, context, device, why);

  for (int i = 0; i < LAUNCHES; ++i)
    problem_destroy(&w.problems[i]);
  for (int i = 0; device && i < STREAMS; ++i)
    if (fmhac_rt_stream_destroy(device, w.streams[i]) != FMHAC_OK)
      code = problem_fail(FMHAC_INTERNAL, NULL, device, NULL);
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return code;
}
