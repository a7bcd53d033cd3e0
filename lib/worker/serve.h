// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The main function of the program fmhac-compiler. Not part of the API: the
/// program comes with the library and works only with the same build of it.
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
