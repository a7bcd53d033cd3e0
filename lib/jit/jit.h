// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compilation just in time: from memory, from disk, or by the compiler.
#ifndef FMHAC_LIB_JIT_H
#define FMHAC_LIB_JIT_H

#include "context.h"
#include "control.h"

/// As fmhac_compile(); `control`, which may be NULL, watches and cancels it.
/// Errors: also CANCELLED.
FMHAC_MUST_USE fmhac_status fmhac_jit_compile(fmhac_context *context,
                                              const fmhac_config *config,
                                              fmhac_control *control,
                                              fmhac_kernel **out_kernel);

#endif // FMHAC_LIB_JIT_H
