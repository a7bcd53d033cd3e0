// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json_check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

// `at` stops at the first byte that cannot stand there.
typedef struct scanner {
  const char *at;
  const char *expected;
  int depth;
} scanner;

static bool scan_value(scanner *s);

static bool refuse(scanner *s, const char *expected) {
  s->expected = expected;
  return false;
}

static void skip_space(scanner *s) { s->at += strspn(s->at, " \t\r\n"); }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool scan_digits(scanner *s) {
  if (!is_digit(*s->at))
    return refuse(s, "a digit");
  while (is_digit(*s->at))
    ++s->at;
  return true;
}

static bool scan_number(scanner *s) {
  if (*s->at == '-')
    ++s->at;
  if (*s->at == '0')
    ++s->at;
  else if (!scan_digits(s))
    return false;
  if (is_digit(*s->at))
    return refuse(s, "a number without leading zeros");
  if (*s->at == '.') {
    ++s->at;
    if (!scan_digits(s))
      return false;
  }
  if (*s->at == 'e' || *s->at == 'E') {
    ++s->at;
    if (*s->at == '+' || *s->at == '-')
      ++s->at;
    if (!scan_digits(s))
      return false;
  }
  return true;
}

/// Four hexadecimal digits.
static bool scan_code_unit(scanner *s, unsigned *out_unit) {
  *out_unit = 0;
  for (int i = 0; i < 4; ++i, ++s->at) {
    static const char digits[] = "0123456789abcdef";
    const char *digit =
        *s->at ? strchr(digits, tolower((unsigned char)*s->at)) : NULL;
    if (!digit)
      return refuse(s, "four hexadecimal digits");
    *out_unit = *out_unit << 4 | (unsigned)(digit - digits);
  }
  return true;
}

static bool scan_escape(scanner *s) {
  if (*s->at != 'u') {
    if (!*s->at || !strchr("\"\\/bfnrt", *s->at))
      return refuse(s, "an escape: one of \" \\ / b f n r t u");
    ++s->at;
    return true;
  }
  ++s->at;
  if (strncmp(s->at, "0000", 4) == 0)
    return refuse(s, "an escape other than \\u0000");
  unsigned unit;
  if (!scan_code_unit(s, &unit))
    return false;
  // Beyond the first plane: a high half, directly followed by the low half.
  if (unit < 0xd800 || unit > 0xdfff)
    return true;
  if (unit > 0xdbff || s->at[0] != '\\' || s->at[1] != 'u')
    return refuse(s, "a high and a low surrogate, \\uD8xx\\uDCxx");
  s->at += 2;
  if (!scan_code_unit(s, &unit))
    return false;
  return (unit >= 0xdc00 && unit <= 0xdfff) ||
         refuse(s, "a high and a low surrogate, \\uD8xx\\uDCxx");
}

static bool scan_string(scanner *s, const char *expected) {
  if (*s->at != '"')
    return refuse(s, expected);
  ++s->at;
  while (*s->at != '"') {
    if ((unsigned char)*s->at < 0x20)
      return refuse(s, "the rest of a string and its closing '\"'");
    if (*s->at++ == '\\' && !scan_escape(s))
      return false;
  }
  ++s->at;
  return true;
}

static bool scan_members(scanner *s, char close) {
  bool object = close == '}';
  ++s->at;
  skip_space(s);
  if (*s->at == close) {
    ++s->at;
    return true;
  }
  for (bool first = true;; first = false) {
    skip_space(s);
    if (object) {
      if (!scan_string(s, first ? "a key in double quotes or '}'"
                                : "a key in double quotes"))
        return false;
      skip_space(s);
      if (*s->at != ':')
        return refuse(s, "':' after the key");
      ++s->at;
    }
    if (!scan_value(s))
      return false;
    skip_space(s);
    if (*s->at == close) {
      ++s->at;
      return true;
    }
    if (*s->at != ',')
      return refuse(s, object ? "',' or '}'" : "',' or ']'");
    ++s->at;
  }
}

static bool scan_word(scanner *s, const char *word) {
  for (; *word; ++word, ++s->at)
    if (*s->at != *word)
      return refuse(s, "true, false or null");
  return true;
}

static bool scan_value(scanner *s) {
  skip_space(s);
  char c = *s->at;
  if (c == '{' || c == '[') {
    if (++s->depth > MAX_DEPTH)
      return refuse(s, "at most 64 levels of nesting");
    bool ok = scan_members(s, c == '{' ? '}' : ']');
    --s->depth;
    return ok;
  }
  if (c == '"')
    return scan_string(s, "a string");
  if (c == '-' || is_digit(c))
    return scan_number(s);
  if (c == 't')
    return scan_word(s, "true");
  if (c == 'f')
    return scan_word(s, "false");
  if (c == 'n')
    return scan_word(s, "null");
  return refuse(s, "a value");
}

bool fmhac_json_check(const char *text, fmhac_json_error *out_error) {
  scanner s = {.at = text};
  bool ok = scan_value(&s);
  if (ok) {
    skip_space(&s);
    ok = *s.at == '\0' || refuse(&s, "end of text after the value");
  }
  if (ok)
    return true;
  out_error->line = out_error->column = 1;
  for (const char *p = text; p < s.at; ++p) {
    out_error->column = *p == '\n' ? 1 : out_error->column + 1;
    out_error->line += *p == '\n';
  }
  out_error->expected = s.expected;
  unsigned char c = (unsigned char)*s.at;
  if (!c)
    snprintf(out_error->found, sizeof out_error->found, "end of text");
  else if (c < 0x20 || c >= 0x7f)
    snprintf(out_error->found, sizeof out_error->found, "byte 0x%02x", c);
  else
    snprintf(out_error->found, sizeof out_error->found, "'%c'", c);
  return false;
}
