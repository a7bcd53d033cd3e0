// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The build that compiled a kernel, which is part of its cache key besides the
/// request.
#ifndef FMHAC_LIB_BUILD_H
#define FMHAC_LIB_BUILD_H

#include "face.h"

/// Versions, and the build ids of this library, its compiler and LLVM; "" if
/// one of them carries none, and in case of an error. Borrowed. The compiler
/// need not be loaded: the ids are then read from the files that the loader
/// would take. Errors: those of loading it; OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status fmhac_build(fmhac_context *context,
                                        const char **out_build);
/// The remedy where fmhac_build() gives "" without an error.
#define FMHAC_NO_BUILD_ID                                                      \
  "libfmhac, its compiler or libLLVM carries no build id; link with "          \
  "-Wl,--build-id"

/// Checks a compiler that was just loaded: its build must be the one that was
/// looked for, or a kernel would be kept under a key that is not its own.
/// Errors: INTERNAL, OUT_OF_MEMORY.
FMHAC_MUST_USE fmhac_status
fmhac_build_check(fmhac_context *context, const fmhac_compiler_face *compiler);

#endif // FMHAC_LIB_BUILD_H
