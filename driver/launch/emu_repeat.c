// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_repeat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "emu_flags.h"
#include "streams.h"

static bool same_number(const cJSON *a, const cJSON *b, const char *key) {
  const cJSON *x = json_get(a, key), *y = json_get(b, key);
  return cJSON_IsNumber(x) == cJSON_IsNumber(y) &&
         (!cJSON_IsNumber(x) || x->valuedouble == y->valuedouble);
}

static bool same_text(const cJSON *a, const cJSON *b, const char *key) {
  return strcmp(text_in(a, key), text_in(b, key)) == 0;
}

/// Findings without an instruction differ by their text.
static bool same_finding(const cJSON *a, const cJSON *b) {
  return same_text(a, b, "check") && same_number(a, b, "pc") &&
         same_number(a, b, "other_pc") && same_number(a, b, "launch") &&
         (cJSON_IsNumber(json_get(a, "pc")) || same_text(a, b, "message"));
}

/// Folds the members of `from` into `to`.
static void fold(cJSON *to, const cJSON *from) {
  const cJSON *finding;
  cJSON_ArrayForEach(finding, from) {
    cJSON *old = NULL, *each;
    cJSON_ArrayForEach(each, to) {
      if (same_finding(each, finding))
        old = each;
    }
    if (!old) {
      cJSON_AddItemToArray(to, cJSON_Duplicate(finding, true));
      continue;
    }
    cJSON *count = cJSON_GetObjectItem(old, "count");
    cJSON_SetNumberValue(count,
                         count->valuedouble + number_in(finding, "count"));
  }
}

static void add_difference(emu_repeats *repeats, int64_t seed,
                           const launch_buffer *buffer, const char *first,
                           const char *now) {
  uint64_t at = 0, count = 0;
  for (uint64_t i = buffer->bytes; i-- > 0;)
    if (first[i] != now[i]) {
      at = i;
      count++;
    }
  if (!count)
    return;
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "seed", (double)seed);
  cJSON_AddStringToObject(object, "buffer", buffer->name);
  cJSON_AddNumberToObject(object, "byte", (double)at);
  cJSON_AddNumberToObject(object, "bytes", (double)count);
  cJSON_AddItemToArray(repeats->different, object);
}

static int compare(const emulation *first, const emulation *now, int64_t seed,
                   emu_repeats *repeats) {
  int code = ARGS_CONTINUE;
  for (size_t i = 0; i < first->launch->buffer_count && code == ARGS_CONTINUE;
       ++i) {
    const launch_buffer *b = &first->launch->buffers[i];
    if (!b->out)
      continue;
    char *before = NULL, *after = NULL;
    code = emulation_read(first, i, &before);
    if (code == ARGS_CONTINUE)
      code = emulation_read(now, i, &after);
    if (code == ARGS_CONTINUE)
      add_difference(repeats, seed, b, before, after);
    free(before);
    free(after);
  }
  return code;
}

static int run_seed(const emulation *first, const fmhac_emu_options *options,
                    int64_t seed, emu_repeats *repeats) {
  char mode[32], error[ERROR_BYTES];
  snprintf(mode, sizeof mode, "random:%" PRId64, seed);
  const emu_flags flags = {.sched = mode, .landing = mode};
  fmhac_emu_options random;
  if (!emu_flags_apply(&flags, &random, error))
    return report_error(first->r, EXIT_INTERNAL, "%s", error);
  random.checks = options->checks;
  random.threads = options->threads;
  random.max_instructions = options->max_instructions;
  random.max_findings = options->max_findings;
  random.alignment = options->alignment;
  random.descriptors = options->descriptors;
  random.placement = options->placement;
  random.hazards = options->hazards;
  emulation now = {.r = first->r, .launch = first->launch};
  fmhac_status status = FMHAC_OK;
  int code = emulation_open(&now, &random);
  if (code == ARGS_CONTINUE)
    code = emulation_run(&now, NULL, NULL, &status);
  if (code == ARGS_CONTINUE) {
    fold(repeats->findings, now.findings);
    if (status == FMHAC_OK || status == FMHAC_CHECK_FAILED)
      code = compare(first, &now, seed, repeats);
    else
      code = report_error(first->r, exit_code_of(status),
                          "--sched=%s --landing=%s: %s", mode, mode,
                          fmhac_rt_last_error(now.device));
  }
  emulation_close(&now);
  return code;
}

int emu_repeat(const emulation *first, const fmhac_emu_options *options,
               emu_repeats *repeats) {
  repeats->findings = cJSON_CreateArray();
  repeats->different = cJSON_CreateArray();
  int code = ARGS_CONTINUE;
  for (int64_t seed = 1; seed <= repeats->schedules && code == ARGS_CONTINUE;
       ++seed)
    code = run_seed(first, options, seed, repeats);
  return code;
}

void emu_repeats_add_findings(const emu_repeats *repeats, cJSON *findings) {
  fold(findings, repeats->findings);
}

int emu_repeats_print(const emu_repeats *repeats) {
  const cJSON *each;
  cJSON_ArrayForEach(each, repeats->different) {
    double seed = number_in(each, "seed");
    fprintx(stderr,
            "fmhac emu: buffer \"%s\" depends on the order of waves or the "
            "landing of loads: %.0f bytes, from byte %.0f on, are others with "
            "--sched=random:%.0f --landing=random:%.0f\n",
            text_in(each, "buffer"), number_in(each, "bytes"),
            number_in(each, "byte"), seed, seed);
  }
  return cJSON_GetArraySize(repeats->different);
}

cJSON *emu_repeats_json(const emu_repeats *repeats) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "schedules", (double)repeats->schedules);
  cJSON_AddItemToObject(object, "different",
                        cJSON_Duplicate(repeats->different, true));
  return object;
}

void emu_repeats_deinit(emu_repeats *repeats) {
  cJSON_Delete(repeats->findings);
  cJSON_Delete(repeats->different);
}
