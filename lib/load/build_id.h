// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Build ids: the identity that a linker gives to an object.
#ifndef FMHAC_LIB_BUILD_ID_H
#define FMHAC_LIB_BUILD_ID_H

#include <stdbool.h>

#include "str.h"

/// Appends "build SHA1\n" of the object in memory that holds an address. False
/// if it has no build id.
bool fmhac_build_id_in_memory(const void *address, fmhac_str *out);

/// The same of a file. False also if it is no object of this machine.
bool fmhac_build_id_in_file(const char *path, fmhac_str *out);

/// The same of the library that the loader takes for `soname` on behalf of the
/// object that lies at `from`, which is in memory: the first of that name in
/// its search path. False also if the search path does not tell which that is.
bool fmhac_build_id_of_library(const char *from, const char *soname,
                               fmhac_str *out);

/// The same of the library of that name, if one is in memory.
bool fmhac_build_id_if_loaded(const char *soname, fmhac_str *out);

#endif // FMHAC_LIB_BUILD_ID_H
