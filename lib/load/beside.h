// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files that come with the library: they lie where it lies.
#ifndef FMHAC_LIB_BESIDE_H
#define FMHAC_LIB_BESIDE_H

#include <stdbool.h>

#include "allocator.h"

/// The compiler, as seen from the folder of the library.
#define FMHAC_COMPILER_OBJECT "fmhac/compiler.so"

/// The path of this library, or NULL if it is not known; false if memory is
/// exhausted. Call it early: the path may be relative to the folder in which
/// the program started.
bool fmhac_library_find(fmhac_allocator allocator, char **out_path);

/// A path given from the folder of `library`; the caller frees with free().
/// NULL if the library's place is not known, or memory is exhausted.
char *fmhac_beside_library(const char *library, const char *relative);

#endif // FMHAC_LIB_BESIDE_H
