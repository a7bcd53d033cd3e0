// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void on_progress(void *user, uint64_t done, uint64_t all) {
  emu_progress *progress = user;
  double seconds = seconds_now() - progress->started;
  if (seconds <= 1)
    return;
  progress->shown = true;
  fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " workgroups, %.0f s", done, all,
          seconds);
}

void emu_progress_attach(emu_progress *progress, fmhac_emu_options *options) {
  if (!isatty(STDERR_FILENO))
    return;
  options->progress = on_progress;
  options->progress_user = progress;
}

void emu_progress_begin(emu_progress *progress) {
  progress->started = seconds_now();
  progress->shown = false;
}

void emu_progress_end(emu_progress *progress) {
  if (progress->shown)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}

static cJSON *finding_object(const fmhac_emu_finding *f) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "check", f->check);
  cJSON_AddStringToObject(object, "message", f->message);
  cJSON_AddNumberToObject(object, "pc", (double)(int64_t)f->pc);
  cJSON_AddStringToObject(object, "instruction",
                          f->instruction ? f->instruction : "");
  if (f->other_instruction) {
    cJSON_AddNumberToObject(object, "other_pc", (double)(int64_t)f->other_pc);
    cJSON_AddStringToObject(object, "other_instruction", f->other_instruction);
  } else {
    cJSON_AddNullToObject(object, "other_pc");
    cJSON_AddNullToObject(object, "other_instruction");
  }
  cJSON *id = cJSON_AddArrayToObject(object, "workgroup");
  for (int axis = 0; axis < 3; ++axis)
    cJSON_AddItemToArray(id, cJSON_CreateNumber(f->workgroup[axis]));
  cJSON_AddNumberToObject(object, "wave", f->wave);
  cJSON_AddNumberToObject(object, "count", (double)f->count);
  return object;
}

cJSON *emu_findings(const fmhac_rt_device *device) {
  cJSON *findings = cJSON_CreateArray();
  for (size_t i = 0; i < fmhac_emu_finding_count(device); ++i) {
    fmhac_emu_finding f = {.size = sizeof f};
    if (fmhac_emu_get_finding(device, i, &f) == FMHAC_OK)
      cJSON_AddItemToArray(findings, finding_object(&f));
  }
  return findings;
}

void emu_findings_print(const char *command, const cJSON *findings) {
  const cJSON *finding;
  cJSON_ArrayForEach(finding, findings) {
    const cJSON *check = cJSON_GetObjectItem(finding, "check");
    const cJSON *message = cJSON_GetObjectItem(finding, "message");
    const cJSON *count = cJSON_GetObjectItem(finding, "count");
    fprintf(stderr, "fmhac %s: finding: %s: %s (%.0f times)\n", command,
            check->valuestring, message->valuestring, count->valuedouble);
  }
}
