// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Arrays as .npy files, versions 1 to 3, little-endian, C order: '<u2' holds
/// bf16 bits, '<f2' f16, '<f4' f32, '|u1' codes of fp8 or bf8. The last two
/// look alike: such an array is read as fp8, and is bf8 where that is expected.
#ifndef FMHAC_DRIVER_NPY_H
#define FMHAC_DRIVER_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files.h"
#include "half.h"

enum { NPY_MAX_RANK = 8, NPY_SHAPE_BYTES = 200 };

typedef struct npy_array {
  element_type type;
  size_t rank;
  uint64_t shape[NPY_MAX_RANK];
  size_t count; ///< elements
  void *data;   ///< owned, malloc; count * element_bytes(type) bytes
} npy_array;

/// Reads an array. `error` names the expected contents and those of the file.
bool npy_read(const char *path, npy_array *out_array, char error[ERROR_BYTES]);
/// As npy_read(), from bytes; `name` stands for the file in errors.
bool npy_parse(const char *name, const void *bytes, size_t size,
               npy_array *out_array, char error[ERROR_BYTES]);
/// As npy_read(), and refuses another element type or shape.
bool npy_read_expected(const char *path, element_type type, size_t rank,
                       const uint64_t *shape, npy_array *out_array,
                       char error[ERROR_BYTES]);
/// Whether an array that was read from `path` has a shape.
bool npy_check_shape(const char *path, const npy_array *array, size_t rank,
                     const uint64_t *shape, char error[ERROR_BYTES]);
void npy_deinit(npy_array *array);

/// "[1, 512, 2, 128]".
void npy_shape_text(size_t rank, const uint64_t *shape,
                    char text[NPY_SHAPE_BYTES]);
/// "<f4"; "?" for a type that no file holds.
const char *npy_descr(element_type type);

/// Writes version 1.0.
bool npy_write(const char *path, element_type type, size_t rank,
               const uint64_t *shape, const void *data,
               char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_NPY_H
