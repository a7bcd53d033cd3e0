// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prove/SyncProof.h"

#include "chip/Chip.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>

using namespace mlir;
using namespace mlir::fmha;

namespace {

constexpr int kWaveGroups = 2;
constexpr int64_t kNever = -1;

/// A copy into a buffer or a read out of it, one time that it is executed. An
/// *epoch* is the number of barriers that a wave has gone through: what happens
/// in epoch e of any wave is over before what happens in epoch e + 1 of any
/// other begins, and unordered with all that happens in epoch e.
struct Access {
  LdsAccessOp op;
  Value buffer;
  int64_t begins[kWaveGroups]; ///< epoch in which it is issued
  int64_t
      ends[kWaveGroups]; ///< in which a wait of the wave covered it, or never
  size_t copy;           ///< of a read: the copy that its token stands for
  static constexpr size_t kNoCopy = SIZE_MAX;
  bool isCopy() const { return LdsAccessOp(op).isCopy(); }
};

/// A number that the walk knows: so much more than one that it does not, or
/// than nothing.
struct Number {
  Value base;
  int64_t offset = 0;
};

/// Walks what a wave of each group executes, with the loop so many times and so
/// many branches to their else. Follows what tokens stand for, and tile indices
/// as far as slots of rings need them.
class Execution {
public:
  Execution(int rounds, int elses) : rounds(rounds), elses(elses) {}

  LogicalResult run(Block &block) {
    for (group = 0; group < kWaveGroups; ++group) {
      epoch = 0;
      next = 0;
      elsesLeft = elses;
      inFlight.clear();
      reading.clear();
      numbers.clear();
      copies.clear();
      slots.clear();
      if (failed(walk(block)))
        return failure();
      total[group] = epoch;
    }
    return success();
  }

  SmallVector<Access> accesses;
  int64_t total[kWaveGroups] = {0, 0};

private:
  LogicalResult walk(Block &block) {
    for (Operation &op : block)
      if (failed(step(op)))
        return failure();
    return success();
  }

  LogicalResult step(Operation &op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case([&](LdsAccessOp access) {
          size_t number = issue(access);
          if (access.isCopy()) {
            copies[access.getToken()] = number;
            fly(op, number);
          } else {
            reading.push_back(number);
          }
          return success();
        })
        .Case([&](VectorMemoryOp) {
          fly(op, kOther);
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
        .Case([&](scf::IfOp branch) {
          Block *block =
              elsesLeft-- > 0 ? branch.elseBlock() : branch.thenBlock();
          return block ? follow(*block, branch.getResults()) : success();
        })
        .Case([&](KvLoopOp loop) { return repeat(loop); })
        .Default([&](Operation *other) -> LogicalResult {
          SmallVector<MemoryEffects::EffectInstance> effects;
          if (auto memory = dyn_cast<MemoryEffectOpInterface>(other))
            memory.getEffectsOnResource(GlobalMemory::get(), effects);
          if (!effects.empty())
            return other->emitOpError("goes to memory: expected to know how "
                                      "many instructions a wait counts");
          compute(other);
          return success();
        });
  }

  /// Loads and stores share a counter (chipsets before gfx12); of reads only a
  /// wait for all says which have delivered.
  void waitFor(amdgpu::MemoryCounterWaitOp wait) {
    std::optional<uint32_t> load = wait.getLoad(), store = wait.getStore();
    if (load || store) {
      size_t outstanding = size_t(load.value_or(0)) + store.value_or(0);
      while (inFlight.size() > outstanding) {
        size_t done = inFlight.front();
        inFlight.pop_front();
        if (done != kOther && !llvm::is_contained(inFlight, done))
          accesses[done].ends[group] = epoch;
      }
    }
    if (wait.getDs() != 0u)
      return;
    for (size_t read : reading)
      accesses[read].ends[group] = epoch;
    reading.clear();
  }

  LogicalResult follow(Block &block, ValueRange results) {
    if (failed(walk(block)))
      return failure();
    rename(block.getTerminator()->getOperands(), results);
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
    auto it = numbers.find(value);
    return it == numbers.end() ? Number{value, 0} : it->second;
  }
  size_t copyFor(Value token) const {
    auto it = copies.find(token);
    return it == copies.end() ? kOther : it->second;
  }

  /// All at once: a loop may exchange what it carries. Only branches give i32:
  /// loops and steps carry none (Fmha_Carried), so that no number outlives
  /// the round that it was made in, and equal bases are equal values.
  void rename(ValueRange from, ValueRange to) {
    SmallVector<std::pair<Number, size_t>> values;
    for (Value value : from)
      values.push_back({numberOf(value), copyFor(value)});
    for (auto [name, value] : llvm::zip(to, values))
      if (isa<TokenType>(name.getType()))
        copies[name] = value.second;
      else if (name.getType().isInteger(32))
        numbers[name] = value.first;
  }

  void compute(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
        numbers[op->getResult(0)] = {Value(), value.getInt()};
    } else if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      Number x = numberOf(op->getOperand(0)), y = numberOf(op->getOperand(1));
      if (isa<arith::SubIOp>(op) && x.base == y.base)
        numbers[op->getResult(0)] = {Value(), x.offset - y.offset};
      else if (isa<arith::AddIOp>(op) && (!x.base || !y.base))
        numbers[op->getResult(0)] = {x.base ? x.base : y.base,
                                     x.offset + y.offset};
      else if (isa<arith::SubIOp>(op) && !y.base)
        numbers[op->getResult(0)] = {x.base, x.offset - y.offset};
      else
        numbers.erase(op->getResult(0));
    } else {
      for (Value result : op->getResults())
        numbers.erase(result);
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

  size_t issue(LdsAccessOp op) {
    Value buffer = op.getBuffer();
    if (Value taken = slots.lookup(buffer))
      buffer = taken;
    if (group == 0)
      accesses.push_back({op,
                          buffer,
                          {},
                          {kNever, kNever},
                          op.isCopy() ? kOther : copyFor(op.getToken())});
    accesses[next].begins[group] = epoch;
    return next++;
  }

  /// Instructions of an op that count in vmcnt.
  void fly(Operation &op, size_t access) {
    inFlight.insert(inFlight.end(),
                    cast<VectorMemoryOp>(op).getVectorMemoryInstructions(),
                    access);
  }

  static constexpr size_t kOther = Access::kNoCopy; ///< a load not to LDS
  int rounds, elses, elsesLeft = 0, group = 0;
  int64_t epoch = 0;
  size_t next = 0;
  std::deque<size_t> inFlight; ///< instructions of the wave, by access
  SmallVector<size_t> reading;
  llvm::DenseMap<Value, Number> numbers; ///< i32, as they are now
  llvm::DenseMap<Value, size_t> copies;  ///< access, by token
  llvm::DenseMap<Value, Value> slots;    ///< buffer, by what was taken in turn
};

StringRef nameOf(int group) { return group == 0 ? "first" : "second"; }

/// Elements of a buffer, row by row, that the waves of one group copy or read
/// by some fragments of a layout.
llvm::BitVector elementsOf(KernelOp kernel, int group, ArrayRef<int64_t> shape,
                           LaneLayoutAttr layout, ArrayRef<int64_t> fragments) {
  llvm::BitVector elements(shape[0] * shape[1]);
  auto coord = [&](int64_t fragment, int64_t reg, int64_t lane, int64_t wave,
                   unsigned dim) {
    int64_t at = 0, index = fragment * layout.getFragment() + reg;
    for (unsigned bit = 0; bit < layout.regBits(); ++bit)
      at ^= index >> bit & 1 ? layout.regBasis(bit, dim) : 0;
    for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
      at ^= lane >> bit & 1 ? layout.laneBasis(bit, dim) : 0;
    for (unsigned bit = 0; bit < layout.waveBits(); ++bit)
      at ^= wave >> bit & 1 ? layout.waveBasis(bit, dim) : 0;
    return at;
  };
  int64_t waves = kernel.getSchedule().getWaves();
  for (int64_t wave = 0; wave < waves; ++wave) {
    if (wave * kWaveGroups / waves != group)
      continue;
    for (int64_t fragment : fragments)
      for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
        for (int64_t reg = 0; reg < layout.getFragment(); ++reg)
          elements.set(coord(fragment, reg, lane, wave, 0) * shape[1] +
                       coord(fragment, reg, lane, wave, 1));
  }
  return elements;
}

llvm::BitVector elementsOf(LdsAccessOp op, int group) {
  ArrayRef<int64_t> shape = op.getBuffer().getType().getShape();
  LaneLayoutAttr layout = op.getTouchLayout();
  if (!layout) // nobody knows: all of them
    return llvm::BitVector(shape[0] * shape[1], true);
  return elementsOf(op->getParentOfType<KernelOp>(), group, shape, layout,
                    op.getTouchedFragments());
}

/// Whether what one wave group does and what the other, or the same, does later
/// touches the same elements. A wave group copies only a part of a tile,
/// and a part of a read needs only that.
bool meet(const Access &before, int early, const Access &after, int late) {
  return elementsOf(before.op, early).anyCommon(elementsOf(after.op, late));
}

/// What a copy or a read is in the words of the schedule: its step, its stage
/// and how many tiles it is ahead.
struct Place {
  std::string step; ///< "load_k ahead 2"; of a kernel without stages "load_k"
  std::string text; ///< "load_k ahead 2 in @v_in"
};
Place placeOf(Operation *op) {
  auto own = cast<StepOp>(op);
  const StepKind kind = own.getStepKind();
  Place place{stringifyStepKind(kind).str(), ""};
  auto stageOp = op->getParentOfType<StageOp>();
  PipelineAttr pipeline =
      op->getParentOfType<KernelOp>().getSchedule().getPipeline();
  if (stageOp)
    for (StageAttr stage : pipeline.getStages())
      for (StepAttr step : stage.getSteps())
        if (stage.getName() == stageOp.getStageAttr() &&
            step.getKind() == kind && step.getPart() == own.getPartAttr() &&
            step.getAhead())
          place.step += " ahead " + std::to_string(step.getAhead());
  place.text = place.step;
  if (stageOp)
    place.text += " in @" + stageOp.getStage().str();
  return place;
}

InFlightDiagnostic errorAt(Operation *access) {
  return access->emitError() << placeOf(access).text << " ";
}

/// `before` has ended in every wave before `after` begins in any that touches
/// what it did.
LogicalResult ordered(const Access &before, const Access &after,
                      StringRef what) {
  for (int early = 0; early < kWaveGroups; ++early)
    for (int late = 0; late < kWaveGroups; ++late) {
      if (before.ends[early] != kNever &&
          before.ends[early] < after.begins[late])
        continue;
      if (!meet(before, early, after, late))
        continue;
      const Place first = placeOf(before.op), second = placeOf(after.op);
      InFlightDiagnostic diag =
          errorAt(after.op)
          << what << " " << first.text
          << ": expected a barrier after the wait of the " << nameOf(early)
          << " wave group for " << first.step << " and before " << second.step
          << " of the " << nameOf(late) << " group, found ";
      if (before.ends[early] == kNever)
        diag << "no wait";
      else
        diag << "the wait after " << before.ends[early] << " barriers and "
             << second.step << " after " << after.begins[late];
      diag.attachNote(before.op->getLoc())
          << "'" << before.op->getName().getStringRef() << "' before it";
      return diag;
    }
  return success();
}

LogicalResult proveWay(KernelOp kernel, int rounds, int elses) {
  Execution walk(rounds, elses);
  if (failed(walk.run(kernel.getBody().front())))
    return failure();
  if (walk.total[0] != walk.total[1])
    return kernel.emitOpError()
           << "expected both wave groups to go through as many "
              "barriers, found "
           << walk.total[0] << " and " << walk.total[1];
  for (size_t i = 0; i < walk.accesses.size(); ++i) {
    const Access &access = walk.accesses[i];
    bool wasRead = false, wasCopied = false;
    // Back to the copy that this one reads, or that it replaces.
    for (size_t j = i; j-- > 0;) {
      const Access &before = walk.accesses[j];
      if (before.buffer != access.buffer)
        continue;
      if (!before.isCopy()) {
        wasRead = true;
        if (access.isCopy() &&
            failed(ordered(before, access,
                           "overwrites what may still be read by")))
          return failure();
        continue;
      }
      if (!access.isCopy() &&
          failed(ordered(before, access, "reads what may not be there yet of")))
        return failure();
      if (!access.isCopy() && access.copy != j) {
        InFlightDiagnostic diag =
            errorAt(access.op)
            << "reads another tile than its token stands for";
        diag.attachNote(before.op->getLoc()) << "the last copy before it";
        return diag;
      }
      if (access.isCopy() && !wasRead) {
        InFlightDiagnostic diag =
            errorAt(access.op) << "copies into a buffer that nothing was read "
                                  "from since the last copy";
        diag.attachNote(before.op->getLoc())
            << "'" << before.op->getName().getStringRef() << "' before it";
        return diag;
      }
      wasCopied = true;
      break;
    }
    if (!access.isCopy() && !wasCopied)
      return errorAt(access.op)
             << "reads a buffer that nothing was copied into";
  }
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
  int lastRounds = 3 * period, branches = 0;
  kernel.walk([&](scf::IfOp) { ++branches; });
  for (int rounds = 0; rounds <= lastRounds; ++rounds)
    for (int elses = 0; elses <= branches; ++elses)
      if (failed(proveWay(kernel, rounds, elses)))
        return failure();
  return success();
}
