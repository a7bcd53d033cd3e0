// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The dependencies of an output, as a make rule for build systems.
#ifndef FMHAC_DRIVER_DEPFILE_H
#define FMHAC_DRIVER_DEPFILE_H

#include <stddef.h>

#include "files.h"

/// Writes "TARGET: FILE FILE" to `path`, with names escaped as GCC does. The
/// target is written as it is given, so that it is the name that a rule has;
/// files become absolute, so that they mean the same from every folder. Entries
/// that are NULL or "-" are left out.
bool depfile_write(const char *path, const char *target,
                   const char *const *files, size_t count,
                   char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_DEPFILE_H
