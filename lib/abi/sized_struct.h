// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The rule for a struct that begins with `size_t size` and crosses a public
/// header. The caller sets `size` to the sizeof of its own header; the library
/// may be an earlier or later release. Compiler and runtime read and write all
/// such structs here, so that one rule holds for all:
///
///   - a size below that of the first release that had the struct, or above
///     64 KiB, is INVALID_INPUT: the field was not set;
///   - fields that an earlier caller's header lacks count as 0 on the way in
///     and are left out on the way out;
///   - fields of a later caller that this library does not know must be 0 on
///     the way in, else UNSUPPORTED, and become 0 on the way out.
#ifndef FMHAC_SIZED_STRUCT_H
#define FMHAC_SIZED_STRUCT_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fmhac_status.h"

/// Size of a struct that ended with `field`: the least that a caller may have.
#define FMHAC_SIZE_THROUGH(type, field)                                        \
  (offsetof(type, field) + sizeof(((type *)0)->field))

/// No struct will be larger.
#define FMHAC_SIZE_MOST ((size_t)65536)

/// The size that the caller set; a failure for one that no release had. `name`
/// ("fmhac_tensors") is for `text`, the reason of a failure.
static inline fmhac_status fmhac_struct_size(const void *given,
                                             size_t known_bytes,
                                             size_t least_bytes,
                                             const char *name, size_t *out_size,
                                             char *text, size_t text_bytes) {
  *out_size = 0;
  if (!given) {
    snprintf(text, text_bytes, "expected %s, found a null pointer", name);
    return FMHAC_INVALID_INPUT;
  }
  memcpy(out_size, given, sizeof *out_size);
  if (*out_size >= least_bytes && *out_size <= FMHAC_SIZE_MOST)
    return FMHAC_OK;
  snprintf(text, text_bytes,
           "%s.size is %zu, expected %zu; set it to sizeof(%s)", name,
           *out_size, known_bytes, name);
  return FMHAC_INVALID_INPUT;
}

/// `from`, a caller's struct, as this library knows it: `known_bytes` to `to`,
/// zeros after a failure. `name` and `text` as above.
static inline fmhac_status fmhac_struct_in(void *to, size_t known_bytes,
                                           size_t least_bytes, const void *from,
                                           const char *name, char *text,
                                           size_t text_bytes) {
  size_t size;
  memset(to, 0, known_bytes);
  fmhac_status status = fmhac_struct_size(from, known_bytes, least_bytes, name,
                                          &size, text, text_bytes);
  if (status != FMHAC_OK)
    return status;
  const unsigned char *bytes = (const unsigned char *)from;
  for (size_t i = known_bytes; i < size; ++i)
    if (bytes[i]) {
      snprintf(text, text_bytes,
               "byte %zu of %s is set, this library knows %zu bytes: it is "
               "older than its caller",
               i, name, known_bytes);
      return FMHAC_UNSUPPORTED;
    }
  memcpy(to, from, size < known_bytes ? size : known_bytes);
  memcpy(to, &known_bytes, sizeof known_bytes);
  return FMHAC_OK;
}

/// `from`, a struct as this library knows it, to the caller's `to`, which keeps
/// its size. `name` and `text` as above.
static inline fmhac_status fmhac_struct_out(void *to, const void *from,
                                            size_t known_bytes,
                                            size_t least_bytes,
                                            const char *name, char *text,
                                            size_t text_bytes) {
  size_t size;
  fmhac_status status = fmhac_struct_size(to, known_bytes, least_bytes, name,
                                          &size, text, text_bytes);
  if (status != FMHAC_OK)
    return status;
  const size_t both = size < known_bytes ? size : known_bytes;
  memcpy((char *)to + sizeof size, (const char *)from + sizeof size,
         both - sizeof size);
  memset((char *)to + both, 0, size - both);
  return FMHAC_OK;
}

/// `from`, a `type` as this library knows it, to the caller's `to`, where
/// nobody reads the reason of a failure; the first release ended with `last`.
#define FMHAC_STRUCT_OUT(to, from, type, last)                                 \
  fmhac_struct_out(to, from, sizeof(type), FMHAC_SIZE_THROUGH(type, last),     \
                   #type, NULL, 0)

#endif // FMHAC_SIZED_STRUCT_H
