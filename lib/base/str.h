// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A string that grows. Running out of memory is remembered, not reported at
/// each step: fmhac_str_take() answers NULL then.
#ifndef FMHAC_LIB_STR_H
#define FMHAC_LIB_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/// Zero-initialise to start: `fmhac_str s = {0};`.
typedef struct fmhac_str {
  char *text; ///< owned; terminated, or NULL while empty
  size_t length, capacity;
  bool failed; ///< memory ran out; the text is incomplete
} fmhac_str;

void fmhac_str_append(fmhac_str *str, const char *text);
void fmhac_str_append_bytes(fmhac_str *str, const char *bytes, size_t length);
void fmhac_str_appendf(fmhac_str *str, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void fmhac_str_vappendf(fmhac_str *str, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/// Gives the text to the caller (free()) and empties the string; NULL when
/// memory ran out. An empty string gives "".
char *fmhac_str_take(fmhac_str *str);
void fmhac_str_deinit(fmhac_str *str);

/// Takes blanks and ends of lines off both ends of a part of a text.
void fmhac_trim(const char **text, size_t *length);

/// The text after a UTF-8 byte order mark, which some editors write; the text
/// itself without a mark.
const char *fmhac_skip_mark(const char *text);

#endif // FMHAC_LIB_STR_H
