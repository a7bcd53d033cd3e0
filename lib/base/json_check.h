// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds the place where a JSON text is malformed, and the token expected
/// there. cJSON builds the tree, but it gives no exact place and accepts some
/// texts that RFC 8259 refuses.
#ifndef FMHAC_LIB_JSON_CHECK_H
#define FMHAC_LIB_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fmhac_json_error {
  size_t line, column;  ///< from 1; the column counts bytes
  const char *expected; ///< "',' or '}'"; borrowed for ever
  char found[24];       ///< "'x'", "end of text", "byte 0x01"
} fmhac_json_error;

/// True if `text` is one JSON value and nothing else; otherwise fills
/// `out_error`. Nesting is limited to 64 levels.
bool fmhac_json_check(const char *text, fmhac_json_error *out_error);

#endif // FMHAC_LIB_JSON_CHECK_H
