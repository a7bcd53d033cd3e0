// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator.h"

#include <stdlib.h>
#include <string.h>

void *fmhac_allocate(fmhac_allocator a, size_t size) {
  size_t bytes = size ? size : 1;
  if (!a.reallocate)
    return calloc(1, bytes);
  void *room = a.reallocate(a.user, NULL, bytes);
  return room ? memset(room, 0, bytes) : NULL;
}

void fmhac_release(fmhac_allocator a, void *bytes) {
  if (!a.reallocate)
    free(bytes);
  else if (bytes)
    a.reallocate(a.user, bytes, 0);
}

void *fmhac_duplicate(fmhac_allocator a, const void *bytes, size_t size) {
  char *copy = fmhac_allocate(a, size + 1);
  if (copy && size)
    memcpy(copy, bytes, size);
  return copy;
}

char *fmhac_duplicate_text(fmhac_allocator a, const char *text) {
  return fmhac_duplicate(a, text, strlen(text));
}
