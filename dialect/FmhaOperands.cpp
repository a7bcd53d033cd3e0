// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FmhaOperands.h"

using namespace mlir;
using namespace mlir::fmha;

static constexpr StagedOperand kStaged[] = {
    {Operand::K, StepKind::LoadK, StepKind::ReadK, StepKind::Qk,
     /*summedDim=*/1, TileRole::K, TileRole::Scores, &ScheduleAttr::getK,
     &ScheduleAttr::getQk},
    {Operand::V, StepKind::LoadV, StepKind::ReadV, StepKind::Pv,
     /*summedDim=*/0, TileRole::V, TileRole::Output, &ScheduleAttr::getV,
     &ScheduleAttr::getPv},
};

/// Steps that stand in one place as a whole.
static constexpr StepKind kWhole[] = {StepKind::LoadK,    StepKind::LoadV,
                                      StepKind::Mask,     StepKind::Rescale,
                                      StepKind::ScoreMod, StepKind::RowMax};

template <typename Key>
static const StagedOperand *find(Key StagedOperand::*key, Key value) {
  for (const StagedOperand &staged : kStaged)
    if (staged.*key == value)
      return &staged;
  return nullptr;
}

ArrayRef<StagedOperand> fmha::stagedOperands() { return kStaged; }

const StagedOperand *fmha::lookupStaged(Operand operand) {
  return find(&StagedOperand::operand, operand);
}

const StagedOperand &fmha::staged(Operand operand) {
  return *lookupStaged(operand);
}

const StagedOperand *fmha::lookupProduct(StepKind step) {
  return find(&StagedOperand::product, step);
}

const StagedOperand *fmha::lookupRead(StepKind step) {
  return find(&StagedOperand::read, step);
}

bool fmha::canBeDivided(StepKind step) {
  return !llvm::is_contained(kWhole, step);
}

bool fmha::changesScores(StepKind step) {
  return step == StepKind::Subtract || step == StepKind::ScoreMod;
}

bool fmha::isOptional(StepKind step) { return step == StepKind::ScoreMod; }
