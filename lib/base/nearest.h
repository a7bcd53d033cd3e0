// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Edit distance between words, for fmhac_nearest_spelling().
#ifndef FMHAC_LIB_NEAREST_H
#define FMHAC_LIB_NEAREST_H

#include <stddef.h>

/// Insertions, deletions, replacements and swaps of neighbours that turn `a`
/// into `b`; '-' and '_' count as equal. Words above 63 characters are compared
/// by their first 63.
size_t fmhac_edit_distance(const char *a, const char *b);

#endif // FMHAC_LIB_NEAREST_H
