// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in schedules that the text of a schedule builds on.
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "choose.h"
#include "fmhac_schedule.h"

/// Bytes of the name after an '@'.
static size_t name_length(const char *name) {
  size_t length = 0;
  while (isalnum((unsigned char)name[length]) || name[length] == '_')
    ++length;
  return length;
}

/// Whether a text defines the name, as a schedule or a recipe.
static bool defines(const char *text, const char *name, size_t length) {
  static const char *const ops[] = {"fmha.schedule @", "fmha.recipe @"};
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i)
    for (const char *at = text; (at = strstr(at, ops[i]));) {
      at += strlen(ops[i]);
      if (name_length(at) == length && memcmp(at, name, length) == 0)
        return true;
    }
  return false;
}

/// Appends those built-in texts that define a name of `text` and are not among
/// `known` yet, bits by index.
static void append_named(const char *text, uint64_t *known, fmhac_str *out) {
  const char *name;
  // A text that is built in itself is no base of its own.
  for (size_t i = 0; (name = fmhac_schedule_name(i)); ++i)
    if (fmhac_schedule_text(name) == text)
      *known |= UINT64_C(1) << i;
  for (const char *at = text; (at = strchr(at, '@'));) {
    const size_t length = name_length(++at);
    for (size_t i = 0; (name = fmhac_schedule_name(i)); ++i) {
      const char *builtin = fmhac_schedule_text(name);
      if (*known >> i & 1 || !defines(builtin, at, length))
        continue;
      *known |= UINT64_C(1) << i;
      fmhac_str_append(out, builtin);
      append_named(builtin, known, out);
    }
  }
}

void fmhac_schedule_append_bases(const char *text, fmhac_str *out) {
  uint64_t known = 0;
  if (text)
    append_named(text, &known, out);
}
