// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory of objects that live in a context: from the caller's allocator, or
/// from the C library. Memory that a call needs only while it runs comes from
/// the C library.
#ifndef FMHAC_LIB_ALLOCATOR_H
#define FMHAC_LIB_ALLOCATOR_H

#include <stddef.h>

/// All zero is that of the C library.
typedef struct fmhac_allocator {
  /// As realloc(); a size of 0 frees.
  void *(*reallocate)(void *user, void *bytes, size_t size);
  void *user;
} fmhac_allocator;

/// Zeroed memory, at least a byte; NULL when memory is exhausted.
void *fmhac_allocate(fmhac_allocator allocator, size_t size);
/// NULL is allowed.
void fmhac_release(fmhac_allocator allocator, void *bytes);
/// A copy with a terminator after it; NULL when memory is exhausted.
void *fmhac_duplicate(fmhac_allocator allocator, const void *bytes,
                      size_t size);
char *fmhac_duplicate_text(fmhac_allocator allocator, const char *text);

#endif // FMHAC_LIB_ALLOCATOR_H
