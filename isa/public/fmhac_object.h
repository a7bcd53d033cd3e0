// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The contents of a gfx950 code object: its kernels, their registers and
/// memory, and the note of fmhac. Only the file format is read; any compiler
/// may have made the file.
#ifndef FMHAC_OBJECT_H
#define FMHAC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A code object. It keeps its own copy of the bytes.
typedef struct fmhac_object fmhac_object;

/// Reads a linked code object, or an object file before linking. `text`
/// receives the reason of a failure; may be NULL. Errors: INVALID_INPUT (no ELF
/// file, another chip, truncated, damaged), OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_object_create(const void *code, size_t bytes, char *text,
                    size_t text_bytes, fmhac_object **out_object);
/// NULL is allowed.
FMHAC_API void fmhac_object_destroy(fmhac_object *object);

/// One kernel. Registers are counts of a wave, memory is bytes. Strings live as
/// long as the object.
typedef struct fmhac_object_kernel {
  size_t size;              ///< sizeof(fmhac_object_kernel), set by the caller
  const char *name;         ///< its symbol, without ".kd"
  const char *arguments;    ///< the metadata's list as JSON, or NULL
  uint32_t vgprs;           ///< architectural
  uint32_t agprs;           ///< accumulation
  uint32_t allocated_vgprs; ///< of both files, granule included
  uint32_t sgprs;
  uint32_t vgpr_spills;
  uint32_t sgpr_spills;
  uint32_t scratch_bytes; ///< of a lane
  uint32_t lds_bytes;     ///< of a workgroup, static
  uint32_t kernarg_bytes; ///< of the argument block
  uint32_t max_threads;   ///< of a workgroup
  /// Metadata or symbols say that a launch adds LDS. A kernel with static LDS
  /// may take more LDS and say so only in its arguments.
  bool dynamic_lds;
} fmhac_object_kernel;

/// Number of kernels that the metadata lists.
FMHAC_API size_t fmhac_object_kernel_count(const fmhac_object *object);
/// The `index`th kernel, in the order of the metadata. Fills the members that
/// the caller's `size` covers. Errors: INVALID_INPUT (no such kernel, or
/// `size`).
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_object_get_kernel(
    const fmhac_object *object, size_t index, fmhac_object_kernel *out_kernel);

/// The target that the metadata names, "amdgcn-amd-amdhsa--gfx950"; "" if it
/// names none. Lives as long as the object.
FMHAC_API const char *fmhac_object_get_target(const fmhac_object *object);

/// The note that fmhac writes into its code objects, as a JSON object; NULL:
/// the object has no note. Lives as long as the object.
FMHAC_API const char *fmhac_object_get_note(const fmhac_object *object);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_OBJECT_H
