// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "args.h"
#include "run_compare.h"
#include "run_features.h"

bool tune_bench_init(tune_bench *b, char error[ERROR_BYTES]) {
  b->file = memfd_create("schedule", MFD_CLOEXEC);
  if (b->file >= 0)
    return true;
  snprintf(error, ERROR_BYTES, "making a file in memory for schedules: %s",
           strerror(errno));
  return false;
}

void tune_bench_deinit(tune_bench *b) {
  if (b->file >= 0)
    close(b->file);
  b->file = -1;
}

/// Puts a text where the library reads it. False with a text.
static bool put_text(const tune_bench *b, const char *text,
                     char path[FILENAME_MAX], char error[ERROR_BYTES]) {
  size_t length = strlen(text);
  snprintf(path, FILENAME_MAX, "/proc/self/fd/%d", b->file);
  if (ftruncate(b->file, 0) == 0 &&
      pwrite(b->file, text, length, 0) == (ssize_t)length)
    return true;
  snprintf(error, ERROR_BYTES, "writing a schedule to memory: %s",
           strerror(errno));
  return false;
}

/// What the context says of a failure.
static void take_error(const tune_bench *b, char error[ERROR_BYTES]) {
  snprintf(error, ERROR_BYTES, "%.500s", fmhac_last_error(b->context));
}

/// The configuration of some options with a schedule.
static fmhac_status make_config(const tune_bench *b, const cJSON *options,
                                const char *schedule, fmhac_config **out,
                                char error[ERROR_BYTES]) {
  *out = NULL;
  cJSON *with = cJSON_Duplicate(options, true);
  cJSON_DeleteItemFromObjectCaseSensitive(with, "schedule");
  cJSON_AddStringToObject(with, "schedule", schedule);
  char *text = cJSON_PrintUnformatted(with);
  cJSON_Delete(with);
  fmhac_status status = FMHAC_OUT_OF_MEMORY;
  if (text)
    status = fmhac_config_create_json(b->context, text, out);
  cJSON_free(text);
  if (status != FMHAC_OK)
    take_error(b, error);
  return status;
}

fmhac_config *tune_point_config(tune_bench *b, const char *name,
                                char error[ERROR_BYTES]) {
  fmhac_config *config;
  (void)!make_config(b, b->options, name, &config, error);
  return config;
}

//===- Time ---------------------------------------------------------------===//

/// Why a schedule has no kernel: whether there would be one but for its
/// registers or LDS.
static tune_verdict verdict_of(const tune_bench *b, const fmhac_config *config,
                               fmhac_status status) {
  if (status == FMHAC_COMPILER_DIED || status == FMHAC_UNSUPPORTED)
    return TUNE_REFUSED;
  if (status != FMHAC_INVALID_INPUT && status != FMHAC_PASS_FAILED &&
      status != FMHAC_CODEGEN_FAILED)
    return TUNE_FAILED;
  void *code;
  size_t bytes;
  fmhac_status linked = fmhac_emit(b->context, config, "hsaco", &code, &bytes);
  fmhac_free(code);
  return linked == FMHAC_OK ? TUNE_SPILLED : TUNE_REFUSED;
}

void tune_point_time(tune_bench *b, const char *name, const char *text,
                     tune_time *out) {
  *out = (tune_time){.verdict = TUNE_FAILED, .status = FMHAC_IO_ERROR};
  char path[FILENAME_MAX];
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  run_data data = {0};
  bench_outcome outcome;
  if (text && !put_text(b, text, path, out->why))
    return;
  out->status =
      make_config(b, b->options, text ? path : name, &config, out->why);
  if (out->status != FMHAC_OK)
    return;
  if (!run_data_init(b->options, config, &data, out->why)) {
    out->status = FMHAC_INVALID_INPUT;
    goto cleanup;
  }
  if (!input_kind_parse(b->flags.input, &data.input))
    data.input = INPUT_NORMAL;
  out->status = bench_point_time(b->context, config, &b->flags, &data, &kernel,
                                 &outcome, out->why);
  if (out->status == FMHAC_OK) {
    out->verdict = TUNE_TIMED;
    out->seconds = outcome.seconds;
    out->cycles = outcome.clk_per_kv_tile;
    goto cleanup;
  }
  if (!out->why[0])
    take_error(b, out->why);
  if (!kernel)
    out->verdict = verdict_of(b, config, out->status);

cleanup:
  fmhac_kernel_destroy(kernel);
  run_data_deinit(&data);
  fmhac_config_destroy(config);
}

//===- Results ------------------------------------------------------------===//

void tune_problem_words(const cJSON *options, char out[128]) {
  int64_t heads = option_integer(options, "heads"),
          kv_heads = option_integer(options, "kv_heads");
  snprintf(out, 128, "B%lld Hq%lld Hk%lld Sq%lld Sk%lld",
           (long long)option_integer(options, "batch"), (long long)heads,
           (long long)(kv_heads ? kv_heads : heads),
           (long long)option_integer(options, "seqlen_q"),
           (long long)option_integer(options, "seqlen_kv"));
}

static void set_integer(cJSON *options, const char *key, int64_t value) {
  cJSON_DeleteItemFromObjectCaseSensitive(options, key);
  cJSON_AddNumberToObject(options, key, (double)value);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// The options of a problem of the same kind that a reference in double
/// precision has soon been computed of.
static cJSON *shrink(const cJSON *options) {
  // Some tiles of any schedule, the last of them not whole.
  enum { MOST_SCORES = 1 << 21, ROWS = 600, KEYS = 840 };
  static const char *const sized[] = {
      "cu_seqlens_q", "cu_seqlens_kv", "seqlens_q", "seqlens_kv", "sink",
      "bias",         "q_strides",     "k_strides", "v_strides",  "o_strides"};
  cJSON *small = cJSON_Duplicate(options, true);
  for (size_t i = 0; i < sizeof sized / sizeof sized[0]; ++i)
    if (cJSON_HasObjectItem(small, sized[i]))
      return small;
  int64_t heads = option_integer(options, "heads"),
          kv_heads = option_integer(options, "kv_heads"),
          rows = option_integer(options, "seqlen_q"),
          keys = option_integer(options, "seqlen_kv");
  double scores = (double)option_integer(options, "batch") * (double)heads *
                  (double)rows * (double)keys;
  if (scores <= MOST_SCORES)
    return small;
  set_integer(small, "batch", 1);
  set_integer(small, "heads", least(heads, 2));
  set_integer(small, "kv_heads",
              kv_heads && kv_heads < heads ? 1 : least(heads, 2));
  // Masks start from the difference of the two.
  set_integer(small, "seqlen_q", least(rows, rows == keys ? KEYS : ROWS));
  set_integer(small, "seqlen_kv", least(keys, KEYS));
  return small;
}

/// What is wrong with the results, if anything.
static bool judge(const run_data *data, const run_device *device,
                  char why[ERROR_BYTES]) {
  comparison o, lse = {.pass = true};
  char stray[ERROR_BYTES];
  cJSON *findings = run_device_findings(device);
  int count = cJSON_GetArraySize(findings);
  const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
      cJSON_GetArrayItem(findings, 0), "message"));
  bool ok = false;
  if (count)
    snprintf(why, ERROR_BYTES, "%d findings of the checkers: %.400s", count,
             message ? message : "");
  else if (run_data_find_stray(data, stray))
    snprintf(why, ERROR_BYTES, "%.500s", stray);
  else if (run_compare(data, &o, &lse, why)) {
    ok = o.pass && lse.pass;
    if (!ok)
      snprintf(why, ERROR_BYTES, "%s: %s", o.pass ? "LSE" : "O",
               o.pass ? lse.reason : o.reason);
  }
  cJSON_Delete(findings);
  return ok;
}

/// Runs a kernel with one kind of inputs and compares.
static bool run_once(const tune_bench *b, const cJSON *options,
                     const fmhac_config *config, input_kind input,
                     char why[ERROR_BYTES]) {
  const char *const no_files[3] = {NULL};
  const emu_flags emu = {.check = b->check, .threads = b->flags.threads};
  run_data data;
  run_device device;
  fmhac_kernel *kernel = NULL;
  fmhac_plan *plan = NULL;
  if (!run_data_init(options, config, &data, why))
    return false;
  data.input = input;
  bool ok = run_device_open("emu", &emu, &device, why) == FMHAC_OK;
  if (ok) {
    const fmhac_problem problem = run_data_problem(&data);
    fmhac_status status = fmhac_compile(b->context, config, &kernel);
    if (status == FMHAC_OK)
      status = fmhac_plan_create(kernel, &problem, &plan);
    ok = status == FMHAC_OK;
    if (!ok)
      take_error(b, why);
  }
  ok = ok && run_features_read_score_mod(&data, why) &&
       run_data_fill(&data, no_files, why) &&
       run_device_upload(&device, &data, fmhac_plan_workspace_bytes(plan),
                         why) == FMHAC_OK;
  if (ok) {
    fmhac_status status =
        run_device_launch(&device, b->context, plan, &data, why);
    ok = (status == FMHAC_OK || status == FMHAC_CHECK_FAILED) &&
         judge(&data, &device, why);
  }
  // The plan's modules live on the device: it goes first.
  fmhac_plan_destroy(plan);
  run_device_close(&device);
  fmhac_kernel_destroy(kernel);
  run_data_deinit(&data);
  return ok;
}

bool tune_point_check(tune_bench *b, const char *name, const char *text,
                      char out_size[128], char why[ERROR_BYTES]) {
  static const input_kind kinds[] = {INPUT_NORMAL, INPUT_GROWING, INPUT_SPIKES};
  why[0] = out_size[0] = '\0';
  char path[FILENAME_MAX];
  if (text && !put_text(b, text, path, why))
    return false;
  cJSON *options = shrink(b->options);
  fmhac_config *config;
  bool ok =
      make_config(b, options, text ? path : name, &config, why) == FMHAC_OK;
  tune_problem_words(options, out_size);
  for (size_t i = 0; ok && i < sizeof kinds / sizeof kinds[0]; ++i) {
    char wrong[ERROR_BYTES] = "";
    ok = run_once(b, options, config, kinds[i], wrong);
    if (!ok)
      snprintf(why, ERROR_BYTES, "%.16s inputs: %.480s",
               input_kind_name(kinds[i]), wrong);
  }
  fmhac_config_destroy(config);
  cJSON_Delete(options);
  return ok;
}
