// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "key_text.h"

#include <string.h>

void fmhac_key_text_append(fmhac_str *out, const char *name, const char *text) {
  text = text ? text : "";
  fmhac_str_appendf(out, "%s %zu\n%s\n", name, strlen(text), text);
}

bool fmhac_key_text_find(fmhac_span key, const char *name, fmhac_span *out) {
  size_t name_bytes = strlen(name), at = 0;
  while (at < key.bytes) {
    const char *line = key.text + at;
    const char *end = memchr(line, '\n', key.bytes - at);
    const char *blank = end ? memchr(line, ' ', (size_t)(end - line)) : NULL;
    if (!blank)
      return false;
    size_t bytes = 0;
    for (const char *c = blank + 1; c < end; ++c) {
      if (*c < '0' || *c > '9' || bytes > key.bytes)
        return false;
      bytes = 10 * bytes + (size_t)(*c - '0');
    }
    size_t text_at = (size_t)(end + 1 - key.text);
    if (bytes >= key.bytes || text_at > key.bytes - bytes - 1)
      return false;
    if ((size_t)(blank - line) == name_bytes &&
        memcmp(line, name, name_bytes) == 0) {
      *out = (fmhac_span){key.text + text_at, bytes};
      return true;
    }
    at = text_at + bytes + 1;
  }
  return false;
}
