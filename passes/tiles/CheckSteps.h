// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which steps a schedule needs for a problem.
#ifndef FMHA_TILES_CHECKSTEPS_H
#define FMHA_TILES_CHECKSTEPS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Whether some stage of a schedule's pipeline has a step.
bool hasStep(ScheduleAttr schedule, StepKind step);

/// Weights of 8 bits reach from 2^-9 to 448. Exponents are lifted as far as the
/// greatest weight, 2^(lift + threshold of a lazy rescale), stays below that;
/// with less than 2^6 too many small weights are lost. Fails with an error at
/// `op` if its schedule leaves no such lift.
LogicalResult checkLift(AttentionOp op);

/// Fails with an error at `op` if its schedule has no place for what its
/// problem asks for: functions of scores, factors of keys, look-ups of pages.
LogicalResult checkSteps(AttentionOp op);

} // namespace mlir::fmha

#endif // FMHA_TILES_CHECKSTEPS_H
