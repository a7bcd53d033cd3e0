// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "lower/EmptyAsm.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SYNCTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// Nothing before moves after what follows, and nothing after moves before:
/// not memory (LLVM IR and machine sinking), not arithmetic (the schedulers).
///
/// An empty instruction claims to touch memory: LLVM's sinking passes move
/// LDS reads over waits and barriers into the block that uses them, and stop
/// here. To LLVM 22 an immediate of the target's own kind ("I") may be an
/// address, so that the instruction loads; the clobber ~{memory}, which says
/// so outright, is looked up among the names of all registers, a fifth of the
/// time that code generation takes.
void createWall(LaneBuilder &b) {
  createEmptyAsm(b, TypeRange(), b.i32(0), "I", /*hasEffects=*/true);
  amdgpu::SchedBarrierOp::create(b, amdgpu::sched_barrier_opt_enum::none);
}

FailureOr<Values> lower(WallOp op, LaneBuilder &b) {
  createWall(b);
  return Values();
}

/// Values, kept where they are by an empty instruction that claims to read
/// them.
FailureOr<Values> lower(AnchorOp op, LaneBuilder &b) {
  Values values;
  constexpr unsigned kWordBits = 32;
  for (Value value : op.getValues()) {
    if (!isa<TileType>(value.getType())) {
      createEmptyAsm(b, TypeRange(), value, "s", /*hasEffects=*/true);
      continue;
    }
    for (Value fragment : b.toPresentLanes(value)) {
      auto type = cast<VectorType>(fragment.getType());
      unsigned bits = type.getElementTypeBitWidth() * type.getNumElements();
      if (type.getElementTypeBitWidth() < kWordBits && bits % kWordBits == 0)
        fragment = b.bitcast(
            VectorType::get({bits / kWordBits}, b.getI32Type()), fragment);
      if (type.getNumElements() == 1)
        fragment = vector::ExtractOp::create(b, fragment, 0);
      values.push_back(fragment);
    }
  }
  // An instruction takes a limited number of operands.
  constexpr size_t kMaxOperands = 16;
  for (ArrayRef<Value> rest = values; !rest.empty();) {
    ArrayRef<Value> some = rest.take_front(kMaxOperands);
    createEmptyAsm(b, TypeRange(), some,
                   llvm::join(SmallVector<StringRef>(some.size(), "v"), ","),
                   /*hasEffects=*/true);
    rest = rest.drop_front(some.size());
  }
  return Values();
}

/// The other wave group has nothing to do in the meantime.
FailureOr<Values> lower(StaggerOp op, LaneBuilder &b) {
  Value wave = b.id(Id::Wave);
  bool isFirst = op.getGroup() == WaveGroup::First;
  Value inGroup =
      b.cmp(isFirst ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
            wave, b.i32(b.schedule().getWaves() / 2));
  createWall(b);
  auto branch = scf::IfOp::create(b, inGroup, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  for (uint32_t i = 0; i < op.getBarriers(); ++i)
    ROCDL::SBarrierOp::create(b);
  b.setInsertionPointAfter(branch);
  createWall(b);
  return Values();
}

struct SyncToRocdl : impl::SyncToRocdlPassBase<SyncToRocdl> {
  LogicalResult run(KernelOp kernel) override {
    kernel.walk([&](Operation *op) {
      LaneBuilder b(op);
      // Arithmetic that stands before a wait is what the wait was put late for.
      if (isa<amdgpu::MemoryCounterWaitOp, ROCDL::SBarrierOp>(op))
        createWall(b);
      if (isa<ROCDL::SBarrierOp>(op)) {
        b.setInsertionPointAfter(op);
        createWall(b);
      }
    });
    return lowerEach<WallOp, AnchorOp, StaggerOp>(
        kernel, [](auto op, LaneBuilder &b) { return lower(op, b); });
  }
};
} // namespace
} // namespace mlir::fmha
