// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/Lanes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SYNCTOROCDLPASS
#include "Passes.h.inc"

namespace {

// Fields of the s_waitcnt immediate on gfx9. Source: LLVM AMDGPUUsage and
// SIDefines; a field at its maximum waits for nothing.
//   vmcnt [3:0] and [15:14], expcnt [6:4], lgkmcnt [11:8]
constexpr int64_t kVmcntMax = kMaxOutstandingLoads, kExpcntMax = 7,
                  kLgkmcntMax = 15;

int64_t waitImmediate(int64_t vmcnt, int64_t lgkmcnt) {
  return (vmcnt & 15) | kExpcntMax << 4 | lgkmcnt << 8 | (vmcnt >> 4) << 14;
}

/// An empty instruction that claims to touch memory: LLVM's sinking passes move
/// LDS reads over waits and barriers into the block that uses them, and stop
/// here. To LLVM 22 an immediate of the target's own kind ("I") may be an
/// address, so that the instruction loads; the clobber ~{memory}, which says
/// so outright, is looked up among the names of all registers, a fifth of the
/// time that code generation takes.
void createMemoryFence(OpBuilder &b, Location loc) {
  Value nothing = constantI32(b, loc, 0);
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(nothing),
                            /*asm_string=*/"",
                            /*constraints=*/"I", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Nothing before moves after what follows, and nothing after moves before:
/// not memory (LLVM IR and machine sinking), not arithmetic (the schedulers).
void createWall(OpBuilder &b, Location loc) {
  createMemoryFence(b, loc);
  ROCDL::SchedBarrier::create(b, loc, 0);
}

/// Arithmetic that stands before a wait is what the wait was put late for.
void createWait(Operation *op, int64_t immediate) {
  OpBuilder b(op);
  createWall(b, op->getLoc());
  ROCDL::SWaitcntOp::create(b, op->getLoc(), immediate);
}

void createBarrier(Operation *op) {
  OpBuilder b(op);
  createWall(b, op->getLoc());
  ROCDL::SBarrierOp::create(b, op->getLoc());
  createWall(b, op->getLoc());
}

/// Values, kept where they are by an empty instruction that claims to read
/// them.
void createAnchor(AnchorOp op) {
  OpBuilder b(op);
  SmallVector<Value> values;
  constexpr unsigned kWordBits = 32;
  for (Value tile : op.getTiles())
    for (Value fragment : toPresentLanes(b, op.getLoc(), tile)) {
      auto type = cast<VectorType>(fragment.getType());
      unsigned bits = type.getElementTypeBitWidth() * type.getNumElements();
      if (type.getElementTypeBitWidth() < kWordBits && bits % kWordBits == 0)
        fragment = LLVM::BitcastOp::create(
            b, op.getLoc(), VectorType::get({bits / kWordBits}, b.getI32Type()),
            fragment);
      if (type.getNumElements() == 1)
        fragment = vector::ExtractOp::create(b, op.getLoc(), fragment, 0);
      values.push_back(fragment);
    }
  // An instruction takes a limited number of operands.
  constexpr size_t kMaxOperands = 16;
  for (size_t i = 0; i < values.size(); i += kMaxOperands) {
    auto some = ArrayRef<Value>(values).slice(
        i, std::min(kMaxOperands, values.size() - i));
    std::string constraints = "v";
    for (size_t j = 1; j < some.size(); ++j)
      constraints += ",v";
    LLVM::InlineAsmOp::create(b, op.getLoc(), TypeRange(), some,
                              /*asm_string=*/"", constraints,
                              /*has_side_effects=*/true,
                              /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                              ArrayAttr());
  }
}

/// The other wave group has nothing to do in the meantime.
void createStagger(StaggerOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t waves = op->getParentOfType<KernelOp>().getSchedule().getWaves();
  Value wave = IdOp::create(b, loc, b.getI32Type(), Id::Wave);
  bool isFirst = op.getGroup() == WaveGroup::First;
  Value inGroup = arith::CmpIOp::create(
      b, loc, isFirst ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
      wave, constantI32(b, loc, waves / 2));
  createWall(b, loc);
  auto branch = scf::IfOp::create(b, loc, inGroup, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (uint32_t i = 0; i < op.getBarriers(); ++i)
    ROCDL::SBarrierOp::create(b, loc);
  b.setInsertionPointAfter(branch);
  createWall(b, loc);
}

/// Masks of the instruction classes. Source: LLVM AMDGPUUsage,
/// llvm.amdgcn.sched.group.barrier.
int32_t schedMask(SchedClass kind) {
  switch (kind) {
  case SchedClass::Mfma:
    return 0x8;
  case SchedClass::Valu:
    return 0x2;
  case SchedClass::Trans:
    return 0x400;
  case SchedClass::DsRead:
    return 0x100;
  case SchedClass::Vmem:
    return 0x10;
  case SchedClass::Salu:
    return 0x4;
  }
  llvm_unreachable("closed enum");
}

struct SyncToRocdl : impl::SyncToRocdlPassBase<SyncToRocdl> {
  void lower(Operation *op) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    llvm::TypeSwitch<Operation *>(op)
        .Case<WaitLoadsOp>([&](auto wait) {
          createWait(wait, waitImmediate(wait.getOutstanding(), kLgkmcntMax));
        })
        .Case<WaitLdsOp>([&](auto wait) {
          // One instruction waits for both.
          auto loads = dyn_cast_or_null<WaitLoadsOp>(wait->getNextNode());
          createWait(wait,
                     waitImmediate(loads ? loads.getOutstanding() : kVmcntMax,
                                   /*lgkmcnt=*/0));
          if (loads)
            loads.erase();
        })
        .Case<BarrierOp>([&](auto barrier) { createBarrier(barrier); })
        .Case<WallOp>([&](auto) { createWall(b, loc); })
        .Case<AnchorOp>([&](auto anchor) { createAnchor(anchor); })
        .Case<StaggerOp>([&](auto stagger) { createStagger(stagger); })
        .Case<PriorityOp>([&](auto priority) {
          ROCDL::SetPrioOp::create(b, loc, priority.getLevel());
        })
        .Case<IdleOp>([&](auto idle) {
          ROCDL::SNopOp::create(b, loc, idle.getSlots() - 1);
          ROCDL::SchedBarrier::create(b, loc, 0);
        })
        .Case<SchedGroupOp>([&](auto group) {
          ROCDL::SchedGroupBarrier::create(b, loc, schedMask(group.getKind()),
                                           group.getCount(), 0);
        });
    op->erase();
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<WaitLoadsOp, WaitLdsOp, BarrierOp, WallOp, AnchorOp, StaggerOp,
              PriorityOp, IdleOp, SchedGroupOp>(op) &&
          !(isa<WaitLoadsOp>(op) &&
            isa_and_nonnull<WaitLdsOp>(op->getPrevNode())))
        ops.push_back(op); // the wait for reads takes one for loads after it
    });
    for (Operation *op : ops)
      lower(op);
  }
};
} // namespace
} // namespace mlir::fmha
