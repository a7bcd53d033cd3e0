// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The identity of the compiler: this library, and the LLVM and MLIR that it
/// runs with, which a package manager may replace.
#ifndef FMHAC_LIB_BUILD_IDS_H
#define FMHAC_LIB_BUILD_IDS_H

#include <stddef.h>

#include "str.h"

/// Appends, for the object in memory that holds each of the addresses, a line
/// "build SHA1": the build id that its linker gave it. False if one has none.
bool fmhac_build_ids_append(const void *const *addresses, size_t count,
                            fmhac_str *out);

#endif // FMHAC_LIB_BUILD_IDS_H
