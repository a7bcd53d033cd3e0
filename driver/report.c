// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int exit_code_of(fmhac_status status) {
  switch (status) {
  case FMHAC_OK:
    return EXIT_DONE;
  case FMHAC_INVALID_INPUT:
  case FMHAC_IO_ERROR:
  case FMHAC_COMPILE_TIMED_OUT: // a schedule that is too much for LLVM
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
  case FMHAC_COMPILER_DIED:
  case FMHAC_CANCELLED: // the command cancels nothing and sets no time
  case FMHAC_TIMED_OUT:
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
  case FMHAC_CANCELLED:
    return "cancelled";
  case FMHAC_TIMED_OUT:
    return "timed-out";
  case FMHAC_COMPILER_DIED:
    return "compiler-died";
  case FMHAC_COMPILE_TIMED_OUT:
    return "compile-timed-out";
  }
  return "?";
}

/// How many bytes the character at `text` has in UTF-8; 0 if there is none.
/// Source: RFC 3629, section 4.
static size_t utf8_bytes(const unsigned char *text) {
  static const struct {
    uint8_t first, last, low, high; ///< of the first byte, of the second
    uint8_t bytes;
  } rows[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
              {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
              {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
              {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  if (text[0] < 0x80)
    return 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (text[0] < rows[i].first || text[0] > rows[i].last)
      continue;
    if (text[1] < rows[i].low || text[1] > rows[i].high)
      return 0;
    for (size_t k = 2; k < rows[i].bytes; ++k)
      if (text[k] < 0x80 || text[k] > 0xbf)
        return 0;
    return rows[i].bytes;
  }
  return 0;
}

/// JSON is UTF-8, and what is quoted may be any bytes, or characters cut in
/// two: those become '?'.
static void make_utf8(char *text) {
  for (size_t bytes; *text; text += bytes ? bytes : 1) {
    bytes = utf8_bytes((const unsigned char *)text);
    if (!bytes)
      *text = '?';
  }
}

bool report_json(cJSON *object) {
  char *text = object ? cJSON_Print(object) : NULL;
  if (text)
    make_utf8(text);
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
  if (text)
    make_utf8(text);
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
