// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the program fmhac-compiler runs. Not part of the API: the program
/// comes with the library and works with this very build of it only.
#ifndef FMHAC_LIB_SERVE_H
#define FMHAC_LIB_SERVE_H

#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Does the orders that come from a socket, one after the other, until its
/// other end closes or nothing has come for `rest_seconds`. Returns the exit
/// status of the process.
FMHAC_API int fmhac_compiler_serve(int socket, int rest_seconds);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_LIB_SERVE_H
