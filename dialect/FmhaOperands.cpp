// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FmhaOperands.h"

using namespace mlir;
using namespace mlir::fmha;

static constexpr StagedOperand kStaged[] = {
    {Operand::K, StepKind::PageK, StepKind::LoadK, StepKind::WriteK,
     StepKind::ReadK, StepKind::Qk, StepKind::ScaleK, StepKind::UnitK,
     Operand::KScale, /*summedDim=*/1, TileRole::K, TileRole::Scores,
     &ProblemAttr::getK, &ProblemAttr::getHeldQ, &ScheduleAttr::getK,
     &ScheduleAttr::getQk},
    {Operand::KRope, StepKind::PageK, StepKind::LoadK, StepKind::WriteK,
     StepKind::ReadK, StepKind::Qk, StepKind::ScaleK, StepKind::UnitK,
     Operand::KScale, /*summedDim=*/1, TileRole::K, TileRole::Scores,
     &ProblemAttr::getK, &ProblemAttr::getHeldQ, &ScheduleAttr::getK,
     &ScheduleAttr::getQk, /*isFurther=*/true},
    {Operand::V, StepKind::PageV, StepKind::LoadV, StepKind::WriteV,
     StepKind::ReadV, StepKind::Pv, StepKind::ScaleV, StepKind::UnitV,
     Operand::VScale, /*summedDim=*/0, TileRole::V, TileRole::Output,
     &ProblemAttr::getV, &ProblemAttr::getP, &ScheduleAttr::getV,
     &ScheduleAttr::getPv},
};

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

const StagedOperand *fmha::lookupPage(StepKind step) {
  return find(&StagedOperand::page, step);
}

const StagedOperand *fmha::lookupLoad(StepKind step) {
  return find(&StagedOperand::load, step);
}

const StagedOperand *fmha::lookupWrite(StepKind step) {
  return find(&StagedOperand::write, step);
}

const StagedOperand *fmha::lookupTileFactor(StepKind step) {
  const StagedOperand *ofScale = find(&StagedOperand::scale, step);
  return ofScale ? ofScale : find(&StagedOperand::unit, step);
}

TensorArgs fmha::tensorArgs(Operand operand) {
  switch (operand) {
  case Operand::Q:
    return {Arg::Q, Arg::QBatchStride, Arg::QHeadStride, Arg::QRowStride,
            Sequence::Q};
  case Operand::K:
    return {Arg::K,          Arg::KBatchStride, Arg::KHeadStride,
            Arg::KRowStride, Sequence::Kv,      /*kvHeads=*/true,
            /*byKey=*/false, Arg::KPageStride};
  case Operand::KRope:
    return {Arg::KRope,          Arg::KRopeBatchStride, Arg::KRopeHeadStride,
            Arg::KRopeRowStride, Sequence::Kv,          /*kvHeads=*/true,
            /*byKey=*/false,     Arg::KRopePageStride};
  case Operand::V:
    return {Arg::V,          Arg::VBatchStride, Arg::VHeadStride,
            Arg::VRowStride, Sequence::Kv,      /*kvHeads=*/true,
            /*byKey=*/false, Arg::VPageStride};
  case Operand::O:
    return {Arg::O, Arg::OBatchStride, Arg::OHeadStride, Arg::ORowStride,
            Sequence::Q};
  case Operand::Lse:
    return {Arg::Lse, Arg::LseBatchStride, Arg::LseHeadStride, std::nullopt,
            Sequence::Q};
  case Operand::Bias:
    return {Arg::Bias,          Arg::BiasBatchStride, Arg::BiasHeadStride,
            Arg::BiasRowStride, Sequence::Q,          /*kvHeads=*/false,
            /*byKey=*/true};
  case Operand::QScale:
    return {Arg::QScale, Arg::QScaleBatchStride, Arg::QScaleHeadStride,
            Arg::QScaleBlockStride, Sequence::Q};
  case Operand::KScale:
    return {Arg::KScale,           Arg::KScaleBatchStride,
            Arg::KScaleHeadStride, Arg::KScaleBlockStride,
            Sequence::Kv,          /*kvHeads=*/true};
  case Operand::VScale:
    return {Arg::VScale,           Arg::VScaleBatchStride,
            Arg::VScaleHeadStride, Arg::VScaleBlockStride,
            Sequence::Kv,          /*kvHeads=*/true};
  case Operand::Pages:
    return {Arg::PageTable, Arg::PageTableBatchStride, std::nullopt,
            std::nullopt, Sequence::Kv};
  case Operand::PartO:
    return {Arg::PartO, std::nullopt, std::nullopt, std::nullopt, Sequence::Q};
  case Operand::PartLse:
    return {Arg::PartLse, std::nullopt, std::nullopt, std::nullopt,
            Sequence::Q};
  case Operand::Sink:
  case Operand::AlibiSlopes: {
    TensorArgs args{Arg::Sink, std::nullopt, std::nullopt, std::nullopt,
                    Sequence::Q};
    args.byHead = true;
    if (operand == Operand::AlibiSlopes) {
      args.base = Arg::AlibiSlopes;
      args.batchStride = Arg::AlibiBatchStride;
    }
    return args;
  }
  }
  llvm_unreachable("closed enum");
}

std::string fmha::spell(CachePolicy policy) {
  std::string text = stringifyCachePolicy(policy);
  llvm::replace(text, '|', ' ');
  return text;
}

CachePolicy CacheAttr::of(Operand operand) const {
  switch (operand) {
  case Operand::Q:
    return getQ();
  case Operand::K:
  case Operand::KRope:
    return getK();
  case Operand::V:
    return getV();
  case Operand::O:
    return getO();
  case Operand::Lse:
    return getLse();
  case Operand::Bias:
    return getBias();
  case Operand::QScale:
    return getQScale();
  case Operand::KScale:
    return getKScale();
  case Operand::VScale:
    return getVScale();
  case Operand::Pages:
    return getPages();
  case Operand::PartO:
    return getPartO();
  case Operand::PartLse:
    return getPartLse();
  case Operand::Sink:
  case Operand::AlibiSlopes:
    return CachePolicy::None; // few bytes, which all workgroups read
  }
  llvm_unreachable("closed enum");
}

int64_t fmha::alignedRowsAFactor(ProblemAttr problem, Operand operand) {
  int64_t rows = rowsAFactor(problem, operand);
  return rows & -rows;
}

int64_t fmha::alignedRowsAPage(ProblemAttr problem) {
  return problem.getPageSize() & -problem.getPageSize();
}

Operand fmha::tensorOf(ProblemAttr problem, Operand operand) {
  const bool isInK = (operand == Operand::V && problem.getVInK()) ||
                     (operand == Operand::KRope && !problem.getRopeDim());
  return isInK ? Operand::K : operand;
}

int64_t fmha::furtherCols(ProblemAttr problem, ScheduleAttr schedule) {
  if (problem.getRopeDim() || !problem.getVInK())
    return problem.getRopeDim();
  const int64_t rest = problem.getHeadDimQk() - problem.getHeadDimV();
  return problem.getHeadDimV() % schedule.getQk().getK() == 0 ? rest : 0;
}

bool fmha::sharesBuffer(ProblemAttr problem, ScheduleAttr schedule,
                        Operand operand) {
  if (operand != Operand::V || !problem.getVInK() ||
      !schedule.getV().getShared())
    return false;
  auto widthOf = [](int64_t cols, int64_t step) {
    return std::max<int64_t>(step, llvm::PowerOf2Ceil(cols));
  };
  const int64_t ofK = problem.getHeadDimQk() - furtherCols(problem, schedule);
  return widthOf(problem.getHeadDimV(), schedule.getPv().getM()) <=
         widthOf(ofK, schedule.getQk().getK());
}

bool fmha::bringsZeros(ProblemAttr problem, ScheduleAttr schedule,
                       Operand operand) {
  return staged(operand).sumsKeys() ||
         (operand == Operand::K && sharesBuffer(problem, schedule, Operand::V));
}

int64_t fmha::readColsOf(ProblemAttr problem, ScheduleAttr schedule,
                         Operand operand, int64_t cols) {
  const int64_t own = staged(operand).getReadCols(schedule, cols);
  if (operand != Operand::K || !sharesBuffer(problem, schedule, Operand::V))
    return own;
  return std::max(
      own, staged(Operand::V).getReadCols(schedule, problem.getHeadDimV()));
}

int64_t fmha::pieceElems(ProblemAttr problem, Operand operand) {
  const StagedOperand *own = lookupStaged(operand);
  if (!problem.getVectorised() || !own)
    return 0;
  return kVectorAccessBytes / bytesOf(bitsOf(own->getMemoryElement(problem)));
}

unsigned fmha::dimOnEnd(ProblemAttr problem, Operand operand) {
  return pieceElems(problem, operand) &&
                 staged(tensorOf(problem, operand)).sumsKeys()
             ? 0
             : 1;
}

/// When a step comes for a tile, by stages and places in them; nothing if it is
/// not in the pipeline.
static std::optional<std::pair<int64_t, int64_t>> timeOf(PipelineAttr pipeline,
                                                         StepKind kind) {
  const int64_t stages = pipeline.getStages().size();
  for (auto [i, stage] : llvm::enumerate(pipeline.getStages()))
    for (auto [place, step] : llvm::enumerate(stage.getSteps()))
      if (step.getKind() == kind)
        return std::pair(int64_t(i) - step.getAhead() * stages, int64_t(place));
  return std::nullopt;
}

bool fmha::takesPagesOfK(ProblemAttr problem, ScheduleAttr schedule) {
  auto ofK = timeOf(schedule.getPipeline(), StepKind::PageK),
       ofV = timeOf(schedule.getPipeline(), StepKind::PageV);
  return problem.hasTilesInPages(schedule.getTileN()) && ofK && ofV &&
         *ofK <= *ofV;
}

bool fmha::holdsLookUps(ScheduleAttr schedule) {
  return schedule.getPipeline().getStagger() != 0;
}

bool fmha::sharePages(ProblemAttr problem, LaneLayoutAttr keys) {
  return llvm::all_of(keys.getLane(), [&](int64_t key) {
    return key < alignedRowsAPage(problem);
  });
}

static Factors factorsOf(ProblemAttr problem, Operand operand) {
  switch (operand) {
  case Operand::QScale:
    return problem.getQScale();
  case Operand::KScale:
    return problem.getKScale();
  case Operand::VScale:
    return problem.getVScale();
  default:
    return Factors::None;
  }
}

bool fmha::hasFactorsOfPages(ProblemAttr problem, Operand operand) {
  return problem.getPages() != Pages::None && operand != Operand::QScale &&
         factorsOf(problem, operand) == Factors::Block;
}

int64_t fmha::rowsAFactor(ProblemAttr problem, Operand operand) {
  switch (factorsOf(problem, operand)) {
  case Factors::None:
  case Factors::Head:
    return 0;
  case Factors::Token:
    return 1;
  case Factors::Block:
    return hasFactorsOfPages(problem, operand) ? problem.getPageSize()
                                               : problem.getScaleBlock();
  }
  llvm_unreachable("closed enum");
}

bool fmha::hasFactorsOfRows(ProblemAttr problem, ScheduleAttr schedule) {
  return rowsAFactor(problem, Operand::QScale) ||
         (schedule.packsHeads() && problem.getQScale() != Factors::None);
}

bool fmha::sharesFactor(ProblemAttr problem, Operand operand, int64_t keys) {
  int64_t rows = rowsAFactor(problem, operand);
  return rows && rows % keys == 0;
}

bool fmha::followsTileFactor(ProblemAttr problem, ScheduleAttr schedule,
                             const StagedOperand &operand) {
  PipelineAttr pipeline = schedule.getPipeline();
  // Functions take scores as they are.
  const bool hasPlace =
      timeOf(pipeline, operand.scale) && timeOf(pipeline, operand.unit) &&
      (operand.sumsKeys() ||
       (schedule.getScale() == ScalePolicy::Start &&
        timeOf(pipeline, StepKind::Subtract) && !problem.modifiesScores()));
  return hasPlace &&
         sharesFactor(problem, operand.factors, schedule.getTileN());
}

bool fmha::canBeDivided(StepKind step) {
  return !lookupPage(step) && !lookupLoad(step) && !lookupWrite(step) &&
         !lookupTileFactor(step) &&
         !llvm::is_contained({StepKind::Mask, StepKind::Rescale,
                              StepKind::ScoreMod, StepKind::RowMax},
                             step);
}

bool fmha::canMake(StepKind step, SchedClass kind) {
  switch (kind) {
  case SchedClass::Valu:
  case SchedClass::Salu:
    return true;
  case SchedClass::Mfma:
    return lookupProduct(step) || step == StepKind::RowSum;
  case SchedClass::Trans:
    return llvm::is_contained(
        {StepKind::Exp, StepKind::RowMax, StepKind::ScoreMod}, step);
  case SchedClass::DsRead:
    return lookupRead(step);
  case SchedClass::Vmem:
    return lookupPage(step) || lookupLoad(step) || step == StepKind::ScoreMod ||
           step == StepKind::Convert;
  }
  llvm_unreachable("closed enum");
}

bool fmha::changesScores(StepKind step) {
  return step == StepKind::Subtract || step == StepKind::ScoreMod;
}

bool fmha::isOptional(StepKind step) {
  return step == StepKind::ScoreMod || lookupWrite(step) || lookupPage(step) ||
         lookupTileFactor(step);
}
