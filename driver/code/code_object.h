// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The contents of a gfx950 code object (fmhac_object.h) in the form that the
/// command uses: its kernels, and fmhac's note as a tree of JSON.
#ifndef FMHAC_DRIVER_CODE_OBJECT_H
#define FMHAC_DRIVER_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "files.h"
#include "fmhac_object.h"

/// One kernel.
typedef struct code_kernel {
  fmhac_object_kernel facts;  ///< borrowed from the object
  uint32_t dynamic_lds_bytes; ///< bytes that a launch adds: 0 unless the caller
                              ///< sets it
  cJSON *arguments;           ///< array; owned; NULL if it has none
} code_kernel;

typedef struct code_object {
  fmhac_object *object; ///< owned
  cJSON *note;          ///< fmhac's own; owned; NULL if it has none
  code_kernel *kernels; ///< owned
  size_t kernel_count;
} code_object;

/// False with a text if the bytes are no gfx950 code object.
bool code_object_read(const void *bytes, size_t size, code_object *out_object,
                      char error[ERROR_BYTES]);
void code_object_deinit(code_object *object);

#endif // FMHAC_DRIVER_CODE_OBJECT_H
