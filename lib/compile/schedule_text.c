// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_options.h"

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

typedef struct schedule_key {
  const char *structure, *name, *value_structure;
} schedule_key;

static const schedule_key keys[] = {
#define FMHAC_SCHEDULE_KEY(structure, name, value) {structure, name, value},
#include "fmha_schedule_keys.def"
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/// The '<' around a place, or NULL.
static const char *opening_before(const char *text, const char *at) {
  int depth = 0;
  while (at-- > text) {
    depth += *at == '>' || *at == ']';
    if ((*at == '<' || *at == '[') && depth-- == 0)
      return *at == '<' ? at : NULL;
  }
  return NULL;
}

/// The structure that an '<' opens, by the key before it; the schedule's if it
/// is no key's.
static const char *structure_of(const char *text, const char *open) {
  const char *end = open;
  while (end > text && isspace((unsigned char)end[-1]))
    --end;
  if (end > text && *--end == '=') {
    while (end > text && isspace((unsigned char)end[-1]))
      --end;
    const char *begin = end;
    while (begin > text && is_word(begin[-1]))
      --begin;
    for (size_t i = 0; i < KEY_COUNT; ++i)
      if (keys[i].value_structure[0] &&
          strlen(keys[i].name) == (size_t)(end - begin) &&
          strncmp(keys[i].name, begin, (size_t)(end - begin)) == 0)
        return keys[i].value_structure;
  }
  return keys[0].structure;
}

/// A key that the structure around its place does not have, or has already.
static void explain_unknown_key(const char *text, const char *at,
                                const char *key, fmhac_str *out) {
  const char *open = opening_before(text, at);
  const char *structure = open ? structure_of(text, open) : keys[0].structure;
  const char *names[KEY_COUNT];
  size_t count = 0;
  bool is_known = false;
  for (size_t i = 0; i < KEY_COUNT; ++i)
    if (strcmp(keys[i].structure, structure) == 0) {
      is_known |= strcmp(keys[i].name, key) == 0;
      names[count++] = keys[i].name;
    }
  if (is_known) {
    fmhac_str_appendf(out, "expected each key once, found '%s' again", key);
    return;
  }
  fmhac_str_append(out, "expected one of the keys ");
  for (size_t i = 0; i < count; ++i)
    fmhac_str_appendf(out, "%s%s", i ? ", " : "", names[i]);
  fmhac_str_appendf(out, ", found '%s'", key);
  const char *near = fmhac_nearest_spelling(key, names, count);
  if (near)
    fmhac_str_appendf(out, "; did you mean '%s'?", near);
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
    explain_unknown_key(text, place, key, out);
    return true;
  }
  if (strncmp(message, missing, sizeof missing - 1) != 0)
    return false;
  append_place(path, text, at, out);
  fmhac_str_appendf(out, "expected a key '%s', found none",
                    message + sizeof missing - 1);
  return true;
}

/// The place of the name that a message about an op, `at`, found: "@scores";
/// or of the first that it speaks of. NULL: there is none.
static const char *find_named_symbol(const char *at, const char *message) {
  static const char found[] = "found @";
  const char *name = strstr(message, found);
  name = name ? name + sizeof found - 2 : strchr(message, '@');
  size_t length = 1;
  while (name && is_word(name[length]))
    ++length;
  while (name && (at = strchr(at + 1, '@')))
    if (strncmp(at, name, length) == 0 && !is_word(at[length]))
      return at;
  return NULL;
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
  // One of an op about its beginning, wherever the name is.
  const char *key = *at == '<' ? find_named_key(at, copy)
                    : strncmp(at, "fmha.", strlen("fmha.")) == 0
                        ? find_named_symbol(at, copy)
                        : NULL;
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
