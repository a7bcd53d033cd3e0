// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the whole bytes of a code object, through the loader of the emulator,
// a short launch of what was loaded, the survey of its instructions and the
// static checkers.
#include <string.h>

#include "fmhac_emu.h"
#include "fuzz.h"

enum { MAX_INSTRUCTIONS = 100 };

/// What the descriptor and the note say takes effect at a launch.
static void launch(fmhac_rt_device *device, fmhac_rt_module *module,
                   uint32_t threads) {
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.threads = 1;
  options.max_instructions = MAX_INSTRUCTIONS;
  FUZZ_CHECK(fmhac_emu_configure(device, &options) == FMHAC_OK, "%s",
             fmhac_rt_last_error(device));
  static const uint64_t arguments[4] = {0};
  const fmhac_rt_launch l = {.size = sizeof l,
                             .grid = {1, 2, 1},
                             .block = {threads, 1, 1},
                             .kernarg = arguments,
                             .kernarg_bytes = sizeof arguments};
  fmhac_status status = fmhac_rt_launch_kernel(device, module, &l);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT ||
                 status == FMHAC_CHECK_FAILED || status == FMHAC_LAUNCH_FAILED,
             "status %d: %s", (int)status, fmhac_rt_last_error(device));
  FUZZ_CHECK(status == FMHAC_OK || fmhac_rt_last_error(device)[0],
             "no reason is given");
}

/// A code object that a device takes can be taken again, and let go.
static void load(const uint8_t *data, size_t size) {
  fmhac_rt_device *device = NULL;
  if (fmhac_rt_device_open("emu", &device) != FMHAC_OK)
    abort();
  fmhac_rt_module *first = NULL, *second = NULL;
  fmhac_status status = fmhac_rt_module_load(device, data, size, &first);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT,
             "status %d: %s", (int)status, fmhac_rt_last_error(device));
  FUZZ_CHECK((status == FMHAC_OK) == (first != NULL), "status %d", (int)status);
  FUZZ_CHECK(status == FMHAC_OK || fmhac_rt_last_error(device)[0],
             "no reason is given");
  if (status == FMHAC_OK) {
    status = fmhac_rt_module_load(device, data, size, &second);
    FUZZ_CHECK(status == FMHAC_OK, "the second time: %s",
               fmhac_rt_last_error(device));
    fmhac_rt_module_unload(device, first);
    launch(device, second, size % 2 ? 64 : 65);
  }
  fmhac_rt_device_close(device); // the second module goes with it
}

static void survey(const uint8_t *data, size_t size, size_t text_bytes) {
  // Exactly as long as said, so that a sanitizer sees its end.
  char *text = malloc(text_bytes);
  if (!text)
    abort();
  fmhac_emu_survey *s = NULL;
  fmhac_status status =
      fmhac_emu_survey_create(data, size, text, text_bytes, &s);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT, "status %d",
             (int)status);
  FUZZ_CHECK(memchr(text, 0, text_bytes), "the reason has no end");
  for (size_t i = 0; i < fmhac_emu_survey_usage_count(s); ++i) {
    fmhac_emu_usage usage = {.size = sizeof usage};
    FUZZ_CHECK(fmhac_emu_survey_get_usage(s, i, &usage) == FMHAC_OK, "row %zu",
               i);
    FUZZ_CHECK(usage.count >= usage.refused && usage.count > 0,
               "row %zu: %llu times, %llu refused", i,
               (unsigned long long)usage.count,
               (unsigned long long)usage.refused);
    FUZZ_CHECK(!usage.refused == !usage.reason[0], "%s: '%s'", usage.example,
               usage.reason);
  }
  fmhac_emu_survey_destroy(s);
  free(text);
}

static void audit(const uint8_t *data, size_t size, size_t text_bytes) {
  char *text = malloc(text_bytes);
  if (!text)
    abort();
  fmhac_emu_audit *a = NULL;
  fmhac_status status = fmhac_emu_audit_create(
      data, size, FMHAC_EMU_AUDIT_IMPLEMENTED, text, text_bytes, &a);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT, "status %d",
             (int)status);
  FUZZ_CHECK(memchr(text, 0, text_bytes), "the reason has no end");
  fmhac_emu_audit_destroy(a);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  load(data, size);
  // The room for the reason depends on the input: none is too small.
  size_t room = size && data[size - 1] < 64 ? 1u + data[size - 1] : 1024;
  survey(data, size, room);
  audit(data, size, room);
  return 0;
}
