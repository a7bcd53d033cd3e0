// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text for a null pointer that a call needs.
#ifndef FMHAC_NEED_H
#define FMHAC_NEED_H

#include <stddef.h>
#include <stdio.h>

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

#endif // FMHAC_NEED_H
