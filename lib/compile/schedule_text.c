// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/// The key `word` (of `length` bytes) before a '=' in `text`, or NULL.
static const char *find_key(const char *text, const char *word, size_t length) {
  for (const char *at = text; *at; ++at) {
    if (strncmp(at, "//", 2) == 0) {
      at += strcspn(at, "\n");
      if (!*at)
        return NULL;
      continue;
    }
    if (strncmp(at, word, length) != 0 || is_word(at[length]) ||
        (at > text && is_word(at[-1])))
      continue;
    const char *after = at + length + strspn(at + length, " \t\r\n");
    if (*after == '=' && after[1] != '=')
      return at;
  }
  return NULL;
}

/// The first key of `text` that the message names. Quoted words are values and
/// names of operations, no keys.
static const char *find_named_key(const char *text, const char *message) {
  for (const char *at = message; *at;) {
    if (*at == '\'') {
      const char *close = strchr(at + 1, '\'');
      at = close ? close + 1 : at + 1;
      continue;
    }
    size_t length = 0;
    while (is_word(at[length]))
      ++length;
    const char *key = length ? find_key(text, at, length) : NULL;
    if (key)
      return key;
    at += length ? length : 1;
  }
  return NULL;
}

/// The first stage that the message names, "@scores", or NULL.
static const char *find_stage(const char *text, const char *message) {
  for (; (message = strchr(message, '@')); ++message) {
    size_t length = 1;
    while (is_word(message[length]))
      ++length;
    for (const char *at = text; (at = strchr(at, '<')); ++at)
      if (strncmp(at + 1, message, length) == 0 && !is_word(at[1 + length]))
        return at + 1;
  }
  return NULL;
}

static void append_place(const char *path, const char *text, const char *at,
                         fmhac_str *out) {
  int line = 1, column = 1;
  for (const char *p = text; p < at; ++p) {
    column = *p == '\n' ? 1 : column + 1;
    line += *p == '\n';
  }
  fmhac_str_appendf(out, "%s:%d:%d: ", path, line, column);
}

/// The byte at a line and a column, both from 1; the end of the text if it is
/// shorter.
static const char *byte_at(const char *text, int line, int column) {
  for (; line > 1 && *text; ++text)
    line -= *text == '\n';
  while (--column > 0 && *text && *text != '\n')
    ++text;
  return text;
}

/// The message without the C++ names of parsed objects.
static void append_message(const char *message, size_t length, fmhac_str *out) {
  static const char scope[] = "::mlir::fmha::";
  for (size_t i = 0; i < length;) {
    if (strncmp(message + i, scope, sizeof scope - 1) == 0) {
      i += sizeof scope - 1;
      continue;
    }
    fmhac_str_append_bytes(out, message + i, 1);
    ++i;
  }
}

static bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

/// Bytes of the word, name or number at a place, else of the one character
/// there; 0: it does not print.
static size_t token_length(const char *at) {
  size_t length = at[0] == '@' || at[0] == '#' || at[0] == '-';
  while (length < SHOWN && (is_word(at[length]) || at[length] == '.'))
    ++length;
  return length ? length : is_printable(at[0]);
}

static void append_found(const char *at, fmhac_str *out) {
  size_t length = token_length(at);
  if (length)
    fmhac_str_appendf(out, ", found '%.*s'", (int)length, at);
  else if (*at && *at != '\n' && *at != '\r')
    fmhac_str_appendf(out, ", found byte 0x%02x", (unsigned char)*at);
  else
    fmhac_str_append(out, *at ? ", found the end of the line"
                              : ", found the end of the file or a byte 0");
}

/// MLIR's errors about keys, in our words, at the key; false: it is another.
static bool explain_key(const char *path, const char *text, const char *at,
                        const char *message, fmhac_str *out) {
  static const char unknown[] = "duplicate or unknown struct parameter name: ";
  static const char missing[] = "struct is missing required parameter: ";
  if (strncmp(message, unknown, sizeof unknown - 1) == 0) {
    // It is found when its value is: the key stands before that.
    const char *key = message + sizeof unknown - 1;
    const size_t length = strlen(key);
    const char *place = at;
    while (place > text && strncmp(place, key, length) != 0)
      --place;
    append_place(path, text, place, out);
    fmhac_str_appendf(out,
                      "expected one of the keys that fmhac-schedule(5) lists, "
                      "each once, found '%s'",
                      key);
    return true;
  }
  if (strncmp(message, missing, sizeof missing - 1) != 0)
    return false;
  append_place(path, text, at, out);
  fmhac_str_appendf(out, "expected a key '%s', found none",
                    message + sizeof missing - 1);
  return true;
}

void fmhac_schedule_explain(const char *path, const char *text,
                            const char *diagnostics, fmhac_str *out) {
  // Later diagnostics are consequences of the first.
  size_t length = strcspn(diagnostics, "\n"), prefix = strlen(path);
  int line = 0, column = 0, used = 0;
  if (length <= prefix || strncmp(diagnostics, path, prefix) != 0 ||
      sscanf(diagnostics + prefix, ":%d:%d: %n", &line, &column, &used) < 2 ||
      !used || prefix + (size_t)used > length) {
    fmhac_str_append_bytes(out, diagnostics, length);
    return;
  }
  const char *message = diagnostics + prefix + used;
  length -= prefix + (size_t)used;
  const char *at = byte_at(text, line, column);
  char *copy = strndup(message, length);
  if (!copy) {
    out->failed = true;
    return;
  }
  if (explain_key(path, text, at, copy, out)) {
    free(copy);
    return;
  }
  // A check of an attribute speaks about its '<', wherever the key is.
  const char *key = *at == '<' ? find_named_key(at, copy) : NULL;
  append_place(path, text, key ? key : at, out);
  if (strstr(copy, "unregistered dialect"))
    fmhac_str_append(out, "expected #fmha.schedule<...>");
  else
    append_message(copy, length, out);
  // The parser's position says nothing about a check that runs after parsing.
  static const char *const whole[] = {"found", "got:", "unbalanced"};
  bool is_whole = key != NULL;
  for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i)
    is_whole |= strstr(copy, whole[i]) != NULL;
  if (!is_whole)
    append_found(at, out);
  free(copy);
}

void fmhac_schedule_locate(const char *path, const char *text,
                           const char *message, fmhac_str *out) {
  const char *key = find_stage(text, message);
  if (!key)
    key = find_named_key(text, message);
  if (key)
    append_place(path, text, key, out);
  fmhac_str_append(out, message);
}
