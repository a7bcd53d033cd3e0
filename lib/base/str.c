// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Makes room for `extra` bytes and a terminator.
static bool reserve(fmhac_str *str, size_t extra) {
  if (str->failed)
    return false;
  size_t needed = str->length + extra + 1;
  if (needed <= str->capacity)
    return true;
  size_t capacity = str->capacity ? str->capacity : 64;
  while (capacity < needed)
    capacity *= 2;
  char *text = realloc(str->text, capacity);
  if (!text) {
    str->failed = true;
    return false;
  }
  str->text = text;
  str->capacity = capacity;
  return true;
}

void fmhac_str_append_bytes(fmhac_str *str, const char *bytes, size_t length) {
  if (!reserve(str, length))
    return;
  if (length)
    memcpy(str->text + str->length, bytes, length);
  str->length += length;
  str->text[str->length] = '\0';
}

void fmhac_str_append(fmhac_str *str, const char *text) {
  fmhac_str_append_bytes(str, text, strlen(text));
}

void fmhac_str_vappendf(fmhac_str *str, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length < 0)
    str->failed = true;
  else if (reserve(str, (size_t)length)) {
    vsnprintf(str->text + str->length, (size_t)length + 1, format, again);
    str->length += (size_t)length;
  }
  va_end(again);
}

void fmhac_str_appendf(fmhac_str *str, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fmhac_str_vappendf(str, format, arguments);
  va_end(arguments);
}

char *fmhac_str_take(fmhac_str *str) {
  if (!str->text)
    fmhac_str_append(str, "");
  char *text = str->text;
  if (str->failed) {
    free(text);
    text = NULL;
  }
  *str = (fmhac_str){0};
  return text;
}

void fmhac_str_deinit(fmhac_str *str) {
  free(str->text);
  *str = (fmhac_str){0};
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void fmhac_trim(const char **text, size_t *length) {
  for (; *length && is_blank(**text); --*length)
    ++*text;
  while (*length && is_blank((*text)[*length - 1]))
    --*length;
}

const char *fmhac_skip_mark(const char *text) {
  static const char mark[] = "\xef\xbb\xbf";
  const size_t bytes = sizeof mark - 1;
  return strncmp(text, mark, bytes) == 0 ? text + bytes : text;
}
