// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the fuzz targets share. A target is one C file that defines
/// LLVMFuzzerTestOneInput(): libFuzzer calls it in the fuzzers, replay.c with
/// the files of the corpus in the test suite.
#ifndef FMHAC_TEST_FUZZ_FUZZ_H
#define FMHAC_TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/// One input. Always returns 0; what is wrong ends the process.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Ends the process unless `condition` holds: a promise of the product that no
/// sanitizer knows of.
#define FUZZ_CHECK(condition, ...)                                             \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: broken promise: %s: ", __FILE__, __LINE__,       \
              #condition);                                                     \
      fprintf(stderr, __VA_ARGS__);                                            \
      fputc('\n', stderr);                                                     \
      abort();                                                                 \
    }                                                                          \
  } while (0)

//===-- files_double.c: driver/cli/files.h without a file system
//---------------===//

/// The content of the file that is read under the name FUZZ_FILE. Every other
/// name stands for a small file that depends on the name alone; one that holds
/// "missing" cannot be read, one that holds "sealed" cannot be written, and one
/// that ends in ".hsaco" is a code object of the kernel "k"
/// (code_object_maker.h).
void fuzz_files_set(const uint8_t *bytes, size_t size);
#define FUZZ_FILE "input"

/// What was written last, whatever its name; valid until the next write. NULL
/// if nothing was.
const uint8_t *fuzz_files_written(size_t *out_size);
void fuzz_files_reset(void);

#endif // FMHAC_TEST_FUZZ_FUZZ_H
