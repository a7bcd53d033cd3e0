// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For tests: floating-point environments that a caller of the product may
/// have.
#ifndef FMHAC_TEST_CALLER_ENVIRONMENT_H
#define FMHAC_TEST_CALLER_ENVIRONMENT_H

#include <fenv.h>
#include <stdbool.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

typedef struct caller_environment {
  int round;    ///< of fesetround()
  bool flushes; ///< subnormals are 0, going in and coming out; x86 only
} caller_environment;

enum { FLUSH_BITS = 0x8040 }; ///< FTZ and DAZ of MXCSR

/// All but the ordinary one.
static const caller_environment k_caller_environments[] = {
    {.round = FE_UPWARD},
    {.round = FE_DOWNWARD},
    {.round = FE_TOWARDZERO},
#if defined(__x86_64__)
    {.round = FE_TONEAREST, .flushes = true},
    {.round = FE_UPWARD, .flushes = true},
#endif
};
enum {
  CALLER_ENVIRONMENTS =
      sizeof k_caller_environments / sizeof *k_caller_environments
};
static const caller_environment k_ordinary_environment = {.round =
                                                              FE_TONEAREST};

/// Sets it, without a flag of an exception.
static inline void caller_environment_set(caller_environment e) {
  fesetround(e.round);
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & ~(unsigned)FLUSH_BITS) |
             (e.flushes ? (unsigned)FLUSH_BITS : 0));
#endif
  feclearexcept(FE_ALL_EXCEPT);
}

/// Whether it is the present one.
static inline bool caller_environment_is(caller_environment e) {
  bool flushes = false;
#if defined(__x86_64__)
  flushes = (_mm_getcsr() & FLUSH_BITS) == FLUSH_BITS;
#endif
  return fegetround() == e.round && flushes == e.flushes;
}

#endif // FMHAC_TEST_CALLER_ENVIRONMENT_H
