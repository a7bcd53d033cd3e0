// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Values that are made once more where a kernel has another piece of work:
/// LLVM would keep them in registers through the loop over keys.
#ifndef FMHA_LOWER_ANEW_H
#define FMHA_LOWER_ANEW_H

#include "lower/EmptyAsm.h"

namespace mlir::fmha {

/// The same number, whatever LLVM knows of it.
inline Value anew(LaneBuilder &b, Value number, RegisterKind kind) {
  return hide(b, number, kind, /*always=*/true);
}

/// Of the lane, counted here.
Value laneNumber(LaneBuilder &b);

/// Loads the arguments that an operation asks for inside, each once, here.
void replaceArguments(LaneBuilder &b, Operation *inside);

/// Makes numbers of lane and wave inside an operation; `wave` is that of the
/// wave.
void replaceIds(LaneBuilder &b, Operation *inside, Value wave);

} // namespace mlir::fmha

#endif // FMHA_LOWER_ANEW_H
