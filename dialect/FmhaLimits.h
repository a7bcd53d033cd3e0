// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Bounds of what a schedule may ask for, that more than one place has to know.
#ifndef FMHA_LIMITS_H
#define FMHA_LIMITS_H

#include <cstdint>

namespace mlir::fmha {

/// Of weights that a lazy rescale lets pass 1: in f16 they stay below 2^16.
constexpr int64_t kMaxLazyLog2 = 12;
/// Of the immediates of s_setprio and s_nop. Source: CDNA3/4 ISA guide.
constexpr int64_t kMaxPriority = 3, kMaxNops = 16;
/// Vector-memory operations that a wait can leave outstanding: vmcnt has 6
/// bits. Source: CDNA3/4 ISA guide, S_WAITCNT.
constexpr int64_t kMaxOutstandingLoads = 63;

} // namespace mlir::fmha

#endif // FMHA_LIMITS_H
