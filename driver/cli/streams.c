// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

//===- Descriptors --------------------------------------------------------===//

bool streams_open(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The wrong way round: the stream stays one that cannot be used. The
    // lowest free descriptor is taken, which is this one.
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      return false;
  }
  return true;
}

int streams_close(int exit_code) {
  const bool failed = ferror(stdout) != 0;
  int why = fflush(stdout) == 0 ? 0 : errno;
  // The stream keeps no reason of an earlier failure: writing one more byte
  // gives it.
  if (failed && !why && write(STDOUT_FILENO, "\n", 1) < 0)
    why = errno;
  if (!failed && !why)
    return exit_code;
  fprintx(stderr, "fmhac: writing to standard output: %s\n",
          why ? strerror(why) : "not everything could be written");
  return exit_code == EXIT_DONE ? EXIT_USAGE : exit_code;
}

/// Source: no-color.org; TERM=dumb is a terminal without escape sequences.
bool streams_take_colour(FILE *out) {
  const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(fileno(out)) && !(refused && refused[0]) && terminal &&
         strcmp(terminal, "dumb") != 0;
}

//===- Text ---------------------------------------------------------------===//

/// Source: RFC 3629, section 4.
size_t utf8_bytes(const unsigned char *text) {
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

static bool is_control(char c) {
  return (unsigned char)c < 0x20 || (unsigned char)c == 0x7f;
}

/// The bytes of one character that can be shown; 0 if it cannot.
static size_t shown_bytes(const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  const size_t length = utf8_bytes(bytes);
  // U+0080 to U+009F: control characters, too, to some terminals.
  const bool control =
      is_control(*text) || (length == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0);
  return control ? 0 : length;
}

/// Writes `text`; its control characters as they are where `other` has another
/// byte at their place, or where `lines` is set and they are of a text's lines.
/// In one piece, as standard error has no buffer.
static void put_shown(FILE *out, const char *text, const char *other,
                      bool lines) {
  enum { LONGEST = 4 }; // \xNN
  char *shown = malloc(strlen(text) * LONGEST + 1);
  if (!shown)
    return;
  size_t used = 0;
  for (size_t i = 0; text[i];) {
    const bool raw = (other && text[i] != other[i]) ||
                     (lines && (text[i] == '\n' || text[i] == '\t'));
    const size_t length = raw ? 1 : shown_bytes(text + i);
    if (length)
      memcpy(shown + used, text + i, length);
    else
      snprintf(shown + used, LONGEST + 1, "\\x%02x", (unsigned char)text[i]);
    used += length ? length : LONGEST;
    i += length ? length : 1;
  }
  fwrite(shown, 1, used, out);
  free(shown);
}

void print_text(FILE *out, const char *text) {
  put_shown(out, text, NULL, true);
}

/// Formats twice, the second time with other control characters in the format:
/// those that differ between the results are the format's own.
static void vfprintx(FILE *out, const char *format, va_list arguments) {
  char *text = NULL, *other = NULL, *changed = strdup(format);
  va_list again;
  va_copy(again, arguments);
  for (char *p = changed; p && *p; ++p)
    if (is_control(*p))
      *p = *p == '\n' ? '\t' : '\n';
  if (vasprintf(&text, format, arguments) < 0)
    text = NULL;
  if (!changed || vasprintf(&other, changed, again) < 0)
    other = NULL;
  va_end(again);
  if (text && other)
    put_shown(out, text, other, false);
  else
    fputs("out of memory\n", out);
  free(changed);
  free(other);
  free(text);
}

void printx(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintx(stdout, format, arguments);
  va_end(arguments);
}

void fprintx(FILE *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintx(out, format, arguments);
  va_end(arguments);
}

char *stream_text(FILE *out, char **text) {
  const bool failed = ferror(out);
  if (fclose(out) == 0 && !failed)
    return *text;
  free(*text);
  *text = NULL;
  return NULL;
}
