// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The floating-point environment for computations of the library. A caller may
/// round differently or flush subnormals to 0 (a program linked with
/// -ffast-math starts so). Results must not depend on that, and the caller gets
/// its own environment back, with its exception flags. Threads begin with the
/// environment of the one that creates them.
#ifndef FMHAC_FLOAT_ENVIRONMENT_H
#define FMHAC_FLOAT_ENVIRONMENT_H

#include <fenv.h>

/// Sets round to nearest, subnormals, and no traps. Saves the caller's
/// environment in `caller`.
static inline void fmhac_float_begin(fenv_t *caller) {
  fegetenv(caller);
  fesetenv(FE_DFL_ENV);
}

/// Restores the caller's environment.
static inline void fmhac_float_end(const fenv_t *caller) { fesetenv(caller); }

#endif // FMHAC_FLOAT_ENVIRONMENT_H
