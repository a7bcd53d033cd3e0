// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_SYNCTOROCDLPASS
#include "Passes.h.inc"

namespace {

// Fields of the s_waitcnt immediate on gfx9. Source: LLVM AMDGPUUsage and
// SIDefines; a field at its maximum waits for nothing.
//   vmcnt [3:0] and [15:14], expcnt [6:4], lgkmcnt [11:8]
constexpr int64_t kVmcntMax = 63, kExpcntMax = 7, kLgkmcntMax = 15;

int64_t waitImmediate(int64_t vmcnt, int64_t lgkmcnt) {
  return (vmcnt & 15) | kExpcntMax << 4 | lgkmcnt << 8 | (vmcnt >> 4) << 14;
}

/// An empty instruction that claims to touch memory: LLVM's sinking passes move
/// LDS reads over waits and barriers into the block that uses them, and stop
/// here.
void createMemoryFence(OpBuilder &b, Location loc) {
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange(), /*asm_string=*/"",
      /*constraints=*/"~{memory}", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Nothing before moves behind what follows, and nothing behind moves before:
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

struct SyncToRocdl : impl::SyncToRocdlPassBase<SyncToRocdl> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<WaitLoadsOp, WaitLdsOp, BarrierOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto wait = dyn_cast<WaitLoadsOp>(op))
        createWait(op, waitImmediate(wait.getOutstanding(), kLgkmcntMax));
      else if (isa<WaitLdsOp>(op))
        createWait(op, waitImmediate(kVmcntMax, 0));
      else
        createBarrier(op);
      op->erase();
    }
  }
};
} // namespace
} // namespace mlir::fmha
