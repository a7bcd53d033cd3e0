// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int exit_code_of(fmhac_status status) {
  switch (status) {
  case FMHAC_OK:
    return EXIT_DONE;
  case FMHAC_INVALID_INPUT:
  case FMHAC_IO_ERROR:
    return EXIT_USAGE;
  case FMHAC_UNSUPPORTED:
    return EXIT_UNSUPPORTED;
  case FMHAC_CHECK_FAILED:
    return EXIT_CHECK;
  case FMHAC_DEVICE_UNAVAILABLE:
  case FMHAC_LAUNCH_FAILED:
  case FMHAC_OUT_OF_MEMORY:
    return EXIT_DEVICE;
  case FMHAC_PASS_FAILED:
  case FMHAC_CODEGEN_FAILED:
  case FMHAC_INTERNAL:
    return EXIT_INTERNAL;
  }
  return EXIT_INTERNAL;
}

const char *status_name(fmhac_status status) {
  switch (status) {
  case FMHAC_OK:
    return "ok";
  case FMHAC_INVALID_INPUT:
    return "invalid-input";
  case FMHAC_UNSUPPORTED:
    return "unsupported";
  case FMHAC_PASS_FAILED:
    return "pass-failed";
  case FMHAC_CODEGEN_FAILED:
    return "codegen-failed";
  case FMHAC_DEVICE_UNAVAILABLE:
    return "device-unavailable";
  case FMHAC_LAUNCH_FAILED:
    return "launch-failed";
  case FMHAC_CHECK_FAILED:
    return "check-failed";
  case FMHAC_OUT_OF_MEMORY:
    return "out-of-memory";
  case FMHAC_IO_ERROR:
    return "io-error";
  case FMHAC_INTERNAL:
    return "internal";
  }
  return "?";
}

bool report_json(cJSON *object) {
  char *text = object ? cJSON_Print(object) : NULL;
  bool ok = text && printf("%s\n", text) >= 0 && fflush(stdout) == 0;
  cJSON_free(text);
  cJSON_Delete(object);
  return ok;
}

void report_add_error(cJSON *object, int exit_code, const char *text) {
  cJSON_AddStringToObject(object, "error", text);
  cJSON_AddNumberToObject(object, "exit_code", exit_code);
}

int report_error(const report *r, int exit_code, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  va_end(arguments);
  const char *shown = text ? text : "out of memory";
  fprintf(stderr, "fmhac%s%s: error: %s\n", r->command[0] ? " " : "",
          r->command, shown);
  if (r->json) {
    cJSON *object = cJSON_CreateObject();
    report_add_error(object, exit_code, shown);
    report_json(object);
  }
  free(text);
  return exit_code;
}

void json_add_number(cJSON *object, const char *key, double value) {
  if (isfinite(value))
    cJSON_AddNumberToObject(object, key, value);
  else
    cJSON_AddNullToObject(object, key);
}
