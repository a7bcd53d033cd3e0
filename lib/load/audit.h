// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The static checks of a compiled code object, before a caller gets it.
#ifndef FMHAC_LIB_AUDIT_H
#define FMHAC_LIB_AUDIT_H

#include <stddef.h>

#include "context.h"

/// Checks all kernels of a code object for missing waits, missing wait states
/// and suspects (fmhac_emu.h). Code that the check cannot follow becomes a
/// warning in the context's log. Errors: CODEGEN_FAILED with the first
/// findings, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_audit_code(fmhac_context *context,
                                             const void *code,
                                             size_t code_bytes);

#endif // FMHAC_LIB_AUDIT_H
