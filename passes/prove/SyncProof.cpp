// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Chip.h"
#include "prove/Proofs.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

using namespace mlir;
using namespace mlir::fmha;

namespace {

constexpr int kWaveGroups = 2;
constexpr int64_t kNever = -1;
constexpr size_t kNoCopy = SIZE_MAX;

/// A copy into a buffer or a read out of it, or what waves share and gather of
/// an exchange, one time that it is executed. An
/// *epoch* is the number of barriers that a wave has gone through: what happens
/// in epoch e of any wave is over before what happens in epoch e + 1 of any
/// other begins, and unordered with all that happens in epoch e.
struct Access {
  Operation *op;
  Value buffer; ///< or exchange
  size_t copy;  ///< of a read: the copy that its token stands for
  int item;     ///< of the workgroup, one after the other
  int64_t begins[kWaveGroups] = {}; ///< epoch in which it is issued
  /// In which a wait of the wave covered it.
  int64_t ends[kWaveGroups] = {kNever, kNever};

  bool isOfExchange() const { return isa<ShareOp, GatherOp>(op); }
  bool isCopy() const {
    return isOfExchange() ? isa<ShareOp>(op) : cast<LdsAccessOp>(op).isCopy();
  }
};

/// A number that the walk knows: so much more than one that it does not, or
/// than nothing.
struct Number {
  Value base;
  int64_t offset = 0;
};

/// Walks what a wave of one group executes, with the loop so many times.
/// Follows the copies that each token stands for, and the tile indices that
/// give slots of rings. The first group adds the accesses, which the second one
/// meets in the same order.
class Execution {
public:
  Execution(SmallVector<Access> &accesses, int group, int rounds)
      : accesses(accesses), group(group), rounds(rounds) {}

  LogicalResult walk(Block &block) {
    for (Operation &op : block)
      if (failed(step(op)))
        return failure();
    return success();
  }

  int64_t epoch = 0;
  int item = 0;

private:
  LogicalResult step(Operation &op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](ShareOp share) {
          size_t number = issue(share, share.getExchange(), kNoCopy);
          copies[share.getToken()] = number;
          inLds.push_back(number);
          return success();
        })
        .Case([&](GatherOp gather) {
          inLds.push_back(
              issue(gather, gather.getExchange(), copyFor(gather.getToken())));
          return success();
        })
        .Case([&](LdsAccessOp access) {
          Value buffer =
              slots.lookup_or(access.getBuffer(), access.getBuffer());
          size_t number =
              issue(access, buffer,
                    access.isCopy() ? kNoCopy : copyFor(access.getToken()));
          if (access.isCopy())
            copies[access.getToken()] = number;
          if (isa<VectorMemoryOp>(op))
            fly(op, number);
          else
            inLds.push_back(number);
          return success();
        })
        .Case([&](VectorMemoryOp) {
          fly(op, kNoCopy);
          return success();
        })
        .Case([&](amdgpu::MemoryCounterWaitOp wait) {
          waitFor(wait);
          return success();
        })
        .Case([&](ROCDL::SBarrierOp) {
          ++epoch;
          return success();
        })
        .Case([&](StaggerOp stagger) {
          if (int(stagger.getGroup()) == group)
            epoch += stagger.getBarriers();
          return success();
        })
        .Case([&](RingSlotOp slot) { return take(slot); })
        .Case([&](StageOp stageOp) {
          return follow(stageOp.getBody().front(), stageOp.getResults());
        })
        .Case([&](KvLoopOp loop) { return repeat(loop); })
        .Case([&](scf::IfOp branch) { return choose(branch); })
        .Default([&](Operation *other) -> LogicalResult {
          SmallVector<MemoryEffects::EffectInstance> effects;
          if (auto memory = dyn_cast<MemoryEffectOpInterface>(other))
            memory.getEffectsOnResource(GlobalMemory::get(), effects);
          if (!effects.empty())
            return other->emitOpError("goes to memory: expected to know how "
                                      "many instructions a wait counts");
          if (other->getNumRegions() && hidesEvents(other))
            return other->emitOpError("expected memory traffic, waits and "
                                      "barriers in stages and KV loops, found "
                                      "some inside");
          compute(other);
          return success();
        });
  }

  /// Whether the walk would miss something inside of an op.
  static bool hidesEvents(Operation *op) {
    WalkResult found = op->walk([](Operation *inner) -> WalkResult {
      return failure(
          isa<LdsAccessOp, ShareOp, GatherOp, VectorMemoryOp,
              amdgpu::MemoryCounterWaitOp, ROCDL::SBarrierOp, StaggerOp>(
              inner));
    });
    return found.wasInterrupted();
  }

  /// Loads and stores share a counter (chipsets before gfx12); of reads and
  /// writes of LDS only a wait for all says which are done.
  void waitFor(amdgpu::MemoryCounterWaitOp wait) {
    std::optional<uint32_t> load = wait.getLoad(), store = wait.getStore();
    size_t outstanding = size_t(load.value_or(0)) + store.value_or(0);
    while ((load || store) && inFlight.size() > outstanding) {
      size_t done = inFlight.front();
      inFlight.pop_front();
      if (done != kNoCopy && !llvm::is_contained(inFlight, done))
        accesses[done].ends[group] = epoch;
    }
    if (wait.getDs() != 0u)
      return;
    for (size_t access : inLds)
      accesses[access].ends[group] = epoch;
    inLds.clear();
  }

  LogicalResult follow(Block &block, ValueRange results) {
    if (failed(walk(block)))
      return failure();
    rename(block.getTerminator()->getOperands(), results);
    return success();
  }

  /// Stores of results to one place or another. Of the two ways the one with
  /// the fewer instructions counts: a wait leaves so many in flight.
  LogicalResult choose(scf::IfOp branch) {
    WalkResult known = branch.walk([](Operation *op) -> WalkResult {
      return failure(
          isa<LdsAccessOp, ShareOp, GatherOp, amdgpu::MemoryCounterWaitOp,
              ROCDL::SBarrierOp, StaggerOp>(op));
    });
    if (known.wasInterrupted())
      return branch.emitOpError("expected memory traffic, waits and barriers "
                                "in stages and KV loops, found some inside");
    size_t fewest = SIZE_MAX;
    for (Region &region : branch->getRegions()) {
      size_t count = 0;
      region.walk([&](VectorMemoryOp memory) {
        count += memory.getVectorMemoryInstructions();
      });
      fewest = std::min(fewest, count);
    }
    inFlight.insert(inFlight.end(), fewest, kNoCopy);
    return success();
  }

  LogicalResult repeat(KvLoopOp loop) {
    Block &body = *loop.getBodyBlock();
    Number tile = numberOf(loop.getLower());
    ValueRange carried = loop.getInits();
    for (int round = 0; round < rounds; ++round) {
      rename(carried, body.getArguments().drop_front());
      numbers[body.getArgument(0)] = tile;
      if (failed(walk(body)))
        return failure();
      carried = body.getTerminator()->getOperands();
      tile.offset += loop.getStep();
    }
    rename(carried, loop.getResults());
    // So many rounds run where the loop ends here, and where else.
    numbers[loop.getUpper()] = tile;
    return success();
  }

  Number numberOf(Value value) const {
    return numbers.lookup_or(value, Number{value, 0});
  }
  size_t copyFor(Value token) const { return copies.lookup_or(token, kNoCopy); }

  /// All at once: a loop may exchange what it carries. Loops and stages carry
  /// no i32 (Fmha_Carried), so that no number outlives the round that it was
  /// made in, and equal bases are equal values.
  void rename(ValueRange from, ValueRange to) {
    auto values =
        llvm::map_to_vector(from, [&](Value value) { return copyFor(value); });
    for (auto [name, copy] : llvm::zip(to, values))
      copies[name] = copy;
  }

  void compute(Operation *op) {
    for (Value result : op->getResults())
      numbers.erase(result);
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant))) {
      numbers[op->getResult(0)] = {Value(), constant.getSExtValue()};
    } else if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      Number x = numberOf(op->getOperand(0)), y = numberOf(op->getOperand(1));
      if (isa<arith::SubIOp>(op)) {
        y.offset = -y.offset;
        if (x.base == y.base)
          x.base = y.base = {};
        else if (y.base)
          return;
      }
      if (!x.base || !y.base)
        numbers[op->getResult(0)] = {x.base ? x.base : y.base,
                                     x.offset + y.offset};
    }
  }

  LogicalResult take(RingSlotOp slot) {
    Number number = numberOf(slot.getNumber());
    if (number.base || number.offset < 0)
      return slot.emitOpError("expected a number of the tile that follows from "
                              "the rounds before it, at least 0, found one "
                              "that does not");
    slots[slot] = slot.getBuffers()[number.offset % slot.getBuffers().size()];
    return success();
  }

  size_t issue(Operation *op, Value buffer, size_t copy) {
    if (group == 0)
      accesses.push_back({op, buffer, copy, item});
    accesses[next].begins[group] = epoch;
    return next++;
  }

  /// Instructions of an op that count in vmcnt.
  void fly(Operation &op, size_t access) {
    inFlight.insert(inFlight.end(),
                    cast<VectorMemoryOp>(op).getVectorMemoryInstructions(),
                    access);
  }

  SmallVector<Access> &accesses;
  int group, rounds;
  size_t next = 0;             ///< of the accesses
  std::deque<size_t> inFlight; ///< instructions of the wave, by access
  SmallVector<size_t> inLds;   ///< reads and writes of the wave, by access
  llvm::DenseMap<Value, Number> numbers; ///< i32, as they are now
  llvm::DenseMap<Value, size_t> copies;  ///< access, by token
  llvm::DenseMap<Value, Value> slots;    ///< buffer, by what was taken in turn
};

StringRef nameOf(int group) { return group == 0 ? "first" : "second"; }

/// Elements of its buffer, row by row, that the waves of one group copy or
/// read.
llvm::BitVector elementsOf(LdsAccessOp op, int group) {
  ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
  LaneLayoutAttr layout = op.getTouchLayout();
  if (!layout) // nobody knows: all of them
    return llvm::BitVector(shape[0] * shape[1], true);
  llvm::BitVector elements(shape[0] * shape[1]);
  int64_t waves = op->getParentOfType<KernelOp>().getSchedule().getWaves();
  for (int64_t wave = 0; wave < waves; ++wave) {
    if (wave * kWaveGroups / waves != group)
      continue;
    for (int64_t fragment : op.getTouchedFragments())
      for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
        for (int64_t reg = 0; reg < layout.getFragment(); ++reg) {
          auto [row, col] = coordinatesOf(
              layout, fragment * layout.getFragment() + reg, lane, wave);
          elements.set(row * shape[1] + col);
        }
  }
  return elements;
}

/// Whether what one wave group does and what the other, or the same, does later
/// touches the same elements. A wave group copies only a part of a tile,
/// and a part of a read needs only that.
/// In an exchange every wave may meet every other.
bool meet(const Access &before, int early, const Access &after, int late) {
  return before.isOfExchange() || after.isOfExchange() ||
         elementsOf(cast<LdsAccessOp>(before.op), early)
             .anyCommon(elementsOf(cast<LdsAccessOp>(after.op), late));
}

/// Bytes of LDS, from the first to the last, exclusive.
std::pair<int64_t, int64_t> byteRangeOf(Value buffer) {
  if (auto exchange = dyn_cast<ExchangeType>(buffer.getType()))
    return {0, exchange.getBytes()};
  auto type = cast<LdsType>(buffer.getType());
  return {type.getOffsetBytes(),
          type.getOffsetBytes() + type.getLayout().getBytes()};
}

/// Whether an exchange and a buffer have bytes in common. Two buffers have
/// none, which is proved of the layouts.
bool alias(const Access &x, const Access &y) {
  if (x.isOfExchange() == y.isOfExchange())
    return false;
  auto [first, end] = byteRangeOf(x.buffer);
  auto [otherFirst, otherEnd] = byteRangeOf(y.buffer);
  return first < otherEnd && otherFirst < end;
}

/// What a copy or a read is in the words of the schedule, "load_k ahead 2": its
/// step, and how many tiles it is ahead, which only stages say.
std::string stepOf(Operation *op) {
  if (isa<ShareOp, GatherOp>(op))
    return isa<ShareOp>(op) ? "share" : "gather";
  auto own = cast<StepOp>(op);
  std::string text = stringifyStepKind(own.getStepKind()).str();
  PipelineAttr pipeline =
      op->getParentOfType<KernelOp>().getSchedule().getPipeline();
  if (auto stageOp = op->getParentOfType<StageOp>())
    for (StageAttr stage : pipeline.getStages())
      for (StepAttr step : stage.getSteps())
        if (stage.getName() == stageOp.getStageAttr() &&
            step.getKind() == own.getStepKind() &&
            step.getPart() == own.getPartAttr() && step.getAhead())
          text += " ahead " + std::to_string(step.getAhead());
  return text;
}

/// "load_k ahead 2 in @v_in"
std::string placeOf(Operation *op) {
  auto stageOp = op->getParentOfType<StageOp>();
  return stepOf(op) + (stageOp ? " in @" + stageOp.getStage().str() : "");
}

InFlightDiagnostic errorAt(const Access &access) {
  return access.op->emitError() << placeOf(access.op) << " ";
}

void noteBefore(InFlightDiagnostic &diag, const Access &before) {
  diag.attachNote(before.op->getLoc())
      << "'" << before.op->getName().getStringRef() << "' before it";
}

/// What to change where V is read from the one buffer that K's next tile takes.
void noteOneBuffer(InFlightDiagnostic &diag, const Access &before,
                   const Access &after) {
  auto operandOf = [](Operation *op) {
    auto access = dyn_cast<LdsAccessOp>(op);
    return access ? access.getOperand() : Operand::Q;
  };
  auto kernel = after.op->getParentOfType<KernelOp>();
  ScheduleAttr schedule = kernel.getSchedule();
  const bool isOfV =
      operandOf(before.op) == Operand::V || operandOf(after.op) == Operand::V;
  if (isOfV && schedule.getK().getBuffers() == 1 &&
      sharesBuffer(kernel.getProblem(), schedule, Operand::V))
    diag << "; V is read from K's buffer (v = <shared = true>), which K's next "
            "tile takes: try two, k = <buffers = 2>";
}

/// `before` has ended in every wave before `after` begins in any that touches
/// what it did.
LogicalResult ordered(const Access &before, const Access &after,
                      StringRef what) {
  for (int early = 0; early < kWaveGroups; ++early)
    for (int late = 0; late < kWaveGroups; ++late) {
      bool isOver = before.ends[early] != kNever &&
                    before.ends[early] < after.begins[late];
      if (isOver || !meet(before, early, after, late))
        continue;
      std::string second = stepOf(after.op);
      InFlightDiagnostic diag =
          errorAt(after) << what << " " << placeOf(before.op)
                         << ": expected a barrier after the wait of the "
                         << nameOf(early) << " wave group for "
                         << stepOf(before.op) << " and before " << second
                         << " of the " << nameOf(late) << " group, found ";
      if (before.ends[early] == kNever)
        diag << "no wait";
      else
        diag << "the wait after " << before.ends[early] << " barriers and "
             << second << " after " << after.begins[late];
      noteOneBuffer(diag, before, after);
      noteBefore(diag, before);
      return diag;
    }
  return success();
}

/// Access `i` against those before it, back to the copy that it reads, or that
/// it replaces.
LogicalResult proveAccess(ArrayRef<Access> accesses, size_t i) {
  const Access &access = accesses[i];
  bool wasRead = false;
  for (size_t j = i; j-- > 0;) {
    const Access &before = accesses[j];
    if (before.buffer != access.buffer) {
      if (alias(before, access) && (before.isCopy() || access.isCopy()) &&
          failed(ordered(before, access,
                         before.isCopy() ? "uses the bytes of"
                                         : "overwrites the bytes of")))
        return failure();
      continue;
    }
    if (!before.isCopy()) {
      wasRead = true;
      if (access.isCopy() &&
          failed(
              ordered(before, access, "overwrites what may still be read by")))
        return failure();
      continue;
    }
    if (access.isCopy()) {
      if (wasRead)
        return success();
      // What is left of another item was for nothing.
      if (before.item != access.item)
        return ordered(before, access,
                       "overwrites what may not be there yet of");
      InFlightDiagnostic diag = errorAt(access)
                                << "copies into a buffer that nothing was read "
                                   "from since the last copy";
      noteBefore(diag, before);
      return diag;
    }
    if (failed(ordered(before, access, "reads what may not be there yet of")))
      return failure();
    if (access.copy == j)
      return success();
    InFlightDiagnostic diag = errorAt(access)
                              << "reads another tile than its token stands for";
    diag.attachNote(before.op->getLoc()) << "the last copy before it";
    return diag;
  }
  if (access.isCopy())
    return success();
  return errorAt(access) << "reads a buffer that nothing was copied into";
}

/// One item, and the next of the same workgroup, if it has several.
LogicalResult proveRounds(KernelOp kernel, int rounds) {
  WorkOp work = kernel.getWork();
  const int items = work && work.repeats() ? 2 : 1;
  SmallVector<Access> accesses;
  int64_t barriers[kWaveGroups];
  for (int group = 0; group < kWaveGroups; ++group) {
    Execution execution(accesses, group, rounds);
    for (; execution.item < items; ++execution.item)
      if (failed(execution.walk(*kernel.getItemBlock())))
        return failure();
    barriers[group] = execution.epoch;
  }
  if (barriers[0] != barriers[1])
    return kernel.emitOpError()
           << "expected both wave groups to go through as many "
              "barriers, found "
           << barriers[0] << " and " << barriers[1];
  for (size_t i = 0; i < accesses.size(); ++i)
    if (failed(proveAccess(accesses, i)))
      return failure();
  return success();
}

} // namespace

LogicalResult fmha::proveSynced(KernelOp kernel) {
  // No access is concerned with one that is further away than the others of its
  // buffer, and each buffer is copied into in every round, or in one of as many
  // rounds as its ring has buffers.
  size_t period = 1;
  kernel.walk([&](RingSlotOp slot) {
    period = std::max<size_t>(period, slot.getBuffers().size());
  });
  int lastRounds = 3 * period;
  for (int rounds = 0; rounds <= lastRounds; ++rounds)
    if (failed(proveRounds(kernel, rounds)))
      return failure();
  return success();
}
