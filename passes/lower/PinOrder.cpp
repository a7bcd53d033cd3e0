// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_PINORDERPASS
#include "Passes.h.inc"

namespace {

bool isDotProduct(LLVM::CallIntrinsicOp call) {
  return call.getIntrin() == "llvm.amdgcn.fdot2.f32.bf16";
}

/// An intrinsic that has no op of its own says nothing of its effects.
bool hasEffect(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return !(call && isDotProduct(call)) && !isMemoryEffectFree(op);
}

/// The class of the instruction that an op becomes; nothing for an op that
/// becomes none of its own (moves between vectors and their elements, what the
/// address of a memory access absorbs).
std::optional<SchedClass> classOf(Operation *op) {
  using Class = std::optional<SchedClass>;
  return llvm::TypeSwitch<Operation *, Class>(op)
      .Case<amdgpu::MFMAOp, amdgpu::SparseMFMAOp, amdgpu::ScaledMFMAOp>(
          [](auto) { return SchedClass::Mfma; })
      .Case<ROCDL::ROCDLExp2, ROCDL::ROCDLRcp>(
          [](auto) { return SchedClass::Trans; })
      .Case<arith::MaxNumFOp>([](arith::MaxNumFOp max) -> Class {
        // The first of two is part of a v_max3_f32.
        if (max->hasOneUse())
          if (auto next = dyn_cast<arith::MaxNumFOp>(*max->user_begin());
              next && next.getLhs() == max)
            return std::nullopt;
        return SchedClass::Valu;
      })
      .Case<arith::AddFOp, arith::MulFOp, arith::SubFOp, arith::CmpFOp,
            arith::SelectOp, arith::TruncFOp, LLVM::FMAOp, ROCDL::CvtPkFp8F32Op,
            ROCDL::CvtScaleF32PkBf16Fp8Op, ROCDL::CvtScaleF32PkBf16Bf8Op,
            ROCDL::CvtScaleF32PkF16Fp8Op, ROCDL::CvtScaleF32PkF16Bf8Op>(
          [](auto) { return SchedClass::Valu; })
      .Case<ROCDL::ds_read_tr16_b64, ROCDL::ds_read_tr8_b64>(
          [](auto) { return SchedClass::DsRead; })
      .Case<LLVM::LoadOp>([](LLVM::LoadOp load) -> Class {
        auto type = cast<LLVM::LLVMPointerType>(load.getAddr().getType());
        constexpr unsigned kGlobal = 1, kLds = 3;
        if (type.getAddressSpace() == kLds)
          return SchedClass::DsRead;
        if (type.getAddressSpace() == kGlobal)
          return SchedClass::Vmem;
        return std::nullopt;
      })
      .Case<ROCDL::RawPtrBufferLoadLdsOp, ROCDL::RawPtrBufferLoadOp,
            ROCDL::GlobalLoadLDSOp>([](auto) { return SchedClass::Vmem; })
      .Case<LLVM::CallIntrinsicOp>([](LLVM::CallIntrinsicOp call) -> Class {
        if (isDotProduct(call))
          return SchedClass::Valu;
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Of addresses.
bool isChoice(Operation *op) {
  return isa<arith::SelectOp>(op) &&
         isa<IntegerType>(op->getResult(0).getType());
}

/// What a branch depends on, and nothing else.
bool isCondition(Operation *op) {
  return isa<arith::CmpFOp, arith::CmpIOp>(op) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<scf::IfOp>);
}

using SchedGroup = ROCDL::SchedGroupBarrier;

/// The class that a group of a recipe asks for: the pass refuses others.
SchedClass kindOf(SchedGroup group) {
  return *chip::schedClassOf(group.getMask());
}

/// What an op takes from outside, its regions included.
SmallVector<Value> operandsOf(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  operands.append(above.begin(), above.end());
  return operands;
}

/// A group of a recipe that found too few instructions.
struct Unmet {
  SchedGroup group;
  unsigned ready;   ///< that it took
  unsigned waiting; ///< of its class, that need what comes later
};

/// Orders what stands between two walls.
class Segment {
public:
  Segment(ArrayRef<Operation *> ops, ArrayRef<SchedGroup> groups)
      : ops(ops), groups(groups),
        placesMemory(llvm::any_of(groups, [](SchedGroup group) {
          return kindOf(group) == SchedClass::Vmem;
        })) {}

  /// By the recipe: for each group, as many instructions of its class as it
  /// names, of those whose operands are there, in the order in which they
  /// stand. What no group asks for follows.
  SmallVector<Operation *> order();
  /// Where the recipe places vector memory, what makes up the addresses of that
  /// goes with it, and is no instruction of its own.
  std::optional<SchedClass> classIn(Operation *op) const {
    return placesMemory && isChoice(op) ? std::nullopt : classOf(op);
  }

  /// Loads to registers, if no group asks for them: those of page numbers.
  bool isLookUp(Operation *op) const {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    return (load && load.getVolatile_()) ||
           (!placesMemory && isa<ROCDL::RawPtrBufferLoadOp>(op));
  }

  /// The first group that `order` could not meet.
  std::optional<Unmet> unmet;

private:
  void collect();
  bool isReady(Operation *op) const {
    return llvm::all_of(needs.lookup(op),
                        [&](Operation *need) { return done.contains(need); });
  }
  bool take(SchedClass kind);
  void place(Operation *op);

  ArrayRef<Operation *> ops;
  ArrayRef<SchedGroup> groups;
  bool placesMemory;
  SmallVector<Operation *> instructions;
  /// Instructions of this segment that an instruction needs, through ops that
  /// are none.
  llvm::DenseMap<Operation *, llvm::SmallSetVector<Operation *, 4>> needs;
  llvm::DenseSet<Operation *> done;
  SmallVector<Operation *> placed;
};

void Segment::collect() {
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  Operation *lastEffect = nullptr;
  for (Operation *op : ops) {
    auto &own = needs[op];
    for (Value operand : operandsOf(op)) {
      Operation *def = operand.getDefiningOp();
      if (!def || !inside.contains(def))
        continue;
      if (classIn(def) || hasEffect(def)) {
        own.insert(def);
        continue;
      }
      auto before = needs.lookup(def);
      own.insert(before.begin(), before.end());
    }
    // A wall between copies would only keep the recipe from reaching what
    // stands behind it.
    if (placesMemory && isa<amdgpu::SchedBarrierOp>(op))
      continue;
    if (hasEffect(op)) {
      if (lastEffect)
        own.insert(lastEffect);
      lastEffect = op;
    }
    if (classIn(op) || hasEffect(op))
      instructions.push_back(op);
  }
}

/// An op goes after those that are no instructions and that it needs.
void Segment::place(Operation *op) {
  if (!done.insert(op).second)
    return;
  for (Value operand : operandsOf(op))
    if (Operation *def = operand.getDefiningOp();
        def && needs.contains(def) && !done.contains(def))
      place(def);
  placed.push_back(op);
}

bool Segment::take(SchedClass kind) {
  for (Operation *op : instructions)
    if (!done.contains(op) && classIn(op) == kind && isReady(op)) {
      place(op);
      return true;
    }
  return false;
}

SmallVector<Operation *> Segment::order() {
  collect();
  // What opens the stage stays in front: what is no instruction of a class,
  // branches, and look-ups of pages, with the choice of the tile that they look
  // up.
  size_t opening = 0;
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (isLookUp(op))
      opening = i + 1;
    else if (classIn(op) && !isChoice(op) && !isCondition(op))
      break;
  }
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (i >= opening && classIn(op))
      break;
    // LLVM would move what stands before a branch to the place after it.
    if (hasEffect(op) || op->getNumRegions())
      place(op);
  }
  for (SchedGroup group : groups) {
    uint32_t taken = 0;
    const SchedClass kind = kindOf(group);
    while (taken < group.getSize() && take(kind))
      ++taken;
    if (taken < group.getSize() && !unmet) {
      unsigned waiting = llvm::count_if(instructions, [&](Operation *op) {
        return !done.contains(op) && classIn(op) == kind;
      });
      unmet = {group, taken, waiting};
    }
  }
  for (Operation *op : ops)
    place(op);
  return std::move(placed);
}

struct PinOrder : impl::PinOrderPassBase<PinOrder> {
  LogicalResult run(KernelOp kernel) override {
    if (kernel.getSchedule().getPipeline().getInstructions() !=
        InstructionOrder::Pinned)
      return success();
    llvm::SetVector<Block *> blocks;
    WalkResult known = kernel.walk([&](SchedGroup group) -> WalkResult {
      blocks.insert(group->getBlock());
      if (chip::schedClassOf(group.getMask()))
        return WalkResult::advance();
      return group.emitOpError(
                 "expected the mask of one class of instructions, found ")
             << group.getMask() << "; instructions = grouped leaves it to LLVM";
    });
    if (known.wasInterrupted())
      return failure();
    llvm::StringSet<> reported;
    for (Block *block : blocks)
      pin(*block, reported);
    return success();
  }

  static void pin(Block &block, llvm::StringSet<> &reported) {
    SmallVector<Operation *> ops;
    SmallVector<SchedGroup> groups;
    StringRef stage;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<WallOp, ROCDL::SBarrierOp>(op)) {
        pin(ops, groups, &op, stage, reported);
        ops.clear();
        groups.clear();
        auto wall = dyn_cast<WallOp>(op);
        stage = wall ? wall.getStage().value_or("") : "";
      } else if (auto group = dyn_cast<SchedGroup>(op)) {
        groups.push_back(group);
      } else {
        ops.push_back(&op);
      }
    }
  }

  static void pin(ArrayRef<Operation *> ops, ArrayRef<SchedGroup> groups,
                  Operation *end, StringRef stage,
                  llvm::StringSet<> &reported) {
    if (groups.empty())
      return;
    // Instructions stay where they are put by a wall of the schedulers after
    // each.
    OpBuilder b(end);
    Segment segment(ops, groups);
    for (Operation *op : segment.order()) {
      op->moveBefore(end);
      if (segment.classIn(op))
        amdgpu::SchedBarrierOp::create(b, op->getLoc(),
                                       amdgpu::sched_barrier_opt_enum::none);
    }
    // Only the loop is worth a recipe; each stage stands in it once a tile.
    if (segment.unmet && end->getParentOfType<KvLoopOp>() &&
        reported.insert(stage).second)
      report(*segment.unmet, groups, stage);
    for (SchedGroup group : groups)
      group.erase();
  }

  static void report(Unmet unmet, ArrayRef<SchedGroup> groups,
                     StringRef stage) {
    SchedGroup group = unmet.group;
    InFlightDiagnostic remark = group.emitRemark("declined: recipe ");
    if (!stage.empty())
      remark << "of @" << stage << " ";
    remark << "cannot be met in its order: group "
           << llvm::find(groups, group) - groups.begin() + 1 << " of "
           << groups.size() << " asks for " << group.getSize() << " "
           << stringifySchedClass(kindOf(group)) << " instructions, found "
           << unmet.ready << " ready there and " << unmet.waiting
           << " that need what comes later";
  }
};
} // namespace
} // namespace mlir::fmha
