// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler of another build looks like to the library: its symbol, and
// the digest of that build.
#include "fmhac_status.h"

FMHAC_API extern const char *const fmhac_compiler_face_table[];
const char *const fmhac_compiler_face_table[] = {"fmhac 0.0.0 of another day"};
