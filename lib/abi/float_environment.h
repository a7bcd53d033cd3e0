// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The floating-point environment of what is computed here. A caller may round
/// in another way or take subnormals for 0 (a program that is linked with
/// -ffast-math starts so): results must not depend on that, and the caller gets
/// its own environment back, with its exception flags. Threads begin with the
/// environment of the one that creates them.
#ifndef FMHAC_FLOAT_ENVIRONMENT_H
#define FMHAC_FLOAT_ENVIRONMENT_H

#include <fenv.h>

/// From here on: to nearest, subnormals are numbers, nothing traps. The
/// caller's environment goes to `caller`.
static inline void fmhac_float_begin(fenv_t *caller) {
  fegetenv(caller);
  fesetenv(FE_DFL_ENV);
}

/// The caller's again.
static inline void fmhac_float_end(const fenv_t *caller) { fesetenv(caller); }

#endif // FMHAC_FLOAT_ENVIRONMENT_H
