// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/Lanes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SYNCTOROCDLPASS
#include "Passes.h.inc"

namespace {

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
  amdgpu::SchedBarrierOp::create(b, loc, amdgpu::sched_barrier_opt_enum::none);
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
  op.erase();
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
  op.erase();
}

struct SyncToRocdl : impl::SyncToRocdlPassBase<SyncToRocdl> {
  static void lower(Operation *op) {
    OpBuilder b(op);
    createWall(b, op->getLoc());
    // Arithmetic that stands before a wait is what the wait was put late for.
    if (isa<amdgpu::MemoryCounterWaitOp>(op))
      return;
    if (isa<ROCDL::SBarrierOp>(op)) {
      b.setInsertionPointAfter(op);
      createWall(b, op->getLoc());
      return;
    }
    op->erase(); // a wall
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    SmallVector<AnchorOp> anchors;
    SmallVector<StaggerOp> staggers;
    getOperation().walk([&](Operation *op) {
      if (isa<amdgpu::MemoryCounterWaitOp, ROCDL::SBarrierOp, WallOp>(op))
        ops.push_back(op);
      else if (auto anchor = dyn_cast<AnchorOp>(op))
        anchors.push_back(anchor);
      else if (auto stagger = dyn_cast<StaggerOp>(op))
        staggers.push_back(stagger);
    });
    for (Operation *op : ops)
      lower(op);
    for (AnchorOp anchor : anchors)
      createAnchor(anchor);
    for (StaggerOp stagger : staggers)
      createStagger(stagger);
  }
};
} // namespace
} // namespace mlir::fmha
