// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tiles/CheckSteps.h"

#include "FmhaOperands.h"

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

/// What waves that divide the keys carry beside O, l and the maximum is not
/// merged.
LogicalResult checkKeyWaves(AttentionOp op) {
  if (op.getSchedule()->getKeyWaves() == 1 ||
      !rowsAFactor(op.getProblem(), Operand::VScale))
    return success();
  return op.emitOpError()
         << "expected a schedule without key_waves: rows of V, or blocks of "
            "them, have factors of their own, and O of each wave would follow "
            "those of its keys; found key_waves = "
         << op.getSchedule()->getKeyWaves();
}

} // namespace

LogicalResult fmha::checkSteps(AttentionOp op) {
  if (failed(checkFactors(op)) || failed(checkPages(op)) ||
      failed(checkKeyWaves(op)))
    return failure();
  if (op.getProblem().modifiesScores() &&
      !hasStep(*op.getSchedule(), StepKind::ScoreMod))
    return op.emitOpError("expected a schedule with a place for 'score_mod' in "
                          "its pipeline: the problem has a soft cap, ALiBi, a "
                          "bias or a function of scores; found none");
  return success();
}
