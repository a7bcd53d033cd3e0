// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "excerpt.h"
#include "streams.h"

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

/// JSON is UTF-8, but quoted text may be any bytes, or characters cut in two:
/// those become '?'.
static void make_utf8(char *text) {
  for (size_t bytes; *text; text += bytes ? bytes : 1) {
    bytes = utf8_bytes((const unsigned char *)text);
    if (!bytes)
      *text = '?';
  }
}

int report_json(cJSON *object, int exit_code) {
  char *text = object ? cJSON_Print(object) : NULL;
  if (text) {
    make_utf8(text);
    puts(text); // with its control characters escaped, as JSON has them
  } else {
    fprintx(stderr, "fmhac: error: no memory for the JSON object\n");
    exit_code = EXIT_DEVICE;
  }
  cJSON_free(text);
  cJSON_Delete(object);
  return exit_code;
}

void report_add_error(cJSON *object, int exit_code, const char *text) {
  cJSON_AddStringToObject(object, "error", text);
  cJSON_AddNumberToObject(object, "exit_code", exit_code);
}

bool report_shows(const report *r, message_kind kind) {
  return kind <= MESSAGE_FINDING || (kind < MESSAGE_REMARK && !r->quiet) ||
         r->verbose;
}

/// `text` becomes UTF-8. All lines but the first are indented, so that none
/// looks like a message of its own.
static void print_message(const report *r, message_kind kind, char *text) {
  static const struct {
    const char *name, *colour;
  } kinds[] = {[MESSAGE_ERROR] = {"error", "\033[1;31m"},
               [MESSAGE_FINDING] = {"finding", "\033[1;31m"},
               [MESSAGE_WARNING] = {"warning", "\033[1;35m"},
               [MESSAGE_NOTE] = {"note", "\033[1m"},
               [MESSAGE_REMARK] = {"remark", "\033[1m"}};
  const bool colour = streams_take_colour(stderr);
  fprintx(stderr, "fmhac%s%s: ", r->command[0] ? " " : "", r->command);
  if (colour)
    fputs(kinds[kind].colour, stderr);
  fprintx(stderr, "%s:", kinds[kind].name);
  if (colour)
    fputs("\033[0m", stderr);
  fputc(' ', stderr);
  make_utf8(text);
  for (char *line = text, *end; line; line = end) {
    end = strchr(line, '\n');
    if (end)
      *end = '\0';
    const bool set_in = line != text && *line && *line != ' ';
    fprintx(stderr, "%s%s\n", set_in ? "  " : "", line);
    if (end)
      *end++ = '\n';
  }
  if (kind == MESSAGE_ERROR)
    excerpt_print(stderr, text, colour);
}

/// The text of a message, which the caller frees; NULL when memory is
/// exhausted.
static char *text_from(const char *format, va_list arguments) {
  char *text;
  return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

void report_message(const report *r, message_kind kind, const char *format,
                    ...) {
  if (!report_shows(r, kind))
    return;
  va_list arguments;
  va_start(arguments, format);
  char *text = text_from(format, arguments);
  va_end(arguments);
  if (text)
    print_message(r, kind, text);
  free(text);
}

int report_error(const report *r, int exit_code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = text_from(format, arguments);
  va_end(arguments);
  if (text)
    print_message(r, MESSAGE_ERROR, text);
  else
    fputs("fmhac: error: out of memory\n", stderr);
  if (r->json) {
    cJSON *object = cJSON_CreateObject();
    report_add_error(object, exit_code, text ? text : "out of memory");
    exit_code = report_json(object, exit_code);
  }
  free(text);
  return exit_code;
}

void json_add_known(cJSON *object, const char *key, bool known, double value) {
  cJSON_AddItemToObject(object, key,
                        known ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void json_add_number(cJSON *object, const char *key, double value) {
  json_add_known(object, key, isfinite(value), value);
}

void json_add_text(cJSON *object, const char *key, const char *text) {
  cJSON_AddItemToObject(object, key,
                        text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

const cJSON *json_get(const cJSON *object, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

double number_in(const cJSON *object, const char *key) {
  const cJSON *item = json_get(object, key);
  return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *text_in(const cJSON *object, const char *key) {
  const char *text = cJSON_GetStringValue(json_get(object, key));
  return text ? text : "";
}
