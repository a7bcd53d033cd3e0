// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Reads an integer of at least `low` at `*text` and moves past it.
static bool read_integer(const char **text, int64_t low, int64_t *out_value) {
  char *end;
  errno = 0;
  long long value = strtoll(*text, &end, 10);
  if (end == *text || errno || value < low)
    return false;
  *text = end;
  *out_value = value;
  return true;
}

bool attention_mask_parse(const char *text, attention_mask *out_mask) {
  *out_mask = (attention_mask){.kind = MASK_NONE};
  if (strcmp(text, "none") == 0)
    return true;
  if (strcmp(text, "causal") == 0) {
    out_mask->kind = MASK_CAUSAL;
    return true;
  }
  if (strcmp(text, "causal-top-left") == 0) {
    out_mask->kind = MASK_CAUSAL_TOP_LEFT;
    return true;
  }
  if (strncmp(text, "window:", 7) == 0) {
    text += 7;
    out_mask->kind = MASK_WINDOW;
    return read_integer(&text, -1, &out_mask->left) && *text++ == ',' &&
           read_integer(&text, -1, &out_mask->right) && !*text;
  }
  if (strncmp(text, "chunked:", 8) == 0) {
    text += 8;
    out_mask->kind = MASK_CHUNKED;
    return read_integer(&text, 1, &out_mask->chunk) && !*text;
  }
  return false;
}

void attention_mask_range(const attention_mask *mask, int64_t row, int64_t rows,
                          int64_t keys, int64_t *out_first, int64_t *out_end) {
  int64_t diagonal = row + keys - rows;
  int64_t first = 0, end = keys;
  switch (mask->kind) {
  case MASK_NONE:
    break;
  case MASK_CAUSAL:
    end = diagonal + 1;
    break;
  case MASK_CAUSAL_TOP_LEFT:
    end = row + 1;
    break;
  case MASK_WINDOW:
    if (mask->left >= 0)
      first = diagonal - mask->left;
    if (mask->right >= 0)
      end = diagonal + mask->right + 1;
    break;
  case MASK_CHUNKED:
    // Rows before key 0 see nothing; the sign of the quotient does not matter.
    first = diagonal / mask->chunk * mask->chunk;
    end = diagonal + 1;
    break;
  }
  if (first < 0)
    first = 0;
  if (end > keys)
    end = keys;
  if (end < first)
    end = first;
  *out_first = first;
  *out_end = end;
}
