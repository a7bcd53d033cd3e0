// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Steps.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// A step of the schedule, before there is an op for it.
struct Slot {
  StepAttr step;
  int64_t stage, place;
};

/// Whether it changes some scores of a lane and leaves the others as they are.
bool changesInPlace(StepOp op) {
  return op.worksByScore() &&
         op->getResult(0).getType() == op->getOperand(0).getType();
}

class Placer {
public:
  Placer(KvLoopOp loop, PipelineAttr pipeline)
      : loop(loop), body(*loop.getBodyBlock()), pipeline(pipeline),
        stages(pipeline.getStages().size()) {}

  FailureOr<SmallVector<Step>> run();

private:
  void collectSlots();
  LogicalResult placeWhole(StepOp op);
  LogicalResult placeParts(StepOp op, ArrayRef<Slot> slots);
  LogicalResult checkParts(StepOp op, ArrayRef<Slot> slots);
  LogicalResult chainScores();
  void useFirstPart(StepOp user);
  LogicalResult checkOrder();
  LogicalResult misplaced(const Step &step, const Step &needed,
                          bool ofTileBefore);
  void place(StepOp op, const Slot &slot) {
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

LogicalResult Placer::checkParts(StepOp op, ArrayRef<Slot> slots) {
  StringRef name = stringifyStepKind(op.getStepKind());
  int64_t first = 0, of = 1;
  for (const Slot &slot : slots) {
    PartAttr part = slot.step.getPart();
    if (!part)
      return op->emitOpError()
             << "expected one step '" << name
             << "' in the pipeline, or parts of it, found it whole and again";
    if (part.getFirst() * of != first * part.getOf())
      return op->emitOpError()
             << "expected the parts of '" << name
             << "' to follow each other: one that begins at " << first << " of "
             << of << ", found " << part.getFirst() << " of " << part.getOf();
    first = part.getLast();
    of = part.getOf();
  }
  if (first != of)
    return op->emitOpError() << "expected the parts of '" << name
                             << "' to be the whole, found the last to end at "
                             << first << " of " << of;
  return success();
}

LogicalResult Placer::placeParts(StepOp op, ArrayRef<Slot> slots) {
  if (failed(checkParts(op, slots)))
    return failure();
  OpBuilder b(op);
  SmallVector<std::pair<PartAttr, Value>> parts;
  SmallVector<StepOp> ops{op};
  for (size_t i = 1; i < slots.size(); ++i) {
    b.setInsertionPointAfter(ops.back());
    ops.push_back(cast<StepOp>(b.clone(*op)));
  }
  Value before;
  for (auto [part, slot] : llvm::zip(ops, slots)) {
    part.setPartAttr(slot.step.getPart());
    part.chain(before, /*isLast=*/part == ops.back());
    place(part, slot);
    before = part->getResult(0);
    parts.push_back({slot.step.getPart(), before});
  }
  op->getResult(0).replaceUsesWithIf(before, [&](OpOperand &use) {
    return !llvm::is_contained(ops, use.getOwner());
  });
  if (changesInPlace(op) || isa<LdsAccessOp>(op.getOperation()))
    partsOf[before] = parts;
  return success();
}

LogicalResult Placer::placeWhole(StepOp op) {
  auto it = slotsOf.find(unsigned(op.getStepKind()));
  if (it == slotsOf.end())
    return op->emitOpError()
           << "expected a step '" << stringifyStepKind(op.getStepKind())
           << "' in the schedule's pipeline, found none";
  ArrayRef<Slot> slots = it->second;
  if (slots.size() == 1 && !slots.front().step.getPart()) {
    place(op, slots.front());
    return success();
  }
  if (op.staysWhole()) {
    if (failed(checkParts(op, slots)))
      return failure();
    place(op, slots.back());
    return success();
  }
  return placeParts(op, slots);
}

/// What changes scores in place, as exponents and weights do, leaves them where
/// they lay: each part changes what the one before it left, whatever that made
/// of its own scores, and comes after those that change the same scores and
/// stand before it in the loop.
LogicalResult Placer::chainScores() {
  SmallVector<Step *> chain;
  for (Step &step : steps)
    if (changesInPlace(step.op))
      chain.push_back(&step);
  llvm::sort(chain, [&](Step *x, Step *y) {
    return x->time(stages) < y->time(stages);
  });
  auto rangeOf = [&](Step *step) {
    PartAttr part = step->op.getPartAttr();
    return part ? part : PartAttr::get(loop.getContext(), 0, 1, 1);
  };
  auto overlap = [](PartAttr x, PartAttr y) {
    return x.getFirst() * y.getOf() < y.getLast() * x.getOf() &&
           y.getFirst() * x.getOf() < x.getLast() * y.getOf();
  };
  for (auto [i, step] : llvm::enumerate(chain))
    for (Step *later : ArrayRef(chain).drop_front(i + 1))
      if (later->op->isBeforeInBlock(step->op) &&
          overlap(rangeOf(step), rangeOf(later)))
        return misplaced(*step, *later, /*ofTileBefore=*/false);
  for (size_t i = 1; i < chain.size(); ++i)
    chain[i]->op.chain(chain[i - 1]->op->getResult(0), /*isLast=*/false);
  return success();
}

/// A part of the scores of a lane needs no more of them than it takes, and a
/// part of a product no more of K or V: both go through the fragments of that
/// in their order, if a wave has one block of rows of Q.
void Placer::useFirstPart(StepOp user) {
  PartAttr part = user.getPartAttr();
  auto product = dyn_cast<ProductOp>(user.getOperation());
  ScheduleAttr schedule = loop->getParentOfType<KernelOp>().getSchedule();
  bool hasOneBlock =
      schedule.getTileM() == schedule.rowWaves() * schedule.getQk().getN();
  if (!part || !(product ? hasOneBlock : user.worksByScore()) ||
      changesInPlace(user))
    return;
  OpOperand &x = product ? product.getBMutable() : user->getOpOperand(0);
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
         << stringifyStepKind(StepOp(needed.op).getStepKind())
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
    if (!yielded.getDefiningOp() || yielded.getParentBlock() != &body) {
      loop.emitOpError("expected each carried value to be made anew for every "
                       "tile, found one that is passed on as it is");
      return failure();
    }
  llvm::SmallDenseSet<unsigned> found;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto step = dyn_cast<StepOp>(op);
    if (!step) {
      op.emitOpError("expected a step that a pipeline has a step for");
      return failure();
    }
    found.insert(unsigned(step.getStepKind()));
    if (failed(placeWhole(step)))
      return failure();
  }
  auto kernel = loop->getParentOfType<KernelOp>();
  for (auto &[kind, slots] : slotsOf) {
    const StagedOperand *brought = lookupLoad(StepKind(kind));
    const bool isShared =
        brought && sharesBuffer(kernel.getProblem(), kernel.getSchedule(),
                                brought->operand);
    if (found.contains(kind) || isOptional(StepKind(kind)) || isShared)
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
