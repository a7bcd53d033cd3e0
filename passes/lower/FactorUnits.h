// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Scores and O in units of the factor that all keys of a tile share.
#ifndef FMHA_LOWER_FACTORUNITS_H
#define FMHA_LOWER_FACTORUNITS_H

#include "lanes/Lanes.h"

namespace mlir::fmha {

/// The results of an op by which scores, or O, follow the factor of a tile:
/// what they were, and in a branch what they become where that changed. Fail
/// with an error at `op` if rows do not lie as they have to.
FailureOr<Values> followFactor(ScoreUnitOp op, LaneBuilder &b);
FailureOr<Values> followFactor(OutputUnitOp op, LaneBuilder &b);

} // namespace mlir::fmha

#endif // FMHA_LOWER_FACTORUNITS_H
