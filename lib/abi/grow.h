// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lists that grow.
#ifndef FMHAC_GROW_H
#define FMHAC_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// Doubles the capacity of the list whose address is in `*list_address`.
static inline bool fmhac_grow(void *list_address, size_t *capacity,
                              size_t element_bytes) {
  enum { FIRST_CAPACITY = 16 };
  size_t larger = *capacity ? 2 * *capacity : FIRST_CAPACITY;
  void *list;
  memcpy(&list, list_address, sizeof list);
  list = realloc(list, larger * element_bytes);
  if (!list)
    return false;
  memcpy(list_address, &list, sizeof list);
  *capacity = larger;
  return true;
}

/// Makes room for one more element of a list of `count` elements; `capacity` is
/// a size_t. False: out of memory, and the list stays as it is.
#define FMHAC_GROW(list, count, capacity)                                      \
  ((count) < (capacity) || fmhac_grow(&(list), &(capacity), sizeof *(list)))

#endif // FMHAC_GROW_H
