// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Elements of buffers: their formats, random contents, comparison.
#ifndef FMHAC_TEST_DIFFERENTIAL_ELEMENTS_H
#define FMHAC_TEST_DIFFERENTIAL_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct element_type {
  const char *name;
  unsigned bytes;
  unsigned fraction_bits; ///< 0: an integer
  bool is_signed;
} element_type;

/// NULL if there is none of that name.
const element_type *element_type_find(const char *name);

/// Fills `data` with `count` elements. `contents` is one of
///   zero, fill (bytes 0xa5), iota (0, 1, 2, …), bits (random), text (letters
///   and spaces), any (special values and random ones of every size; NaNs are
///   quiet), finite (any without infinities and NaNs), moderate (2^-12 to
///   2^12), unit (0 to 1), integral (-8 to 8), below:N (integers), range:A:B
///   (integers A to B - 1).
/// False if it is none of these.
bool element_contents(const element_type *type, const char *contents,
                      uint64_t seed, void *data, size_t count);

/// Whether two elements agree: the same bits; both NaN; or at most `ulps`
/// apart.
bool elements_agree(const element_type *type, const void *a, const void *b,
                    uint64_t ulps);

/// "0x3f800000 (1)".
void element_text(const element_type *type, const void *element, char *text,
                  size_t text_bytes);

#endif // FMHAC_TEST_DIFFERENTIAL_ELEMENTS_H
