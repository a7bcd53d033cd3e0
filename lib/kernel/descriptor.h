// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The kernel descriptor and the metadata that LLVM wrote, read back from the
/// code object.
#ifndef FMHAC_LIB_DESCRIPTOR_H
#define FMHAC_LIB_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#include "context.h"

typedef struct fmhac_descriptor {
  uint32_t lds_bytes;     ///< static LDS of a workgroup
  uint32_t vgprs;         ///< registers (VGPR + AGPR) allocated per lane
  uint32_t scratch_bytes; ///< private segment per lane; spills go there
  uint32_t spills;        ///< registers (VGPR + SGPR) that LLVM had to spill
  uint32_t max_threads;   ///< work-items of the largest workgroup
} fmhac_descriptor;

/// Reads descriptor and metadata of kernel `name` from a linked code object.
/// Takes any bytes.
/// Errors: CODEGEN_FAILED (the code object lacks either), OUT_OF_MEMORY, with
/// the text in the context.
FMHAC_MUST_USE fmhac_status fmhac_descriptor_read(
    fmhac_context *context, const void *code, size_t code_bytes,
    const char *name, fmhac_descriptor *out_descriptor);

#endif // FMHAC_LIB_DESCRIPTOR_H
