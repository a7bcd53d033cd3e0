// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which steps a schedule needs for a problem.
#ifndef FMHA_TILES_CHECKSTEPS_H
#define FMHA_TILES_CHECKSTEPS_H

#include "FmhaDialect.h"

namespace mlir::fmha {

/// Whether some stage of a schedule's pipeline has a step.
bool hasStep(ScheduleAttr schedule, StepKind step);

/// Fails with an error at `op` if its schedule has no place for what its
/// problem asks for: functions of scores, factors of keys, look-ups of pages.
LogicalResult checkSteps(AttentionOp op);

} // namespace mlir::fmha

#endif // FMHA_TILES_CHECKSTEPS_H
