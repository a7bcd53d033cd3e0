// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "excerpt.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "streams.h"

enum {
  MOST_LINES = 1000000,
  PATH_BYTES = 4096,
  /// For longer lines, the number of bytes shown before the column and after
  /// it.
  BEFORE = 60,
  AFTER = 40,
  WIDEST = BEFORE + AFTER
};

typedef struct place {
  char path[PATH_BYTES];
  unsigned long line, column; ///< from 1 on; column 0: not known
} place;

/// Reads "LINE:COLUMN:" or "LINE:" at `text`.
static bool read_numbers(const char *text, place *p) {
  char *end;
  if (*text < '1' || *text > '9')
    return false;
  p->line = strtoul(text, &end, 10);
  p->column = 0;
  if (*end != ':' || p->line > MOST_LINES)
    return false;
  if (end[1] >= '0' && end[1] <= '9') {
    text = end + 1;
    p->column = strtoul(text, &end, 10);
    if (*end != ':')
      p->column = 0;
  }
  return true;
}

static bool is_file(const char *text, size_t length, place *p) {
  if (!length || length >= sizeof p->path)
    return false;
  memcpy(p->path, text, length);
  p->path[length] = '\0';
  struct stat found;
  return stat(p->path, &found) == 0 && S_ISREG(found.st_mode);
}

/// A name may contain colons. The name ends at the first colon that a line
/// number follows and before which the name of an existing file ends. Only the
/// beginning of the text counts, because the rest may quote the contents of
/// some file.
static bool find_place(const char *text, place *p) {
  static const char table[] = "reading the table of schedules: ";
  static const char json[] = "malformed JSON at ";
  if (strncmp(text, table, sizeof table - 1) == 0)
    text += sizeof table - 1;
  for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
    if (read_numbers(at + 1, p) && is_file(text, (size_t)(at - text), p))
      return true;
    const char *wrong = at[1] == ' ' ? strstr(at, json) : NULL;
    if (wrong && is_file(text, (size_t)(at - text), p))
      return read_numbers(wrong + sizeof json - 1, p);
  }
  return false;
}

/// The line of the file, malloc'ed and without its end; NULL if there is none.
static char *read_line(const place *p, size_t *out_length) {
  FILE *file = fopen(p->path, "rb");
  if (!file)
    return NULL;
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length = -1;
  for (unsigned long i = 0; i < p->line; ++i)
    if ((length = getline(&line, &capacity, file)) < 0)
      break;
  fclose(file);
  if (length < 0) {
    free(line);
    return NULL;
  }
  while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
    line[--length] = '\0';
  *out_length = (size_t)length;
  return line;
}

/// Makes every character one column wide, up to `end`; returns how many are
/// shown in front of the byte `at`.
static size_t flatten(char *line, size_t at, size_t end) {
  size_t to = 0, columns = 0, before = 0;
  for (size_t from = 0; from < end && line[from];) {
    if (from == at)
      before = columns;
    const size_t bytes = utf8_bytes((unsigned char *)line + from);
    const bool control = (unsigned char)line[from] < 0x20 || line[from] == 0x7f;
    if (control || !bytes) {
      line[to++] = line[from] == '\t' ? ' ' : '?';
    } else {
      memmove(line + to, line + from, bytes);
      to += bytes;
    }
    from += bytes ? bytes : 1;
    ++columns;
    if (at >= from)
      before = columns;
  }
  line[to] = '\0';
  return before;
}

void excerpt_print(FILE *out, const char *text, bool colour) {
  place *p = calloc(1, sizeof *p);
  size_t length = 0;
  char *line = p && find_place(text, p) ? read_line(p, &length) : NULL;
  // A column after the end points at a missing token.
  if (line && p->column <= length + 1) {
    const size_t at = p->column ? p->column - 1 : 0;
    const bool whole = length <= WIDEST;
    size_t start = !whole && at > BEFORE ? at - BEFORE : 0;
    while (start && start < at && ((unsigned char)line[start] & 0xc0) == 0x80)
      ++start;
    size_t end = !whole && at + AFTER < length ? at + AFTER : length;
    while (end < length && ((unsigned char)line[end] & 0xc0) == 0x80)
      ++end;
    const bool cut = end < length;
    const size_t before = flatten(line + start, at - start, end - start);
    fprintx(out, "%5lu | %s%s%s\n", p->line, start ? "... " : "", line + start,
            cut ? " ..." : "");
    if (p->column && colour)
      fprintx(out, "      | %*s\033[1;32m^\033[0m\n",
              (int)(before + (start ? 4 : 0)), "");
    else if (p->column)
      fprintx(out, "      | %*s^\n", (int)(before + (start ? 4 : 0)), "");
  }
  free(line);
  free(p);
}
