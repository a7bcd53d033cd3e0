// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The text of a kernel's cache key: everything that its code depends on, in
/// parts "NAME BYTES\nTEXT\n". It shows the inputs of an entry to a reader of
/// the cache.
#ifndef FMHAC_LIB_KEY_TEXT_H
#define FMHAC_LIB_KEY_TEXT_H

#include "artefact.h"
#include "str.h"

/// Appends a part; NULL is an empty text.
void fmhac_key_text_append(fmhac_str *out, const char *name, const char *text);

/// The part of that name; false if there is none.
bool fmhac_key_text_find(fmhac_span key, const char *name, fmhac_span *out);

#endif // FMHAC_LIB_KEY_TEXT_H
