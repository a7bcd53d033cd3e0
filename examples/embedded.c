/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches kernels that the program carries: the build compiled the files of
 * kernels/ (fmhac_add_kernels() in CMakeLists.txt), nothing is compiled here.
 *
 *   embedded [DEVICE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_kernels.h"
#include "problem.h"

/* One problem on one of the kernels. */
static bool run(fmhac_context *context, fmhac_rt_device *device,
                const fmhac_embedded_kernel *embedded, fmhac_problem sizes,
                uint32_t head_dim, bool causal) {
  fmhac_kernel *kernel = NULL;
  fmhac_status status = fmhac_kernel_create_from_code(
      context, embedded->bytes, embedded->size_bytes, &kernel);
  if (status != FMHAC_OK) {
    problem_fail(status, context, NULL, NULL);
    return false;
  }
  bool right = problem_run(context, kernel, device, sizes, head_dim, causal,
                           embedded->name);
  fmhac_kernel_destroy(kernel);
  return right;
}

int main(int argc, char **argv) {
  const char *uri = argc > 1 ? argv[1] : "emu";
  fmhac_context *context = NULL;
  fmhac_rt_device *device = NULL;
  char why[512] = "";
  bool right = false;

  for (size_t i = 0; i < engine_kernel_count; ++i)
    printf("carried: %s, %zu bytes, %s\n", engine_kernels[i]->name,
           engine_kernels[i]->size_bytes, engine_kernels[i]->config);
  const fmhac_embedded_kernel *prefill = engine_kernel_find("prefill");
  const fmhac_embedded_kernel *decode = engine_kernel_find("decode");
  if (!prefill || !decode || engine_kernel_find("nothing")) {
    fprintf(stderr, "the table of kernels is not that of CMakeLists.txt\n");
    return EXIT_FAILURE;
  }
  const fmhac_problem prompt = {.size = sizeof prompt,
                                .batch = 1,
                                .heads_q = 2,
                                .heads_kv = 1,
                                .seqlen_q = 140,
                                .seqlen_kv = 140};
  const fmhac_problem step = {.size = sizeof step,
                              .batch = 3,
                              .heads_q = 4,
                              .heads_kv = 1,
                              .seqlen_q = 1,
                              .seqlen_kv = 333};
  fmhac_status status = fmhac_context_create(NULL, &context);
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(uri, why, sizeof why, &device);
  if (status == FMHAC_OK)
    right = run(context, device, prefill, prompt, 128, true) &&
            run(context, device, decode, step, 64, false);
  fmhac_stats stats;
  memset(&stats, 0, sizeof stats);
  stats.size = sizeof stats;
  if (status == FMHAC_OK)
    status = fmhac_context_get_stats(context, &stats);
  int code = status == FMHAC_OK
                 ? (right && stats.compiles == 0 ? EXIT_SUCCESS : EXIT_FAILURE)
                 : problem_fail(status, context, device, why);
  fmhac_rt_device_close(device);
  fmhac_context_destroy(context);
  return code;
}
