// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Steps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fmha;

std::optional<StepKind> fmha::stepKindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<StepKind>>(op)
      .Case<LoadOp, CopyOp>([](auto op) {
        return op.getOperand() == Operand::K ? StepKind::LoadK
                                             : StepKind::LoadV;
      })
      .Case<ReadOp>([](auto op) {
        return op.getOperand() == Operand::K ? StepKind::ReadK
                                             : StepKind::ReadV;
      })
      .Case<QkOp>([](auto) { return StepKind::Qk; })
      .Case<ScoreModOp, AddBiasOp>([](auto) { return StepKind::ScoreMod; })
      .Case<MaskOp>([](auto) { return StepKind::Mask; })
      .Case<RowMaxOp, RebaseOp>([](auto) { return StepKind::RowMax; })
      .Case<RescaleIfOp>([](auto) { return StepKind::Rescale; })
      .Case<SubtractOp>([](auto) { return StepKind::Subtract; })
      .Case<ExpOp>([](auto) { return StepKind::Exp; })
      .Case<RowSumOp, MatrixSumOp>([](auto) { return StepKind::RowSum; })
      .Case<ConvertOp>([](auto) { return StepKind::Convert; })
      .Case<PvOp>([](auto) { return StepKind::Pv; })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {

/// A step of the schedule, before there is an op for it.
struct Slot {
  StepAttr step;
  int64_t stage, place;
};

class Placer {
public:
  Placer(KvLoopOp loop, PipelineAttr pipeline)
      : loop(loop), body(*loop.getBodyBlock()), pipeline(pipeline),
        stages(pipeline.getStages().size()) {}

  FailureOr<SmallVector<Step>> run();

private:
  void collectSlots();
  LogicalResult placeWhole(Operation *op, StepKind kind);
  LogicalResult placeParts(Operation *op, StepKind kind, ArrayRef<Slot> slots);
  LogicalResult checkParts(Operation *op, StepKind kind, ArrayRef<Slot> slots);
  LogicalResult chainScores();
  void useFirstPart(Operation *user);
  LogicalResult checkOrder();
  LogicalResult misplaced(const Step &step, const Step &needed,
                          bool ofTileBefore);
  void place(Operation *op, const Slot &slot) {
    steps.push_back({op, slot.step.getAhead(), slot.stage, slot.place});
  }
  std::pair<int64_t, int64_t> time(const Slot &slot) const {
    return {slot.stage - slot.step.getAhead() * stages, slot.place};
  }

  KvLoopOp loop;
  Block &body;
  PipelineAttr pipeline;
  int64_t stages;
  llvm::SmallDenseMap<unsigned, SmallVector<Slot>> slotsOf;
  SmallVector<Step> steps;
  /// Of an op that was divided and whose parts each change some of the scores
  /// of a lane: results by part, under the last.
  llvm::DenseMap<Value, SmallVector<std::pair<PartAttr, Value>>> partsOf;
};

void Placer::collectSlots() {
  for (auto [index, stage] : llvm::enumerate(pipeline.getStages()))
    for (auto [place, step] : llvm::enumerate(stage.getSteps()))
      slotsOf[unsigned(step.getKind())].push_back(
          {step, int64_t(index), int64_t(place)});
  for (auto &[kind, slots] : slotsOf)
    llvm::sort(slots,
               [&](const Slot &x, const Slot &y) { return time(x) < time(y); });
}

LogicalResult Placer::checkParts(Operation *op, StepKind kind,
                                 ArrayRef<Slot> slots) {
  int64_t first = 0, of = 1;
  for (const Slot &slot : slots) {
    PartAttr part = slot.step.getPart();
    if (!part)
      return op->emitOpError()
             << "expected one step '" << stringifyStepKind(kind)
             << "' in the pipeline, or parts of it, found it whole and again";
    if (part.getFirst() * of != first * part.getOf())
      return op->emitOpError()
             << "expected the parts of '" << stringifyStepKind(kind)
             << "' to follow each other: one that begins at " << first << " of "
             << of << ", found " << part.getFirst() << " of " << part.getOf();
    first = part.getLast();
    of = part.getOf();
  }
  if (first != of)
    return op->emitOpError()
           << "expected the parts of '" << stringifyStepKind(kind)
           << "' to be the whole, found the last to end at " << first << " of "
           << of;
  return success();
}

LogicalResult Placer::placeParts(Operation *op, StepKind kind,
                                 ArrayRef<Slot> slots) {
  if (failed(checkParts(op, kind, slots)))
    return failure();
  OpBuilder b(op);
  SmallVector<std::pair<PartAttr, Value>> parts;
  Operation *last = op;
  Value sumSoFar = isa<RowSumOp>(op) ? cast<RowSumOp>(op).getL() : Value();
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot &slot = slots[i];
    Operation *part = i ? b.clone(*op) : op;
    PartAttr range = slot.step.getPart();
    Value before = i ? last->getResult(0) : Value();
    llvm::TypeSwitch<Operation *>(part)
        .Case<QkOp, ReadOp, ConvertOp>([&](auto product) {
          product.setPartAttr(range);
          if (before)
            product.getPartialMutable().assign(before);
        })
        .Case<PvOp>([&](auto pv) {
          pv.setPartAttr(range);
          if (before)
            pv.getOMutable().assign(before);
        })
        .Case<MatrixSumOp>([&](auto sum) {
          sum.setPartAttr(range);
          if (before)
            sum.getLMutable().assign(before);
        })
        .Case<RowSumOp>([&](auto sum) {
          // The sum so far is taken by the last: it may still have to follow
          // the maximum when the first parts are summed.
          sum.setPartAttr(range);
          if (i + 1 < slots.size())
            sum.getLMutable().clear();
          else
            sum.getLMutable().assign(sumSoFar);
          if (before)
            sum.getPartialMutable().assign(before);
        })
        .Case<SubtractOp>([&](auto subtract) {
          subtract.setPartAttr(range);
          if (before)
            subtract.getSMutable().assign(before);
        })
        .Case<ExpOp>([&](auto exp) {
          exp.setPartAttr(range);
          if (before)
            exp.getXMutable().assign(before);
        });
    b.setInsertionPointAfter(part);
    place(part, slot);
    parts.push_back({range, part->getResult(0)});
    last = part;
  }
  op->getResult(0).replaceUsesWithIf(last->getResult(0), [&](OpOperand &use) {
    return llvm::none_of(parts, [&](auto &part) {
      return part.second.getDefiningOp() == use.getOwner();
    });
  });
  if (isa<ExpOp>(op))
    partsOf[last->getResult(0)] = parts;
  return success();
}

LogicalResult Placer::placeWhole(Operation *op, StepKind kind) {
  auto it = slotsOf.find(unsigned(kind));
  if (it == slotsOf.end())
    return op->emitOpError() << "expected a step '" << stringifyStepKind(kind)
                             << "' in the schedule's pipeline, found none";
  ArrayRef<Slot> slots = it->second;
  if (slots.size() == 1 && !slots.front().step.getPart()) {
    place(op, slots.front());
    return success();
  }
  return placeParts(op, kind, slots);
}

/// Exponents and weights lie where the scores did: each part changes what the
/// one before it left, be it of exponents or of weights, and needs the
/// exponents of its own scores only.
LogicalResult Placer::chainScores() {
  SmallVector<const Step *> chain;
  for (const Step &step : steps)
    if (isa<SubtractOp, ExpOp>(step.op))
      chain.push_back(&step);
  llvm::sort(chain, [&](const Step *x, const Step *y) {
    return x->time(stages) < y->time(stages);
  });
  auto rangeOf = [&](const Step *step) {
    auto part = step->op->getAttrOfType<PartAttr>("part");
    return part ? part : PartAttr::get(loop.getContext(), 0, 1, 1);
  };
  auto overlap = [](PartAttr x, PartAttr y) {
    return x.getFirst() * y.getOf() < y.getLast() * x.getOf() &&
           y.getFirst() * x.getOf() < x.getLast() * y.getOf();
  };
  bool isDivided = false;
  for (auto [i, step] : llvm::enumerate(chain)) {
    isDivided |= isa<SubtractOp>(step->op) && step->op->hasAttr("part");
    if (isa<ExpOp>(step->op))
      for (const Step *later : ArrayRef<const Step *>(chain).drop_front(i + 1))
        if (isa<SubtractOp>(later->op) &&
            overlap(rangeOf(step), rangeOf(later)))
          return misplaced(*step, *later, /*ofTileBefore=*/false);
  }
  if (isDivided)
    for (size_t i = 1; i < chain.size(); ++i)
      chain[i]->op->setOperand(0, chain[i - 1]->op->getResult(0));
  return success();
}

/// A part of the scores of a lane needs no more of them than it takes.
void Placer::useFirstPart(Operation *user) {
  auto part = user->getAttrOfType<PartAttr>("part");
  if (!part || !isa<RowSumOp, ConvertOp>(user))
    return;
  OpOperand &x = user->getOpOperand(0);
  auto it = partsOf.find(x.get());
  if (it == partsOf.end())
    return;
  for (auto &[range, value] : it->second)
    if (range.getLast() * part.getOf() >= part.getLast() * range.getOf()) {
      x.set(value);
      return;
    }
}

LogicalResult Placer::misplaced(const Step &step, const Step &needed,
                                bool ofTileBefore) {
  auto nameOf = [&](const Step &s) {
    return pipeline.getStages()[s.stage].getName();
  };
  return step.op->emitOpError()
         << "stands in " << nameOf(step) << ", " << step.ahead
         << " tiles ahead: expected it after '"
         << needed.op->getName().getStringRef()
         << (ofTileBefore ? "' of the tile before" : "'") << ", found that in "
         << nameOf(needed) << ", " << needed.ahead << " tiles ahead";
}

/// What an op needs stands before it; what it needs of the tile before, a whole
/// round earlier.
LogicalResult Placer::checkOrder() {
  llvm::DenseMap<Operation *, const Step *> stepOf;
  for (const Step &step : steps)
    stepOf[step.op] = &step;
  for (const Step &step : steps)
    for (Value operand : step.op->getOperands()) {
      int64_t rounds = 0;
      if (auto arg = dyn_cast<BlockArgument>(operand)) {
        if (arg.getOwner() != &body || arg.getArgNumber() == 0)
          continue;
        operand = body.getTerminator()->getOperand(arg.getArgNumber() - 1);
        rounds = 1;
      }
      auto it = stepOf.find(operand.getDefiningOp());
      if (it == stepOf.end())
        continue;
      auto needed = it->second->time(stages);
      needed.first -= rounds * stages;
      // Two ops of one step keep their order.
      if (needed < step.time(stages) ||
          (needed == step.time(stages) && it->first->isBeforeInBlock(step.op)))
        continue;
      return misplaced(step, *it->second, rounds > 0);
    }
  return success();
}

FailureOr<SmallVector<Step>> Placer::run() {
  collectSlots();
  for (Value yielded : body.getTerminator()->getOperands())
    if (auto arg = dyn_cast<BlockArgument>(yielded);
        arg && arg.getOwner() == &body) {
      loop.emitOpError("expected each carried value to be made anew for every "
                       "tile, found one that is passed on as it is");
      return failure();
    }
  llvm::SmallDenseSet<unsigned> found;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    std::optional<StepKind> kind = stepKindOf(&op);
    if (!kind) {
      op.emitOpError("expected a step that a pipeline has a step for");
      return failure();
    }
    found.insert(unsigned(*kind));
    if (failed(placeWhole(&op, *kind)))
      return failure();
  }
  for (auto &[kind, slots] : slotsOf) {
    // Nothing is done to the scores of a plain problem.
    if (found.contains(kind) || StepKind(kind) == StepKind::ScoreMod)
      continue;
    loop.emitOpError() << "expected '" << stringifyStepKind(StepKind(kind))
                       << "' in the loop, as the schedule's pipeline has a "
                          "step for it, found none";
    return failure();
  }
  if (failed(chainScores()))
    return failure();
  for (const Step &step : steps)
    useFirstPart(step.op);
  if (failed(checkOrder()))
    return failure();
  llvm::sort(steps, [](const Step &x, const Step &y) {
    std::pair first(x.stage, x.place), second(y.stage, y.place);
    return first != second ? first < second : x.op->isBeforeInBlock(y.op);
  });
  return std::move(steps);
}

} // namespace

FailureOr<SmallVector<Step>> fmha::placeSteps(KvLoopOp loop,
                                              PipelineAttr pipeline) {
  return Placer(loop, pipeline).run();
}
