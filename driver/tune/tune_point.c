// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_point.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "args.h"
#include "fmhac_inspect.h"

bool tune_bench_init(tune_bench *b, char error[ERROR_BYTES]) {
  b->flags.kept = &b->kept;
  b->file = memfd_create("schedule", MFD_CLOEXEC);
  if (b->file >= 0)
    return true;
  return ERROR_SET(error, "making a file in memory for schedules: %s",
                   strerror(errno));
}

void tune_bench_deinit(tune_bench *b) {
  if (b->file >= 0)
    close(b->file);
  b->file = -1;
  bench_kept_deinit(&b->kept);
}

/// Puts a text where the library reads it. False with a text.
static bool put_text(const tune_bench *b, const char *text,
                     char path[FILENAME_MAX], char error[ERROR_BYTES]) {
  size_t length = strlen(text);
  snprintf(path, FILENAME_MAX, "/proc/self/fd/%d", b->file);
  if (ftruncate(b->file, 0) == 0 &&
      pwrite(b->file, text, length, 0) == (ssize_t)length)
    return true;
  return ERROR_SET(error, "writing a schedule to memory: %s", strerror(errno));
}

/// The context's text of a failure.
static void take_error(const tune_bench *b, char error[ERROR_BYTES]) {
  snprintf(error, ERROR_BYTES, "%.500s", fmhac_last_error(b->context));
}

fmhac_status tune_point_config(const tune_bench *b, const cJSON *options,
                               const char *name, const char *text,
                               fmhac_config **out, char error[ERROR_BYTES]) {
  *out = NULL;
  char path[FILENAME_MAX];
  if (text && !put_text(b, text, path, error))
    return FMHAC_IO_ERROR;
  const char *schedule = text ? path : name;
  cJSON *with = cJSON_Duplicate(options, true);
  cJSON_DeleteItemFromObjectCaseSensitive(with, "schedule");
  cJSON_AddStringToObject(with, "schedule", schedule);
  char *json = cJSON_PrintUnformatted(with);
  cJSON_Delete(with);
  fmhac_status status = FMHAC_OUT_OF_MEMORY;
  if (json)
    status = fmhac_config_create_json(b->context, json, out);
  cJSON_free(json);
  if (status != FMHAC_OK)
    take_error(b, error);
  return status;
}

//===- Time ---------------------------------------------------------------===//

/// Why a schedule has no kernel: whether there would be one but for its
/// registers or LDS.
static tune_verdict verdict_of(const tune_bench *b, const fmhac_config *config,
                               fmhac_status status) {
  if (status == FMHAC_UNSUPPORTED)
    return TUNE_REFUSED;
  if (status != FMHAC_INVALID_INPUT && status != FMHAC_PASS_FAILED &&
      status != FMHAC_CODEGEN_FAILED)
    return TUNE_FAILED;
  void *code;
  size_t bytes;
  fmhac_status linked = fmhac_emit(b->context, config, "hsaco", &code, &bytes);
  fmhac_free(code);
  return linked == FMHAC_OK              ? TUNE_SPILLED
         : linked == FMHAC_COMPILER_DIED ? TUNE_FAILED
                                         : TUNE_REFUSED;
}

/// One time, with a sample. The kernel is the caller's in any case.
static fmhac_status time_with(const tune_bench *b, const char *sample,
                              const fmhac_config *config,
                              fmhac_kernel **out_kernel, bench_outcome *out,
                              char error[ERROR_BYTES]) {
  run_data data = {0};
  bench_flags flags = b->flags;
  flags.sample = sample;
  *out_kernel = NULL;
  fmhac_status status = FMHAC_INVALID_INPUT;
  if (run_data_init(b->options, config, &data, error)) {
    status = bench_point_time(b->context, config, &flags, &data, out_kernel,
                              out, error);
    if (status != FMHAC_OK && !error[0])
      take_error(b, error);
  }
  run_data_deinit(&data);
  return status;
}

/// Cycles that are off a line by less are those of edges and ends.
static const double k_straight = 0.01;

static bool deviates(const tune_time *t) { return t->deviation > k_straight; }

/// Whether two samples are off by as much: grids of the same order.
static bool alike(const tune_time *a, const tune_time *b) {
  return deviates(a) && deviates(b) &&
         fabs(a->deviation - b->deviation) <= k_straight;
}

/// Whether a finer sample may find less time than the best has.
static bool may_be_better(const tune_time *t, const tune_time *best) {
  return !best            ? true
         : alike(t, best) ? t->rough_seconds < best->rough_seconds
                          : t->seconds * (1 - t->deviation) < best->seconds;
}

/// `of`, and as much more as `rough` is than its own rough one.
static double in_proportion(double rough, double rough_of, double of) {
  return rough == rough_of ? of : rough / rough_of * of;
}

void tune_point_time(tune_bench *b, const char *name, const char *text,
                     const tune_time *best, tune_time *out) {
  static const char fine[] = "auto";
  *out = (tune_time){.verdict = TUNE_FAILED};
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  bench_outcome outcome;
  out->status = tune_point_config(b, b->options, name, text, &config, out->why);
  if (out->status != FMHAC_OK)
    return;
  out->status =
      time_with(b, b->flags.sample, config, &kernel, &outcome, out->why);
  if (out->status != FMHAC_OK) {
    if (!kernel)
      out->verdict = verdict_of(b, config, out->status);
    goto cleanup;
  }
  out->seconds = out->rough_seconds = outcome.seconds;
  out->cycles = out->rough_cycles = outcome.cycles_per_kv_tile;
  out->deviation = outcome.deviation;
  if (b->settles && deviates(out) && may_be_better(out, best)) {
    fmhac_kernel_destroy(kernel);
    out->status = time_with(b, fine, config, &kernel, &outcome, out->why);
    out->seconds = outcome.seconds;
    out->cycles = outcome.cycles_per_kv_tile;
  } else if (b->settles && best && alike(out, best)) {
    out->seconds =
        in_proportion(out->rough_seconds, best->rough_seconds, best->seconds);
    out->cycles =
        in_proportion(out->rough_cycles, best->rough_cycles, best->cycles);
    out->guessed = true;
  }
  if (out->status == FMHAC_OK)
    out->verdict = TUNE_TIMED;

cleanup:
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
}

//===- Words
//---------------------------------------------------------------===//

void tune_problem_words(const cJSON *options, char out[128]) {
  int64_t heads = option_integer(options, "heads"),
          kv_heads = option_integer(options, "kv_heads");
  snprintf(out, 128, "B%lld Hq%lld Hk%lld Sq%lld Sk%lld",
           (long long)option_integer(options, "batch"), (long long)heads,
           (long long)(kv_heads ? kv_heads : heads),
           (long long)option_integer(options, "seqlen_q"),
           (long long)option_integer(options, "seqlen_kv"));
}
