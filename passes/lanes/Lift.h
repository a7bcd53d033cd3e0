// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Weights of 8 bits: exponents are lifted, since e4m3 has nothing between 0
/// and 2^-9, and end at 448. Those of f16 are lifted only where they take
/// factors that are less than 1, since they are subnormal below 2^-14.
#ifndef FMHA_LANES_LIFT_H
#define FMHA_LANES_LIFT_H

#include "FmhaDialect.h"
#include "FmhaElements.h"

namespace mlir::fmha {

constexpr double kMostLog2OfP = 8.807; ///< of 448
constexpr int64_t kLeastLift = 6;

inline bool isLifted(ProblemAttr problem) {
  return bitsOf(problem.getP()) == kByteBits;
}

/// What is added to exponents of lifted weights, in whole powers of two, when a
/// score may pass the maximum by 2^lazy_log2.
inline int64_t liftOf(ScheduleAttr schedule) {
  int64_t most =
      schedule.getRescale() == RescalePolicy::Lazy ? schedule.getLazyLog2() : 0;
  return int64_t(kMostLog2OfP - double(most));
}

/// By what power of two a score may pass the maximum that is subtracted: by
/// lazy_log2, and what a lift leaves of a power of two.
inline double lazyLog2Of(ProblemAttr problem, ScheduleAttr schedule) {
  return isLifted(problem) ? kMostLog2OfP - double(liftOf(schedule))
                           : double(schedule.getLazyLog2());
}

/// What is added to the exponents of weights when they take factors of V's
/// rows, all of them less than 1.
inline int64_t liftWithFactors(ProblemAttr problem, ScheduleAttr schedule) {
  constexpr int64_t kMostLog2OfF16 = 15;
  const bool isLazy = schedule.getRescale() == RescalePolicy::Lazy;
  return problem.getP().isF16()
             ? std::max<int64_t>(
                   kMostLog2OfF16 - (isLazy ? schedule.getLazyLog2() : 0), 0)
             : 0;
}

} // namespace mlir::fmha

#endif // FMHA_LANES_LIFT_H
