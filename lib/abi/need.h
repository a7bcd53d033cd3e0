// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text for a null pointer that a call needs.
#ifndef FMHAC_NEED_H
#define FMHAC_NEED_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fmhac_status.h"

/// Checks `pointer`, the argument `argument` of a call: if it is NULL,
/// INVALID_INPUT with a text.
static inline fmhac_status fmhac_need_with_text(char *text, size_t text_bytes,
                                                const char *call,
                                                const char *argument,
                                                const void *pointer) {
  text[0] = 0;
  if (pointer)
    return FMHAC_OK;
  snprintf(text, text_bytes, "%s: %s is null", call, argument);
  return FMHAC_INVALID_INPUT;
}

/// Begins a call that keeps no text of its own: a caller that passes NULL for
/// `text` gets `none` instead. Clears the pointer at `out`, and asks for the
/// arguments as above.
static inline fmhac_status
fmhac_begin_with_text(char **text, size_t *text_bytes, char none[1],
                      const char *call, const char *out_name, void *out,
                      const char *in_name, const void *in) {
  if (!*text || !*text_bytes) {
    *text = none;
    *text_bytes = 1;
  }
  fmhac_status status =
      fmhac_need_with_text(*text, *text_bytes, call, out_name, out);
  if (status != FMHAC_OK)
    return status;
  memset(out, 0, sizeof(void *));
  return fmhac_need_with_text(*text, *text_bytes, call, in_name, in);
}

#endif // FMHAC_NEED_H
