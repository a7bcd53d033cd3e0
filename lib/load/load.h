// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The compiler of this process: a shared object beside the library, which is
/// loaded when a context first needs it and stays until the process ends.
#ifndef FMHAC_LIB_LOAD_H
#define FMHAC_LIB_LOAD_H

#include "face.h"

/// Takes the compiler of a context for this thread, loaded; one thread at a
/// time has it, others wait. Give it back with fmhac_compiler_leave(). Errors:
/// INVALID_INPUT (this thread has it already), IO_ERROR (it cannot be loaded),
/// INTERNAL (it is of another build), OUT_OF_MEMORY. A later call tries again.
FMHAC_MUST_USE fmhac_status fmhac_compiler_enter(
    fmhac_context *context, const fmhac_compiler_face **out_compiler);
void fmhac_compiler_leave(fmhac_context *context);

/// Does an order in this process. Errors: as fmhac_compiler_enter() and
/// fmhac_order_run().
FMHAC_MUST_USE fmhac_status fmhac_compile_here(fmhac_context *context,
                                               const fmhac_order *order,
                                               fmhac_product *product);

#endif // FMHAC_LIB_LOAD_H
