// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Files that tests of the cycle model read.
#ifndef FMHAC_TEST_TIMING_READ_FILE_H
#define FMHAC_TEST_TIMING_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/// All bytes of a file, malloc'ed; NULL: it cannot be read, or is empty.
static inline void *read_file(const char *path, size_t *out_bytes) {
  FILE *file = fopen(path, "rb");
  long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  void *bytes = end > 0 ? malloc((size_t)end) : NULL;
  *out_bytes = end > 0 ? (size_t)end : 0;
  if (bytes && (fseek(file, 0, SEEK_SET) != 0 ||
                fread(bytes, 1, *out_bytes, file) != *out_bytes)) {
    free(bytes);
    bytes = NULL;
  }
  if (file)
    fclose(file);
  return bytes;
}

#endif // FMHAC_TEST_TIMING_READ_FILE_H
