// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles for x86-64 only.
#include "kernel.h"

//| launch("uncompilable", [out("u32", 64)])
KERNEL(uncompilable, (GLOBAL u32 *, out)) {
#ifdef __AMDGCN__
  out[0] = no_such_name;
#else
  out[0] = 1;
#endif
}
