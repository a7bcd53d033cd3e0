// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tiles/CheckSteps.h"

#include "FmhaOperands.h"
#include "lanes/Lift.h"

using namespace mlir;
using namespace mlir::fmha;

bool fmha::hasStep(ScheduleAttr schedule, StepKind step) {
  return llvm::any_of(schedule.getPipeline().getStages(), [&](StageAttr at) {
    return llvm::any_of(at.getSteps(), [&](StepAttr placed) {
      return placed.getKind() == step;
    });
  });
}

namespace {

/// Factors of keys come to scores where functions do, and to weights where
/// these are rounded, all at once.
LogicalResult checkFactors(AttentionOp op) {
  ProblemAttr problem = op.getProblem();
  ScheduleAttr schedule = *op.getSchedule();
  auto hasOwn = [&](Operand operand) {
    const StagedOperand &own = staged(operand);
    return rowsAFactor(problem, own.factors) &&
           !followsTileFactor(problem, schedule, own);
  };
  if (hasOwn(Operand::K) && !hasStep(schedule, StepKind::ScoreMod))
    return op.emitOpError(
        "expected a schedule with a place for 'score_mod' in "
        "its pipeline: rows of K have factors of their own; "
        "found none. Where a tile has one factor, scale = start and places for "
        "'scale_k' and 'unit_k' will do, too");
  if (!hasOwn(Operand::V))
    return success();
  for (StageAttr stage : schedule.getPipeline().getStages())
    for (StepAttr step : stage.getSteps())
      if (step.getPart() && (step.getKind() == StepKind::Convert ||
                             step.getKind() == StepKind::Pv))
        return op.emitOpError()
               << "expected a schedule that does not divide '"
               << stringifyStepKind(step.getKind())
               << "': rows of V have factors of their own, which weights take "
                  "before they are rounded and O follows; found parts";
  return success();
}

LogicalResult checkPages(AttentionOp op) {
  if (op.getProblem().getPages() == Pages::None)
    return success();
  for (const StagedOperand &operand : stagedOperands())
    if (!hasStep(*op.getSchedule(), operand.page))
      return op.emitOpError()
             << "expected a schedule with a place for '"
             << stringifyStepKind(operand.page)
             << "' in its pipeline: K and V lie in pages, which are looked up; "
                "found none";
  return success();
}

/// What a product skips are whole matrix instructions.
LogicalResult checkFurther(AttentionOp op) {
  const int64_t further = furtherCols(op.getProblem(), *op.getSchedule());
  const int64_t before = op.getProblem().getHeadDimQk() - further;
  const int64_t step = op.getSchedule()->getQk().getK();
  if (!further || before % step == 0)
    return success();
  return op.emitOpError()
         << "expected the columns of K before the last " << further
         << " (rope_dim) to be a multiple of the " << step
         << " that a matrix instruction of the schedule's qk takes, found "
         << before << "; another schedule";
}

} // namespace

LogicalResult fmha::checkLift(AttentionOp op) {
  ProblemAttr problem = op.getProblem();
  ScheduleAttr schedule = *op.getSchedule();
  if (!isLifted(problem))
    return success();
  if (schedule.getScale() == ScalePolicy::Q)
    return op.emitOpError()
           << "expected scale = fma or start with weights of 8 "
              "bits, as Q is not rounded again, found scale = "
           << stringifyScalePolicy(schedule.getScale());
  if (liftOf(schedule) < kLeastLift)
    return op.emitOpError()
           << "expected lazy_log2 of at most "
           << int64_t(kMostLog2OfP) - kLeastLift
           << " with weights of 8 bits: they are lifted by 2^" << kLeastLift
           << " at least, and 448 is the greatest; found "
           << schedule.getLazyLog2();
  if (schedule.getScale() == ScalePolicy::Start &&
      !hasStep(schedule, StepKind::Subtract) && !problem.quantizesQ())
    return op.emitOpError(
        "expected a place for 'subtract' in the schedule's pipeline, which "
        "multiplies scores by their factor: only a Q that the kernel rounds "
        "has it; found none");
  return success();
}

LogicalResult fmha::checkSteps(AttentionOp op) {
  if (failed(checkFactors(op)) || failed(checkPages(op)) ||
      failed(checkFurther(op)))
    return failure();
  if (op.getProblem().modifiesScores() &&
      !hasStep(*op.getSchedule(), StepKind::ScoreMod))
    return op.emitOpError("expected a schedule with a place for 'score_mod' in "
                          "its pipeline: the problem has a soft cap, ALiBi, a "
                          "bias or a function of scores; found none");
  return success();
}
