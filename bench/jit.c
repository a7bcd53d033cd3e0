// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fmhac_compile() costs, by where the kernel comes from, and what a new
// process pays before its first launch, on the emulator and, where the tests'
// HIP runtime was built, on that. Medians in one run:
//
//   bench-jit DIRECTORY [ROUNDS]
//
// DIRECTORY must be empty or absent: it becomes a cache. Prints one JSON
// object.
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fmhac.h"
#include "median.h"

enum { MOST_ROUNDS = 201, HITS = 201, BATCH = 100 };

static const char *const configs[] = {
    "{\"dtype\":\"bf16\",\"head_dim\":128,\"mask\":\"causal\"}",
    "{\"dtype\":\"f16\",\"head_dim\":128,\"lse\":true}",
    "{\"dtype\":\"bf16\",\"head_dim\":64}",
    "{\"dtype\":\"bf16\",\"head_dim\":128}"};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

/// Seconds of the clock that all processes share.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require(bool ok, const char *what, const fmhac_context *context) {
  if (ok)
    return;
  fprintf(stderr, "bench-jit: %s: %s\n", what, fmhac_last_error(context));
  exit(1);
}

static fmhac_context *open_context(const char *directory, bool in_process,
                                   uint32_t memory_kernels) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .cache_directory = directory,
                                         .compile_in_process = in_process,
                                         .memory_kernels = memory_kernels};
  fmhac_context *context = NULL;
  require(fmhac_context_create(&options, &context) == FMHAC_OK, "context",
          context);
  return context;
}

/// Seconds of one fmhac_compile().
static double compile(fmhac_context *context, const char *json) {
  fmhac_config *config;
  fmhac_kernel *kernel;
  require(fmhac_config_create_json(context, json, &config) == FMHAC_OK,
          "configuration", context);
  double start = now();
  require(fmhac_compile(context, config, &kernel) == FMHAC_OK, "compile",
          context);
  double seconds = now() - start;
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return seconds;
}

/// Seconds of each of BATCH hits in memory, the release of the kernel included.
static double hit_memory(fmhac_context *context, const fmhac_config *config) {
  fmhac_kernel *kernel;
  double start = now();
  for (int i = 0; i < BATCH; ++i) {
    require(fmhac_compile(context, config, &kernel) == FMHAC_OK, "compile",
            context);
    fmhac_kernel_destroy(kernel);
  }
  return (now() - start) / BATCH;
}

/// The hits of a process that does nothing else: in memory, and on disk by
/// contexts that have not looked there before.
static void measure_hits(const char *directory, double *memory, double *disk) {
  fmhac_context *context = open_context(NULL, false, 0);
  fmhac_config *config;
  compile(context, configs[0]);
  require(fmhac_config_create_json(context, configs[0], &config) == FMHAC_OK,
          "configuration", context);
  for (int i = 0; i < HITS; ++i)
    memory[i] = hit_memory(context, config);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  for (int i = 0; i < HITS; ++i) {
    context = open_context(directory, false, 0);
    disk[i] = compile(context, configs[0]);
    fmhac_context_destroy(context);
  }
}

/// The child of first_launch(): a whole program up to and with its first
/// launch, of one workgroup. Prints when it was ready to launch, and when the
/// launch was over.
static int launch_once(const char *directory, const char *uri) {
  enum { S = 16, D = 128, BYTES = S * D * 2 };
  fmhac_context *context = open_context(directory, false, 0);
  fmhac_config *config;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *plan;
  fmhac_rt_device *device;
  uint64_t tensors[4];
  require(fmhac_config_create_json(context, configs[0], &config) == FMHAC_OK &&
              fmhac_compile(context, config, &kernel) == FMHAC_OK,
          "compile", context);
  const fmhac_problem problem = {.size = sizeof problem,
                                 .batch = 1,
                                 .heads_q = 1,
                                 .heads_kv = 1,
                                 .seqlen_q = S,
                                 .seqlen_kv = S};
  require(fmhac_plan_create(kernel, &problem, &plan) == FMHAC_OK, "plan",
          context);
  require(fmhac_rt_device_open(uri, &device) == FMHAC_OK, "device", context);
  static const char zeros[BYTES];
  for (int i = 0; i < 4; ++i)
    require(fmhac_rt_alloc(device, BYTES, &tensors[i]) == FMHAC_OK &&
                fmhac_rt_copy_in(device, tensors[i], zeros, BYTES) == FMHAC_OK,
            "memory", context);
  require(fmhac_plan_load(plan, device) == FMHAC_OK, "load", context);
  const fmhac_strides strides = fmhac_strides_bshd(1, S, D, 2);
  const fmhac_tensors t = {.size = sizeof t,
                           .batch = problem.batch,
                           .heads_q = problem.heads_q,
                           .heads_kv = problem.heads_kv,
                           .seqlen_q = problem.seqlen_q,
                           .seqlen_kv = problem.seqlen_kv,
                           .q = tensors[0],
                           .k = tensors[1],
                           .v = tensors[2],
                           .o = tensors[3],
                           .q_strides = strides,
                           .k_strides = strides,
                           .v_strides = strides,
                           .o_strides = strides,
                           .scale = 0.088f};
  double ready = now();
  require(fmhac_launch(plan, device, &t, NULL, NULL) == FMHAC_OK, "launch",
          context);
  printf("%.9f %.9f\n", ready, now());
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return 0;
}

/// Seconds from the start of a process until it is ready to launch on a device,
/// and until its launch is over. The HIP runtime is one that drops launches: a
/// launch is over when it was handed over.
static void first_launch(const char *self, const char *directory,
                         const char *uri, double *out_ready, double *out_over) {
  char command[8192], line[128];
  snprintf(command, sizeof command,
           "FMHAC_TEST_HIP_NULL_LAUNCH=1 LD_LIBRARY_PATH='" FMHAC_BENCH_HIP_DIR
           "' exec '%s' --launch '%s' %s",
           self, directory, uri);
  double start = now(), ready = 0, over = 0;
  FILE *child = popen(command, "r");
  bool ok = child && fgets(line, sizeof line, child) &&
            sscanf(line, "%lf %lf", &ready, &over) == 2;
  require(child && pclose(child) == 0 && ok, "first launch", NULL);
  *out_ready = ready - start;
  *out_over = over - start;
}

/// A directory below `directory` that is not there yet.
static const char *fresh(const char *directory, int i) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/cold-%d", directory, i);
  return path;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--launch") == 0)
    return launch_once(argv[2], argv[3]);
  int rounds = argc == 3 ? atoi(argv[2]) : 21;
  if (argc < 2 || argc > 3 || rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: bench-jit DIRECTORY [ROUNDS, at most %d]\n",
            MOST_ROUNDS);
    return 2;
  }
  const bool has_hip = FMHAC_BENCH_HIP_DIR[0];
  const char *directory = argv[1];
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "bench-jit: %s: %s\n", directory, strerror(errno));
    return 1;
  }
  static double cold[2][MOST_ROUNDS], next[2][MOST_ROUNDS],
      disk_after[MOST_ROUNDS], disk[HITS], memory[HITS], ready[3][MOST_ROUNDS],
      over[3][MOST_ROUNDS];
  for (int i = 0; i < rounds; ++i) {
    for (int here = 0; here < 2; ++here) {
      // The first of a context starts the compiler, the next does not.
      fmhac_context *context =
          open_context(fresh(directory, 2 * i + here), here, 0);
      cold[here][i] = compile(context, configs[0]);
      next[here][i] = compile(context, configs[1 + i % (CONFIGS - 1)]);
      fmhac_context_destroy(context);
    }
    char warm[4096];
    snprintf(warm, sizeof warm, "%s", fresh(directory, 0));
    fmhac_context *context = open_context(warm, false, 0);
    disk_after[i] = compile(context, configs[0]);
    fmhac_context_destroy(context);
    first_launch(argv[0], warm, "emu", &ready[0][i], &over[0][i]);
    first_launch(argv[0], fresh(directory, 2 * MOST_ROUNDS + i), "emu",
                 &ready[1][i], &over[1][i]);
    if (has_hip)
      first_launch(argv[0], warm, "hip", &ready[2][i], &over[2][i]);
  }
  measure_hits(fresh(directory, 0), memory, disk);
  printf("{\"rounds\": %d,\n"
         " \"cold_ms\": %.1f, \"cold_next_ms\": %.1f,\n"
         " \"cold_in_process_ms\": %.1f, \"cold_in_process_next_ms\": %.1f,\n"
         " \"disk_hit_ms\": %.3f, \"disk_hit_after_a_compile_ms\": %.3f,\n"
         " \"memory_hit_us\": %.3f,\n"
         " \"warm_start_to_launch_ms\": %.1f, \"warm_start_to_result_ms\": "
         "%.1f,\n"
         " \"cold_start_to_launch_ms\": %.1f, \"cold_start_to_result_ms\": "
         "%.1f",
         rounds, 1e3 * median(cold[0], rounds), 1e3 * median(next[0], rounds),
         1e3 * median(cold[1], rounds), 1e3 * median(next[1], rounds),
         1e3 * median(disk, HITS), 1e3 * median(disk_after, rounds),
         1e6 * median(memory, HITS), 1e3 * median(ready[0], rounds),
         1e3 * median(over[0], rounds), 1e3 * median(ready[1], rounds),
         1e3 * median(over[1], rounds));
  if (has_hip)
    printf(",\n \"warm_start_to_launched_on_hip_ms\": %.2f",
           1e3 * median(over[2], rounds));
  printf("}\n");
  return 0;
}
